//! What a report needs, and what nsys says if the export does not have it.

use super::catalog::NsysReportKind;
use super::form::NsysForm;
use super::printed_kernel_names::NsysArguments;
use crate::base::limits::TooMuch;
use crate::read::facts::Records;

const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
const COPIES: &str = "CUPTI_ACTIVITY_KIND_MEMCPY";
const MEMSETS: &str = "CUPTI_ACTIVITY_KIND_MEMSET";
const CALLS: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";
const RANGES: &str = "NVTX_EVENTS";
const CPU_FAULTS: &str = "CUDA_UM_CPU_PAGE_FAULT_EVENTS";
const GPU_FAULTS: &str = "CUDA_UM_GPU_PAGE_FAULT_EVENTS";

/// Tables of reports about graphics, and what nsys says without them.
const GRAPHICS: [(&str, &str); 8] = [
    ("D3D11_PIX_DEBUG_API", "DX11 CPU debug markers."),
    ("D3D12_PIX_DEBUG_API", "DX12 GPU debug markers."),
    ("D3D12_PIX_DEBUG_API", "DX12 CPU debug markers."),
    ("KHR_DEBUG_EVENTS", "GPU KHR Extension (KHR_DEBUG) data."),
    ("KHR_DEBUG_EVENTS", "KHR Extension (KHR_DEBUG) data."),
    ("VULKAN_DEBUG_API", "GPU Vulkan Debug Extension (GPU Vulkan Debug markers) data."),
    ("VULKAN_DEBUG_API", "Vulkan Debug Extension (Vulkan Debug Util) data."),
    ("WDDM_QUEUE_PACKET_START_EVENTS", "WDDM context data."),
];

/// Why a report is not printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NsysRefusal {
    /// The export does not have what it needs; nsys says `SKIPPED: ` and this.
    Skipped(String),
    /// nsys fails; it says `ERROR: ` and this.
    Failed(String),
}

/// What is looked for in an export.
struct Search<'a> {
    records: &'a Records,
    form: NsysForm,
    /// The name of the export, as in messages.
    file: &'a str,
    /// The name of the report.
    report: &'a str,
}

impl Search<'_> {
    fn has(&self, table: &str) -> bool {
        self.records.has_table(table)
    }

    /// Needs one of some tables, else says which data are missing.
    fn any_of(&self, tables: &[&str], data: &str) -> Result<(), NsysRefusal> {
        if tables.iter().any(|table| self.has(table)) { Ok(()) } else { Err(self.no_data(data)) }
    }

    /// Needs kernels; graph launches that were recorded as one are kernels only in the right form.
    fn kernels(&self) -> Result<(), NsysRefusal> {
        let tables: &[&str] = if self.form == NsysForm::Right { &[KERNELS, GRAPHS] } else { &[KERNELS] };
        self.any_of(tables, "CUDA kernel data.")
    }

    /// Needs a table itself.
    fn table(&self, table: &str) -> Result<(), NsysRefusal> {
        if self.has(table) {
            return Ok(());
        }
        Err(match self.form {
            NsysForm::V2020 => NsysRefusal::Skipped(format!("no such table: {table}")),
            NsysForm::V2022 => self.failed(&format!("no such table: {table}")),
            _ => NsysRefusal::Skipped(format!("{} file does not contain {table} table.", self.file)),
        })
    }

    fn no_data(&self, data: &str) -> NsysRefusal {
        // nsys 2020 says some of these without the full stop.
        let ends_without = [
            "CUDA kernel data.",
            "CUDA trace data.",
            "NV Tools Extension (NVTX) data.",
            "OS Runtime trace data.",
        ];
        let data = match self.form {
            NsysForm::V2020 if ends_without.contains(&data) => data.trim_end_matches('.'),
            _ => data,
        };
        NsysRefusal::Skipped(format!("{} does not contain {data}", self.file))
    }

    fn failed(&self, reason: &str) -> NsysRefusal {
        NsysRefusal::Failed(format!("Report '{}.py' encountered an internal error: {reason}", self.report))
    }

    /// Needs a column, without which nsys fails.
    fn column(&self, table: &str, column: &str, named: &str) -> Result<(), NsysRefusal> {
        let is_missing = self.has(table) && !self.records.has_column(table, column);
        if is_missing && self.form != NsysForm::Right {
            return Err(self.failed(&format!("no such column: {named}")));
        }
        Ok(())
    }

    /// From 2023 on, labels of copies are those of the export.
    fn labels(&self) -> Result<(), NsysRefusal> {
        const LABELS: &str = "ENUM_CUDA_MEMCPY_OPER";
        let needs = matches!(self.form, NsysForm::V2023 | NsysForm::V2024) && self.has(COPIES);
        if needs && !self.has(LABELS) {
            return Err(NsysRefusal::Skipped(format!("{} does not contain {LABELS} table.", self.file)));
        }
        Ok(())
    }

    fn ranges(&self) -> Result<(), NsysRefusal> {
        self.any_of(&[RANGES], "NV Tools Extension (NVTX) data.")
    }

    /// From 2023 on, names of threads are needed first.
    fn api_trace(&self) -> Result<(), NsysRefusal> {
        let calls = || self.any_of(&[CALLS], "CUDA trace data.");
        match self.form {
            NsysForm::Right => calls(),
            form if form.is_new() => self.table("ThreadNames").and_then(|()| calls()),
            _ => calls().and_then(|()| self.table("ThreadNames")),
        }
    }

    /// Tables of GPU work.
    fn gpu_tables(&self) -> [&'static str; 3] {
        let kernels = if self.form == NsysForm::Right && self.has(GRAPHS) { GRAPHS } else { KERNELS };
        [kernels, COPIES, MEMSETS]
    }

    /// Summaries of operations. nsys 2020 misspells two messages.
    fn operations(&self, kind: NsysReportKind) -> Result<(), NsysRefusal> {
        let [kernels, copies, memsets] = self.gpu_tables();
        let is_misspelt = self.form == NsysForm::V2020;
        match kind {
            NsysReportKind::ApiGpuSum => self.any_of(
                &[kernels, copies, memsets, CALLS],
                "CUDA API, GPU kernel, nor memory operations data.",
            )?,
            NsysReportKind::GpuSum if is_misspelt => {
                self.any_of(&[kernels, copies, memsets], "GPU kernel/memroy operations data.")?;
            }
            NsysReportKind::GpuSum => {
                self.any_of(&[kernels, copies, memsets], "GPU kernel/memory operations data.")?
            }
            NsysReportKind::MemoryTimeSum if is_misspelt => {
                self.any_of(&[copies, memsets], "GPU memroy data.")?
            }
            _ => self.any_of(&[copies, memsets], "GPU memory data.")?,
        }
        self.labels()
    }

    fn gpu_trace(&self) -> Result<(), NsysRefusal> {
        const GPUS: &str = "TARGET_INFO_GPU";
        let tables = [KERNELS, COPIES, MEMSETS];
        let data = "GPU trace data.";
        match self.form {
            NsysForm::V2020 => {
                self.any_of(&tables, data)?;
                self.table("TARGET_INFO_CUDA_GPU")
            }
            NsysForm::V2022 => {
                self.any_of(&tables, data)?;
                for table in tables {
                    self.column(table, "contextId", "contextId")?;
                }
                self.table(GPUS)?;
                let is_early = self.records.has_column(GPUS, "deviceId");
                if is_early { Err(self.failed("ambiguous column name: deviceId")) } else { Ok(()) }
            }
            NsysForm::Right => self.any_of(&[KERNELS, COPIES, MEMSETS, GRAPHS], data),
            NsysForm::V2023 | NsysForm::V2024 => {
                self.table(GPUS)?;
                self.any_of(&tables, data)?;
                self.labels()?;
                let lacks =
                    |table: &&str| self.has(table) && !self.records.has_column(table, "greenContextId");
                if tables.iter().any(lacks) {
                    return Err(NsysRefusal::Skipped(format!(
                        "{} does not contain 'greenContextId' column. Please re-export the report file with a recent \
                         version of Nsight Systems.",
                        self.file
                    )));
                }
                Ok(())
            }
        }
    }

    fn managed(&self, needs_copies: bool, needs_gpu: bool) -> Result<(), NsysRefusal> {
        if needs_copies {
            self.any_of(&[COPIES], "CUDA memory transfers data.")?;
        }
        if self.form == NsysForm::Right && needs_copies {
            return Ok(());
        }
        self.any_of(&[CPU_FAULTS], "CUDA Unified Memory CPU page faults data.")?;
        if needs_gpu {
            self.any_of(&[GPU_FAULTS], "GPU page faults data.")?;
        }
        Ok(())
    }

    fn executions(&self) -> Result<(), NsysRefusal> {
        self.kernels()?;
        self.any_of(&[CALLS], "CUDA API data.")?;
        self.column(KERNELS, "globalPid", "k.globalPid")
    }
}

/// Whether an export has what a report needs; `file` is what messages call it.
///
/// # Errors
/// If something is missing.
pub(super) fn check(
    records: &Records,
    form: NsysForm,
    file: &str,
    (kind, report): (NsysReportKind, &str),
    arguments: &NsysArguments,
) -> Result<(), NsysRefusal> {
    let search = Search { records, form, file, report };
    match kind {
        NsysReportKind::ApiSum => search.any_of(&[CALLS], "CUDA trace data."),
        NsysReportKind::ApiTrace => search.api_trace(),
        NsysReportKind::ApiGpuSum
        | NsysReportKind::GpuSum
        | NsysReportKind::MemorySizeSum
        | NsysReportKind::MemoryTimeSum => search.operations(kind),
        NsysReportKind::KernelSum | NsysReportKind::KernelGridSum => {
            search.kernels()?;
            if arguments.with_range { search.ranges() } else { Ok(()) }
        }
        NsysReportKind::GpuTrace => search.gpu_trace(),
        NsysReportKind::ExecSum | NsysReportKind::ExecTrace => search.executions(),
        NsysReportKind::NvtxSum
        | NsysReportKind::NvtxPushPopSum
        | NsysReportKind::NvtxPushPopTrace
        | NsysReportKind::NvtxStartEndSum => search.ranges(),
        NsysReportKind::NvtxKernelSum => {
            search.ranges()?;
            search.kernels()?;
            search.any_of(&[CALLS], "CUDA API data.")
        }
        NsysReportKind::NvtxProjectionSum | NsysReportKind::NvtxProjectionTrace => {
            search.ranges()?;
            search.any_of(&[CALLS], "CUDA API data.")?;
            search.any_of(&search.gpu_tables(), "GPU operation data.")
        }
        NsysReportKind::OsSum => search.any_of(&["OSRT_API"], "OS Runtime trace data."),
        NsysReportKind::ManagedSum | NsysReportKind::ManagedTotals => search.managed(true, true),
        NsysReportKind::ManagedFaults => search.managed(false, false),
        NsysReportKind::OpenAccSum => {
            search.any_of(&crate::read::ingest::OPENACC_TABLES, "OpenACC event data.")
        }
        NsysReportKind::OpenMpSum => search.any_of(&crate::read::ingest::OPENMP_TABLES, "OpenMP event data."),
        NsysReportKind::MpiSum => search.any_of(&crate::read::ingest::MPI_TABLES, "MPI event data."),
        NsysReportKind::MpiTrace => {
            search.any_of(&crate::read::ingest::MPI_TABLES, "MPI event data.")?;
            let needs_ranks = form != NsysForm::Right && !search.has("MPI_RANKS");
            if needs_ranks { Err(search.failed("no such table: MPI_RANKS")) } else { Ok(()) }
        }
        NsysReportKind::Graphics(at) => {
            search.any_of(&[GRAPHICS[at].0], GRAPHICS[at].1)?;
            Err(NsysRefusal::Failed(format!(
                "Report '{report}' is about graphics, which dlprof-agg does not report"
            )))
        }
    }
}

/// Why a report is not made that would cost much more than the capture.
pub(super) fn refusal(found: &TooMuch, report: &str, file: &str) -> NsysRefusal {
    let found = found.to_string().replace("`stats`: ", "");
    NsysRefusal::Failed(format!("Report '{report}' of `{file}`: {found}; choose a part with `--filter-time`"))
}
