//! What people call kernels: base names, with a word of the template arguments where several kernels share one.
//!
//! ```text
//! void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, …>(int, …)
//!                  vectorized_elementwise_kernel <AddFunctor>
//! ```

use dlprof_core::base_name;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Labels of kernels by their demangled names; different names have different labels.
pub(crate) fn labels(long_names: &[&str]) -> Vec<String> {
    let mut by_base: BTreeMap<Cow<'_, str>, Vec<usize>> = BTreeMap::new();
    for (at, name) in long_names.iter().enumerate() {
        let base = base_name(name);
        by_base.entry(tensile(base).map_or(Cow::Borrowed(base), Cow::Owned)).or_default().push(at);
    }
    let mut labels = vec![String::new(); long_names.len()];
    for (base, places) in by_base {
        let names: Vec<&str> = places.iter().map(|&at| long_names[at]).collect();
        for (at, label) in places.into_iter().zip(labels_of_base(&base, &names)) {
            labels[at] = label;
        }
    }
    labels
}

/// What people tell kernels of AMD's Tensile apart by: layouts and types of the operands, tile, and matrix instruction. A hundred
/// letters of settings follow in their names.
fn tensile(base: &str) -> Option<String> {
    let parts: Vec<&str> = base.strip_prefix("Cijk_")?.split('_').collect();
    let is_sized = |part: &str, start: &str| {
        part.strip_prefix(start).is_some_and(|size| size.starts_with(|c: char| c.is_ascii_digit()))
    };
    let tile = parts.iter().position(|part| is_sized(part, "MT") && part.contains('x'))?;
    let instruction = parts[tile..].iter().find(|part| is_sized(part, "MI")).copied();
    let kept = parts.iter().copied().take(tile.min(4)).chain([parts[tile]]).chain(instruction);
    Some(format!("Cijk_{}", kept.collect::<Vec<_>>().join("_")))
}

/// Labels of kernels that share a base name.
fn labels_of_base(base: &str, names: &[&str]) -> Vec<String> {
    let base = if base.is_empty() { "(no name)" } else { base };
    if names.len() == 1 {
        return vec![base.to_owned()];
    }
    let words: Vec<Vec<&str>> = names.iter().map(|name| words(name)).collect();
    let everywhere = |word: &&str| words.iter().all(|words| words.contains(word));
    let own: Vec<Vec<&str>> =
        words.iter().map(|words| words.iter().copied().filter(|word| !everywhere(word)).collect()).collect();
    let with = |own: &Vec<&str>, most: usize| match own[..own.len().min(most)].join(" ") {
        none if none.is_empty() => base.to_owned(),
        words => format!("{base} <{words}>"),
    };
    // As few words as tell a kernel from all others.
    let shortest = |at: usize| {
        let is_clear = |most: &usize| {
            let others = own.iter().enumerate().filter(|(other, _)| *other != at);
            others.map(|(_, other)| with(other, *most)).all(|other| other != with(&own[at], *most))
        };
        with(&own[at], (1..MOST_WORDS).find(is_clear).unwrap_or(MOST_WORDS))
    };
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let label = |at: usize| {
        let label = shortest(at);
        let count = taken.entry(label.clone()).or_default();
        *count += 1;
        if *count == 1 { label } else { format!("{label} #{count}") }
    };
    (0..own.len()).map(label).collect()
}

/// More words do not tell kernels apart any better.
const MOST_WORDS: usize = 3;

/// The words of the template arguments, those that say most first: what is computed, then wrappers, then types and numbers.
fn words(name: &str) -> Vec<&str> {
    let arguments = name.find('<').map_or("", |at| &name[at..]);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<&str> = Vec::new();
    for word in arguments.split(|c| !is_part(c)) {
        if !word.is_empty() && !DULL.contains(&word) && !words.contains(&word) {
            words.push(word);
        }
    }
    words.sort_by_key(|word| rank(word));
    words
}

/// How little a word says.
fn rank(word: &str) -> u8 {
    match word {
        _ if WRAPPERS.contains(&word) => 3,
        _ if TYPES.contains(&word) => 1,
        _ if word.starts_with(|c: char| c.is_ascii_digit()) || word.len() < 3 => 2,
        _ => 0,
    }
}

/// Words that say nothing about what a kernel computes.
const DULL: [&str; 22] = [
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
    "TensorIteratorBase",
    "binary_internal",
    "unary_internal",
    "thrust",
];

/// Words that stand around what is computed.
const WRAPPERS: [&str; 12] = [
    "gpu_kernel_impl",
    "gpu_kernel_impl_nocast",
    "AUnaryFunctor",
    "BUnaryFunctor",
    "BinaryFunctor",
    "TrivialOffsetCalculator",
    "LoadWithoutCast",
    "StoreWithoutCast",
    "LoadWithCast",
    "StoreWithCast",
    "OffsetCalculator",
    "opmath_gpu_kernel_with_scalars",
];

/// Types of numbers.
const TYPES: [&str; 14] = [
    "float", "double", "int", "long", "unsigned", "signed", "short", "bool", "Half", "BFloat16", "complex",
    "half", "true", "false",
];

#[cfg(test)]
mod tests {
    use super::labels;

    #[test]
    fn kernels_of_tensile_are_told_by_their_tiles() {
        let names = [
            "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x32x256_MI16x16x1_SN_LDSB0_WSGRA1_WS64_WG32_8_1",
            "Cijk_Ailk_Bjlk_SB_MT128x96x16_SN_1LDSB0",
            "Cijk_odd",
        ];
        let expected =
            ["Cijk_Alik_Bljk_BBS_BH_MT64x32x256_MI16x16x1", "Cijk_Ailk_Bjlk_SB_MT128x96x16", "Cijk_odd"];
        assert_eq!(labels(&names), expected);
    }

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
            "vectorized_elementwise_kernel <AddFunctor>",
            "vectorized_elementwise_kernel <MulFunctor 4>",
            "vectorized_elementwise_kernel <MulFunctor 2>",
            "ampere_sgemm_128x64_tn",
            "same",
            "same <float>",
            "other",
            "other #2",
        ];
        assert_eq!(labels(&names), expected);
    }
}
