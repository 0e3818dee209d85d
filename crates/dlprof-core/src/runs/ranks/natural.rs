//! The natural order of names: numbers in them count as numbers, so `rank2` comes before `rank10`.

use std::cmp::Ordering;

/// Compares two names.
#[must_use]
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let ((text_a, number_a, rest_a), (text_b, number_b, rest_b)) = (split(left), split(right));
        let numbers = || (number_a.len(), number_a).cmp(&(number_b.len(), number_b));
        let order = text_a.cmp(text_b).then_with(numbers);
        if order.is_ne() || (rest_a.is_empty() && rest_b.is_empty()) {
            // Names that differ only in leading zeros.
            return order.then_with(|| a.cmp(b));
        }
        (left, right) = (rest_a, rest_b);
    }
}

/// The text before the first number, the number without leading zeros, and what follows.
fn split(name: &str) -> (&str, &str, &str) {
    let is_digit = |c: char| c.is_ascii_digit();
    let (text, rest) = name.split_at(name.find(is_digit).unwrap_or(name.len()));
    let (number, rest) = rest.split_at(rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
    (text, number.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::natural_order;

    #[test]
    fn numbers_count_as_numbers() {
        let mut names = ["r10.x", "r2.y", "r2.x", "r02.x", "a", "r", "r2.x1"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["a", "r", "r02.x", "r2.x", "r2.x1", "r2.y", "r10.x"]);
    }
}
