//! Event files for TensorBoard: scalars per iteration.
//!
//! ```text
//! file    = { record }
//! record  = length, its checksum, event, its checksum          (`record`)
//! event   = version | time, step, tag and value                (`event`)
//! ```
//!
//! The time of an event is the start of its iteration on the clock of the capture, so equal captures give equal bytes. An export
//! that does not say when the capture began counts from 1970.

mod event;
mod record;

use crate::overview::StepClass;
use dlprof_core::{Profile, percent, to_f64};
use event::Scalar;
use std::io::{self, Write};

/// The name of the file in a folder. TensorBoard reads files with `tfevents` in their name; a folder is a run.
pub(crate) const FILE_NAME: &str = "events.out.tfevents.0.dlprof-agg";

/// Length of the iteration.
const TIME: &str = "iteration/time_ms";

/// Share of the iteration in which GPUs work, averaged over the used ones.
const BUSY: &str = "iteration/gpu_busy_percent";

/// Batch size over the length.
const ITEMS: &str = "iteration/items_per_s";

/// Writes the scalars of the aggregated iterations, without pieces between runs of iterations. What is not known has no scalar.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let iterations = &profile.iterations;
    let captured_ns = profile.capture.source.captured_ns.unwrap_or(0);
    let wall_time = |ns| to_f64(captured_ns.saturating_add(ns)) / 1e9;
    let first = iterations.range().find(|&iteration| !iterations.is_outside(iteration));
    let start = first.map_or(0, |iteration| iterations.windows.span(iteration).start);
    record::write(&event::version(wall_time(start)), out)?;
    for (window, iteration) in iterations.range().enumerate() {
        if iterations.is_outside(iteration) {
            continue;
        }
        let wall_time = wall_time(iterations.windows.span(iteration).start);
        let scalars = scalars(profile, window, iteration);
        record::write(&event::scalars(wall_time, iteration, &scalars), out)?;
    }
    Ok(())
}

/// What is known of an iteration. `window` is its place among the aggregated ones.
fn scalars(profile: &Profile, window: usize, iteration: u32) -> Vec<Scalar> {
    let length_ns = profile.iterations.windows.span(iteration).length();
    let mut scalars = vec![Scalar::new(TIME, to_f64(length_ns) / 1e6)];
    let items = profile.iterations.items_per_s(1, length_ns);
    scalars.extend(items.map(|items| Scalar::new(ITEMS, items)));
    if !profile.has_kernel_records() {
        return scalars;
    }
    let times = profile.gpu_times();
    let Some(classes) = times.classes(window) else { return scalars };
    let used = times.of_used(window);
    scalars.push(Scalar::new(BUSY, percent(used.busy_ns, used.length_ns)));
    scalars.extend(StepClass::ALL.map(|class| {
        let tag = format!("step/{}_ms", class.as_str());
        Scalar::new(tag, to_f64(classes.of_class(class)) / 1e6)
    }));
    scalars
}
