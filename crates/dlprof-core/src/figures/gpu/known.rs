//! Numbers of an export that may be unknown.

/// A number that the export knows: above 0.
pub(super) fn known(number: Option<i64>) -> Option<u64> {
    number.and_then(|number| u64::try_from(number).ok()).filter(|&number| number > 0)
}
