//! What API functions are for, by the begin of their names; so version suffixes do not matter. Functions of HIP are read as their
//! twins of CUDA.

use crate::read::facts::KERNEL_LAUNCH;
use std::borrow::Cow;

/// The class of an API function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ApiClass {
    /// Starts kernels or graphs.
    Launch,
    /// Waits for a device, context, stream or event.
    Sync,
    /// Copies, fills or prefetches memory.
    Copy,
    /// Takes or gives back memory.
    Allocation,
    /// Loads code, makes contexts, streams or graphs.
    Setup,
    /// Anything else: events, queries, attributes.
    #[default]
    Api,
}

const SYNC: &[&str] = &[
    "cudaDeviceSynchronize",
    "cudaThreadSynchronize",
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cuCtxSynchronize",
    "cuStreamSynchronize",
    "cuEventSynchronize",
];

const LAUNCH: &[&str] = &["cudaLaunch", "cuLaunch", "cudaGraphLaunch", "cuGraphLaunch", KERNEL_LAUNCH];

/// What stands in names of HIP between `hip` and `Launch`.
const HIP_LAUNCHERS: &[&str] = &["", "Ext", "Module", "ExtModule", "HccModule", "Hcc", "Drv"];

const COPY: &[&str] =
    &["cudaMemcpy", "cuMemcpy", "cudaMemset", "cuMemset", "cudaMemPrefetch", "cuMemPrefetch"];

/// Functions of SYCL's unified runtime, of Level Zero, and of MTIA, by class.
const OF_OTHERS: [(ApiClass, &[&str]); 4] = [
    (ApiClass::Launch, &["urEnqueueKernelLaunch", "zeCommandListAppendLaunch", "runFunction"]),
    (ApiClass::Copy, &["urEnqueueMem", "urEnqueueUSMMem", "zeCommandListAppendMemory"]),
    (
        ApiClass::Sync,
        &[
            "urQueueFinish",
            "urEventWait",
            "zeEventHostSynchronize",
            "zeCommandQueueSynchronize",
            "zeFenceHostSynchronize",
        ],
    ),
    (ApiClass::Allocation, &["zeMemAlloc", "zeMemFree"]),
];

const ALLOCATION: &[&str] = &[
    "cudaMalloc",
    "cudaFree",
    "cudaHostAlloc",
    "cudaHostMalloc",
    "cudaHostFree",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaMemPool",
    "cudaMemCreate",
    "cudaMemMap",
    "cudaMemUnmap",
    "cudaMemRelease",
    "cuMemAlloc",
    "cuMemFree",
    "cuMemCreate",
    "cuMemRelease",
    "cuMemMap",
    "cuMemUnmap",
    "cuMemHost",
    "cuMemAddress",
    "cuMemSetAccess",
    "cuMemPool",
];

const SETUP: &[&str] = &[
    "cuModule",
    "cuLibrary",
    "cuLink",
    "cuKernelGet",
    "cuKernelSet",
    "cuFuncGet",
    "cuFuncSet",
    "cuFuncLoad",
    "cuInit",
    "cuCtxCreate",
    "cuCtxDestroy",
    "cuDevicePrimaryCtx",
    "cuStreamCreate",
    "cuStreamDestroy",
    "cuGetProcAddress",
    "cuGraphInstantiate",
    "cuGraphCreate",
    "cuGraphExecUpdate",
    "cuGraphAddKernelNode",
    "cudaFuncGet",
    "cudaFuncSet",
    "cudaGetFuncBySymbol",
    "cudaLibrary",
    "cudaModule",
    "cudaGetKernel",
    "cudaSetDevice",
    "cudaDeviceReset",
    "cudaStreamCreate",
    "cudaStreamDestroy",
    "cudaGetDeviceProperties",
    "cudaGraphInstantiate",
    "cudaGraphCreate",
    "cudaGraphExecUpdate",
    "cudaGraphAddKernelNode",
    "cudaDeviceEnablePeerAccess",
    "cudaIpc",
];

/// Functions that make a stream wait for something besides its own work, without `cu` or `cuda`.
const ORDERING: &[&str] =
    &["StreamWait", "LaunchHostFunc", "StreamAddCallback", "WaitExternalSemaphores", "StreamBatchMemOp"];

/// The name of an API function without its version: what `_v` and four characters at its end are.
pub(crate) fn without_version(name: &str) -> &str {
    let cut = name.len().checked_sub(6).filter(|&at| name.is_char_boundary(at));
    match cut.map(|at| name.split_at(at)) {
        Some((start, version)) if version.starts_with("_v") => start,
        _ => name,
    }
}

/// Functions that are called where a context or a library is made, without `cu` or `cuda`.
const MAKES_CONTEXT: &[&str] = &["Init", "GetProcAddress", "CtxCreate", "DevicePrimaryCtxRetain"];

/// Functions that load code for the GPU, without `cu` or `cuda`.
const LOADS_CODE: &[&str] = &["ModuleLoad", "LibraryLoad", "Link"];

/// The function of CUDA that does the same as one of HIP: `hipExtModuleLaunchKernel` launches as `cudaLaunchKernel` does. Names of
/// others stay as they are.
fn as_of_cuda(function: &str) -> Cow<'_, str> {
    let Some(behind) = function.strip_prefix("hip") else { return function.into() };
    let launches =
        |launcher: &&&str| behind.strip_prefix(**launcher).is_some_and(|name| name.starts_with("Launch"));
    match HIP_LAUNCHERS.iter().find(launches) {
        Some(launcher) => format!("cuda{}", &behind[launcher.len()..]).into(),
        None => format!("cuda{behind}").into(),
    }
}

impl ApiClass {
    /// All classes, in the order of columns.
    pub const ALL: [Self; 6] =
        [Self::Launch, Self::Sync, Self::Copy, Self::Allocation, Self::Setup, Self::Api];

    /// The class of a function.
    #[must_use]
    pub fn of(function: &str) -> Self {
        let function = &*as_of_cuda(function);
        let lists = [
            (Self::Sync, SYNC),
            (Self::Launch, LAUNCH),
            (Self::Copy, COPY),
            (Self::Allocation, ALLOCATION),
            (Self::Setup, SETUP),
        ];
        let begins = |names: &[&str]| names.iter().any(|name| function.starts_with(name));
        let allocates = function
            .strip_prefix("urUSM")
            .is_some_and(|name| name.contains("Alloc") || name.contains("Free"));
        match lists.into_iter().chain(OF_OTHERS).find(|(_, names)| begins(names)) {
            Some((class, _)) => class,
            None if allocates => Self::Allocation,
            None => Self::Api,
        }
    }

    /// Its place in [`Self::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Sync => "sync",
            Self::Copy => "copy",
            Self::Allocation => "allocation",
            Self::Setup => "setup",
            Self::Api => "api",
        }
    }
}

/// What the name of an API function says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiFunction {
    /// What it is for.
    pub class: ApiClass,
    /// Whether it launches a graph.
    pub is_graph_launch: bool,
    /// Whether its name contains `Async`.
    pub is_async: bool,
    /// Whether it waits for a stream.
    pub is_stream_sync: bool,
    /// Whether it makes a stream wait for something besides its own work: another stream, a host function, memory.
    pub is_ordering: bool,
    /// Whether it launches a function of the host.
    pub is_host_launch: bool,
    /// Whether it makes a stream wait for the host, for memory or for another program.
    pub waits_for_others: bool,
    /// Whether what its thread launches from here on is written down as a graph and does not run.
    pub begins_capture: bool,
    /// Whether it ends that.
    pub ends_capture: bool,
    /// Whether it initialises the driver, as each library does that has CUDA's runtime inside.
    pub initialises: bool,
    /// Whether it is made where a context or a library is made, and not by programs.
    pub makes_context: bool,
    /// Whether it loads code for the GPU.
    pub loads_code: bool,
    /// Whether it records an event.
    pub records_event: bool,
    /// Whether it waits for an event.
    pub is_event_sync: bool,
}

impl ApiFunction {
    /// What a name says.
    #[must_use]
    pub fn of(function: &str) -> Self {
        let function = &*as_of_cuda(function);
        let behind = function.strip_prefix("cuda").or_else(|| function.strip_prefix("cu"));
        let is_ordering = |name: &str| ORDERING.iter().any(|begin| name.starts_with(begin));
        Self {
            class: ApiClass::of(function),
            is_graph_launch: function.contains("GraphLaunch"),
            is_async: function.contains("Async"),
            is_stream_sync: behind.is_some_and(|name| name.starts_with("StreamSynchronize")),
            is_ordering: behind.is_some_and(is_ordering),
            is_host_launch: function.contains("HostFunc"),
            waits_for_others: behind
                .is_some_and(|name| is_ordering(name) && !name.starts_with("StreamWaitEvent")),
            begins_capture: behind.is_some_and(|name| name.starts_with("StreamBeginCapture")),
            ends_capture: behind.is_some_and(|name| name.starts_with("StreamEndCapture")),
            initialises: behind == Some("Init"),
            makes_context: behind
                .is_some_and(|name| MAKES_CONTEXT.iter().any(|begin| name.starts_with(begin))),
            records_event: behind.is_some_and(|name| name.starts_with("EventRecord")),
            is_event_sync: behind.is_some_and(|name| name.starts_with("EventSynchronize")),
            loads_code: behind.is_some_and(|name| LOADS_CODE.iter().any(|begin| name.starts_with(begin))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_functions_are_cut() {
        assert_eq!(without_version("cudaMalloc_v3020"), "cudaMalloc");
        assert_eq!(without_version("cuMemFree_v2"), "cuMemFree_v2");
        assert_eq!(without_version("x"), "x");
        assert_eq!(without_version("größe_v12"), "größe_v12");
    }

    #[test]
    fn names_decide_classes_whatever_their_suffix() {
        let known = [
            ("cudaStreamSynchronize_v3020", ApiClass::Sync),
            ("cuCtxSynchronize", ApiClass::Sync),
            ("cudaLaunchKernelExC_v11060", ApiClass::Launch),
            ("cudaLaunchHostFunc", ApiClass::Launch),
            (KERNEL_LAUNCH, ApiClass::Launch),
            ("cuGraphLaunch_ptsz", ApiClass::Launch),
            ("cudaMemcpyAsync", ApiClass::Copy),
            ("cuMemsetD32Async", ApiClass::Copy),
            ("cudaMallocHost", ApiClass::Allocation),
            ("cudaFreeAsync", ApiClass::Allocation),
            ("cuMemHostAlloc", ApiClass::Allocation),
            ("cuModuleLoadDataEx", ApiClass::Setup),
            ("cudaStreamCreateWithFlags", ApiClass::Setup),
            ("cudaGraphInstantiateWithFlags", ApiClass::Setup),
            ("cudaStreamAddCallback", ApiClass::Api),
            ("cudaEventRecord", ApiClass::Api),
            ("cudaGraphDestroy", ApiClass::Api),
            ("hipLaunchKernel", ApiClass::Launch),
            ("hipExtModuleLaunchKernel", ApiClass::Launch),
            ("hipGraphLaunch", ApiClass::Launch),
            ("hipMemcpyWithStream", ApiClass::Copy),
            ("hipMemsetAsync", ApiClass::Copy),
            ("hipStreamSynchronize", ApiClass::Sync),
            ("hipHostMalloc", ApiClass::Allocation),
            ("hipModuleLoadData", ApiClass::Setup),
            ("hipPointerGetAttribute", ApiClass::Api),
            ("urEnqueueKernelLaunchCustomExp", ApiClass::Launch),
            ("urEnqueueUSMMemcpy", ApiClass::Copy),
            ("urQueueFinish", ApiClass::Sync),
            ("urUSMDeviceAlloc", ApiClass::Allocation),
            ("urContextCreate", ApiClass::Api),
            ("CudaMalloc", ApiClass::Api),
            ("", ApiClass::Api),
        ];
        for (name, class) in known {
            assert_eq!(ApiClass::of(name), class, "{name}");
        }
        assert!(ApiClass::ALL.iter().enumerate().all(|(at, class)| class.index() == at));
    }

    #[test]
    fn names_tell_graphs_and_ordering() {
        assert!(ApiFunction::of("cudaStreamWaitEvent_v3020").is_ordering);
        assert!(ApiFunction::of("cuStreamBatchMemOp").is_ordering);
        assert!(ApiFunction::of("cudaLaunchHostFunc").is_ordering);
        assert!(!ApiFunction::of("cudaStreamQuery").is_ordering);
        assert!(ApiFunction::of("cudaGraphLaunch").is_graph_launch);
        assert!(ApiFunction::of("cudaMemcpyAsync").is_async);
        assert!(ApiFunction::of("hipGraphLaunch").is_graph_launch);
        assert!(ApiFunction::of("hipStreamWaitEvent").is_ordering);
        assert!(ApiFunction::of("hipStreamSynchronize").is_stream_sync);
    }

    #[test]
    fn names_tell_what_is_done_once() {
        assert!(ApiFunction::of("cuInit").initialises && !ApiFunction::of("cuInitialise").initialises);
        assert!(ApiFunction::of("cuDevicePrimaryCtxRetain").makes_context);
        assert!(!ApiFunction::of("cudaFree_v3020").makes_context);
        assert!(ApiFunction::of("cuModuleLoadDataEx").loads_code);
        assert!(!ApiFunction::of("cuModuleUnload").loads_code);
        assert!(ApiFunction::of("cudaEventRecord_v3020").records_event);
        assert!(ApiFunction::of("cudaEventSynchronize_v3020").is_event_sync);
    }
}
