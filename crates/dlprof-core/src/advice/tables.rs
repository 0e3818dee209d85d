//! The list of all tables. It is here and not beside the tables, because some of them have what the rules found or how the verdict
//! names it.

use super::findings_table as findings;
use super::idle;
use super::idle_totals;
use super::judged::Judged;
use crate::read::ncu::NcuLog;
use crate::replay::critical_path;
use crate::tables::in_words::in_words;
use crate::tables::near::folded;
use crate::tables::{
    Columns, Header, Layout, Table, annotations, api_calls, attribution, collectives, copies, diagnostics,
    engine_modules, engine_phases, engine_steps, engine_tokens, gpu_allocations, gpu_memory, gpu_metrics,
    gpu_time, gpus, groups, host_calls, idle_causes, idle_functions, idle_os_calls, idle_python, idle_ranges,
    idle_threads, iteration_ops, iterations, kernel_names, kernel_summaries, kernel_totals, kernels,
    key_nodes, launch_records, launch_stats, longest_gaps, model_summary, ncu_kernels, ncu_launches,
    ncu_match, ncu_metrics, ncu_ops, op_types, op_work, operators, ops, process_iterations, ranges, steps,
    summary, threads, top_ops, transfers,
};
use std::sync::Arc;

/// What is known of a table without a profile.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// Stable name, as in `show NAME`.
    pub key: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// Builds it. The table holds its profile.
    pub build: fn(&Judged) -> Box<dyn Table>,
    /// How people see it.
    pub layout: &'static Layout,
    headers: fn() -> Vec<&'static Header<'static>>,
}

impl Definition {
    /// Whether captures of this kind have such a table: some are made of what only torch.profiler records, or of counters.
    #[must_use]
    pub fn is_of(&self, judged: &Judged) -> bool {
        (!OF_TRACES.contains(&self.key) || judged.capture.recorder.is_torch_profiler())
            && (!OF_COUNTERS.contains(&self.key) || judged.capture.counters.is_some())
            && (!OF_SERVERS.contains(&self.key) || judged.serving().workload.serves())
    }

    /// The columns.
    #[must_use]
    pub fn headers(&self) -> Vec<&'static Header<'static>> {
        (self.headers)()
    }

    /// The columns of the table of a capture with or without counters of Nsight Compute: those that they add come last.
    #[must_use]
    pub fn headers_of(&self, has_counters: bool) -> Vec<&'static Header<'static>> {
        if has_counters && self.key == op_work::TABLE.key {
            return op_work::WITH_COUNTERS.headers();
        }
        self.headers()
    }

    /// The columns of the table of a capture with or without counters, by name.
    #[must_use]
    pub fn columns(&self, has_counters: bool) -> Columns<'static> {
        Columns::new(self.key, self.headers_of(has_counters).into_iter().copied().collect())
    }
}

impl From<&Definition> for Columns<'static> {
    fn from(definition: &Definition) -> Self {
        definition.columns(false)
    }
}

macro_rules! definitions {
    ($($module:ident)*) => {
        &[$(Definition {
            key: $module::TABLE.key,
            title: $module::TABLE.title,
            doc: $module::TABLE.doc,
            build: |judged| in_words($module::build(judged), judged.capture.recorder),
            layout: &$module::TABLE.layout,
            headers: || $module::TABLE.headers(),
        },)*]
    };
}

/// All tables.
pub static TABLES: &[Definition] = definitions! {
    summary top_ops findings op_types groups ops kernel_summaries kernel_totals
    iterations process_iterations iteration_ops kernels key_nodes kernel_names gpus
    steps gpu_time longest_gaps idle idle_causes idle_totals idle_ranges idle_threads idle_os_calls idle_functions
    critical_path copies transfers host_calls api_calls threads launch_records launch_stats attribution annotations ranges op_work
    gpu_memory gpu_allocations gpu_metrics operators collectives idle_python model_summary diagnostics
    ncu_kernels ncu_ops ncu_launches ncu_match
    engine_steps engine_phases engine_tokens engine_modules
};

/// Tables that only traces of torch.profiler fill. Where all tables are exported, other captures are without them.
pub(super) const OF_TRACES: [&str; 3] =
    [operators::TABLE.key, collectives::TABLE.key, idle_python::TABLE.key];

/// Tables that only logs of Nsight Compute fill. Where all tables are exported, captures without counters are without them.
pub(super) const OF_COUNTERS: [&str; 4] =
    [ncu_kernels::TABLE.key, ncu_ops::TABLE.key, ncu_launches::TABLE.key, ncu_match::TABLE.key];

/// Tables that only captures of inference servers fill. Where all tables are exported, other captures are without them.
pub(super) const OF_SERVERS: [&str; 4] =
    [engine_steps::TABLE.key, engine_phases::TABLE.key, engine_tokens::TABLE.key, engine_modules::TABLE.key];

/// Tables that logs of Nsight Compute have without a capture.
const LOG_TABLES: [&str; 3] = [ncu_kernels::TABLE.key, ncu_launches::TABLE.key, ncu_metrics::TABLE.key];

/// The table of all metrics, which only logs without a capture fill.
static METRICS: &[Definition] = definitions! { ncu_metrics };

/// The definition of a table that logs of Nsight Compute have without a capture. Names as in [`definition`].
#[must_use]
pub fn log_table(name: &str) -> Option<&'static Definition> {
    let wanted = folded(name);
    let all = TABLES.iter().chain(METRICS).filter(|table| LOG_TABLES.contains(&table.key));
    all.into_iter().find(|table| folded(table.key) == wanted)
}

/// A table of logs of Nsight Compute without a capture; none if it needs one.
#[must_use]
pub fn table_of_logs(key: &str, logs: &[Arc<NcuLog>]) -> Option<Box<dyn Table>> {
    match key {
        _ if key == ncu_kernels::TABLE.key => Some(Box::new(ncu_kernels::of_logs(logs))),
        _ if key == ncu_launches::TABLE.key => Some(Box::new(ncu_launches::of_logs(logs))),
        _ if key == ncu_metrics::TABLE.key => Some(Box::new(ncu_metrics::of_logs(logs))),
        _ => None,
    }
}

/// The definition of a table. Case does not matter; `-`, `_` and a space are the same.
#[must_use]
pub fn definition(name: &str) -> Option<&'static Definition> {
    let wanted = folded(name);
    let exact = TABLES.iter().find(|definition| definition.key == name);
    exact.or_else(|| TABLES.iter().find(|definition| folded(definition.key) == wanted))
}
