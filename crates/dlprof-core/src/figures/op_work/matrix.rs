//! Products of matrices. N, M, K: rows, columns, length of the sums; a product has 2·N·M·K operations.

use super::effort::{Effort, plus, size, size_of_all, times};
use super::parameters::OpParameters;

/// x (…, K), w (M, K) and perhaps a bias (M) → (…, M).
pub(super) fn linear(inputs: &[Vec<u64>]) -> Option<Effort> {
    let (x, w) = (inputs.first()?, inputs.get(1)?);
    let (&k, leading) = x.split_last()?;
    let &[m, own_k] = w.as_slice() else { return None };
    if own_k != k {
        return None;
    }
    let n = size(leading)?;
    let output: Vec<u64> = leading.iter().copied().chain([m]).collect();
    let product = times(&[2, n, m, k])?;
    let written = times(&[n, m])?;
    match inputs.get(2) {
        Some(bias) => {
            let elements = plus(&[size(x)?, size(w)?, written, size(bias)?])?;
            Some(Effort::new(plus(&[product, written])?, elements, output))
        }
        None => Some(Effort::new(product, plus(&[size(x)?, size(w)?, written])?, output)),
    }
}

/// Bias (any shape that fits), a (N, K), b (K, M) → (N, M).
pub(super) fn add_product(inputs: &[Vec<u64>]) -> Option<Effort> {
    let [bias, a, b] = inputs else { return None };
    let (&[n, k], &[own_k, m]) = (a.as_slice(), b.as_slice()) else { return None };
    if own_k != k {
        return None;
    }
    let written = times(&[n, m])?;
    let flop = plus(&[times(&[2, n, m, k])?, written])?;
    Some(Effort::new(flop, plus(&[size(bias)?, size(a)?, size(b)?, written])?, vec![n, m]))
}

/// a (…, N, K), b (…, K, M) → (…, N, M), leading dimensions broadcast. A vector is a row on the left and a column on the right.
pub(super) fn product_of(inputs: &[Vec<u64>]) -> Option<Effort> {
    let [a, b] = inputs else { return None };
    let left = if a.len() == 1 { vec![1, a[0]] } else { a.clone() };
    let right = if b.len() == 1 { vec![b[0], 1] } else { b.clone() };
    let ([batch_a @ .., n, k], [batch_b @ .., own_k, m]) = (left.as_slice(), right.as_slice()) else {
        return None;
    };
    if own_k != k {
        return None;
    }
    let batch = broadcast(batch_a, batch_b)?;
    let count = size(&batch)?;
    let written = times(&[count, *n, *m])?;
    let flop = times(&[2, count, *n, *m, *k])?;
    let rows = (a.len() > 1).then_some(*n);
    let columns = (b.len() > 1).then_some(*m);
    let output = batch.into_iter().chain(rows).chain(columns).collect();
    Some(Effort::new(flop, plus(&[size(a)?, size(b)?, written])?, output))
}

/// c, a (B, N, K), b (B, K, M) → (B, N, M): the product, a scale and a sum.
pub(super) fn add_batches(inputs: &[Vec<u64>]) -> Option<Effort> {
    let [c, a, b] = inputs else { return None };
    let product = product_of(&[a.clone(), b.clone()])?;
    let written = size(&product.output)?;
    let flop = plus(&[product.flop, times(&[2, written])?])?;
    Some(Effort::new(flop, plus(&[product.elements, size(c)?])?, product.output))
}

/// q (…, L, D), k (…, S, D), v (…, S, E) → (…, L, E): scores and weighted sums, without the softmax. Causal
/// attention needs half of it.
pub(super) fn attention(inputs: &[Vec<u64>], parameters: &OpParameters) -> Option<Effort> {
    let [q, k, v] = inputs.get(..3)? else { return None };
    let ([heads @ .., l, d], [.., s, d_of_k], [.., s_of_v, e]) = (q.as_slice(), k.as_slice(), v.as_slice())
    else {
        return None;
    };
    if d != d_of_k || s != s_of_v {
        return None;
    }
    let whole = times(&[2, size(heads)?, *l, *s, plus(&[*d, *e])?])?;
    let flop = if parameters.is_causal == Some(true) { whole / 2 } else { whole };
    let output: Vec<u64> = heads.iter().copied().chain([*l, *e]).collect();
    let elements = plus(&[size_of_all(&inputs[..3])?, size(&output)?])?;
    Some(Effort::new(flop, elements, output))
}

/// The shape that two shapes broadcast to: sizes are equal or one of them is 1, from the last dimension on.
pub(super) fn broadcast(a: &[u64], b: &[u64]) -> Option<Vec<u64>> {
    let rank = a.len().max(b.len());
    let at = |shape: &[u64], place: usize| (place + shape.len()).checked_sub(rank).map_or(1, |at| shape[at]);
    let dimension = |place| match (at(a, place), at(b, place)) {
        (a, b) if a == b => Some(a),
        (1, other) | (other, 1) => Some(other),
        _ => None,
    };
    (0..rank).map(dimension).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_broadcast_from_the_end() {
        assert_eq!(broadcast(&[8, 1], &[4]), Some(vec![8, 4]));
        assert_eq!(broadcast(&[], &[4]), Some(vec![4]));
        assert_eq!(broadcast(&[2], &[5]), None);
        assert_eq!(broadcast(&[0], &[1]), Some(vec![0]));
    }

    #[test]
    fn vectors_lose_their_dimension() {
        let work = product_of(&[vec![3, 4], vec![4]]).expect("a matrix and a vector");
        assert_eq!((work.flop, work.output), (24, vec![3]));
        let dot = product_of(&[vec![4], vec![4]]).expect("two vectors");
        assert_eq!((dot.flop, dot.output), (8, vec![]));
        assert_eq!(product_of(&[vec![], vec![4]]), None);
        assert_eq!(linear(&[vec![8, 4], vec![3, 5]]), None);
    }
}
