//! The reports: what each is called in which version, and what it is about.

use super::form::NsysForm;

/// A report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NsysReportKind {
    /// CUDA API calls by function.
    ApiSum,
    /// Every CUDA API call.
    ApiTrace,
    /// CUDA API calls, kernels, copies and memsets.
    ApiGpuSum,
    /// Kernels by name.
    KernelSum,
    /// Kernels by name, grid and block.
    KernelGridSum,
    /// Copies and memsets by size.
    MemorySizeSum,
    /// Copies and memsets by time.
    MemoryTimeSum,
    /// Kernels, copies and memsets.
    GpuSum,
    /// Every kernel, copy and memset.
    GpuTrace,
    /// Launch, queue and run times.
    ExecSum,
    /// Launch, queue and run times of every kernel.
    ExecTrace,
    /// NVTX ranges.
    NvtxSum,
    /// NVTX push/pop ranges.
    NvtxPushPopSum,
    /// Every NVTX push/pop range.
    NvtxPushPopTrace,
    /// NVTX start/end ranges.
    NvtxStartEndSum,
    /// Kernels by NVTX range.
    NvtxKernelSum,
    /// NVTX ranges on the GPU.
    NvtxProjectionSum,
    /// Every NVTX range on the GPU.
    NvtxProjectionTrace,
    /// Calls of the operating system's libraries.
    OsSum,
    /// Managed memory by address.
    ManagedSum,
    /// Totals of managed memory.
    ManagedTotals,
    /// Page faults on CPUs.
    ManagedFaults,
    /// OpenACC events.
    OpenAccSum,
    /// OpenMP events.
    OpenMpSum,
    /// MPI calls by function.
    MpiSum,
    /// Every MPI call.
    MpiTrace,
    /// A report about graphics, which this tool does not have: its place in the list of what may be missing.
    Graphics(usize),
}

/// What follows the name of a report, and which reports take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NsysReportTakes {
    /// Nothing.
    Nothing,
    /// `base` or `mangled`.
    Names,
    /// `base` or `mangled`, and from 2023 on `nvtx-name`.
    NamesAndRanges,
    /// `base` or `mangled`, and `nvtx-name`, from 2023 on.
    NewNamesAndRanges,
    /// `rows=N`.
    Rows,
}

/// An entry of the list of reports.
#[derive(Debug)]
pub struct NsysReportEntry {
    /// The report.
    pub kind: NsysReportKind,
    /// Name from 2023 on.
    pub name: &'static str,
    /// Name in 2022, if it is there.
    pub name_2022: Option<&'static str>,
    /// Name in 2020, if it is there.
    pub name_2020: Option<&'static str>,
    /// Title above tables.
    pub title: &'static str,
    /// What follows its name.
    pub takes: NsysReportTakes,
}

impl NsysReportEntry {
    /// The name in a version; none if the version does not have the report.
    #[must_use]
    pub fn name_in(&self, form: NsysForm) -> Option<&'static str> {
        match form {
            NsysForm::V2020 => self.name_2020,
            NsysForm::V2022 => self.name_2022,
            NsysForm::V2023 | NsysForm::V2024 | NsysForm::Right => Some(self.name),
        }
    }

    /// Whether a version knows the report under a name. 2023 takes the names of 2022 too, for the reports of 2023.
    pub(super) fn answers_to(&self, form: NsysForm, name: &str) -> bool {
        let own = self.name_in(form) == Some(name);
        let takes_old = matches!(form, NsysForm::V2023 | NsysForm::Right);
        let old = takes_old && self.old_names().any(|old| old == name);
        let alias = self.kind == NsysReportKind::NvtxStartEndSum
            && name == "nvtxsssum"
            && form != NsysForm::V2024
            && form != NsysForm::V2020;
        own || old || alias
    }

    /// Names of older versions, as 2023 understands them.
    fn old_names(&self) -> impl Iterator<Item = &'static str> {
        let of_kernels = match self.kind {
            NsysReportKind::KernelSum => Some("gpukernsum"),
            NsysReportKind::KernelGridSum => Some("gpukerngbsum"),
            _ => self.name_2022,
        };
        of_kernels.into_iter()
    }
}
