//! Where the right form of a report differs from what nsys prints.

use super::orders::Order;
use dlprof_core::Capture;
use dlprof_core::nsys_stats::{Form, Kind, Refusal, Report, make};

/// The version that the right form is compared with.
const NSYS: Form = Form::V2024;

/// A sentence about what nsys prints instead; none if it prints the same rows.
pub(super) fn note(capture: &Capture, order: &Order, right: &Report<'_>) -> Option<String> {
    match make(capture, &order.request, NSYS, &order.file) {
        Ok(of_nsys) => {
            let differing = differing_rows(&of_nsys, right);
            let why = reason(order.request.entry.kind);
            (differing > 0).then(|| {
                format!(
                    "nsys 2024.2 prints {differing} of {} rows differently{why}",
                    right.len().max(of_nsys.len())
                )
            })
        }
        Err(Refusal::Skipped(message)) => Some(format!("nsys 2024.2 skips this report: {message}")),
        Err(Refusal::Failed(message)) => Some(format!("nsys 2024.2 fails: {message}")),
    }
}

fn differing_rows(of_nsys: &Report<'_>, right: &Report<'_>) -> usize {
    let common = of_nsys.len().min(right.len());
    let differing = (0..common).filter(|&row| of_nsys.row(row) != right.row(row)).count();
    differing + of_nsys.len().max(right.len()) - common
}

/// Why rows differ.
fn reason(kind: Kind) -> &'static str {
    match kind {
        Kind::ApiSum => ": it has a row for each version of a function",
        Kind::ApiTrace => ": it repeats the rows of threads that are listed twice",
        Kind::GpuTrace => ": it divides a second by the duration as integers before it multiplies",
        Kind::NvtxKernelSum => ": it adds the time of a kernel twice in two nested ranges of one name",
        Kind::NvtxPushPopTrace => ": it leaves out ranges with equal times, and all ranges in them",
        Kind::NvtxProjectionSum | Kind::NvtxProjectionTrace => {
            ": it knows no level of ranges with equal times, and no work outside of ranges"
        }
        Kind::ManagedSum | Kind::ManagedTotals => ": it needs page faults to show migrations",
        Kind::KernelSum
        | Kind::KernelGridSum
        | Kind::GpuSum
        | Kind::ApiGpuSum
        | Kind::ExecSum
        | Kind::ExecTrace => ": it leaves out graph launches that were recorded as one",
        _ => "",
    }
}
