//! The tables of a capture or a part of it, borrowed ([`Activity`]), with the class of every name ([`Classified`]), and which
//! range each piece of GPU work belongs to. Nothing is copied.

mod attribution;
mod cause;
#[expect(clippy::module_inception, reason = "the value that the module is about")]
pub(crate) mod classified;
pub(crate) mod innermost;
mod input;
pub(crate) mod order;
mod votes;
pub(crate) mod waiting_ranges;

pub(crate) use attribution::waiting_threads;
pub use attribution::{
    AttributedRange, Attribution, AttributionTotal, Attributions, attribution_totals, attributions,
};
pub(crate) use attribution::{is_own, joins_none};
pub use cause::Cause;
pub(crate) use classified::Call;
pub use classified::Classified;
pub use input::Activity;
pub(crate) use votes::exchanging_names;
