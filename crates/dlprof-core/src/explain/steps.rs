//! What the time of a step is divided into, and what a step is bound by.

use super::{Entry, entry, measure};

pub(super) const CLASSES: &[Entry] = &[
    measure(
        "gpu",
        "nanoseconds",
        "The GPU computes, or needs the time between two queued pieces of work.",
        "compute + idle turnaround, averaged over the used GPUs",
        "A large share is good. Whether the GPU is used well is another question: see occupancy and efficiency_percent.",
    ),
    measure(
        "communication",
        "nanoseconds",
        "GPUs exchange data while nothing computes, or the host is in a call that exchanges data.",
        "exposed communication + idle communication, averaged over the used GPUs",
        "It includes waiting for the slowest rank. Overlap it with computation.",
    ),
    measure(
        "copy",
        "nanoseconds",
        "Memory is copied or set while nothing computes or communicates, or the host is in a call that copies.",
        "exposed copies + idle copy, averaged over the used GPUs",
        "Copy from pinned memory on a stream of its own, while the GPU computes.",
    ),
    measure(
        "input",
        "nanoseconds",
        "The GPU is idle because the next batch is not ready.",
        "idle data_loading + input_wait + io, averaged over the used GPUs",
        "Use more data-loader workers, prefetching, or cheaper preparation.",
    ),
    measure(
        "cpu",
        "nanoseconds",
        "The GPU is idle because the host has not launched the next work yet.",
        "idle launch + slow_launch + allocation + setup + api + host_range + host_issue, averaged over the used GPUs",
        "Use CUDA graphs, fused kernels or larger batches; move CPU work to another thread.",
    ),
    measure(
        "sync",
        "nanoseconds",
        "The GPU is idle because the host waited for it and had queued nothing.",
        "idle sync, averaged over the used GPUs",
        "Remove waits inside the step.",
    ),
    measure(
        "other",
        "nanoseconds",
        "All the time that no other class explains.",
        "length − all other classes",
        "The causes are edge, dependency, stall, profiler, os_call, unknown and no_api_call.",
    ),
];

pub(super) const VERDICTS: &[Entry] = &[
    entry(
        "gpu_bound",
        "No class but gpu takes 20 % of the time: the GPU is kept busy.",
        "Make the kernels faster: Tensor Cores, better occupancy, fewer bytes.",
    ),
    entry("input_bound", "Input is the largest class besides gpu, with at least 20 % of the time.", ""),
    entry(
        "communication_bound",
        "Communication is the largest class besides gpu, with at least 20 % of the time.",
        "",
    ),
    entry("copy_bound", "Copy is the largest class besides gpu, with at least 20 % of the time.", ""),
    entry("cpu_bound", "Cpu or sync is the largest class besides gpu, with at least 20 % of the time.", ""),
    entry(
        "unexplained",
        "Other is the largest class besides gpu, with at least 20 % of the time.",
        "Look at the causes of idle time. A capture with more tracing may show more.",
    ),
];
