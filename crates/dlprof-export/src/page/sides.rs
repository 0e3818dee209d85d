//! Two captures side by side, as the page shows them.

use dlprof_core::{BaselineEnvironment, BaselineRun, Comparison, Document};
use serde::Serialize;

/// The samples of this metric are the lengths of iterations.
const LENGTH: &str = "iteration_time_ns";

/// A comparison, with what it was made from.
#[derive(Debug, Clone, Serialize)]
pub struct SidesCompared<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    /// Lengths of the compared iterations in nanoseconds, of the baseline and of the new runs.
    lengths_ns: [Vec<f64>; 2],
    /// What both sides have in common, such as "driver 560.35.03".
    same: Vec<String>,
}

impl<'a> SidesCompared<'a> {
    /// A comparison of two documents.
    #[must_use]
    pub fn new(comparison: &'a Comparison, base: &Document, new: &Document) -> Self {
        Self {
            comparison,
            lengths_ns: [base, new].map(|side| side.runs.iter().flat_map(lengths).collect()),
            same: same(base, new),
        }
    }
}

fn lengths(run: &BaselineRun) -> Vec<f64> {
    run.metrics.get(LENGTH).cloned().unwrap_or_default()
}

fn same(base: &Document, new: &Document) -> Vec<String> {
    let mut all = base.runs.iter().chain(&new.runs).map(|run| facts(&run.environment));
    let first = all.next().unwrap_or_default();
    let others: Vec<Vec<String>> = all.collect();
    first.into_iter().filter(|fact| others.iter().all(|other| other.contains(fact))).collect()
}

/// What is known of a machine and its software, in words.
fn facts(environment: &BaselineEnvironment) -> Vec<String> {
    let gpus =
        environment.gpus.first().filter(|name| !name.is_empty()).map(|name| match environment.gpus_used {
            1 => name.clone(),
            used => format!("{used} × {name}"),
        });
    let named = |name: &str, fact: &Option<String>| fact.as_ref().map(|fact| format!("{name} {fact}"));
    let clock = environment.clock.as_ref().map(|clock| format!("{} clock", clock.to_uppercase()));
    [
        gpus,
        environment.cpu.clone(),
        named("driver", &environment.driver),
        named("CUDA", &environment.cuda),
        named("cuDNN", &environment.cudnn),
        environment.framework.clone(),
        named("key node", &environment.key_node),
        clock,
    ]
    .into_iter()
    .flatten()
    .collect()
}
