//! Names of the tables of a DLProf database.

pub(super) const VERSION: &str = "db_version";
pub(super) const DICTIONARY: &str = "dictionary";
pub(super) const DOMAINS: &str = "read_only_domains";
pub(super) const OPS: &str = "read_only_ops";
pub(super) const SUB_OPS: &str = "read_only_sub_ops";
pub(super) const OP_CALLS: &str = "read_only_op_instances";
pub(super) const GRID_BLOCKS: &str = "read_only_grid_block";
pub(super) const KERNELS: &str = "read_only_kernels";
pub(super) const COPIES: &str = "read_only_memcpys";
pub(super) const MEMSETS: &str = "read_only_memsets";
pub(super) const SYNCS: &str = "read_only_cuda_syncs";
pub(super) const CALLS: &str = "read_only_cuda_calls";
pub(super) const GPUS: &str = "read_only_gpu_infos";
pub(super) const GPU_MEMORIES: &str = "gpu_memories";
pub(super) const SYSTEM: &str = "read_only_system_config";
pub(super) const MODEL_CONFIG: &str = "read_only_model_config";
pub(super) const AGGREGATIONS: &str = "aggregations";
pub(super) const ITERATION_KEYS: &str = "iteration_key";
pub(super) const ITERATIONS: &str = "iteration_list";
pub(super) const SUMMARIES: &str = "model_summary";
pub(super) const FEEDBACK: &str = "expert_systems_feedback";

/// All tables that are read or looked for.
pub(in crate::read::ingest) const ALL: [&str; 21] = [
    VERSION,
    DICTIONARY,
    DOMAINS,
    OPS,
    SUB_OPS,
    OP_CALLS,
    GRID_BLOCKS,
    KERNELS,
    COPIES,
    MEMSETS,
    SYNCS,
    CALLS,
    GPUS,
    GPU_MEMORIES,
    SYSTEM,
    MODEL_CONFIG,
    AGGREGATIONS,
    ITERATION_KEYS,
    ITERATIONS,
    SUMMARIES,
    FEEDBACK,
];

/// Tables that every database has.
pub(super) const NEEDED: [&str; 5] = [DICTIONARY, OPS, OP_CALLS, GRID_BLOCKS, KERNELS];

/// Tables with a row for each event, for the progress.
pub(in crate::read::ingest) const LARGE: [&str; 7] =
    [DICTIONARY, OP_CALLS, KERNELS, COPIES, MEMSETS, SYNCS, CALLS];
