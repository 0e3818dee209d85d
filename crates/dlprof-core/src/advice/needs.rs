//! What rules ask for that not every input has. On an input without it they would be silent, or wrong.
//!
//! A kind of input lacks some of it: there the rule is not applied. A capture of nsys may lack some of it as well: there the rule
//! is applied to what is known, and where it finds nothing, nobody knows whether there was something to find.

use super::rules::GRAPHS;
use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use crate::capture::correlate::{Label, Mode};
use crate::figures::profile::ProfileContents;
use crate::read::facts::Vendor;
use std::borrow::Cow;

/// Why nobody knows when GPUs worked, though kernels were launched.
const NO_KERNELS: &str = "the capture has no records of kernels";

/// What a rule asks for beyond ops, kernels and copies of some kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Memory that was allocated on GPUs.
    Allocations,
    /// The compute capability of a GPU that is used.
    ComputeCapability,
    /// Counters of Nsight Compute.
    Counters,
    /// DLProf's markers, which say how PyTorch is set.
    DlprofMarkers,
    /// When GPUs work and when they idle.
    GpuTime,
    /// CUDA graphs told from kernels.
    Graphs,
    /// API calls outside ops, and calls of the operating system.
    HostCalls,
    /// The kind of host memory of copies.
    HostMemory,
    /// The number of iterations that findings are about.
    Iterations(u32),
    /// Registers and shared memory of kernels.
    KernelResources,
    /// Names of kernels that tell what these do.
    KernelNames,
    /// Names of kernels that tell whether these use Tensor Cores.
    KernelTensorCores,
    /// Each kernel, copy and exchange by itself.
    Kernels,
    /// Messages of nsys.
    Messages,
    /// Ops with data types.
    OpTypes,
    /// Calls of the operating system.
    OsCalls,
    /// Records about the profiler.
    ProfilerRecords,
    /// Ranges that are no ops.
    Ranges,
    /// When the recorded work of GPUs runs, where it is said what is not known of the time between.
    RecordedWork,
    /// Step marks of an inference server.
    Server,
    /// Streams.
    Streams,
}

impl Need {
    /// Why the kind of input of a profile does not have it; `None` if it does.
    pub(super) fn missing(self, profile: &ProfileContents) -> Option<&'static str> {
        if self == Self::Counters {
            let is_lacking = profile.capture.counters.is_none();
            return is_lacking.then_some(match profile.capture.is_of_nvidia() {
                true => "there are no counters of Nsight Compute (`--ncu`)",
                false => "counters are read of GPUs of NVIDIA alone",
            });
        }
        if self == Self::Server {
            return match profile.serving().workload.serves() {
                false => Some("there are no step marks of an inference server"),
                true if !profile.is_about_server() => Some("the iterations are not the steps of the server"),
                true => None,
            };
        }
        if matches!(self, Self::GpuTime | Self::RecordedWork)
            && let Some(why) = profile.what_hides_gpu_time()
        {
            return Some(why);
        }
        if self == Self::GpuTime && profile.has_gpu_work() && !profile.knows_gpu_work() {
            return Some(NO_KERNELS);
        }
        profile.capture.description.dlprof.as_ref()?;
        Some(match self {
            Self::Graphs => "a DLProf database does not tell graphs from kernels",
            Self::HostCalls => {
                "a DLProf database has neither API calls outside ops nor calls of the operating system, so causes of idle \
                 time are incomplete"
            }
            Self::HostMemory => "a DLProf database does not have the kind of host memory of copies",
            Self::KernelResources => {
                "a DLProf database does not have the registers and shared memory of kernels"
            }
            Self::Messages => "a DLProf database has no messages of nsys",
            Self::ProfilerRecords => "a DLProf database has no records about the profiler",
            Self::Ranges => "a DLProf database has no ranges but its ops",
            Self::Streams => "a DLProf database has no streams",
            Self::Allocations
            | Self::ComputeCapability
            | Self::Counters
            | Self::DlprofMarkers
            | Self::GpuTime
            | Self::Iterations(_)
            | Self::KernelNames
            | Self::KernelTensorCores
            | Self::Kernels
            | Self::OpTypes
            | Self::OsCalls
            | Self::RecordedWork
            | Self::Server => return None,
        })
    }

    /// Why a rule that found nothing could not see whether there is something to find; `None` if it could.
    pub(super) fn unseen(self, scene: &Scene<'_>) -> Option<Cow<'static, str>> {
        let profile = scene.profile;
        let capture = &profile.capture;
        let no_kernels = || (!profile.has_kernel_records()).then_some(NO_KERNELS);
        match self {
            Self::Allocations => {
                let is_sampled = capture.description.dlprof.as_ref().is_some_and(|dlprof| !dlprof.gpu_memories.is_empty());
                let is_known = is_sampled || !profile.gpu_memory().is_empty();
                let how = capture.recorder.words(
                    "allocations were not recorded (`--cuda-memory-usage=true`)",
                    "allocations were not recorded (`profile_memory=True`)",
                );
                (!is_known).then(|| how.into())
            }
            Self::ComputeCapability => {
                let is_known = |device| profile.device_facts(device).compute_capability.is_some();
                let is_unknown = profile.has_kernel_records() && !scene.used_devices().any(is_known);
                is_unknown.then(|| match scene.vendor() {
                    Vendor::Nvidia => "the compute capability of the GPU is not known".into(),
                    _ => "it is about GPUs of NVIDIA".into(),
                })
            }
            Self::DlprofMarkers => {
                let is_known = capture.description.dlprof.is_some() || capture.description.mode == Mode::PytorchMarkers;
                (!is_known).then(|| "only DLProf's markers of PyTorch tell".into())
            }
            Self::GpuTime | Self::RecordedWork => no_kernels().map(Cow::from),
            Self::Kernels => no_kernels().map(Cow::from).or_else(|| {
                let share = scene.kernels().graphs_share();
                (share >= GRAPHS.default).then(|| {
                    let says = Sentence::new(
                        "CUDA graphs that were recorded as one piece each take {} of the kernel time, and what runs inside them \
                         is not known (`--cuda-graph-trace=node` records it)",
                        vec![Figure::Percent(share, 1)],
                    );
                    says.to_string().into()
                })
            }),
            Self::KernelNames => scene.untold().map(|[share, name]| {
                let says = Sentence::new(
                    "the names of kernels that take {} of the kernel time, most of it `{}`, do not tell whether they exchange data \
                     between GPUs (`[kernels] communication` of the settings names those that do)",
                    vec![share, name],
                );
                says.to_string().into()
            }),
            Self::KernelTensorCores => scene.known_share().untold_tensor_cores().map(|share| {
                let says = Sentence::new(
                    "the names of kernels that take {} of the kernel time do not tell whether they use {} \
                     (`[kernels] tensor_cores` of the settings names those that do)",
                    vec![Figure::Percent(share, 1), scene.matrix_units()],
                );
                says.to_string().into()
            }),
            Self::KernelResources => {
                let mut kernels = scene.kernels().kernels.iter().filter(|kernel| !kernel.is_graph).peekable();
                let is_unknown = kernels.peek().is_some()
                    && kernels.flat_map(|kernel| &kernel.grids).all(|grid| grid.fill.waves.is_none());
                is_unknown.then(|| "the capture does not say what blocks need or what the GPU has".into())
            }
            Self::Iterations(_) if scene.iterations == 0 => Some("no repeating step was found".into()),
            Self::Iterations(fewest) => (scene.iterations < fewest).then(|| {
                format!("findings are about {} iterations, and it takes {fewest}", scene.iterations).into()
            }),
            Self::OpTypes => {
                let has_type = |label: &Label| !label.data_type.is_empty();
                let is_known = capture.description.labels.iter().any(has_type);
                let how = capture.recorder.words(
                    "no op has a data type, which ranges of a framework tell",
                    "no op has a data type (`record_shapes=True`)",
                );
                (!is_known).then(|| how.into())
            }
            Self::OsCalls if capture.recorder.is_torch_profiler() => {
                Some("torch.profiler does not record calls of the operating system".into())
            }
            Self::OsCalls => capture
                .host
                .os_calls
                .is_none()
                .then(|| "calls of the operating system were not recorded (`--trace=osrt`)".into()),
            Self::HostMemory => {
                let copies = &capture.copies;
                let mut kinds = copies.source_memory.iter().chain(copies.target_memory.iter());
                let is_unknown = !copies.source_memory.is_empty() && kinds.all(|&kind| kind == u8::MAX);
                is_unknown.then(|| "the recording does not say the kind of host memory of copies".into())
            }
            Self::Counters
            | Self::Graphs
            | Self::HostCalls
            | Self::Messages
            | Self::ProfilerRecords
            | Self::Ranges
            | Self::Server
            | Self::Streams => None,
        }
    }
}
