//! What people and files are told of each cause of idle time: the one place for its key, its words and its meaning. Tables,
//! `explain`, the dashboard and the pages of the viewer read this list.

use super::step_class::StepClass;
use crate::capture::classified::Cause;
use serde::Serialize;

/// What people and files are told of a cause of idle time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CauseDefinition {
    /// The cause.
    #[serde(skip)]
    pub cause: Cause,
    /// The word in tables and files.
    pub key: &'static str,
    /// The words for people.
    pub words: &'static str,
    /// The class of the step that it counts to.
    pub class: StepClass,
    /// What it means, in whole sentences.
    pub meaning: &'static str,
    /// What to do about it, in whole sentences.
    pub advice: &'static str,
}

const fn define(
    cause: Cause,
    key: &'static str,
    words: &'static str,
    class: StepClass,
    meaning: &'static str,
    advice: &'static str,
) -> CauseDefinition {
    CauseDefinition { cause, key, words, class, meaning, advice }
}

/// All causes, in the order of [`Cause::ALL`].
pub static CAUSES: [CauseDefinition; Cause::ALL.len()] = [
    define(
        Cause::Unused,
        "unused",
        "unused",
        StepClass::Other,
        "The GPU has no work anywhere in the capture.",
        "Use this GPU, or do not reserve it for the job.",
    ),
    define(
        Cause::Edge,
        "edge",
        "before or after all work",
        StepClass::Other,
        "The time of an iteration before the first work of the GPU in the capture, and after the last.",
        "Choose iterations inside the capture.",
    ),
    define(
        Cause::NoApiCall,
        "no_api_call",
        "no API call",
        StepClass::Other,
        "The work that ended the gap has no API call in the capture, as migrations of unified memory have none, so the host \
         says nothing about the gap. In a trace of torch.profiler it was launched before the recording began.",
        "Capture from the start of the process, with `--trace=cuda`; look at migrations and page faults of unified memory. Of \
         traces leave out the first step.",
    ),
    define(
        Cause::Turnaround,
        "turnaround",
        "turnaround",
        StepClass::Gpu,
        "The next piece of work was queued before the GPU became idle, and started within 10 µs. The GPU itself needs \
         this time between two pieces of work.",
        "Many short kernels make it large. CUDA graphs and fused kernels shorten it.",
    ),
    define(
        Cause::Dependency,
        "dependency",
        "dependency",
        StepClass::Other,
        "The next piece of work was queued, and the program had told its stream to wait for something else: another stream, an \
         event, a host function.",
        "Look at what the stream waits for. Work on other GPUs and copies are usual.",
    ),
    define(
        Cause::Stall,
        "stall",
        "stall",
        StepClass::Other,
        "The next piece of work was queued, nothing had to finish before it, and the GPU did not start it.",
        "Another process on the GPU, or a driver that changes clocks, can cause this. Measure on a GPU that runs nothing else.",
    ),
    define(
        Cause::Profiler,
        "profiler",
        "profiler",
        StepClass::Other,
        "The profiler delayed the thread that launched next.",
        "Trace less, or profile fewer steps. Without the profiler there is no such wait.",
    ),
    define(
        Cause::DataLoading,
        "data_loading",
        "data loading",
        StepClass::Input,
        "The thread that launched next was inside a range that names data loading.",
        "Use more workers, pinned memory and prefetching.",
    ),
    define(
        Cause::Sync,
        "sync",
        "sync",
        StepClass::Sync,
        "The thread that launched next was waiting for the GPU: a synchronisation of a device, stream or event.",
        "After such a wait the queue is empty. Remove the wait, or move it to the end of the step: `.item()`, `print` \
         of a tensor and `nonzero` cause it.",
    ),
    define(
        Cause::Copy,
        "copy",
        "copy",
        StepClass::Copy,
        "The thread that launched next was in a call that copies, sets or prefetches memory.",
        "Copies from pageable memory block the host while the driver stages them. Use pinned memory.",
    ),
    define(
        Cause::Allocation,
        "allocation",
        "CPU: allocation",
        StepClass::Cpu,
        "The thread that launched next was allocating, freeing or registering GPU or pinned memory.",
        "Allocate once before the loop, or use a caching allocator. `cudaFree` also waits for the GPU.",
    ),
    define(
        Cause::Setup,
        "setup",
        "CPU: set-up",
        StepClass::Cpu,
        "The thread that launched next was loading modules, compiling, creating contexts or streams, or building graphs.",
        "This belongs to the first steps. In later ones, look for code that is compiled again because shapes change.",
    ),
    define(
        Cause::SlowLaunch,
        "slow_launch",
        "CPU: slow launch or copy",
        StepClass::Cpu,
        "The thread that launched next was in a call of more than 1 ms that launched the kernel, copy or memset.",
        "Such a call did more than launch: lazy loading, autotuning, a full queue, a blocked driver; a blocking copy also waits.",
    ),
    define(
        Cause::Launch,
        "launch",
        "CPU: launch or copy",
        StepClass::Cpu,
        "The thread that launched next was in a launch call, or in the call of the work that ended the gap, be it a launch, a copy \
         or a memset, or this call had been made less than 100 µs before.",
        "The host launches or copies more slowly than the GPU works. Use CUDA graphs, fused kernels, larger batches or fewer copies.",
    ),
    define(
        Cause::Api,
        "api",
        "CPU: other API call",
        StepClass::Cpu,
        "The thread that launched next was in another API call: events, queries, attributes.",
        "Check whether calls that are made in every step can be made once.",
    ),
    define(
        Cause::Communication,
        "communication",
        "communication",
        StepClass::Communication,
        "The thread that launched next was in a call of MPI, NCCL, UCX, NVSHMEM or UCC, and in no CUDA call that this call made.",
        "Overlap communication with computation, or send less.",
    ),
    define(
        Cause::InputWait,
        "input_wait",
        "waiting for input",
        StepClass::Input,
        "The thread that launched next was waiting for another thread or process for at least 1 ms, outside all ops.",
        "Usually it waits for data. Use more workers and prefetching.",
    ),
    define(
        Cause::Io,
        "io",
        "I/O",
        StepClass::Input,
        "The thread that launched next was reading a file or a socket, outside all ops.",
        "Read ahead on another thread, or keep the data in memory.",
    ),
    define(
        Cause::OsCall,
        "os_call",
        "OS call",
        StepClass::Other,
        "The thread that launched next was in another call of the operating system: sleeping, waiting, writing.",
        "Look at the calls by name; locks and logging are usual.",
    ),
    define(
        Cause::HostRange,
        "host_range",
        "CPU: in a range",
        StepClass::Cpu,
        "The thread that launched next was inside a user range, and nothing else explains the time.",
        "The program computes or waits in this range. Add ranges inside it to learn more.",
    ),
    define(
        Cause::HostIssue,
        "host_issue",
        "CPU: between launches",
        StepClass::Cpu,
        "The thread that launched next was between two API calls at most 1 ms apart.",
        "The program prepares launches more slowly than the GPU works. Use CUDA graphs or a compiled model.",
    ),
    define(
        Cause::Unknown,
        "unknown",
        "unknown",
        StepClass::Other,
        "No record says what the host did; CPU samples may still say in which functions it was. In a trace of torch.profiler a \
         stream may also wait before its first work for what was started before the recording.",
        "Capture with `--trace=osrt,nvtx` and add ranges to the program.",
    ),
];

impl Cause {
    /// What people and files are told of it.
    #[must_use]
    pub fn definition(self) -> &'static CauseDefinition {
        &CAUSES[self.index()]
    }

    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.definition().key
    }

    /// The words for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        self.definition().words
    }

    /// The class of the step that it counts to.
    #[must_use]
    pub fn class(self) -> StepClass {
        self.definition().class
    }
}

impl StepClass {
    /// The causes of idle time that count to it.
    pub fn causes(self) -> impl DoubleEndedIterator<Item = Cause> {
        Cause::ALL.into_iter().filter(move |cause| cause.class() == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_declared_once_in_its_place() {
        assert!(CAUSES.iter().zip(Cause::ALL).all(|(definition, cause)| definition.cause == cause));
        for words in [|one: &CauseDefinition| one.key, |one: &CauseDefinition| one.words] {
            let mut all: Vec<&str> = CAUSES.iter().map(words).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), CAUSES.len());
        }
    }
}
