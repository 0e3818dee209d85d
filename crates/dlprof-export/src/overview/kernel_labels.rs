//! What people call kernels: base names, with a word of the template arguments where several kernels share one.
//!
//! ```text
//! void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, …>(int, …)
//!                  vectorized_elementwise_kernel <AddFunctor>
//! ```

use dlprof_core::findings::base_name;
use std::collections::{BTreeMap, BTreeSet};

/// Labels of kernels by their demangled names; different names have different labels.
pub(super) fn labels(long_names: &[&str]) -> Vec<String> {
    let mut by_base: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, name) in long_names.iter().enumerate() {
        by_base.entry(base_name(name)).or_default().push(at);
    }
    let mut labels = vec![String::new(); long_names.len()];
    for (base, places) in by_base {
        let names: Vec<&str> = places.iter().map(|&at| long_names[at]).collect();
        for (at, label) in places.into_iter().zip(labels_of_base(base, &names)) {
            labels[at] = label;
        }
    }
    labels
}

/// Labels of kernels that share a base name.
fn labels_of_base(base: &str, names: &[&str]) -> Vec<String> {
    let base = if base.is_empty() { "(no name)" } else { base };
    if names.len() == 1 {
        return vec![base.to_owned()];
    }
    let words: Vec<Vec<&str>> = names.iter().map(|name| words(name)).collect();
    let everywhere = |word: &&str| words.iter().all(|words| words.contains(word));
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let label = |words: &Vec<&str>| {
        let mut own: Vec<&str> = Vec::new();
        for word in words.iter().filter(|word| !everywhere(word)) {
            if !own.contains(word) && own.len() < MOST_WORDS {
                own.push(word);
            }
        }
        let label = if own.is_empty() { base.to_owned() } else { format!("{base} <{}>", own.join(" ")) };
        let count = taken.entry(label.clone()).or_default();
        *count += 1;
        if *count == 1 { label } else { format!("{label} #{count}") }
    };
    words.iter().map(label).collect()
}

/// More words do not tell kernels apart any better.
const MOST_WORDS: usize = 2;

/// The words of the template arguments that mean something, in order.
fn words(name: &str) -> Vec<&str> {
    let dull: BTreeSet<&str> = DULL.into_iter().collect();
    let arguments = name.find('<').map_or("", |at| &name[at..]);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = arguments.split(|c| !is_part(c)).filter(|word| !word.is_empty() && !dull.contains(word));
    words.collect()
}

/// Words that say nothing about what a kernel computes.
const DULL: [&str; 18] = [
    "at",
    "native",
    "void",
    "const",
    "anonymous",
    "namespace",
    "std",
    "c10",
    "detail",
    "lambda",
    "operator",
    "unnamed",
    "type",
    "char",
    "memory",
    "instance",
    "internal",
    "array",
];

#[cfg(test)]
mod tests {
    use super::labels;

    #[test]
    fn kernels_of_one_base_differ_by_a_word() {
        let names = [
            "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)",
            "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>>(int)",
            "void at::native::vectorized_elementwise_kernel<2, at::native::MulFunctor<float>>(int)",
            "ampere_sgemm_128x64_tn",
            "void same<int>(int)",
            "void same<int>(float)",
            "void other(int)",
            "void other(long)",
        ];
        let expected = [
            "vectorized_elementwise_kernel <4 AddFunctor>",
            "vectorized_elementwise_kernel <4 MulFunctor>",
            "vectorized_elementwise_kernel <2 MulFunctor>",
            "ampere_sgemm_128x64_tn",
            "same",
            "same <float>",
            "other",
            "other #2",
        ];
        assert_eq!(labels(&names), expected);
    }
}
