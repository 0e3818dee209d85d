//! From a profile to the samples of a run.

use super::found::findings;
use super::used::Columns;
use super::used_sums::{Grouping, Metrics, OpSums, Sum, Sums};
use super::{DLPROF_DATABASE, Environment, Op, Parts, Run, Scope, WallClock};
use crate::advice::Judged;
use crate::base::ids::OpId;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::figures::profile::{Profile, WorkByName, WorkName};
use crate::runs::metrics;
use crate::steps::index::{COMPLETE_MODEL, Resources, groups_of};
use std::collections::BTreeMap;

/// Takes the samples of a run: of the steady iterations in the range of the profile, or, where there are none, of the
/// whole range.
#[must_use]
pub fn sample(judged: &Judged) -> Run {
    let profile = judged.profile();
    let columns = Columns::new(profile);
    let work = profile.work_by_name();
    let mut ops = ops(profile);
    let mut sums = Sums::default();
    let mut metrics = Metrics::new(columns.samples);
    for row in profile.iteration_ops() {
        if !columns.is_used(row.iteration) {
            continue;
        }
        let stats = &mut ops[row.op.index()];
        stats.time.add(&columns, row.iteration, row.times.gpu_ns);
        sums.all_ns += row.times.gpu_ns;
        let op_type = profile.label(row.op).op_type.as_str();
        sums.of(Grouping::OpTypes, op_type).add(&columns, row.iteration, row.times.gpu_ns);
        // Not those of all ops.
        let groups = groups_of(profile.op_name(row.op));
        for group in groups.filter(|group| !["/", COMPLETE_MODEL].contains(group)) {
            sums.of(Grouping::Groups, group).add(&columns, row.iteration, row.times.gpu_ns);
        }
        if stats.counts_for_tensor_cores {
            metrics.add_tensor_cores(&columns, row.iteration, row.kernels.tc_gpu_ns, row.kernels.gpu_ns);
        }
    }
    let texts = &profile.capture.strings;
    for row in work.rows.iter().filter(|row| columns.is_used(row.iteration)) {
        match row.name {
            WorkName::Kernel(id) => {
                let name = texts.get(id);
                sums.of(Grouping::Kernels, name).add(&columns, row.iteration, row.gpu_ns);
                if !row.op.is_none() {
                    *ops[row.op.index()].launches.entry(name).or_default() += row.launches;
                }
                if profile.is_communication_kernel(id) {
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
        if let Some(items) = items.filter(|_| columns.scope == Scope::Iterations) {
            metrics.add(metrics::ITEMS_PER_SECOND, &columns, at, items);
        }
        metrics.add(metrics::LAUNCHES, &columns, at, count_to_f64(stats.kernels.launches));
    }
    let ops = ops.into_iter().filter(|op| op.is_used()).map(|op| op.finish(&columns, sums.all_ns));
    Run {
        capture: profile.capture.source.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        environment: environment(profile, work.gpus),
        scope: columns.scope,
        iterations: columns.iterations(profile),
        metrics: metrics.finish(),
        ops: ops.collect(),
        wall_clock: wall_clock(profile, &work, &columns),
        op_types: sums.finish(Grouping::OpTypes, &columns),
        groups: sums.finish(Grouping::Groups, &columns),
        kernels: sums.finish(Grouping::Kernels, &columns),
        findings: Some(findings(judged, columns.scope)),
    }
}

/// All ops of the capture, by id.
fn ops<'a>(profile: &Profile) -> Vec<OpSums<'a>> {
    let ids: Vec<OpId> = (0..profile.index.ops.len()).map(OpId::new).collect();
    let mut by_start = ids.clone();
    by_start.sort_by_key(|id| (profile.index.ops[id.index()].first_start, *id));
    let mut position = vec![0; ids.len()];
    for (at, id) in (0u32..).zip(&by_start) {
        position[id.index()] = at;
    }
    let mut counts_for_tensor_cores = vec![false; ids.len()];
    for op in &profile.op_stats {
        counts_for_tensor_cores[op.op.index()] = op.tc_eligible || op.uses_tc;
    }
    let sums = |id: OpId| {
        let label = profile.label(id);
        OpSums {
            op: Op {
                name: profile.op_name(id).to_owned(),
                op_type: label.op_type.clone(),
                direction: label.direction.as_str().to_owned(),
                ordinal: profile.index.ops[id.index()].ordinal,
                shapes: label.shapes.inputs.clone(),
                position: position[id.index()],
                ..Op::default()
            },
            time: Sum::default(),
            launches: BTreeMap::new(),
            counts_for_tensor_cores: counts_for_tensor_cores[id.index()],
        }
    };
    ids.into_iter().map(sums).collect()
}

fn environment(profile: &Profile, gpus_used: usize) -> Environment {
    let system = &profile.capture.system;
    Environment {
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
    }
}

fn wall_clock(profile: &Profile, work: &WorkByName, columns: &Columns) -> WallClock {
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
                let is_communication = profile.is_communication_kernel(id);
                (if is_communication { &mut wall_clock.communication } else { &mut wall_clock.kernels }, name)
            }
            WorkName::Copy(direction) => (&mut wall_clock.copies, direction),
            WorkName::Memset => (&mut wall_clock.copies, "memset"),
        };
        *parts.entry(op_key(profile, row.op)).or_default().entry(name.to_owned()).or_default() +=
            row.claimed_ns;
    }
    wall_clock
}

fn op_key(profile: &Profile, op: OpId) -> String {
    if op.is_none() {
        return "unassociated".to_owned();
    }
    let ordinal = profile.index.ops[op.index()].ordinal;
    Op::key(profile.op_name(op), profile.label(op).direction.as_str(), ordinal)
}
