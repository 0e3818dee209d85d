//! Why a table has no rows: what was not recorded, and which option records it, or that there was nothing to list.

use super::judged::Judged;
use super::needs::Need;
use super::tables::{OF_COUNTERS, OF_SERVERS};
use crate::tables::{
    Header, Table, Value, collectives, copies, diagnostics, gpu_allocations, gpu_memory, gpu_metrics,
    gpu_time, host_calls, idle, idle_causes, idle_functions, idle_os_calls, idle_python, idle_ranges,
    idle_threads, kernel_names, kernel_summaries, kernels, key_nodes, longest_gaps, op_work, operators,
    process_iterations, transfers,
};

/// Why a table of a profile has no rows; `None` if it has some.
#[must_use]
pub fn why_empty(table: &dyn Table, judged: &Judged) -> Option<String> {
    let in_words = |why: String| judged.capture.recorder.in_its_words(&why).into_owned();
    (table.rows() == 0).then(|| in_words(reason(table.key(), judged)))
}

/// Why conditions are true for no row of a table that has rows, a sentence each: columns of theirs that are empty in all rows, and
/// what they hold, or what else to know of them.
#[must_use]
pub fn why_no_row(table: &dyn Table, conditions: &[String], judged: &Judged) -> Vec<String> {
    let is_named = |key: &str| {
        let names = |condition: &String| {
            condition.split(|char: char| !char.is_alphanumeric() && char != '_').any(|word| word == key)
        };
        conditions.iter().any(names)
    };
    let named = (0..table.columns()).filter(|&column| is_named(table.header(column).key));
    let (empty, filled): (Vec<usize>, Vec<usize>) =
        named.partition(|&column| (0..table.rows()).all(|row| is_blank(&table.value(row, column))));
    let words = |column: usize| {
        let Header { key, doc, .. } = table.header(column);
        format!("column `{key}` is empty in every row; it would hold: {doc}")
    };
    let mut why: Vec<String> = empty.into_iter().map(words).collect();
    if why.is_empty() {
        why.push("the conditions are true for no row; texts are case-sensitive".to_owned());
    }
    // The one column that is no where nothing is known.
    let is_about_eligibility = filled.iter().any(|&column| table.header(column).key.contains("eligible"));
    why.extend(why_not_eligible(judged).filter(|_| is_about_eligibility).map(str::to_owned));
    why
}

fn is_blank(cell: &Value<'_>) -> bool {
    match cell {
        Value::Text(text) => text.is_empty(),
        cell => *cell == Value::Null,
    }
}

/// Why a condition on whether ops could use Tensor Cores is true for few ops or none; `None` where ops say what they compute.
fn why_not_eligible(judged: &Judged) -> Option<&'static str> {
    (!judged.capture.tells_eligible_ops()).then_some(
        "the program's own ranges do not say what they compute, so that an op counts as eligible only if one of its kernels uses Tensor \
         Cores; `dlprof-agg ask tensor_cores FILE` answers by kernel",
    )
}

fn reason(key: &str, judged: &Judged) -> String {
    let capture = &judged.capture;
    let is_trace = capture.recorder.is_torch_profiler();
    let lacks = |need: Need| {
        let kind_lacks = need.missing(judged).map(str::to_owned);
        kind_lacks.or_else(|| need.unseen(&judged.bare_scene()).map(|why| why.into_owned()))
    };
    let told = match key {
        _ if key == collectives::TABLE.key => judged.why_no_collectives().map(str::to_owned),
        _ if key == idle_python::TABLE.key => judged.why_no_idle_python().map(str::to_owned),
        _ if key == idle_functions::TABLE.key && is_trace => Some(
            "torch.profiler takes no samples; `idle-python` has the Python functions that it recorded".into(),
        ),
        _ if key == idle_functions::TABLE.key => {
            let is_unknown = capture.host.samples.thread.is_empty();
            is_unknown.then(|| "no CPU samples were recorded (`--sample=process-tree`)".into())
        }
        _ if key == idle_os_calls::TABLE.key => lacks(Need::OsCalls),
        _ if key == gpu_memory::TABLE.key || key == gpu_allocations::TABLE.key => lacks(Need::Allocations),
        _ if key == gpu_metrics::TABLE.key && !is_trace => {
            let is_unknown = capture.metric_samples.time.is_empty();
            is_unknown.then(|| "no counters of GPUs were recorded (`--gpu-metrics-devices=all`)".into())
        }
        _ if key == op_work::TABLE.key => lacks(Need::OpTypes),
        _ if key == operators::TABLE.key && !is_trace => {
            Some("only torch.profiler records operators; `ops` has the ranges of the program".into())
        }
        _ if OF_COUNTERS.contains(&key) && capture.counters.is_none() => {
            Some("no log of Nsight Compute was given (`--ncu LOG`); `dlprof-agg ncu --suggest FILE` prints how to make one".into())
        }
        _ if OF_SERVERS.contains(&key) && !judged.serving().workload.serves() => {
            Some("nothing in the capture shows an inference server (docs/serving.md says which are known)".into())
        }
        _ if key == process_iterations::TABLE.key => {
            Some("iterations were found in one process, or in none: `iterations` has them".into())
        }
        _ if key == key_nodes::TABLE.key => Some("nothing was found that repeats regularly".into()),
        _ if key == diagnostics::TABLE.key => Some("nothing about the input was odd".into()),
        _ if OF_KERNELS.contains(&key) => lacks(Need::GpuTime),
        _ => None,
    };
    told.unwrap_or_else(|| match OF_COPIES.contains(&key) && is_without_copy_records(judged) {
        true => "copies were called, but none was recorded".into(),
        false => NOTHING.into(),
    })
}

/// Nothing says that records are missing.
const NOTHING: &str = "nothing of this kind was recorded in the aggregated iterations";

/// Tables that are made of the times of GPU work.
const OF_KERNELS: [&str; 10] = [
    kernels::TABLE.key,
    kernel_names::TABLE.key,
    kernel_summaries::TABLE.key,
    gpu_time::TABLE.key,
    idle::TABLE.key,
    idle_causes::TABLE.key,
    idle_ranges::TABLE.key,
    idle_threads::TABLE.key,
    longest_gaps::TABLE.key,
    host_calls::TABLE.key,
];

const OF_COPIES: [&str; 2] = [copies::TABLE.key, transfers::TABLE.key];

/// Whether calls copy, and no copy was recorded.
fn is_without_copy_records(judged: &Judged) -> bool {
    let capture = &judged.capture;
    let is_copy =
        |name: &str| crate::capture::names::ApiClass::of(name) == crate::capture::names::ApiClass::Copy;
    let mut names = capture.api_calls.name.iter().filter_map(|name| name.some());
    capture.transfers.bytes.is_empty() && names.any(|name| is_copy(capture.strings.get(name)))
}

#[cfg(test)]
mod tests {
    use super::{why_empty, why_no_row};
    use crate::advice::judged::Judged;
    use crate::advice::tables::TABLES;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    fn why(drawn: Drawn, key: &str) -> Option<String> {
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("one iteration");
        let judged = Judged::from(index.profile(&RangeChoice::default()).expect("a profile"));
        let table = TABLES.iter().find(|table| table.key == key).expect("a table");
        why_empty((table.build)(&judged).as_ref(), &judged)
    }

    #[test]
    fn an_empty_table_says_what_would_have_recorded_its_rows() {
        let drawn = || {
            let mut drawn = Drawn::new();
            drawn.launch(0..1_000, "saxpy", 2_000..3_000);
            drawn
        };
        let says = |key: &str, words: &str| {
            let why = why(drawn(), key).expect("it has no rows");
            assert!(why.contains(words), "{key}: {why}");
        };
        says("gpu_memory", "--cuda-memory-usage=true");
        says("idle_functions", "--sample=process-tree");
        says("idle_os_calls", "--trace=osrt");
        says("gpu_metrics", "--gpu-metrics-devices=all");
        says("copies", "nothing of this kind was recorded");
        says("operators", "only torch.profiler records operators");
        says("ncu_ops", "`--ncu LOG`");
        says("engine_steps", "nothing in the capture shows an inference server");
        assert_eq!(why(drawn(), "kernels"), None);
        let mut copies = drawn();
        copies.api_call("cudaMemcpyAsync", 4_000..5_000, 77);
        let said = why(copies, "copies").expect("it has no rows");
        assert!(said.contains("copies were called"), "{said}");
    }

    #[test]
    fn conditions_on_what_is_not_known_say_so() {
        let mut drawn = Drawn::new();
        drawn.launch(0..1_000, "saxpy", 2_000..3_000);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("one iteration");
        let judged = Judged::from(index.profile(&RangeChoice::default()).expect("a profile"));
        let table = TABLES.iter().find(|table| table.key == "kernels").expect("a table");
        let kernels = (table.build)(&judged);
        let why = |condition: &str| why_no_row(kernels.as_ref(), &[condition.to_owned()], &judged);
        let unknown = why("direction = 'fprop' and gpu_time_ns > 1");
        assert!(
            unknown[0].starts_with("column `direction` is empty in every row; it would hold: `fprop`"),
            "{unknown:?}"
        );
        assert!(unknown[0].ends_with("empty where unknown.") && unknown.len() == 1, "{unknown:?}");
        let known = ["the conditions are true for no row; texts are case-sensitive"];
        assert_eq!(why("kernel_name = 'axpy'"), known);
    }
}
