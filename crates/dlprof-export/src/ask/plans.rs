//! The queries of each standing question. Every figure of an answer is a cell of one of them.

use super::question::Question;
use dlprof_core::StepClass;

/// A query whose rows are a part of an answer.
pub(super) struct Plan {
    /// What its rows are.
    pub(super) name: &'static str,
    pub(super) sql: String,
    /// Rows that are shown at first.
    pub(super) most: usize,
    /// Reasons of which none may hold: the rows would be empty or wrong.
    pub(super) needs: &'static [&'static str],
    /// Reasons that explain why there are no rows.
    pub(super) emptied_by: &'static [&'static str],
    /// Whether few captures have rows of it: it is left out without any.
    pub(super) is_rare: bool,
}

/// What a question is about, besides captures.
pub(super) struct About<'a> {
    /// A kernel or a range, as a key or a name.
    pub(super) thing: Option<&'a str>,
    /// Names of captures, where there are several.
    pub(super) names: &'a [&'a str],
    /// Whether the GPUs are known to have no units for products of matrices.
    pub(super) lacks_matrix_units: bool,
}

const KERNELS: &[&str] = &["no_kernels"];
/// What hides which kernels exchange data.
const UNTOLD: &[&str] = &["kinds_unknown", "graphs_recorded_whole"];
const NOTHING: &[&str] = &[];

/// The queries of a question, the most telling first.
pub(super) fn plans(question: Question, about: &About<'_>) -> Vec<Plan> {
    match question {
        Question::WhySlow => why_slow(),
        Question::WhatFirst => vec![findings(3)],
        Question::WhereTime => where_time(),
        Question::HostWhileIdle => host_while_idle(),
        Question::Steady => steady(about.thing),
        Question::Overlap => overlap(),
        Question::Compare => compare(about.names),
        Question::Suffices => suffices(),
        Question::TensorCores => tensor_cores(about.thing, about.lacks_matrix_units),
        Question::WhichRank => which_rank(about.names.len() > 1),
    }
}

fn plan(name: &'static str, most: usize, needs: &'static [&'static str], sql: impl Into<String>) -> Plan {
    Plan { name, sql: sql.into(), most, needs, emptied_by: NOTHING, is_rare: false }
}

/// Ranges by text: without rows where ranges were not recorded.
fn of_ranges(most: usize, text: Option<&str>) -> Plan {
    Plan { emptied_by: &["no_nvtx"], ..plan("ranges", most, NOTHING, ranges(text)) }
}

fn why_slow() -> Vec<Plan> {
    vec![
        plan(
            "step",
            1,
            KERNELS,
            "select 'step' as key, (select avg_iteration_ns from summary) as length_ns, 100.0*sum(gpu_ns)/sum(length_ns) as gpu_percent, \
             100.0*sum(communication_ns)/sum(length_ns) as communication_percent, 100.0*sum(copy_ns)/sum(length_ns) as copy_percent, \
             100.0*sum(input_ns)/sum(length_ns) as input_percent, 100.0*sum(cpu_ns)/sum(length_ns) as cpu_percent, \
             100.0*sum(sync_ns)/sum(length_ns) as sync_percent, 100.0*sum(other_ns)/sum(length_ns) as other_percent from steps",
        ),
        plan("gpus", 8, KERNELS, gpus()),
        idle_causes(4),
        plan(
            "findings",
            3,
            NOTHING,
            "select 'finding:'||finding_id as key, severity, confidence, case when saving_kind='expected' then 1.0*saving_ns/max(coalesce(iterations,1),1) end as expected_per_iteration_ns, \
             1.0*saving_upper_ns/max(coalesce(iterations,1),1) as at_most_per_iteration_ns from findings order by rowid",
        ),
        kinds(4),
    ]
}

/// How each GPU spent the window.
fn gpus() -> &'static str {
    "select 'gpu:'||device_id as key, sum(length_ns) as length_ns, sum(busy_ns) as busy_ns, \
     100.0*sum(busy_ns)/sum(length_ns) as busy_percent, sum(compute_ns) as compute_ns, \
     100.0*sum(cpu_in_short_gaps_ns)/sum(length_ns) as waits_for_cpu_in_short_gaps_percent \
     from gpu_time group by device_id having sum(busy_ns) > 0 order by device_id"
}

fn idle_causes(most: usize) -> Plan {
    plan(
        "idle_causes",
        most,
        KERNELS,
        "select 'cause:'||cause as key, in_words, time_ns, idle_percent, percent from idle_totals order by time_ns desc, cause",
    )
}

fn findings(most: usize) -> Plan {
    plan(
        "findings",
        most,
        NOTHING,
        "select 'finding:'||finding_id as key, severity, confidence, case when saving_kind='expected' then 1.0*saving_ns/max(coalesce(iterations,1),1) end as expected_per_iteration_ns, \
         1.0*saving_upper_ns/max(coalesce(iterations,1),1) as at_most_per_iteration_ns, saving_kind, same_cause_as, problem, recommendation \
         from findings order by rowid",
    )
}

fn kinds(most: usize) -> Plan {
    plan(
        "kernel_kinds",
        most,
        KERNELS,
        "select 'kind:'||kernel_kind as key, sum(calls) as calls, sum(gpu_time_ns) as gpu_time_ns, \
         100.0*sum(gpu_time_ns)/(select sum(gpu_time_ns) from kernel_names) as percent from kernel_names \
         group by kernel_kind order by gpu_time_ns desc, key",
    )
}

fn where_time() -> Vec<Plan> {
    vec![
        plan(
            "totals",
            1,
            KERNELS,
            "select 'window' as key, (select sum(calls) from kernel_names where kernel_kind <> 'whole CUDA graphs') as kernels, \
             (select sum(calls) from kernel_names where kernel_kind = 'whole CUDA graphs') as whole_graphs, \
             (select sum(gpu_time_ns) from kernel_names) as kernel_ns, (select sum(gpu_time_ns) from copies) as copy_ns, \
             (select count(distinct device_id) from kernels) as gpus_used, gpu_count as gpus_present from summary",
        ),
        plan(
            "kernels",
            4,
            KERNELS,
            "select 'kernel:'||name_key(long_kernel_name) as key, long_kernel_name, calls, gpu_time_ns, \
             gpu_time_percent as percent, kernel_kind, tensor_cores from kernel_names order by gpu_time_ns desc, long_kernel_name",
        ),
        plan(
            "short_names",
            4,
            KERNELS,
            "select kernel_name as key, sum(kernel_calls) as calls, sum(gpu_time_ns) as gpu_time_ns, \
             100.0*sum(gpu_time_ns)/(select sum(gpu_time_ns) from kernel_summaries) as percent \
             from kernel_summaries group by kernel_name order by gpu_time_ns desc, key",
        ),
        plan(
            "ops",
            5,
            &["no_kernels", "no_nvtx"],
            "select 'op:'||op_name||'|'||direction as key, sum(calls) as calls, sum(gpu_time_ns) as gpu_time_ns, \
             100.0*sum(gpu_time_ns)/(select sum(gpu_time_ns) from ops) as percent from ops group by op_name, direction \
             order by gpu_time_ns desc, key",
        ),
        of_ranges(4, None),
        kinds(6),
        Plan {
            emptied_by: KERNELS,
            ..plan(
                "copies",
                12,
                NOTHING,
                "select 'copy:'||kind||'|'||coalesce(host_memory,'') as key, sum(count) as count, sum(bytes) as bytes, \
                 sum(gpu_time_ns) as gpu_time_ns from copies group by key order by gpu_time_ns desc, key",
            )
        },
    ]
}

/// Ranges by text, or those with one text.
fn ranges(text: Option<&str>) -> String {
    let of = text.map_or_else(String::new, |text| {
        let text = quoted(text.strip_prefix("range:").unwrap_or(text));
        format!(" where range = {text}")
    });
    format!(
        "select 'range:'||range as key, sum(runs) as runs, sum(time_ns) as time_ns, max(median_ns) as median_ns, \
         max(max_ns) as max_ns from ranges{of} group by range order by time_ns desc, key"
    )
}

fn host_while_idle() -> Vec<Plan> {
    vec![
        idle_causes(6),
        plan(
            "idle_ranges",
            5,
            KERNELS,
            "select 'range:'||range as key, time_ns, idle_percent, percent from idle_ranges order by time_ns desc, range",
        ),
        plan(
            "idle_os_calls",
            4,
            &["no_kernels", "no_os_calls"],
            "select os_call as key, calls, time_ns, percent as waiting_percent from idle_os_calls order by time_ns desc, os_call",
        ),
        Plan {
            is_rare: true,
            ..plan(
                "idle_threads",
                2,
                KERNELS,
                "select 'thread:'||thread_id as key, name, waiting_ns as time_ns, 100.0*off_cpu_ns/(on_cpu_ns+off_cpu_ns) as asleep_percent \
                 from idle_threads where on_cpu_ns+off_cpu_ns > 0 order by waiting_ns desc, thread_id",
            )
        },
        Plan {
            is_rare: true,
            ..plan(
                "idle_python",
                4,
                KERNELS,
                "select function as key, waiting_ns as time_ns from idle_python order by waiting_ns desc, function",
            )
        },
        plan(
            "idle_functions",
            4,
            &["no_kernels", "no_cpu_samples"],
            "select function as key, module, role, samples, percent as samples_percent from idle_functions order by samples desc, function, module, role",
        ),
        plan(
            "longest_gaps",
            3,
            KERNELS,
            "select 'gap:'||device_id||'@'||start_ns as key, duration_ns, in_words, range, api_call from longest_gaps \
             order by duration_ns desc, start_ns",
        ),
        plan(
            "api_calls_of_whole_capture",
            4,
            &["no_api_calls"],
            "select case when api_function glob '*_v[0-9]*' then substr(api_function,1,instr(api_function,'_v')-1) else \
             api_function end as key, sum(calls) as calls, sum(time_ns) as time_ns from api_calls group by 1 order by time_ns desc, key",
        ),
        plan(
            "waits_for_gpu_of_whole_capture",
            1,
            &["no_api_calls"],
            // Names of other runtimes do not tell which of their functions wait.
            "select 'synchronize' as key, sum(case when call_class = 'sync' then calls else 0 end) as calls, \
             sum(case when call_class = 'sync' then time_ns else 0 end) as time_ns from api_calls \
             where api_function like 'cu%' or api_function like 'hip%' or call_class = 'sync'",
        ),
    ]
}

fn steady(range: Option<&str>) -> Vec<Plan> {
    let of_range = of_ranges(3, range);
    if range.is_some() {
        return vec![of_range];
    }
    vec![
        plan(
            "iterations",
            6,
            &["no_step"],
            "select 'state:'||state as key, count(*) as iterations, median(duration_ns) as median_ns, \
             percentile(duration_ns,90) as p90_ns, min(duration_ns) as min_ns, max(duration_ns) as max_ns, \
             stddev(duration_ns) as deviation_ns from iterations group by state order by 2 desc, key",
        ),
        plan("slowest", 5, &["no_step"], more_than_others()),
        of_range,
    ]
}

/// The longest iterations, with how much more each class takes in them than in all others on average: these add up to what the iteration
/// takes more.
fn more_than_others() -> String {
    let classes = || StepClass::ALL.into_iter().map(StepClass::as_str);
    let parts = || std::iter::once("length").chain(classes());
    let names =
        std::iter::once("more_ns".to_owned()).chain(classes().map(|class| format!("{class}_more_ns")));
    let sums: Vec<String> = parts().map(|part| format!("sum(s.{part}_ns) as {part}")).collect();
    let than_others = |(part, name)| {
        format!("cast(s.{part}_ns-({part}-s.{part}_ns)*1.0/nullif(n-1,0) as integer) as {name}")
    };
    let more: Vec<String> = parts().zip(names).map(than_others).collect();
    format!(
        "with one as (select s.* from steps s join iterations i on i.iteration=s.iteration where state <> 'unsplit'), \
         every as (select count(*) as n, {} from one s) \
         select 'iter:'||i.iteration as key, state, duration_ns, kernel_calls, kernel_gpu_time_ns, {} \
         from iterations i join every left join one s on s.iteration=i.iteration \
         where state not in ('before','outside','unsplit') order by duration_ns desc, i.iteration",
        sums.join(", "),
        more.join(", ")
    )
}

fn overlap() -> Vec<Plan> {
    vec![
        Plan {
            emptied_by: UNTOLD,
            ..plan(
                "exchange",
                1,
                KERNELS,
                "select * from (select 'all' as key, sum(communication_ns) as communication_ns, sum(exposed_communication_ns) as exposed_ns, \
                 100.0*sum(exposed_communication_ns)/sum(communication_ns) as exposed_percent, \
                 count(distinct case when busy_ns > 0 then device_id end) as summed_gpus from gpu_time) where communication_ns > 0",
            )
        },
        Plan {
            is_rare: true,
            ..plan(
                "exchange_of_host",
                1,
                KERNELS,
                "select 'cause:'||cause as key, in_words, time_ns, idle_percent, percent from idle_totals where cause = 'communication'",
            )
        },
        Plan {
            emptied_by: UNTOLD,
            ..plan(
                "gpus",
                8,
                KERNELS,
                "select 'gpu:'||device_id as key, sum(length_ns) as length_ns, sum(compute_ns) as compute_ns, \
                 sum(communication_ns) as communication_ns, sum(exposed_communication_ns) as exposed_ns from gpu_time \
                 group by device_id having sum(communication_ns) > 0 order by device_id",
            )
        },
        Plan {
            is_rare: true,
            ..plan(
                "exchange_kernels",
                5,
                KERNELS,
                "select 'kernel:'||name_key(long_kernel_name) as key, long_kernel_name, calls, gpu_time_ns from kernel_names \
             where kernel_kind like '%communication%' order by gpu_time_ns desc, long_kernel_name",
            )
        },
        Plan {
            is_rare: true,
            ..plan(
                "copies",
                1,
                KERNELS,
                "select * from (select 'all' as key, sum(copy_ns) as copy_ns, sum(exposed_copy_ns) as exposed_copy_ns, \
             count(distinct case when busy_ns > 0 then device_id end) as summed_gpus from gpu_time) \
             where copy_ns > 0",
            )
        },
    ]
}

fn compare(names: &[&str]) -> Vec<Plan> {
    let [base, new] = names else { return Vec::new() };
    let (base, new) = (quoted(base), quoted(new));
    // Captures of more and of fewer iterations are compared per iteration, if both have a repeating step.
    let each = "with e as (select profile, case (select count(key_node) from summary) when 2 then avg_iteration_ns*1.0/wall_clock_ns \
                else 1 end as each from summary)";
    vec![
        plan(
            "environment",
            2,
            NOTHING,
            "select 'capture:'||profile as key, gpu_names, gpus_used, driver_version, cuda_version, framework, nsys_version, \
             key_node, aggregated_iterations, avg_iteration_ns from summary",
        ),
        plan(
            "kernel_time",
            1,
            KERNELS,
            format!(
                "{each}, k as (select profile={base} as b, kernel_kind='whole CUDA graphs' as g, gpu_time_ns*each as ns, calls*each as n \
                 from kernel_names join e using (profile)) select (select case count(key_node) when 2 then 'per:iteration' else 'per:capture' end from summary) as key, \
                 sum(b*ns) as base_ns, sum((1-b)*ns) as new_ns, sum((1-2*b)*ns) as change_ns, \
                 100.0*sum((1-2*b)*ns)/nullif(sum(b*ns),0) as change_percent, sum(b*n*(1-g)) as base_kernels, \
                 sum((1-b)*n*(1-g)) as new_kernels, sum((1-2*b)*n*(1-g)) as kernels_change, \
                 sum(b*n*g) as base_whole_graphs, sum((1-b)*n*g) as new_whole_graphs from k"
            ),
        ),
        plan(
            "kernels",
            6,
            KERNELS,
            format!(
                "{each} select 'kernel:'||name_key(long_kernel_name) as key, long_kernel_name, \
                 sum((profile={base})*gpu_time_ns*each) as base_ns, sum((profile={new})*gpu_time_ns*each) as new_ns, \
                 sum(((profile={new})-(profile={base}))*gpu_time_ns*each) as change_ns from kernel_names join e using (profile) \
                 group by long_kernel_name order by abs(change_ns) desc, long_kernel_name"
            ),
        ),
    ]
}

fn suffices() -> Vec<Plan> {
    vec![
        plan(
            "records",
            9,
            NOTHING,
            "select 'table:kernel_names' as key, coalesce(sum(calls),0) as records from kernel_names \
             union all select 'table:api_calls', coalesce(sum(calls),0) from api_calls \
             union all select 'table:copies', coalesce(sum(count),0) from copies \
             union all select 'table:ranges', coalesce(sum(runs),0) from ranges \
             union all select 'table:iterations', count(*) from iterations \
             union all select 'table:gpu_metrics', count(*) from gpu_metrics",
        ),
        plan(
            "diagnostics",
            5,
            NOTHING,
            "select code as key, severity, count, meaning from diagnostics order by rowid",
        ),
    ]
}

/// All kernels, by whether they use Tensor Cores.
pub(super) const ALL_KERNELS: &str = "all_kernels";

/// Kernels that do what Tensor Cores do, without them.
pub(super) const COULD_USE: &str = "could_use_them";

/// What findings say of matrix math that does not use Tensor Cores, or wastes them.
pub(super) const MATRIX_ADVICE: &str = "findings";

fn tensor_cores(kernel: Option<&str>, lacks_units: bool) -> Vec<Plan> {
    let of = kernel.map_or_else(String::new, |kernel| {
        let kernel = quoted(kernel);
        format!(
            " where 'kernel:'||name_key(long_kernel_name) = {kernel} or long_kernel_name = {kernel} or long_kernel_name in \
             (select long_kernel_name from kernels where kernel_name = {kernel})"
        )
    });
    let share = plan(
        ALL_KERNELS,
        3,
        KERNELS,
        "select 'tensor_cores:'||tensor_cores as key, sum(calls) as calls, sum(gpu_time_ns) as gpu_time_ns, \
         100.0*sum(gpu_time_ns)/(select sum(gpu_time_ns) from kernel_names) as percent from kernel_names \
         group by tensor_cores order by gpu_time_ns desc, key",
    );
    let kernels = plan(
        "kernels",
        6,
        KERNELS,
        format!(
            "select 'kernel:'||name_key(long_kernel_name) as key, tensor_cores, long_kernel_name, kernel_kind, calls, gpu_time_ns, \
             gpu_time_percent as percent from kernel_names{of} order by gpu_time_ns desc, long_kernel_name"
        ),
    );
    if kernel.is_some() {
        return vec![kernels, share];
    }
    if lacks_units {
        return vec![share, kernels];
    }
    let could = plan(
        COULD_USE,
        1,
        KERNELS,
        "select 'kind:'||kernel_kind as key, sum(calls) as calls, sum(gpu_time_ns) as gpu_time_ns, \
         100.0*sum(gpu_time_ns)/(select sum(gpu_time_ns) from kernel_names) as percent from kernel_names \
         where kernel_kind like '%matrix math' and tensor_cores = 'false' group by kernel_kind \
         order by gpu_time_ns desc, key",
    );
    let advice = plan(
        MATRIX_ADVICE,
        2,
        KERNELS,
        "select 'finding:'||finding_id as key, problem, recommendation from findings where finding_id in \
         ('fp32_matrix','fp32_matrix_pre_ampere','half_without_tensor_cores','fp64_math','tensor_pipe_idle')",
    );
    vec![share, kernels, Plan { is_rare: true, ..could }, Plan { is_rare: true, ..advice }]
}

fn which_rank(are_several: bool) -> Vec<Plan> {
    let (key, by) = match are_several {
        true => ("'rank:'||profile||'/gpu:'||device_id", "profile, device_id"),
        false => ("'gpu:'||device_id", "device_id"),
    };
    let most = |name: &str, table: &str, column: &str| {
        format!(
            "select '{name}' as key, (select id from {table} order by {column} desc, id limit 1) as most, \
             case when count(*) > 1 then 100.0*(max({column})-min({column}))/min({column}) end as more_percent from {table}"
        )
    };
    let kernels =
        format!("with k as (select {key} as id, sum(gpu_time_ns) as ns from kernels group by {by}), ");
    let computing = format!(
        "t as (select {key} as id, sum(compute_ns) as ns from gpu_time group by {by} having sum(compute_ns) > 0) "
    );
    vec![
        plan(
            "most_kernel_time",
            2,
            KERNELS,
            format!(
                "{kernels}{computing}{} union all {}",
                most("without_communication", "t", "ns"),
                most("kernel_time", "k", "ns")
            ),
        ),
        plan(
            "gpus",
            8,
            KERNELS,
            format!(
                "{kernels}t as (select {key} as id, sum(compute_ns) as compute_ns, sum(communication_ns) as communication_ns, \
                 sum(exposed_communication_ns) as exposed_ns, sum(idle_ns) as idle_ns from gpu_time group by {by}) \
                 select k.id as key, k.ns as kernel_ns, compute_ns, communication_ns, exposed_ns, idle_ns from k join t on t.id = k.id \
                 order by kernel_ns desc, key"
            ),
        ),
        plan(
            "processes_of_whole_capture",
            4,
            &["no_step"],
            "select 'process:'||process_id as key, count(*) as iterations, median(duration_ns) as median_ns, \
             sum(kernel_gpu_time_ns) as kernel_ns from process_iterations group by process_id order by median_ns desc, key",
        ),
    ]
}

/// A text of SQL.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
