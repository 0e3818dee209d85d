//! Parts of captures that are drawn again and again, and what must be found.

use super::super::{Confidence, FoundIterations};
use super::drawing::{Drawing, done, in_short};

/// A layer: twelve kernels.
pub(super) fn layer(d: &mut Drawing) {
    d.kernels("layer", 12, 20);
}

/// A pass through a network.
pub(super) fn pass(d: &mut Drawing, layers: usize) {
    d.kernels("embed", 2, 10);
    (0..layers).for_each(|_| layer(d));
    d.kernels("head", 3, 30);
}

/// The parts of a training step, each in its range.
pub(super) fn train(d: &mut Drawing) {
    d.range("forward", |d| pass(d, 4));
    d.range("backward", |d| {
        d.kernels("loss", 2, 10);
        (0..4).for_each(|_| done(d.kernels("grad", 14, 30)));
    });
    d.range("optimizer", |d| done(d.kernels("adam", 5, 20)));
}

/// A whole step that reads its loss.
pub(super) fn step(d: &mut Drawing) {
    train(d);
    d.copy_out(2);
}

/// The same without ranges.
pub(super) fn bare_step(d: &mut Drawing) {
    pass(d, 4);
    d.kernels("loss", 2, 10);
    (0..4).for_each(|_| done(d.kernels("grad", 14, 30)));
    d.kernels("adam", 5, 20).copy_out(2);
}

pub(super) fn assert_found(found: &FoundIterations, counts: &[usize], by: &str, confidence: Confidence) {
    let what = in_short(found);
    assert_eq!(what, (counts.to_vec(), by.to_owned(), Some(confidence)), "{:#?}", found.candidates);
}

pub(super) fn assert_none(found: &FoundIterations) {
    assert_eq!(in_short(found).1, "none", "{:#?}", found.candidates);
}

/// A micro-batch: forward and backward.
pub(super) fn micro_batch(d: &mut Drawing) {
    pass(d, 3);
    (0..3).for_each(|_| done(d.kernels("grad", 14, 30)));
}
