//! Labels that tools write before the numbers of processes where they merge the traces of several ranks: `TP00`, `DP1][TP3`, `rank 2`.

use std::collections::BTreeMap;

/// The ranks of labels that all number the same things: the number after `rank`, if it is among them, or the only one; of several,
/// such as `DP1][TP3`, the place in their order. None where labels do not say that.
pub(super) fn ranks_of_labels(labels: &[String]) -> BTreeMap<String, u64> {
    let parts: Vec<Vec<(String, u64)>> = labels.iter().map(|label| numbered(label)).collect();
    let names = |of: &[(String, u64)]| of.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let Some(of_all) = parts.first().map(|first| names(first)) else { return BTreeMap::new() };
    if of_all.is_empty() || parts.iter().any(|of| names(of) != of_all) {
        return BTreeMap::new();
    }
    let said = of_all.iter().position(|name| name == "rank").or((of_all.len() == 1).then_some(0));
    let mut order: Vec<&Vec<(String, u64)>> = parts.iter().collect();
    order.sort();
    let rank = |of: &Vec<(String, u64)>| match said {
        Some(part) => of[part].1,
        None => order.partition_point(|other| *other < of) as u64,
    };
    labels.iter().cloned().zip(parts.iter().map(rank)).collect()
}

/// What a label numbers: small letters with the number after them.
fn numbered(label: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = label;
    while let Some(digits) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(digits);
        let end = from.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(from.len());
        let name: String = before.chars().filter(|letter| letter.is_alphabetic()).collect();
        if let Ok(number) = from[..end].parse() {
            parts.push((name.to_lowercase(), number));
        }
        rest = &from[end..];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::ranks_of_labels;

    #[test]
    fn labels_of_one_form_say_ranks() {
        let ranks = |labels: &[&str]| {
            let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
            ranks_of_labels(&labels).into_values().collect::<Vec<u64>>()
        };
        assert_eq!(ranks(&["TP00", "TP02"]), [0, 2]);
        assert_eq!(ranks(&["DP0][TP0", "DP0][TP1", "DP1][TP0", "DP1][TP1"]), [0, 1, 2, 3]);
        // Both number the same ranks.
        assert_eq!(ranks(&["TP00-EP00", "TP01-EP01", "TP10-EP10"]), [0, 1, 2]);
        assert_eq!(ranks(&["host1 rank 7", "host2 rank 12"]), [7, 12]);
        for other in [&["TP00", "DP01"][..], &["left", "right"], &["TP00", "front end"]] {
            assert!(ranks(other).is_empty(), "{other:?}");
        }
    }
}
