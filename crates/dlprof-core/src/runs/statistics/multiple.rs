//! Correction for many tests at once.

use super::location::float;

/// Holm's step-down adjustment (1979): the probability of any false rejection is below the level, even if the tests
/// depend on each other. The result is in the order of the input.
#[must_use]
pub(crate) fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest = 0.0;
    for (step, at) in ascending(p_values).into_iter().enumerate() {
        largest = f64::max(largest, p_values[at] * float(p_values.len() - step));
        adjusted[at] = largest.min(1.0);
    }
    adjusted
}

/// Hochberg's step-up adjustment (1988): as Holm's but with more power. It is valid for tests that are independent
/// or positively correlated, such as those of iteration time and kernel time.
#[must_use]
pub(crate) fn hochberg(p_values: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p_values.len()];
    let mut smallest = 1.0;
    for (step, at) in ascending(p_values).into_iter().enumerate().rev() {
        smallest = f64::min(smallest, p_values[at] * float(p_values.len() - step));
        adjusted[at] = smallest;
    }
    adjusted
}

fn ascending(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
    }

    #[test]
    fn textbook_values() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") and "hochberg".
        near(&holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]);
        near(&hochberg(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.04, 0.04, 0.02]);
        near(&holm(&[]), &[]);
        near(&hochberg(&[0.009, 0.009]), &[0.009, 0.009]);
    }
}
