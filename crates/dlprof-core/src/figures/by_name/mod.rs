//! Sums by name: kernels by their demangled name, API calls by their function, ranges by their text.
//!
//! These tables are useful for every capture, even for one without ranges. The functions read launches and calls
//! one by one, in the order of time, so it does not matter where their columns are stored.

mod api_functions;
mod durations;
mod kernel_names;
mod ranges;

pub(crate) use api_functions::{ApiCallFact, api_functions};
pub use api_functions::{ApiFunctionSums, ThreadClass};
pub use durations::Spread;
pub use kernel_names::KernelName;
pub use ranges::RangeSums;

pub(crate) use kernel_names::{DurationsByName, Names, kernel_names};
pub(crate) use ranges::range_sums;
