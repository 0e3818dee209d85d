//! Why a question cannot be answered: a closed list, in words, with what to record.

/// A reason why something is not known. The list is closed: programs may match its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Because {
    /// The stable name.
    pub key: &'static str,
    /// The reason in words.
    pub words: &'static str,
    /// Tables in which its rows would stand, in the names of `show`.
    pub tables: &'static [&'static str],
    /// What to record with nsys, or what to do, so that it is known.
    pub record: &'static str,
    /// The same for torch.profiler; empty where it is the same or cannot be had.
    pub record_in_torch: &'static str,
}

const fn because(
    key: &'static str,
    words: &'static str,
    tables: &'static [&'static str],
    record: [&'static str; 2],
) -> Because {
    Because { key, words, tables, record: record[0], record_in_torch: record[1] }
}

const CUDA: &str = "nsys profile --trace=cuda,nvtx, on a machine that permits CUDA tracing";
const BOTH_ACTIVITIES: &str = "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])";
const RANKS: &str = "a capture of each rank, then `dlprof-agg ranks FOLDER`";

/// All reasons.
pub static BECAUSE: [Because; 27] = [
    because(
        "no_records",
        "the capture holds no work of CUDA at all",
        &["kernels", "api_calls"],
        [CUDA, BOTH_ACTIVITIES],
    ),
    because(
        "program_failed",
        "the program ended badly, so the capture may show only a part of its work",
        &["diagnostics"],
        ["a run that ends well: find out why the program failed, then profile it again", ""],
    ),
    because(
        "not_started",
        "the program could not be started under the profiler",
        &["diagnostics"],
        ["a run that ends well: try another version of nsys or of the program's environment", ""],
    ),
    because("no_kernels", "no kernel was recorded", &["kernels", "gpu_time"], [CUDA, BOTH_ACTIVITIES]),
    because(
        "no_launches",
        "none of the recorded calls launches a kernel",
        &["kernels", "api_calls"],
        ["a capture of the part that launches kernels", ""],
    ),
    because("no_api_calls", "no CUDA API calls were recorded", &["api_calls"], [CUDA, BOTH_ACTIVITIES]),
    because(
        "no_nvtx",
        "no NVTX range names ops or parts of the program",
        &["ops", "ranges"],
        ["NVTX ranges around steps and their parts, and nsys profile --trace=cuda,nvtx", BOTH_ACTIVITIES],
    ),
    because(
        "no_step",
        "no repeating step was found",
        &["iterations"],
        [
            "a capture of several steps, each marked with an NVTX range, or --key-node NAME",
            "a trace of three steps or more (prof.step() after each), or --key-node NAME",
        ],
    ),
    because(
        "too_short",
        "the analysed part is too short to judge",
        &["iterations"],
        ["a capture of several steps after warm-up", ""],
    ),
    because(
        "lost_records",
        "the tracer lost records of GPU work",
        &["diagnostics"],
        [
            "a shorter part of the run (`--capture-range`, `--duration`), or fewer kinds of records",
            "a shorter part of the run",
        ],
    ),
    because(
        "no_os_calls",
        "calls of the operating system were not recorded",
        &["idle_os_calls"],
        ["nsys profile --trace=cuda,nvtx,osrt", "torch.profiler.record_function around what loads data"],
    ),
    because(
        "no_cpu_samples",
        "no CPU samples were recorded",
        &["idle_functions"],
        ["nsys profile --sample=process-tree", "profile(with_stack=True)"],
    ),
    because(
        "no_scheduling",
        "nothing says when threads ran on a CPU",
        &["idle_threads"],
        ["nsys profile --cpuctxsw=process-tree", ""],
    ),
    because(
        "no_gpu_metrics",
        "the capture has no GPU counters",
        &["gpu_metrics"],
        [
            "nsys profile --gpu-metrics-devices=all (older versions: --gpu-metrics-device=all)",
            "a log of Nsight Compute, then --ncu LOG",
        ],
    ),
    because(
        "graphs_recorded_whole",
        "CUDA graphs were recorded as a whole, so kernels inside them are not known",
        &["kernels"],
        ["nsys profile --cuda-graph-trace=node", ""],
    ),
    because(
        "no_shapes",
        "no op has shapes and data types",
        &["op_work"],
        [
            "torch.autograd.profiler.emit_nvtx(record_shapes=True) under nsys profile --trace=cuda,nvtx",
            "profile(record_shapes=True)",
        ],
    ),
    because(
        "no_exchange_sizes",
        "nothing says how much data collectives exchange",
        &["collectives"],
        ["nsys profile --trace=cuda,nvtx with NCCL of version 2.18 or newer", "a newer PyTorch"],
    ),
    because(
        "no_allocations",
        "allocations of GPU memory were not recorded",
        &["gpu_memory", "gpu_allocations"],
        ["nsys profile --cuda-memory-usage=true", "profile(profile_memory=True)"],
    ),
    because(
        "no_stacks",
        "no call stacks were recorded",
        &["idle_python"],
        ["nsys profile --sample=process-tree --python-backtrace=cuda", "profile(with_stack=True)"],
    ),
    because("one_rank_of_many", "the capture is of one rank of a job", &["process_iterations"], [RANKS, ""]),
    because(
        "clocks_not_aligned",
        "the clocks of the captures cannot be aligned",
        &["process_iterations"],
        ["captures of all ranks that share collectives", ""],
    ),
    because(
        "peaks_unknown",
        "the peak figures of the GPU are not known",
        &["gpus"],
        ["nsys profile where `nvidia-smi` lists the GPU", ""],
    ),
    because(
        "name_does_not_tell",
        "names of kernels do not tell",
        &["kernel_names"],
        ["a log of Nsight Compute (`dlprof-agg ncu FILE` prints the command), then --ncu LOG", ""],
    ),
    because(
        "kinds_unknown",
        "names of kernels with 10% or more of the kernel time do not tell what they compute",
        &["kernel_names"],
        ["NVTX ranges around what launches them", "torch.profiler.record_function around what launches them"],
    ),
    because(
        "needs_ncu",
        "time inside a kernel is not in such a capture",
        &["ncu_kernels"],
        ["a log of Nsight Compute (`dlprof-agg ncu FILE` prints the command), then --ncu LOG", ""],
    ),
    because(
        "not_comparable",
        "the captures cannot be compared",
        &["summary"],
        ["both runs recorded in the same way, with the same work", ""],
    ),
    because(
        "outside_window",
        "it lies outside of the analysed part",
        &["iterations"],
        ["all from the first to the last GPU work: --key-node= without a name", ""],
    ),
];

impl Because {
    /// The reason with this key.
    #[must_use]
    pub fn named(key: &str) -> Option<&'static Self> {
        BECAUSE.iter().find(|because| because.key == key)
    }
}

#[cfg(test)]
mod tests {
    use super::{BECAUSE, Because};
    use crate::advice::tables::definition;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_has_a_name_of_its_own_words_tables_and_a_way_out() {
        let keys: BTreeSet<&str> = BECAUSE.iter().map(|because| because.key).collect();
        assert_eq!(keys.len(), BECAUSE.len());
        for because in &BECAUSE {
            assert!(!because.words.is_empty() && !because.record.is_empty(), "{}", because.key);
            for table in because.tables {
                assert!(definition(table).is_some(), "{}: {table}", because.key);
            }
        }
        assert_eq!(Because::named("no_nvtx").map(|because| because.tables[0]), Some("ops"));
        assert_eq!(Because::named("no such reason"), None);
    }
}
