//! Why a comparison may not be fair.

use crate::capture::correlate::Mode;
use crate::runs::document::{BaselineEnvironment, BaselineRun, BaselineScope};
use std::collections::BTreeSet;

/// What differs between the sides, or inside one side, besides the speed of the program.
#[must_use]
pub(crate) fn warnings(base: &[BaselineRun], new: &[BaselineRun]) -> Vec<String> {
    let mut found = misleading(base, new);
    found.extend(other_program(base, new));
    found.extend(scopes(base, new));
    found.extend(inputs(base, new));
    found.extend(recorders(base, new));
    found.extend(without_kernels(base, new));
    found.extend(backward_names(base, new));
    type Read = fn(&BaselineEnvironment) -> String;
    let fields: [(&str, Read); 12] = [
        ("GPU", |one| counted(&one.gpus)),
        ("number of GPUs used", |one| one.gpus_used.to_string()),
        ("CPU", |one| one.cpu.clone().unwrap_or_default()),
        ("driver", |one| one.driver.clone().unwrap_or_default()),
        ("CUDA", |one| one.cuda.clone().unwrap_or_default()),
        ("cuDNN", |one| one.cudnn.clone().unwrap_or_default()),
        ("framework", |one| one.framework.clone().unwrap_or_default()),
        ("mode", |one| one.mode.clone()),
        ("what the profiler recorded besides, which slows the host,", |one| {
            one.slows_host.clone().unwrap_or_default()
        }),
        ("clock", |one| one.clock.clone().unwrap_or_default()),
        ("part of the capture", |one| one.cut.clone().unwrap_or_else(|| "all".into())),
        ("key node", |one| one.key_node.clone().unwrap_or_default()),
    ];
    for (what, read) in fields {
        let values = |runs: &[BaselineRun]| -> BTreeSet<String> {
            runs.iter().map(|run| read(&run.environment)).filter(|value| !value.is_empty()).collect()
        };
        let (old, fresh) = (values(base), values(new));
        let list = |values: &BTreeSet<String>| values.iter().cloned().collect::<Vec<_>>().join(" | ");
        if !old.is_empty() && !fresh.is_empty() && old != fresh {
            found.push(format!("{what} differs: {} in the baseline, {} now", list(&old), list(&fresh)));
        }
        if old.len() > 1 {
            found.push(format!("{what} differs between the runs of the baseline: {}", list(&old)));
        }
    }
    let is_repeated =
        |(at, run): (usize, &BaselineRun)| base[..at].iter().any(|other| other.metrics == run.metrics);
    if base.iter().enumerate().any(is_repeated) {
        found.push(
            "the baseline contains a run several times, so equal runs seem to differ less than they do"
                .into(),
        );
    }
    found.extend(iterations(base, new));
    found
}

/// Runs whose captures mislead, each with the first reason.
pub(crate) fn misleading(base: &[BaselineRun], new: &[BaselineRun]) -> Vec<String> {
    let said = |side: &'static str, run: &BaselineRun| {
        let why = run.misleads().first()?;
        Some(format!(
            "the capture `{}` of {side} misleads: {why}; its times may be too long or too short",
            run.capture
        ))
    };
    let base = base.iter().filter_map(|run| said("the baseline", run));
    let all: BTreeSet<String> = base.chain(new.iter().filter_map(|run| said("the new run", run))).collect();
    all.into_iter().collect()
}

/// Runs of which it is not known what GPUs did.
fn without_kernels(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    let runs = base.iter().chain(new).filter(|run| !run.is_gpu_known());
    let names: BTreeSet<String> = runs.map(|run| format!("`{}`", run.capture)).collect();
    let names: Vec<String> = names.into_iter().collect();
    (!names.is_empty()).then(|| {
        format!(
            "GPU times are not known of {}, where no kernels were recorded: ops, kernels and idle time are not compared",
            names.join(", ")
        )
    })
}

/// `2 × A, B`.
fn counted(names: &[String]) -> String {
    let parts = names.chunk_by(|a, b| a == b).map(|equal| match equal {
        [one] => one.clone(),
        several => format!("{} × {}", several.len(), several[0]),
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Whether one side was measured before windows were GPU spans.
fn differ_in_window(base: &[BaselineRun], new: &[BaselineRun]) -> bool {
    let has_window = |run: &BaselineRun| run.environment.window.is_some();
    let runs = || base.iter().chain(new);
    runs().any(has_window) && !runs().all(has_window)
}

/// Where both sides run kernels, and none of one side runs on the other. A DLProf database may name them in another way.
fn other_program(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    let names = |runs: &[BaselineRun]| -> BTreeSet<String> {
        runs.iter().flat_map(|run| run.kernels.keys().cloned()).collect()
    };
    let (old, fresh) = (names(base), names(new));
    let has_both = !old.is_empty() && !fresh.is_empty() && !mixes_inputs(base, new);
    (has_both && old.is_disjoint(&fresh)).then(|| {
        "no kernel that takes time in the baseline does so in the new side: these look like different programs, and the changes below \
         say nothing about one"
            .to_owned()
    })
}

fn scopes(base: &[BaselineRun], new: &[BaselineRun]) -> Vec<String> {
    let whole =
        |runs: &[BaselineRun]| runs.iter().filter(|run| run.scope == BaselineScope::WholeCapture).count();
    match (whole(base), whole(new)) {
        (0, 0) => Vec::new(),
        (old, fresh) if old == base.len() && fresh == new.len() && differ_in_window(base, new) => {
            vec!["the baseline holds whole captures, the new run the span of its GPU work: make the baseline again with \
                  this version"
                .to_owned()]
        }
        (old, fresh) if old == base.len() && fresh == new.len() => {
            vec!["no iterations were found, so each whole capture is one value and there are no statistics; choose \
                  a key node with `--key-node`"
                .to_owned()]
        }
        (old, fresh) => vec![format!(
            "nothing can be compared: {}; record three steps or more of each side, or choose a key node with `--key-node`",
            [(old, base.len(), "of the baseline"), (fresh, new.len(), "of the new side")]
                .into_iter()
                .filter(|&(lacking, ..)| lacking > 0)
                .map(|(lacking, runs, side)| match (lacking, runs) {
                    (1, 1) => format!("the run {side} has no steady iterations"),
                    _ => format!("{lacking} of {runs} runs {side} have no steady iterations"),
                })
                .collect::<Vec<_>>()
                .join(", and ")
        )],
    }
}

/// Whether some runs are from DLProf databases and others from exports.
pub(super) fn mixes_inputs(base: &[BaselineRun], new: &[BaselineRun]) -> bool {
    let mut inputs = base.iter().chain(new).map(BaselineRun::is_database);
    inputs.next().is_some_and(|first| inputs.any(|other| other != first))
}

/// What differs between a DLProf database and an export of the same run.
fn inputs(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    if !mixes_inputs(base, new) {
        return None;
    }
    let which = match (base.iter().any(BaselineRun::is_database), new.iter().any(BaselineRun::is_database)) {
        (true, true) => "on both sides some runs are",
        (true, false) => "the baseline is",
        _ => "the new run is",
    };
    Some(format!(
        "{which} from a DLProf database, which has no streams, no API calls outside ops and no calls of the operating \
         system: findings about these, and savings, are not compared; the time after the last iteration is an iteration \
         there, and work of threads without ranges belongs to no op"
    ))
}

/// What differs between a trace of torch.profiler and a capture of nsys of the same program.
fn recorders(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    let is_trace = |run: &BaselineRun| run.environment.mode == Mode::TorchProfiler.as_str();
    let traces = |runs: &[BaselineRun]| runs.iter().filter(|run| is_trace(run)).count();
    let (old, fresh) = (traces(base), traces(new));
    if old + fresh == 0 || old + fresh == base.len() + new.len() {
        return None;
    }
    let which = match (old, fresh) {
        (0, _) => "the new run is",
        (_, 0) => "the baseline is",
        _ => "some runs are",
    };
    Some(format!(
        "{which} from torch.profiler: it records neither cheap API calls nor calls of the operating system, and slows the host in \
         its own way, so that kernels and copies compare, and times of the host, causes of idle time and findings about them \
         differ by the recorder"
    ))
}

/// How backward ops are named, where this differs: traces of PyTorch 1.8 have no sequence numbers, so that nodes of the backward
/// pass are ops with names of their own, such as `CudnnConvolutionBackward`.
fn backward_names(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    let names = |runs: &[BaselineRun]| {
        let is_trace = |run: &&BaselineRun| run.environment.mode == Mode::TorchProfiler.as_str();
        runs.iter().filter(is_trace).find_map(BackwardNames::of)
    };
    let which = match (names(base)?, names(new)?) {
        (BackwardNames::TheirOwn, BackwardNames::OfForwardOps) => "the baseline",
        (BackwardNames::OfForwardOps, BackwardNames::TheirOwn) => "the new run",
        _ => return None,
    };
    Some(format!(
        "the trace of {which} does not say which forward op a backward op belongs to (PyTorch 1.8 records no sequence numbers): its \
         backward ops have names of their own, so that times of ops and op types do not compare; those of kernels do"
    ))
}

/// Which names backward ops have.
enum BackwardNames {
    OfForwardOps,
    TheirOwn,
}

impl BackwardNames {
    /// Of a run; none without ops of both directions.
    fn of(run: &BaselineRun) -> Option<Self> {
        let names = |direction: &'static str| {
            let ops = run.ops.values().filter(move |op| op.direction == direction);
            ops.map(|op| op.name.as_str()).collect::<BTreeSet<&str>>()
        };
        let (forward, backward) = (names("fprop"), names("bprop"));
        (!forward.is_empty() && !backward.is_empty()).then(|| match forward.is_disjoint(&backward) {
            true => Self::TheirOwn,
            false => Self::OfForwardOps,
        })
    }
}

fn iterations(base: &[BaselineRun], new: &[BaselineRun]) -> Vec<String> {
    let range = |runs: &[BaselineRun]| {
        let totals = runs.iter().map(|run| run.iterations.total);
        (totals.clone().min().unwrap_or(0), totals.max().unwrap_or(0))
    };
    let text =
        |(low, high): (u32, u32)| if low == high { low.to_string() } else { format!("{low} to {high}") };
    let (old, fresh) = (range(base), range(new));
    let mut found = Vec::new();
    if fresh.0 < old.0 || fresh.1 > old.1 {
        found.push(format!("iteration count differs: {} in the baseline, {} now", text(old), text(fresh)));
    }
    let outliers = |runs: &[BaselineRun]| {
        let of = |run: &BaselineRun| run.iterations.left_out.get("outlier").copied().unwrap_or(0);
        let all: u32 = runs.iter().map(|run| run.iterations.used + of(run)).sum();
        let outliers: u32 = runs.iter().map(of).sum();
        if all == 0 { 0.0 } else { f64::from(outliers) / f64::from(all) * 100.0 }
    };
    let (old, fresh) = (outliers(base), outliers(new));
    if fresh > old + 5.0 {
        found.push(format!(
            "{fresh:.0} % of the iterations are outliers (more than 25 % from the median), compared with \
             {old:.0} % in the baseline; they are left out"
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::document::{BaselineGpuTime, BaselineOp};
    use std::collections::BTreeMap;

    fn trace(ops: &[(&str, &str)]) -> BaselineRun {
        let mut run = BaselineRun::of_metrics("trace.json", BTreeMap::new());
        run.environment.mode = Mode::TorchProfiler.as_str().to_owned();
        let op = |&(name, direction): &(&str, &str)| {
            let op = BaselineOp { name: name.into(), direction: direction.into(), ..BaselineOp::default() };
            (BaselineOp::key(name, direction, 1), op)
        };
        run.ops = ops.iter().map(op).collect();
        run
    }

    #[test]
    fn backward_ops_with_names_of_their_own_do_not_compare() {
        let own = [trace(&[("/aten::conv2d", "fprop"), ("/CudnnConvolutionBackward", "bprop")])];
        let joined =
            [trace(&[("/aten::conv2d", "fprop"), ("/aten::conv2d", "bprop"), ("/MineBackward", "bprop")])];
        let said = |base, new| backward_names(base, new).unwrap_or_default();
        assert!(said(&own, &joined).starts_with("the trace of the baseline does not say"));
        assert!(said(&joined, &own).starts_with("the trace of the new run does not say"));
        assert_eq!([said(&own, &own), said(&joined, &joined)], ["", ""]);
        let forward_alone = [trace(&[("/aten::conv2d", "fprop")])];
        assert_eq!(said(&forward_alone, &joined), "");
    }
    #[test]
    fn captures_without_a_kernel_in_common_are_of_different_programs() {
        let run = |names: &[&str]| BaselineRun {
            kernels: names.iter().map(|&name| (name.to_owned(), BaselineGpuTime::default())).collect(),
            ..BaselineRun::of_metrics("drawn", BTreeMap::new())
        };
        let warns = |new: &[&str]| other_program(&[run(&["gemm", "add"])], &[run(new)]).is_some();
        assert!(warns(&["convolution"]));
        assert!(!warns(&["convolution", "add"]));
        assert!(!warns(&[]), "no kernels were recorded, which says nothing");
    }
}
