//! The reports of `nsys stats`, cell for cell.
//!
//! ```text
//! request ──► arguments, filter ──► what is missing? ──► rows of a capture with records ──► Report: columns and rows
//! ```
//!
//! A [`NsysReport`] is data; formats that know nothing of reports write it. What a version of nsys prints differently is asked
//! of its [`NsysForm`]. [`NsysForm::Right`] puts the defects right that nsys has in all versions.

mod catalog;
mod exec;
mod filter;
mod form;
mod grouped_rows;
mod labels;
mod launching_calls;
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

pub use catalog::{NsysReportEntry, NsysReportKind, NsysReportTakes};
pub use form::NsysForm;
pub use missing::NsysRefusal;
pub use printed_kernel_names::{NsysArguments, NsysNameKind};
pub use report_list::{REPORTS, defaults};
pub use request::{NsysFilter, NsysRangeFilter, NsysRequest};
pub use table::{NsysCell, NsysColumn, NsysReport, NsysUnit};

use crate::base::limits::TooMuch;
use crate::capture::Capture;
use filter::Window;
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
    request: &NsysRequest,
    form: NsysForm,
    file: &str,
) -> Result<NsysReport<'a>, NsysRefusal> {
    let Some(records) = &capture.records else {
        return Err(NsysRefusal::Failed("the capture was read without its records".into()));
    };
    let entry = request.entry;
    let report = entry.name_in(form).unwrap_or(entry.name);
    missing::check(records, form, file, (entry.kind, report), &request.arguments)?;
    let with_graphs = form == NsysForm::Right;
    let source = Source { capture, records, window: Window::everything(), with_graphs };
    let window = request.filter.window(source, form, file)?;
    rows(Source { window, ..source }, form, request).map_err(|found| missing::refusal(&found, report, file))
}

fn rows<'a>(source: Source<'a>, form: NsysForm, request: &NsysRequest) -> Result<NsysReport<'a>, TooMuch> {
    /// Rows of the report about managed memory if no number is given.
    const ADDRESSES: usize = 10;
    let arguments = &request.arguments;
    Ok(match request.entry.kind {
        NsysReportKind::ApiSum => simple_sums::api_calls(source, form),
        NsysReportKind::ApiTrace => traces::api_calls(source, form),
        NsysReportKind::ApiGpuSum => simple_sums::operations(source, form, arguments, true)?,
        NsysReportKind::KernelSum => simple_sums::kernels(source, form, arguments)?,
        NsysReportKind::KernelGridSum => simple_sums::kernel_grids(source, form, arguments)?,
        NsysReportKind::MemorySizeSum => simple_sums::memory_sizes(source, form),
        NsysReportKind::MemoryTimeSum => simple_sums::memory_times(source, form),
        NsysReportKind::GpuSum => simple_sums::operations(source, form, arguments, false)?,
        NsysReportKind::GpuTrace => traces::gpu_work(source, form, arguments)?,
        NsysReportKind::ExecSum => exec::summary(source, form, arguments)?,
        NsysReportKind::ExecTrace => exec::trace(source, form, arguments)?,
        NsysReportKind::NvtxSum => nvtx_sums::ranges(source, form, None),
        NsysReportKind::NvtxPushPopSum => nvtx_sums::ranges(source, form, Some(Style::PushPop)),
        NsysReportKind::NvtxStartEndSum => nvtx_sums::ranges(source, form, Some(Style::StartEnd)),
        NsysReportKind::NvtxPushPopTrace => pushpop_trace::trace(source, form)?,
        NsysReportKind::NvtxKernelSum => nvtx_kernels::kernels(source, form, arguments)?,
        NsysReportKind::NvtxProjectionSum => projection::summary(source, form)?,
        NsysReportKind::NvtxProjectionTrace => projection::trace(source, form)?,
        NsysReportKind::OsSum => simple_sums::os_calls(source, form),
        NsysReportKind::ManagedSum => {
            managed_memory::by_throughput(source, form, arguments.rows.unwrap_or(ADDRESSES))
        }
        NsysReportKind::ManagedTotals => managed_memory::totals(source, form),
        NsysReportKind::ManagedFaults => managed_memory::cpu_faults(source),
        NsysReportKind::OpenAccSum => runtimes::openacc(source, form),
        NsysReportKind::OpenMpSum => runtimes::openmp(source, form),
        NsysReportKind::MpiSum => runtimes::mpi_summary(source, form),
        NsysReportKind::MpiTrace => runtimes::mpi_trace(source),
        NsysReportKind::Graphics(_) => NsysReport::of_rows(Vec::new(), Vec::new()),
    })
}
