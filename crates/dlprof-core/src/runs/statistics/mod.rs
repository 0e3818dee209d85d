//! How two samples of runs are compared, and how certain the result is. `docs/gate.md` has the formulas and the
//! error rates.

mod difference;
mod location;
mod mann_whitney;
mod multiple;
mod random;

pub use difference::{Assumptions, Difference, RunSamples, difference};
pub use location::{Location, location, trimmed_mean};
pub use mann_whitney::mann_whitney;
pub use multiple::{hochberg, holm};
pub use random::Random;
