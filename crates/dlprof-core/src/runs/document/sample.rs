//! From a profile to the samples of a run.

use super::found::findings;
use super::kept_names;
use super::kept_ops::{KeptOps, MOST_NAMES, MOST_OPS};
use super::used::Columns;
use super::used_sums::{Grouping, Metrics, Sums};
use super::{BaselineEnvironment, BaselineRun, BaselineScope, DLPROF_DATABASE, Parts, WallClock};
use crate::advice::Judged;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::figures::profile::{Profile, WorkByName, WorkName};
use crate::runs::metrics;
use crate::steps::index::{COMPLETE_MODEL, Resources, groups_of};
use std::collections::BTreeMap;

/// Takes the samples of a run: of the steady iterations in the range of the profile, or, where there are none, of the
/// whole range.
pub(super) fn sample(judged: &Judged) -> BaselineRun {
    sample_with(judged, MOST_OPS, MOST_NAMES)
}

/// As [`sample`], with other limits of ops and of names.
fn sample_with(judged: &Judged, most_ops: usize, most_names: usize) -> BaselineRun {
    let profile = judged.profile();
    let columns = Columns::new(profile);
    let work = profile.work_by_name();
    let iteration_ops = profile.iteration_ops();
    let kept = KeptOps::new(profile, (&iteration_ops, &work), &columns, most_ops);
    let mut ops = kept.sums(profile);
    let counts_for_tensor_cores = counts_for_tensor_cores(profile);
    let mut sums = Sums::default();
    let mut metrics = Metrics::new(columns.samples);
    for row in &iteration_ops {
        if !columns.is_used(row.iteration) {
            continue;
        }
        if let Some(place) = kept.place(row.op) {
            ops[place].time.add(&columns, row.iteration, row.times.gpu_ns);
        }
        sums.all_ns += row.times.gpu_ns;
        let op_type = profile.label(row.op).op_type.as_str();
        sums.of(Grouping::OpTypes, op_type).add(&columns, row.iteration, row.times.gpu_ns);
        // Not those of all ops.
        let groups = groups_of(profile.op_name(row.op));
        for group in groups.filter(|group| !["/", COMPLETE_MODEL].contains(group)) {
            sums.of(Grouping::Groups, group).add(&columns, row.iteration, row.times.gpu_ns);
        }
        if counts_for_tensor_cores[row.op.index()] {
            metrics.add_tensor_cores(&columns, row.iteration, row.kernels.tc_gpu_ns, row.kernels.gpu_ns);
        }
    }
    let texts = &profile.capture.strings;
    for row in work.rows.iter().filter(|row| columns.is_used(row.iteration)) {
        match row.name {
            WorkName::Kernel(id) => {
                let name = texts.get(id);
                sums.of(Grouping::Kernels, name).add(&columns, row.iteration, row.gpu_ns);
                if let Some(op) = row.op.some()
                    && let Some(place) = kept.place(op)
                {
                    *ops[place].launches.entry(name).or_default() += row.launches;
                }
                if row.is_communication {
                    metrics.add(metrics::COMMUNICATION_TIME, &columns, row.iteration, to_f64(row.gpu_ns));
                }
            }
            WorkName::Copy(_) | WorkName::Memset => {
                metrics.add(metrics::COPY_TIME, &columns, row.iteration, to_f64(row.gpu_ns));
            }
        }
    }
    for stats in profile.iteration_stats.iter().filter(|stats| columns.is_used(stats.iteration)) {
        let at = stats.iteration;
        let resources = &work.resources[at as usize];
        let idle = to_f64(resources.total() - resources.gpu_ns()) / count_to_f64(work.gpus as u64);
        metrics.add(metrics::ITERATION_TIME, &columns, at, to_f64(stats.span.length()));
        metrics.add(metrics::KERNEL_TIME, &columns, at, to_f64(stats.kernels.gpu_ns));
        metrics.add(metrics::GPU_IDLE, &columns, at, idle);
        let items = profile.iterations.items_per_s(1, stats.span.length());
        if let Some(items) = items.filter(|_| columns.scope == BaselineScope::Iterations) {
            metrics.add(metrics::ITEMS_PER_SECOND, &columns, at, items);
        }
        metrics.add(metrics::LAUNCHES, &columns, at, count_to_f64(stats.kernels.launches));
    }
    let ops = ops.into_iter().filter(|op| op.is_used()).map(|op| op.finish(&columns, sums.all_ns));
    BaselineRun {
        capture: profile.capture.source.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        environment: environment(profile, work.gpus),
        scope: columns.scope,
        iterations: columns.iterations(profile),
        metrics: known_metrics(profile, metrics),
        ops: ops.collect(),
        wall_clock: wall_clock(profile, &work, &columns, &kept),
        op_types: sums.finish(Grouping::OpTypes, &columns, most_names),
        groups: sums.finish(Grouping::Groups, &columns, most_names),
        kernels: sums.finish(Grouping::Kernels, &columns, most_names),
        findings: Some(findings(judged, &columns)),
    }
}

/// The metrics, without those that cannot be known: of what was not recorded, and of exchange where no kernel is known for it but
/// names of kernels, or graphs that are recorded as a whole, may hide it.
fn known_metrics(profile: &Profile, metrics: Metrics) -> BTreeMap<String, Vec<f64>> {
    let mut metrics = metrics.finish();
    if !profile.has_kernel_records() && !profile.launches_nothing() {
        metrics.retain(|key, _| !metrics::OF_GPUS.contains(&key.as_str()));
    }
    if profile.capture.calls_without_records(|name| profile.capture.strings.get(name)).copies > 0 {
        metrics.remove(metrics::COPY_TIME);
    }
    if !profile.tells_of_tensor_cores() {
        metrics.remove(metrics::TC_UTILIZATION);
    }
    let exchanges =
        metrics.get(metrics::COMMUNICATION_TIME).is_some_and(|all| all.iter().any(|&ns| ns > 0.0));
    if !exchanges && (profile.capture.whole_graphs > 0 || profile.known_share().untold().is_some()) {
        metrics.remove(metrics::COMMUNICATION_TIME);
    }
    metrics
}

/// By op: whether its kernels count for the use of Tensor Cores.
fn counts_for_tensor_cores(profile: &Profile) -> Vec<bool> {
    let mut counts = vec![false; profile.index.ops.len()];
    for op in &profile.op_stats {
        counts[op.op.index()] = op.tc_eligible || op.uses_tc;
    }
    counts
}

fn environment(profile: &Profile, gpus_used: usize) -> BaselineEnvironment {
    let system = &profile.capture.system;
    BaselineEnvironment {
        gpus: system.gpu_names.clone(),
        gpus_used,
        cpu: system.cpu_model.clone(),
        driver: system.driver_version.clone(),
        cuda: system.cuda_version.clone(),
        cudnn: system.cudnn_version.clone(),
        framework: system.framework.clone(),
        nsys: system.nsys_version.clone(),
        dlprof_agg: env!("CARGO_PKG_VERSION").to_owned(),
        mode: profile.capture.description.mode.as_str().to_owned(),
        clock: Some(profile.summary.clock.as_str().to_owned()),
        input: profile.capture.description.dlprof.is_some().then(|| DLPROF_DATABASE.to_owned()),
        window: profile.iterations.key_node.is_none().then(|| "GPU span".to_owned()),
        cut: profile.capture.description.cut.as_ref().map(|cut| cut.asked.to_string()),
        key_node: profile.iterations.key_node.as_ref().map(|key_node| key_node.name.clone()),
        command: profile.capture.notes.command.clone(),
        slows_host: Some(profile.capture.what_slows_host().map_or("nothing", |[what, _]| what).to_owned()),
    }
}

fn wall_clock(profile: &Profile, work: &WorkByName, columns: &Columns, kept: &KeptOps) -> WallClock {
    let mut wall_clock = WallClock {
        iterations: columns.used,
        gpus: u32::try_from(work.gpus).unwrap_or(u32::MAX),
        ..WallClock::default()
    };
    let mut idle = Resources::default();
    for (iteration, resources) in (0..).zip(&work.resources) {
        if columns.is_used(iteration) {
            wall_clock.total_ns += resources.total();
            idle.add(resources);
        }
    }
    let classes = [
        ("data loader", idle.dataloader_ns),
        ("I/O", idle.io_ns),
        ("in an op", idle.cpu_ns),
        ("outside ops", idle.other_ns),
    ];
    let classes = classes.into_iter().filter(|(_, ns)| *ns > 0);
    wall_clock.idle = classes.map(|(name, ns)| (name.to_owned(), ns)).collect();
    for row in work.rows.iter().filter(|row| row.claimed_ns > 0 && columns.is_used(row.iteration)) {
        let (parts, name): (&mut Parts, &str) = match row.name {
            WorkName::Kernel(id) => {
                let name = profile.capture.strings.get(id);
                (
                    if row.is_communication {
                        &mut wall_clock.communication
                    } else {
                        &mut wall_clock.kernels
                    },
                    name,
                )
            }
            WorkName::Copy(direction) => (&mut wall_clock.copies, direction),
            WorkName::Memset => (&mut wall_clock.copies, "memset"),
        };
        let names = parts.entry(kept.key(profile, row.op)).or_default();
        *names.entry(kept_names::name(name).into_owned()).or_default() += row.claimed_ns;
    }
    wall_clock
}

#[cfg(test)]
mod tests {
    use super::super::{BaselineGpuTime, BaselineOp, Document, OTHER_NAMES, OTHER_OPS, read, to_json};
    use super::*;
    use crate::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
    use std::path::Path;

    fn judged() -> Judged {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample.sqlite");
        let capture = Capture::read(&path, &ReadOptions::default()).expect("a capture");
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        index.profile(&RangeChoice::default()).expect("a profile").into()
    }

    fn sum(times: &BTreeMap<String, BaselineGpuTime>) -> f64 {
        times.values().map(|time| time.mean_ns).sum()
    }

    #[test]
    fn ops_and_names_beyond_the_limits_are_together() {
        let judged = judged();
        let (whole, cut) = (sample(&judged), sample_with(&judged, 3, 2));
        assert!(whole.ops.len() > 4 && whole.kernels.len() > 3, "the sample has more than the limits");
        assert_eq!(cut.ops.len(), 4);
        let (own, others): (Vec<_>, Vec<_>) =
            whole.ops.iter().partition(|(key, _)| cut.ops.contains_key(key.as_str()));
        assert!(own.iter().all(|(key, op)| cut.ops[key.as_str()] == **op));
        let last = own.iter().map(|(_, op)| op.position).max();
        assert!(others.iter().all(|(_, op)| Some(op.position) > last), "the first ops are kept");
        let of_others = cut.ops[&BaselineOp::key(OTHER_OPS, "", 1)].time.mean_ns;
        let expected: f64 = others.iter().map(|(_, op)| op.time.mean_ns).sum();
        assert!((expected - of_others).abs() < 0.01, "{expected} {of_others}");
        for (whole, cut) in [(&whole.op_types, &cut.op_types), (&whole.kernels, &cut.kernels)] {
            assert_eq!(cut.len(), 3);
            assert!((sum(whole) - sum(cut)).abs() < 0.01, "{} {}", sum(whole), sum(cut));
            let own = cut.iter().filter(|(name, _)| *name != OTHER_NAMES).map(|(_, time)| time.mean_ns);
            let least = own.fold(f64::INFINITY, f64::min);
            let mut others = whole.iter().filter(|(name, _)| !cut.contains_key(*name));
            assert!(others.all(|(_, time)| time.mean_ns <= least), "names with most time are kept");
        }
        // It is a sound baseline: every nanosecond of the wall clock is in one part.
        let document = Document::new(vec![cut]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("base.json");
        std::fs::write(&path, to_json(&document)).expect("a file");
        assert_eq!(read(&path).expect("a baseline"), document);
    }
}
