//! Causes of idle GPU time. If several apply, the first one in this order is used.

use super::{Entry, entry};

pub(super) const CAUSES: &[Entry] = &[
    entry(
        "turnaround",
        "The next piece of work was queued before the GPU became idle, and started within 10 µs. The GPU itself needs \
         this time between two pieces of work.",
        "Many short kernels make it large. CUDA graphs and fused kernels shorten it.",
    ),
    entry(
        "dependency",
        "The next piece of work was queued, and the program had told its stream to wait for something else: another stream, an \
         event, a host function.",
        "Look at what the stream waits for. Work on other GPUs and copies are usual.",
    ),
    entry(
        "stall",
        "The next piece of work was queued, nothing had to finish before it, and the GPU did not start it.",
        "Another process on the GPU, or a driver that changes clocks, can cause this. The program cannot avoid it.",
    ),
    entry(
        "profiler",
        "The profiler delayed the thread that launched next.",
        "Trace less, or profile fewer steps. Without the profiler there is no such wait.",
    ),
    entry(
        "data_loading",
        "The thread that launched next was inside a range that names data loading.",
        "Use more workers, pinned memory and prefetching.",
    ),
    entry(
        "sync",
        "The thread that launched next was waiting for the GPU: a synchronisation of a device, stream or event.",
        "After such a wait the queue is empty. Remove the wait, or move it to the end of the step: `.item()`, `print` \
         of a tensor and `nonzero` cause it.",
    ),
    entry(
        "communication",
        "The thread that launched next was in a call of MPI, NCCL, UCX, NVSHMEM or UCC.",
        "Overlap communication with computation, or send less.",
    ),
    entry(
        "copy",
        "The thread that launched next was in a call that copies, sets or prefetches memory.",
        "Copies from pageable memory block the host while the driver stages them. Use pinned memory.",
    ),
    entry(
        "allocation",
        "The thread that launched next was allocating or freeing GPU or pinned memory.",
        "Allocate once before the loop, or use a caching allocator. `cudaFree` also waits for the GPU.",
    ),
    entry(
        "setup",
        "The thread that launched next was loading modules, compiling, creating contexts or streams, or building graphs.",
        "This belongs to the first steps. In later ones, look for code that is compiled again because shapes change.",
    ),
    entry(
        "slow_launch",
        "The thread that launched next was in a launch call of more than 1 ms.",
        "Such a call did more than launch: lazy loading, autotuning, a full queue, a blocked driver.",
    ),
    entry(
        "launch",
        "The thread that launched next was in a launch call, or the launch had been made less than 100 µs before.",
        "The host launches more slowly than the GPU works. Use CUDA graphs, fused kernels or larger batches.",
    ),
    entry(
        "api",
        "The thread that launched next was in another API call: events, queries, attributes.",
        "Check whether calls that are made in every step can be made once.",
    ),
    entry(
        "input_wait",
        "The thread that launched next was waiting for another thread or process for at least 1 ms, outside all ops.",
        "Usually it waits for data. Use more workers and prefetching.",
    ),
    entry(
        "io",
        "The thread that launched next was reading a file or a socket, outside all ops.",
        "Read ahead on another thread, or keep the data in memory.",
    ),
    entry(
        "os_call",
        "The thread that launched next was in another call of the operating system: sleeping, waiting, writing.",
        "Look at the calls by name; locks and logging are usual.",
    ),
    entry(
        "host_range",
        "The thread that launched next was inside a user range, and nothing else explains the time.",
        "The program computes on the CPU in this range. Add ranges inside it to learn more.",
    ),
    entry(
        "host_issue",
        "The thread that launched next was between two API calls at most 1 ms apart.",
        "The program prepares launches more slowly than the GPU works. Use CUDA graphs or a compiled model.",
    ),
    entry(
        "unknown",
        "Nothing in the capture says what the host did.",
        "Capture with `--trace=osrt,nvtx` and add ranges to the program.",
    ),
    entry(
        "no_api_call",
        "The work that ended the gap has no API call in the capture, so nobody can say what it waited for.",
        "Capture from the start of the process, with `--trace=cuda`.",
    ),
    entry(
        "edge",
        "The time of an iteration before the first work of the GPU in the capture, and after the last.",
        "Choose iterations inside the capture.",
    ),
    entry(
        "unused",
        "The GPU has no work anywhere in the capture.",
        "Use this GPU, or do not reserve it for the job.",
    ),
];
