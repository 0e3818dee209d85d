//! Names that are too long for their column: cut in the middle, so that names that differ still look different.

use std::collections::BTreeSet;

/// The names of a list, each cut until it fits. `fits` says whether a text is narrow enough.
pub(super) fn cut(names: &[&str], fits: impl Fn(&str) -> bool) -> Vec<String> {
    // Names of kernels differ mostly at their ends.
    const HEADS: [usize; 4] = [34, 50, 20, 66];
    let list = |head: usize| -> Vec<String> { names.iter().map(|name| cut_one(name, head, &fits)).collect() };
    let distinct = |list: &[String]| list.iter().collect::<BTreeSet<_>>().len();
    let wanted = names.iter().collect::<BTreeSet<_>>().len();
    let mut best = list(HEADS[0]);
    for head in HEADS {
        let other = list(head);
        if distinct(&other) > distinct(&best) {
            best = other;
        }
    }
    if distinct(&best) < wanted {
        let alike = |at: &usize| best.iter().filter(|name| **name == best[*at]).count() > 1;
        let places: Vec<usize> = (0..names.len()).filter(alike).collect();
        let prefix = common_prefix(&places.iter().map(|&at| names[at]).collect::<Vec<_>>());
        for at in places {
            best[at] = cut_one(&format!("…{}", &names[at][prefix..]), 50, &fits);
        }
    }
    best
}

/// A name without its middle; `head` is the percentage of what is kept that is its beginning.
fn cut_one(name: &str, head: usize, fits: &impl Fn(&str) -> bool) -> String {
    if fits(name) {
        return name.to_owned();
    }
    let chars: Vec<char> = name.chars().collect();
    let shown = |kept: usize| -> String {
        let first = kept * head / 100;
        let tail = chars[chars.len() - (kept - first)..].iter();
        chars[..first].iter().chain(['…'].iter()).chain(tail).collect()
    };
    // The most characters that fit: names may be thousands of characters long.
    let (mut least, mut most) = (1, chars.len());
    while most - least > 1 {
        let middle = usize::midpoint(least, most);
        if fits(&shown(middle)) { least = middle } else { most = middle }
    }
    shown(least)
}

/// How many bytes names have in common at their beginning.
fn common_prefix(names: &[&str]) -> usize {
    let Some((first, others)) = names.split_first() else { return 0 };
    let is_same = |&(at, c): &(usize, char)| others.iter().all(|other| other[at..].starts_with(c));
    let same = first.char_indices().take_while(|place| {
        others.iter().all(|other| other.is_char_boundary(place.0) && place.0 < other.len()) && is_same(place)
    });
    same.last().map_or(0, |(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_look_different() {
        let fits = |text: &str| text.chars().count() <= 20;
        let long = |middle: &str| format!("sm80_xmma_gemm_f32f32_{middle}_tilesize_stage3_warpsize_cublas");
        let names = [long("nn_n"), long("tn_n"), long("nt_n"), "short".to_owned()];
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let shown = cut(&names, fits);
        assert_eq!(shown.iter().collect::<BTreeSet<_>>().len(), 4, "{shown:?}");
        assert!(shown.iter().all(|name| fits(name)));
        assert_eq!(shown[3], "short");
        assert_eq!(cut(&["größer_als_zwanzig_Zeichen_中文"], fits)[0].chars().count(), 20);
        assert_eq!(cut(&["same_name_that_is_long_x", "same_name_that_is_long_x"], fits).len(), 2);
    }
}
