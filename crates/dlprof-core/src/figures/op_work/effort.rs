//! The work of a call, and counting without overflow.

/// The forward work of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Effort {
    /// Operations.
    pub(super) flop: u64,
    /// Elements of the op's data type, read and written.
    pub(super) elements: u64,
    /// Bytes of other types.
    pub(super) other_bytes: u64,
    /// Shape of the output.
    pub(super) output: Vec<u64>,
    /// Whether parameters were taken as their defaults.
    pub(super) assumed: bool,
}

impl Effort {
    /// Work whose parameters are known and whose elements are all of the op's data type.
    pub(super) fn new(flop: u64, elements: u64, output: Vec<u64>) -> Self {
        Self { flop, elements, other_bytes: 0, output, assumed: false }
    }
}

/// The number of elements of a shape; `None` if it is too large.
pub(super) fn size(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1_u64, |product, &dimension| product.checked_mul(dimension))
}

/// The number of elements of all shapes; `None` if it is too large.
pub(super) fn size_of_all(shapes: &[Vec<u64>]) -> Option<u64> {
    shapes.iter().try_fold(0_u64, |sum, shape| sum.checked_add(size(shape)?))
}

/// The product of numbers; `None` if it is too large.
pub(super) fn times(factors: &[u64]) -> Option<u64> {
    size(factors)
}

/// The sum of numbers; `None` if it is too large.
pub(super) fn plus(terms: &[u64]) -> Option<u64> {
    terms.iter().try_fold(0_u64, |sum, &term| sum.checked_add(term))
}
