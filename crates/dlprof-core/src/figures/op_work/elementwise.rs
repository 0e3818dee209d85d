//! Ops with a few operations for each element: activations, normalisations, reductions, look-ups.

use super::effort::{Effort, plus, size, size_of_all, times};
use super::matrix::broadcast;
use super::parameters::OpParameters;

/// A function of each element that takes this number of operations.
pub(super) fn function_of_each(inputs: &[Vec<u64>], operations: u64) -> Option<Effort> {
    let x = inputs.first()?;
    let count = size(x)?;
    Some(Effort::new(times(&[operations, count])?, times(&[2, count])?, x.clone()))
}

/// One operation for each element of the output, whose shape all inputs broadcast to. Inputs count their own size.
pub(super) fn one_each(inputs: &[Vec<u64>]) -> Option<Effort> {
    let (first, others) = inputs.split_first()?;
    let output = others.iter().try_fold(first.clone(), |shape, other| broadcast(&shape, other))?;
    let written = size(&output)?;
    Some(Effort::new(written, plus(&[size_of_all(inputs)?, written])?, output))
}

/// Eight operations per element; reads and writes x, reads a scale and an offset for each feature. If nothing says how many
/// features there are, they are the size of the weight, else of the last dimension.
pub(super) fn normalisation(inputs: &[Vec<u64>], parameters: &OpParameters) -> Option<Effort> {
    let x = inputs.first()?;
    let weight = inputs.get(1).and_then(|weight| size(weight));
    let features = match parameters.features.or(weight) {
        Some(features) => features,
        None => *x.last()?,
    };
    let count = size(x)?;
    let elements = plus(&[times(&[2, count])?, times(&[2, features])?])?;
    let assumed = parameters.features.or(weight).is_none();
    Some(Effort { assumed, ..Effort::new(times(&[8, count])?, elements, x.clone()) })
}

/// x (N, C, …). Training reads x twice and takes seven operations per element, inference two; either reads four numbers per
/// channel. If nothing says which, it is training.
pub(super) fn batch_normalisation(inputs: &[Vec<u64>], parameters: &OpParameters) -> Option<Effort> {
    let x = inputs.first()?;
    let channels = *x.get(1)?;
    let (operations, passes) = if parameters.is_training.unwrap_or(true) { (7, 3) } else { (2, 2) };
    let count = size(x)?;
    let elements = plus(&[times(&[passes, count])?, times(&[4, channels])?])?;
    let assumed = parameters.is_training.is_none();
    Some(Effort { assumed, ..Effort::new(times(&[operations, count])?, elements, x.clone()) })
}

/// A table (rows, width) and indices of 64 bits: reads and writes a row for each index, computes nothing.
pub(super) fn embedding(inputs: &[Vec<u64>]) -> Option<Effort> {
    /// Bytes of an index.
    const INDEX: u64 = 8;
    let [table, indices, ..] = inputs else { return None };
    let &[_, width] = table.as_slice() else { return None };
    let count = size(indices)?;
    let output: Vec<u64> = indices.iter().copied().chain([width]).collect();
    let elements = times(&[2, count, width])?;
    Some(Effort { other_bytes: times(&[INDEX, count])?, ..Effort::new(0, elements, output) })
}

/// All elements of all inputs become one number.
pub(super) fn reduction(inputs: &[Vec<u64>]) -> Option<Effort> {
    inputs.first()?;
    let count = size_of_all(inputs)?;
    Some(Effort::new(count, plus(&[count, 1])?, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_nothing_says_are_marked() {
        let found = normalisation(&[vec![8, 16]], &OpParameters::default()).expect("a normalisation");
        assert_eq!((found.elements, found.assumed), (2 * 128 + 2 * 16, true));
        let weight =
            normalisation(&[vec![8, 16], vec![4]], &OpParameters::default()).expect("one with weights");
        assert_eq!((weight.elements, weight.assumed), (2 * 128 + 2 * 4, false));
        assert!(
            batch_normalisation(&[vec![8, 16]], &OpParameters::default()).is_some_and(|work| work.assumed)
        );
        assert_eq!(one_each(&[]), None);
        assert_eq!(one_each(&[vec![2], vec![3]]), None);
    }
}
