//! Where the right form of a report differs from what nsys prints.

use super::orders::Order;
use dlprof_core::{Capture, NsysForm, NsysRefusal, NsysReport, NsysReportKind, make_nsys_report};

/// The version that the right form is compared with.
const NSYS: NsysForm = NsysForm::V2024;

/// A sentence about what nsys prints instead; none if it prints the same rows.
pub(super) fn note(capture: &Capture, order: &Order, right: &NsysReport<'_>) -> Option<String> {
    match make_nsys_report(capture, &order.request, NSYS, &order.file) {
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
        Err(NsysRefusal::Skipped(message)) => Some(format!("nsys 2024.2 skips this report: {message}")),
        Err(NsysRefusal::Failed(message)) => Some(format!("nsys 2024.2 fails: {message}")),
    }
}

fn differing_rows(of_nsys: &NsysReport<'_>, right: &NsysReport<'_>) -> usize {
    let common = of_nsys.len().min(right.len());
    let differing = (0..common).filter(|&row| of_nsys.row(row) != right.row(row)).count();
    differing + of_nsys.len().max(right.len()) - common
}

/// Why rows differ.
fn reason(kind: NsysReportKind) -> &'static str {
    match kind {
        NsysReportKind::ApiSum => ": it has a row for each version of a function",
        NsysReportKind::ApiTrace => ": it repeats the rows of threads that are listed twice",
        NsysReportKind::GpuTrace => ": it divides a second by the duration as integers before it multiplies",
        NsysReportKind::NvtxKernelSum => {
            ": it adds the time of a kernel twice in two nested ranges of one name"
        }
        NsysReportKind::NvtxPushPopTrace => ": it leaves out ranges with equal times, and all ranges in them",
        NsysReportKind::NvtxProjectionSum | NsysReportKind::NvtxProjectionTrace => {
            ": it knows no level of ranges with equal times, and no work outside of ranges"
        }
        NsysReportKind::ManagedSum | NsysReportKind::ManagedTotals => {
            ": it needs page faults to show migrations"
        }
        NsysReportKind::KernelSum
        | NsysReportKind::KernelGridSum
        | NsysReportKind::GpuSum
        | NsysReportKind::ApiGpuSum
        | NsysReportKind::ExecSum
        | NsysReportKind::ExecTrace => ": it leaves out graph launches that were recorded as one",
        _ => "",
    }
}
