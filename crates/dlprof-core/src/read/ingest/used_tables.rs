//! Which tables of an export are read: an export of a report needs no others.

use super::{
    api_calls, copies, cpu_samples, graph_nodes, kernels, memory_events, memsets, metric_samples, mpi_calls,
    os_calls, overheads, payload, ranges, stacks, switches, syncs,
};

/// All tables that an export of a report needs: those that are read always, then those of which records are made.
pub fn export_tables() -> impl Iterator<Item = &'static str> {
    USED_TABLES.into_iter().chain(super::RECORD_TABLES)
}

/// All tables that are read or looked for. `database` checks in debug builds that there are no others.
pub(crate) const USED_TABLES: [&str; 41] = [
    "StringIds",
    "ThreadNames",
    "PROCESSES",
    "ProcessStreams",
    "SystemInfo",
    "META_DATA_EXPORT",
    "EXPORT_META_DATA",
    "META_DATA_CAPTURE",
    "TARGET_INFO_SYSTEM_ENV",
    "TARGET_INFO_SESSION_START_TIME",
    "TARGET_INFO_GPU",
    "TARGET_INFO_CUDA_GPU",
    "TARGET_INFO_CUDA_DEVICE",
    "TARGET_INFO_CUDA_CONTEXT_INFO",
    "TARGET_INFO_GPU_METRICS",
    "DIAGNOSTIC_EVENT",
    "ANALYSIS_DETAILS",
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
    payload::SCHEMAS,
    ranges::TABLE,
    api_calls::TABLE,
    kernels::TABLE,
    kernels::GRAPHS,
    graph_nodes::TABLES[0],
    graph_nodes::TABLES[1],
    copies::TABLE,
    memsets::TABLE,
    syncs::TABLE,
    os_calls::TABLE,
    stacks::TABLE,
    cpu_samples::TABLE,
    switches::TABLE,
    metric_samples::TABLE,
    memory_events::TABLE,
    mpi_calls::TABLES[0],
    mpi_calls::TABLES[1],
    mpi_calls::TABLES[2],
    mpi_calls::TABLES[3],
    overheads::TABLES[0],
    overheads::TABLES[1],
];
