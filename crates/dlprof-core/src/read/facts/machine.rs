//! Facts about the export, the machine, processes, threads and GPUs.

use super::global_ids;
use crate::base::ids::{ProcessId, StrId};
use crate::base::limits::GPUS;
use crate::base::time::Ns;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The export itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RecordedSource {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub size_bytes: u64,
    /// `EXPORT_PRODUCT_VERSION`: the nsys version that made the export; empty before nsys 2022.
    pub product_version: String,
    /// `EXPORT_SCHEMA_VERSION`; empty before nsys 2022.
    pub schema_version: String,
    /// When the capture began: nanoseconds since 1970, UTC. None if the export does not say, as before nsys 2021.3.
    pub captured_ns: Option<Ns>,
    /// What was subtracted from all times of the export, so that 0 is the start of the capture.
    #[serde(default)]
    pub shift_ns: Ns,
}

/// A process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// nsys's global id.
    pub global_pid: i64,
    /// Name, if the export has it.
    pub name: Option<String>,
}

impl Process {
    /// The operating system's process id.
    #[must_use]
    pub fn pid(&self) -> i64 {
        global_ids::pid(self.global_pid)
    }
}

/// A thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedThread {
    /// nsys's global id, which begins with that of its process.
    pub global_tid: i64,
    /// Its process.
    pub process: ProcessId,
    /// Its name; none if the export has none.
    pub name: StrId,
}

impl RecordedThread {
    /// The operating system's number of its process.
    #[must_use]
    pub fn pid(&self) -> i64 {
        global_ids::pid(self.global_tid)
    }

    /// The operating system's thread id.
    #[must_use]
    pub fn tid(&self) -> i64 {
        global_ids::tid(self.global_tid)
    }
}

/// Major and minor compute capability, such as (8, 0).
pub(crate) type ComputeCapability = (i64, i64);

/// A GPU. A number that is missing, 0 or below is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Device {
    /// Number shown to people: the id of the GPU on the machine.
    pub device_id: i64,
    /// Product name, if known.
    pub name: Option<String>,
    /// Compute capability, if known.
    pub compute_capability: Option<ComputeCapability>,
    /// Number of streaming multiprocessors, if known.
    pub sm_count: Option<i64>,
    /// Memory in bytes, if known.
    pub memory_bytes: Option<i64>,
    /// Clock of the SMs in Hz, if known.
    pub clock_hz: Option<i64>,
    /// Memory bandwidth in bytes per second, if known.
    pub memory_bandwidth: Option<i64>,
    /// Most warps of an SM, if known.
    pub warps_per_sm: Option<i64>,
    /// Most blocks of an SM, if known.
    pub blocks_per_sm: Option<i64>,
    /// Shared memory of an SM in bytes, if known.
    pub shared_bytes_per_sm: Option<i64>,
    /// Most shared memory of a block in bytes, for kernels that ask for it, if known.
    pub shared_bytes_per_block: Option<i64>,
    /// Registers of an SM, if known.
    pub registers_per_sm: Option<i64>,
    /// Most registers of a block, if known.
    pub registers_per_block: Option<i64>,
    /// Architecture, such as `gfx942`, where compute capabilities do not tell it.
    #[serde(default)]
    pub architecture: Option<String>,
    /// Threads of a warp, if known and not those of NVIDIA.
    #[serde(default)]
    pub wave_size: Option<i64>,
    /// Units of a compute unit that each have registers of their own, if known.
    #[serde(default)]
    pub simds_per_sm: Option<i64>,
    /// Whether the export names a CUDA context that a process made on it (`TARGET_INFO_CUDA_CONTEXT_INFO`).
    pub has_context: bool,
}

/// Page faults of unified memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageFaults {
    /// Rows of `CUDA_UM_CPU_PAGE_FAULT_EVENTS`; none if the export has no such table.
    pub cpu_events: Option<u64>,
    /// Rows of `CUDA_UM_GPU_PAGE_FAULT_EVENTS`; none if the export has no such table.
    pub gpu_events: Option<u64>,
    /// Page faults that the rows of the GPU table count.
    pub gpu_faults: u64,
}

/// The name of a counter of GPUs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricName {
    /// Number of the metric, as its samples have it.
    pub metric: i64,
    /// Its name, often with its unit.
    pub name: String,
}

/// What is wrong with an input that names so many GPUs; `None` of a number that a machine can have.
pub(crate) fn too_many_gpus(gpus: usize) -> Option<String> {
    GPUS.check(gpus, 0, usize::MAX).err().map(|found| found.to_string())
}

/// A message of nsys about the capture (`DIAGNOSTIC_EVENT`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NsysMessage {
    /// nsys's number of how severe it is: the greater, the more severe.
    pub severity: i64,
    /// The text.
    pub text: String,
    /// The operating system's number of the process that it is about; none if the export does not say.
    pub pid: Option<i64>,
}

/// What else the export says, in few words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CaptureNotes {
    /// Page faults of unified memory.
    pub page_faults: PageFaults,
    /// Names of the counters of GPUs, by number.
    pub metric_names: Vec<MetricName>,
    /// Messages of nsys about the capture, in file order.
    pub nsys_messages: Vec<NsysMessage>,
    /// Length of the whole trace, as nsys says (`ANALYSIS_DETAILS`); none if the export does not say.
    pub traced_ns: Option<Ns>,
    /// Length of the whole capture: as nsys says, or up to the end of the last record, whichever is longer. 0 where nobody looked.
    pub captured_ns: Ns,
    /// Whether NVTX ranges were to be recorded; none if the export does not say.
    pub nvtx_traced: Option<bool>,
    /// How many events of NVTX nsys collected, where the export has no table of them.
    #[serde(default)]
    pub ranges_left_out: Option<u64>,
    /// What else than CUDA, NVTX and the operating system was recorded, as `nsys profile --trace=` names it.
    pub also_traced: Vec<String>,
    /// The words of the command that nsys ran; none if the export does not say, as before nsys 2023.
    pub command: Vec<String>,
    /// What the program printed about TF32 that is not enabled: PyTorch warns of it; one line.
    pub tf32_warning: Option<String>,
    /// Whether payloads of NCCL's ranges are described and missing: the report was exported without `--include-blobs=true`.
    pub lacks_payloads: bool,
}

/// The machine and the software, as far as the export knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSystem {
    /// GPUs of the machine.
    pub gpu_count: usize,
    /// Names of the GPUs of the machine; empty if none has a name.
    pub gpu_names: Vec<String>,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// GPU driver version, such as `515.43.04`.
    pub driver_version: Option<String>,
    /// CUDA version, such as `11.7`.
    pub cuda_version: Option<String>,
    /// cuDNN version.
    pub cudnn_version: Option<String>,
    /// Framework and version, if DLProf recorded it.
    pub framework: Option<String>,
    /// Version of the nsys that made the export; DLProf's own databases and tables name the one that recorded.
    pub nsys_version: Option<String>,
    /// Version of the nsys that recorded, in three parts as in `2022.1.3`, by the folder in which it was installed; none if the
    /// export does not say.
    pub recorded_by: Option<String>,
}

/// What a GPU is called that has no name.
pub const UNNAMED_GPU: &str = "unnamed GPU";

impl RecordedSystem {
    /// The names of GPUs, one for each; none if no GPU has a name.
    #[must_use]
    pub fn names_of(gpus: &[Device]) -> Vec<String> {
        let named = gpus.iter().any(|gpu| gpu.name.is_some());
        let name = |gpu: &Device| gpu.name.clone().unwrap_or_else(|| UNNAMED_GPU.into());
        gpus.iter().filter(|_| named).map(name).collect()
    }

    /// Which nsys recorded and exported, such as `nsys 2024.6.2.25`; both where they are known and differ, and which of them it is
    /// where only one is known.
    #[must_use]
    pub fn nsys_in_words(&self) -> Option<String> {
        // The version of the export has a fourth part.
        let is_same = |recorded: &str, exported: &str| {
            exported.strip_prefix(recorded).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        match (self.recorded_by.as_deref(), self.nsys_version.as_deref()) {
            (Some(recorded), Some(exported)) if !is_same(recorded, exported) => {
                Some(format!("recorded by nsys {recorded}, exported by {exported}"))
            }
            (Some(recorded), None) => Some(format!("recorded by nsys {recorded}")),
            (Some(_), Some(exported)) => Some(format!("nsys {exported}")),
            (None, Some(exported)) => Some(format!("exported by nsys {exported}")),
            (None, None) => None,
        }
    }

    /// How many GPUs of which kind, such as `8 × NVIDIA A100`.
    #[must_use]
    pub fn gpus_in_words(&self) -> String {
        match self.gpu_names.first() {
            Some(first) if self.gpu_names.iter().all(|name| name == first) => {
                format!("{} × {first}", self.gpu_names.len())
            }
            Some(_) => self.gpu_names.join(", "),
            None => format!("{} (names unknown)", self.gpu_count),
        }
    }
}
