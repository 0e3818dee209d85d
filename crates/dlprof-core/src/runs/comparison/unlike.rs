//! Whether two sides are runs of one program on one kind of GPU. If they are not, a difference is not a regression.

use super::ops::OpMatch;
use super::typical;
use crate::figures::kernel_kinds::base_name;
use crate::runs::document::{BaselineGpuTime, BaselineRun};
use crate::runs::metrics::LAUNCHES;
use std::collections::{BTreeMap, BTreeSet};

/// Sides of one program have at least this share of the time of their ops, or kernels, in those that both have.
const SHARED: f64 = 0.2;

/// As many kernels in common make one program of ops that all have other names.
const MOSTLY_SHARED: f64 = 0.8;

/// Without ops to compare, a program with half of its kernel time in other kernels is another one if an iteration also launches
/// this many times as many kernels.
const LAUNCHES_FACTOR: f64 = 2.0;

/// Why the sides cannot be judged against each other, in sentences; empty if they can.
pub(super) fn unlike(base: &[BaselineRun], new: &[BaselineRun], matches: &[OpMatch]) -> Vec<String> {
    let all = [
        kinds(base, new),
        gpus(base, new),
        gpus_used(base, new),
        key_nodes(base, new),
        programs(base, new, matches),
    ];
    all.into_iter().flatten().collect()
}

/// A job of many ranks beside one capture.
fn kinds(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    let is_job = |runs: &[BaselineRun]| runs.iter().any(BaselineRun::is_job);
    let has_other = |runs: &[BaselineRun]| runs.iter().any(|run| !run.is_job());
    (is_job(base) && has_other(new) || is_job(new) && has_other(base))
        .then(|| "a job of many ranks is compared with a single capture".to_owned())
}

/// Other GPUs; how many of a kind a machine has does not matter.
fn gpus(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    let kinds = |runs: &[BaselineRun]| -> BTreeSet<String> {
        runs.iter().flat_map(|run| &run.environment.gpus).filter(|name| !name.is_empty()).cloned().collect()
    };
    let (old, fresh) = (kinds(base), kinds(new));
    let list = |kinds: &BTreeSet<String>| kinds.iter().cloned().collect::<Vec<_>>().join(" and ");
    (!old.is_empty() && !fresh.is_empty() && old != fresh).then(|| {
        format!(
            "the baseline ran on {}, the new run on {}: other GPUs are no regression",
            list(&old),
            list(&fresh)
        )
    })
}

/// Another number of GPUs at work.
fn gpus_used(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    let numbers = |runs: &[BaselineRun]| -> BTreeSet<usize> {
        runs.iter().map(|run| run.environment.gpus_used).filter(|&used| used > 0).collect()
    };
    let (old, fresh) = (numbers(base), numbers(new));
    let list =
        |numbers: &BTreeSet<usize>| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ");
    (!old.is_empty() && !fresh.is_empty() && old.is_disjoint(&fresh)).then(|| {
        format!(
            "the baseline used {} GPUs, the new run {}: the work is divided otherwise",
            list(&old),
            list(&fresh)
        )
    })
}

/// Iterations of another key node: no time of one is comparable with one of the other. A kernel that begins the period of a step may
/// get another name with the next version of a library, so kernels do not count.
fn key_nodes(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    let names = |runs: &[BaselineRun]| -> BTreeSet<String> {
        let is_kernel = |run: &BaselineRun, name: &String| run.kernels.contains_key(base_name(name));
        let named = |run: &BaselineRun| run.environment.key_node.clone().filter(|name| !is_kernel(run, name));
        runs.iter().filter_map(named).collect()
    };
    let (old, fresh) = (names(base), names(new));
    let list = |names: &BTreeSet<String>| {
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
    };
    (!old.is_empty() && !fresh.is_empty() && old.is_disjoint(&fresh)).then(|| {
        format!(
            "iterations of the baseline are those of key node {}, those of the new run of {}: name one for both with `--key-node`",
            list(&old),
            list(&fresh)
        )
    })
}

/// Another program: another model, or another part of it.
fn programs(base: &[BaselineRun], new: &[BaselineRun], matches: &[OpMatch]) -> Option<String> {
    let kernels = shares(&sums(base, |run| &run.kernels), &sums(new, |run| &run.kernels))?;
    let (few, many) = (kernels.0.min(kernels.1), kernels.0.max(kernels.1));
    if is_divided(base) && is_divided(new) {
        let ops = ops_shared(base, new, matches)?;
        return (ops < SHARED && few < MOSTLY_SHARED).then(|| sentence(ops, "ops"));
    }
    let launches = (typical(base, LAUNCHES), typical(new, LAUNCHES));
    let (least, most) = (launches.0.min(launches.1), launches.0.max(launches.1));
    let is_other = many < SHARED || (few < 0.5 && least > 0.0 && most >= LAUNCHES_FACTOR * least);
    is_other.then(|| sentence(few, "kernels"))
}

fn sentence(share: f64, of: &str) -> String {
    format!(
        "the baseline and the new run look like different programs: {:.0} % of the GPU time is in {of} that both have",
        // The sum of nothing is −0.
        share * 100.0 + 0.0
    )
}

/// Whether all runs know more than one op, so that ops tell programs apart.
fn is_divided(runs: &[BaselineRun]) -> bool {
    runs.iter().all(|run| tells_ops(run) && run.ops.len() > 1)
}

/// Whether a run tells ops apart: without ranges one op holds everything.
pub(super) fn tells_ops(run: &BaselineRun) -> bool {
    run.environment.mode != "simple"
}

/// The larger share of the GPU time of the ops of a side that is in ops of both sides; none without GPU time.
fn ops_shared(base: &[BaselineRun], new: &[BaselineRun], matches: &[OpMatch]) -> Option<f64> {
    let time = |runs: &[BaselineRun], key: Option<&String>| -> f64 {
        runs.iter().filter_map(|run| run.ops.get(key?)).map(|op| op.time.mean_ns).sum()
    };
    let (mut all, mut both) = ((0.0, 0.0), (0.0, 0.0));
    for found in matches {
        let (old, fresh) = (time(base, found.base.as_ref()), time(new, found.new.as_ref()));
        all = (all.0 + old, all.1 + fresh);
        if found.base.is_some() && found.new.is_some() {
            both = (both.0 + old, both.1 + fresh);
        }
    }
    (all.0 > 0.0 && all.1 > 0.0).then(|| f64::max(both.0 / all.0, both.1 / all.1))
}

/// The time of each name over all runs of a side.
fn sums<'a>(
    runs: &'a [BaselineRun],
    of: impl Fn(&'a BaselineRun) -> &'a BTreeMap<String, BaselineGpuTime>,
) -> BTreeMap<&'a str, f64> {
    let mut sums = BTreeMap::new();
    for (name, time) in runs.iter().flat_map(of) {
        *sums.entry(name.as_str()).or_default() += time.mean_ns;
    }
    sums
}

/// Of each side, the share of the time in names of both; none if a side has no time.
fn shares(base: &BTreeMap<&str, f64>, new: &BTreeMap<&str, f64>) -> Option<(f64, f64)> {
    let share = |own: &BTreeMap<&str, f64>, other: &BTreeMap<&str, f64>| {
        let all: f64 = own.values().sum();
        let both: f64 = own.iter().filter(|(name, _)| other.contains_key(*name)).map(|(_, ns)| ns).sum();
        (all > 0.0).then(|| both / all)
    };
    Some((share(base, new)?, share(new, base)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::document::BaselineOp;

    /// A run with kernels, so many launches in an iteration, and ops that take as long as kernels of their names.
    fn run(kernels: &[(&str, f64)], launches: f64, ops: &[(&str, f64)]) -> BaselineRun {
        let time = |mean_ns| BaselineGpuTime { mean_ns, ..BaselineGpuTime::default() };
        let mut run =
            BaselineRun::of_metrics("drawn", BTreeMap::from([(LAUNCHES.to_owned(), vec![launches; 5])]));
        run.kernels = kernels.iter().map(|&(name, ns)| (name.to_owned(), time(ns))).collect();
        run.ops = (ops.iter())
            .map(|&(key, ns)| {
                (key.to_owned(), BaselineOp { op_type: key.into(), time: time(ns), ..BaselineOp::default() })
            })
            .collect();
        run.environment.mode = if ops.is_empty() { "simple" } else { "markers" }.to_owned();
        run
    }

    fn on(gpus: &[&str], used: usize) -> BaselineRun {
        let mut run = run(&[("gemm", 1.0)], 1.0, &[]);
        run.environment.gpus = gpus.iter().map(|&name| name.to_owned()).collect();
        run.environment.gpus_used = used;
        run
    }

    fn said(base: BaselineRun, new: BaselineRun) -> Vec<String> {
        let (base, new) = ([base], [new]);
        unlike(&base, &new, &super::super::ops::match_ops(&base, &new))
    }

    #[test]
    fn another_key_node_is_said() {
        let of = |key_node: Option<&str>| {
            let mut run = on(&["A100"], 1);
            run.environment.key_node = key_node.map(str::to_owned);
            run
        };
        assert_eq!(said(of(Some("step")), of(Some("step"))), [""; 0]);
        assert_eq!(said(of(None), of(Some("step"))), [""; 0], "what is not known is no difference");
        let other = "iterations of the baseline are those of key node `forward`, those of the new run of `step`: name one for both \
                     with `--key-node`";
        assert_eq!(said(of(Some("forward")), of(Some("step"))), [other]);
        let by_kernel = of(Some("void gemm<4>(int)"));
        assert_eq!(said(by_kernel, of(Some("step"))), [""; 0], "the first kernel of a period");
    }

    #[test]
    fn other_gpus_and_other_numbers_of_them_are_said() {
        assert_eq!(said(on(&["A100", "A100"], 2), on(&["A100"], 2)), [""; 0]);
        assert_eq!(said(on(&[""], 0), on(&["H100"], 1)), [""; 0], "what is not known is no difference");
        let other = said(on(&["A100"], 1), on(&["H100", "A30"], 1));
        assert_eq!(
            other,
            ["the baseline ran on A100, the new run on A30 and H100: other GPUs are no regression"]
        );
        let divided = said(on(&["A100"], 1), on(&["A100"], 8));
        assert_eq!(divided, ["the baseline used 1 GPUs, the new run 8: the work is divided otherwise"]);
    }

    #[test]
    fn without_ops_kernels_tell_programs_apart() {
        let base = || run(&[("gemm", 90.0), ("relu", 10.0)], 100.0, &[]);
        assert_eq!(said(base(), base()), [""; 0]);
        let other = said(base(), run(&[("fft", 90.0), ("relu", 10.0)], 100.0, &[]));
        assert_eq!(other.len(), 1, "{other:?}");
        assert!(other[0].contains("different programs: 10 % of the GPU time is in kernels"), "{other:?}");
        // A faster kernel under another name is not another program, unless there are also many more of them.
        let half = |launches| run(&[("fft", 60.0), ("gemm", 40.0)], launches, &[]);
        assert_eq!(said(base(), half(100.0)), [""; 0]);
        assert_eq!(said(base(), half(200.0)).len(), 1);
    }

    #[test]
    fn with_ops_their_names_count_before_kernels() {
        let base = || run(&[("gemm", 10.0)], 1.0, &[("encoder", 70.0), ("head", 30.0)]);
        let replaced = run(&[("cutlass", 10.0)], 9.0, &[("encoder", 70.0), ("head", 30.0)]);
        assert_eq!(said(base(), replaced), [""; 0], "the same ops with other kernels");
        let other = run(&[("cutlass", 10.0)], 1.0, &[("decoder", 95.0), ("head", 5.0)]);
        assert_eq!(said(base(), other), [""; 0], "30 % of a side is enough");
        let other = run(&[("cutlass", 10.0)], 1.0, &[("decoder", 95.0), ("loss", 5.0)]);
        assert!(said(base(), other)[0].contains(": 0 % of the GPU time is in ops"));
        let renamed = run(&[("gemm", 10.0)], 1.0, &[("decoder", 95.0), ("loss", 5.0)]);
        assert_eq!(said(base(), renamed), [""; 0], "the same kernels under other names of ops");
    }
}
