//! Real exports, where they are beside the project: totals against plain SQL, DLProf's own reports, comparisons.

mod comparisons;
mod cuts;
mod dashboards;
mod dlprof_databases;
mod dlprof_reports;
mod exports;
mod findings;
mod for_tools;
mod kernel_names;
mod key_nodes;
mod launched;
mod makers;
mod ncu;
mod ncu_command;
mod one_figure;
mod profiles;
mod queries;
mod ranks;
mod records;
mod rocm_and_xla;
mod shuffled;
mod timelines;
mod torch_ops;
mod torch_peers;
mod torch_traces;
mod windows;
