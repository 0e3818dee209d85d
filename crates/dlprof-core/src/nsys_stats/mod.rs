//! The reports of `nsys stats`, cell for cell.
//!
//! ```text
//! request ──► arguments, filter ──► what is missing? ──► rows of a capture with records ──► Report: columns and rows
//! ```
//!
//! A [`Report`] is data; formats that know nothing of reports write it. What a version of nsys prints differently is asked
//! of its [`Form`]. [`Form::Right`] puts the defects right that nsys has in all versions.

mod catalog;
mod exec;
mod filter;
mod form;
mod grouped_rows;
mod labels;
mod launching_calls;
mod limits;
mod managed_memory;
mod missing;
mod nvtx_kernels;
mod nvtx_sums;
mod printed_kernel_names;
mod projection;
mod pushpop_trace;
mod range_levels;
mod ranges;
mod report_list;
mod request;
mod runtimes;
mod simple_sums;
mod source;
mod statistics;
mod table;
mod traces;

pub use catalog::{Entry, Kind, Takes};
pub use form::Form;
pub use missing::Refusal;
pub use printed_kernel_names::{Arguments, NameKind};
pub use report_list::{REPORTS, defaults};
pub use request::{Filter, RangeFilter, Request};
pub use table::{Cell, Report, ReportColumn, Unit};

use crate::capture::Capture;
use filter::Window;
use limits::TooMuch;
use ranges::Style;
use source::Source;

/// Makes a report of a capture that was read with [`RowDetail::Records`](crate::read::ingest::RowDetail::Records). `file` is what
/// messages call the export.
///
/// # Errors
/// If the export does not have what the report needs, the filter's range does not exist, or the report would cost much more than
/// the capture.
pub fn make<'a>(
    capture: &'a Capture,
    request: &Request,
    form: Form,
    file: &str,
) -> Result<Report<'a>, Refusal> {
    let Some(records) = &capture.records else {
        return Err(Refusal::Failed("the capture was read without its records".into()));
    };
    let entry = request.entry;
    let report = entry.name_in(form).unwrap_or(entry.name);
    missing::check(records, form, file, (entry.kind, report), &request.arguments)?;
    let with_graphs = form == Form::Right;
    let source = Source { capture, records, window: Window::everything(), with_graphs };
    let window = request.filter.window(source, form, file)?;
    rows(Source { window, ..source }, form, request).map_err(|found| found.refusal(report))
}

fn rows<'a>(source: Source<'a>, form: Form, request: &Request) -> Result<Report<'a>, TooMuch> {
    /// Rows of the report about managed memory if no number is given.
    const ADDRESSES: usize = 10;
    let arguments = &request.arguments;
    Ok(match request.entry.kind {
        Kind::ApiSum => simple_sums::api_calls(source, form),
        Kind::ApiTrace => traces::api_calls(source, form),
        Kind::ApiGpuSum => simple_sums::operations(source, form, arguments, true)?,
        Kind::KernelSum => simple_sums::kernels(source, form, arguments)?,
        Kind::KernelGridSum => simple_sums::kernel_grids(source, form, arguments)?,
        Kind::MemorySizeSum => simple_sums::memory_sizes(source, form),
        Kind::MemoryTimeSum => simple_sums::memory_times(source, form),
        Kind::GpuSum => simple_sums::operations(source, form, arguments, false)?,
        Kind::GpuTrace => traces::gpu_work(source, form, arguments)?,
        Kind::ExecSum => exec::summary(source, form, arguments)?,
        Kind::ExecTrace => exec::trace(source, form, arguments)?,
        Kind::NvtxSum => nvtx_sums::ranges(source, form, None),
        Kind::NvtxPushPopSum => nvtx_sums::ranges(source, form, Some(Style::PushPop)),
        Kind::NvtxStartEndSum => nvtx_sums::ranges(source, form, Some(Style::StartEnd)),
        Kind::NvtxPushPopTrace => pushpop_trace::trace(source, form)?,
        Kind::NvtxKernelSum => nvtx_kernels::kernels(source, form, arguments)?,
        Kind::NvtxProjectionSum => projection::summary(source, form)?,
        Kind::NvtxProjectionTrace => projection::trace(source, form)?,
        Kind::OsSum => simple_sums::os_calls(source, form),
        Kind::ManagedSum => managed_memory::by_throughput(source, form, arguments.rows.unwrap_or(ADDRESSES)),
        Kind::ManagedTotals => managed_memory::totals(source, form),
        Kind::ManagedFaults => managed_memory::cpu_faults(source),
        Kind::OpenAccSum => runtimes::openacc(source, form),
        Kind::OpenMpSum => runtimes::openmp(source, form),
        Kind::MpiSum => runtimes::mpi_summary(source, form),
        Kind::MpiTrace => runtimes::mpi_trace(source),
        Kind::Graphics(_) => Report::of_rows(Vec::new(), Vec::new()),
    })
}
