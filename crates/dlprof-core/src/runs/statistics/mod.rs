//! How two samples of runs are compared, and how certain the result is. `docs/gate.md` has the formulas and the
//! error rates.

mod difference;
mod location;
mod mann_whitney;
mod multiple;
mod random;

pub use difference::{Assumptions, Difference};
pub(crate) use difference::{RunSamples, difference};
pub(crate) use location::location;
pub(crate) use multiple::{hochberg, holm};
pub use random::Random;
