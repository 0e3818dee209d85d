//! How much an op had to compute and to move, and how close it came to what the GPU can do.
//!
//! ```text
//! TFLOP/s
//!   peak ┤         ┌──────────────  math-bound: more intensity does not help
//!        │       ／
//!        │     ／                    attainable = min(peak, intensity × bandwidth)
//!        │   ／  memory-bound
//!        │ ／
//!        └─────────┬──────────────► intensity: FLOP per byte
//!            peak ÷ bandwidth
//! ```
//!
//! FLOP and bytes follow from the op type, the shapes and the data type ([`work_of_call`]): a multiplication and an addition are
//! two operations, every input is read once, the output is written once. That is the least work that the op needs;
//! caches, padding and algorithms that compute more or less are not considered. If shapes are unknown or contradict
//! each other, there is no figure.

mod call;
mod convolution;
mod data_type;
mod effort;
mod elementwise;
mod formulas;
mod matrix;
mod parameters;
mod roofline;

pub(crate) use call::WorkSum;
pub(crate) use call::work_of_label;
pub use call::{OpCallWork, OpPass, work_of_call};
pub(crate) use data_type::MathUnit;
pub(crate) use data_type::math_peak;
pub use parameters::OpParameters;
pub(crate) use parameters::shapes_from_text;
pub(crate) use roofline::op_work;
pub use roofline::{OpWork, RooflineBound};
