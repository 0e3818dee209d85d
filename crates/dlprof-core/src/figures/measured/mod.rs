//! What counters of Nsight Compute say about kernels and ops: counts added up, percentages as means by time, and how near they
//! come to what the GPU can do.
//!
//! Times are those of the capture; without a capture, those of the log at the clocks of `ncu`.

mod by_kernel;
mod by_op;
mod cover;
mod launches;
mod sum;
#[cfg(test)]
mod tests;

pub use by_kernel::{MeasuredKernel, kernels_of_logs, measured_kernels};
pub use by_op::{MeasuredOp, measured_ops};
pub use cover::{NcuCover, ncu_cover};
pub use sum::MeasuredFigures;
pub(crate) use sum::Roofs;
