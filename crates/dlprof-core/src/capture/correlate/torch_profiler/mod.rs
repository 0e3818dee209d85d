//! Ranges of torch.profiler to op calls, and API calls to the op calls that own them.
//!
//! ```text
//! ranges     ├ ProfilerStep#3 ────────────────────────────────────────────────┤
//!              ├ aten::conv2d ───────────┤   ├ evaluate_function: ConvolutionBackward0 ┤
//!                ├ aten::convolution ──┤       ├ ConvolutionBackward0, seq = 7 ┤
//! API calls            a                     b     c                               d
//! owner              conv2d              ProfilerStep   conv2d, backward ×2
//! ```
//!
//! From the outermost range inwards, one range is found that owns what is called inside (`owning`); calls that no operator owns
//! belong to the innermost range of any kind. Every owner of a call is an op call, and so is every operator that would own calls.
//! Its name is the path of annotations and modules around it (`frames`), and the operator (`labels`).

mod arguments;
mod collectives;
mod frames;
mod labels;
mod names;
mod owning;
mod walk;

pub(super) use collectives::described_kernels;
pub(crate) use names::is_collective;
pub(super) use walk::own_calls;

use crate::base::diagnostics::DiagnosticCode;
use crate::read::facts::RecordedTables;

/// Says it where the profiler itself made the host slow.
pub(super) fn note_slowed_host(recorded: &mut RecordedTables) {
    if recorded.what_slows_host().is_some() {
        let notes = recorded.about.kineto.clone().unwrap_or_default();
        let what = || {
            format!(
                "{} Python functions, {} events of memory",
                notes.python_frames,
                recorded.allocator.time.len()
            )
        };
        recorded.about.diagnostics.count(DiagnosticCode::SlowedHost, what);
    }
}

#[cfg(test)]
mod tests;
