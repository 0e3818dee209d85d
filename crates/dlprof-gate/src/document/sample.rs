//! From a profile to the samples of a run.

use super::{Environment, GpuTime, Iterations, Op, Parts, Run, Scope, WallClock};
use crate::metrics;
use dlprof_core::aggregate::{COMPLETE_MODEL, Profile, Resources, WorkByName, WorkName, groups_of};
use dlprof_core::correlate::is_communication_kernel;
use dlprof_core::ids::OpId;
use dlprof_core::iterate::IterationState;
use dlprof_core::ratios::{count_to_f64, percent, to_f64};
use dlprof_core::time::Ns;
use std::collections::BTreeMap;

/// Ops, groups and kernel names with at least this share of the GPU time are sampled; of the rest the average is kept.
pub const SAMPLED_SHARE: f64 = 0.005;

/// At most so many iterations are sampled, evenly spaced; averages are over all used ones.
pub const SAMPLES_KEPT: usize = 500;

/// Takes the samples of a run: of the steady iterations in the range of the profile, or, where there are none, of the
/// whole range.
#[must_use]
pub fn sample(profile: &Profile<'_>) -> Run {
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
        sums.of(Kind::OpTypes, op_type).add(&columns, row.iteration, row.times.gpu_ns);
        // Not those of all ops.
        let groups = groups_of(profile.op_name(row.op));
        for group in groups.filter(|group| !["/", COMPLETE_MODEL].contains(group)) {
            sums.of(Kind::Groups, group).add(&columns, row.iteration, row.times.gpu_ns);
        }
        if stats.counts_for_tensor_cores {
            metrics.add_tensor_cores(&columns, row.iteration, row.kernels.tc_gpu_ns, row.kernels.gpu_ns);
        }
    }
    let texts = &profile.trace.strings;
    for row in work.rows.iter().filter(|row| columns.is_used(row.iteration)) {
        match row.name {
            WorkName::Kernel(name) => {
                let name = texts.get(name);
                sums.of(Kind::Kernels, name).add(&columns, row.iteration, row.gpu_ns);
                if !row.op.is_none() {
                    *ops[row.op.index()].launches.entry(name).or_default() += row.launches;
                }
                if is_communication_kernel(name) {
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
        metrics.add(metrics::LAUNCHES, &columns, at, count_to_f64(stats.kernels.launches));
    }
    let ops = ops.into_iter().filter(|op| op.is_used()).map(|op| op.finish(&columns, sums.all_ns));
    Run {
        capture: profile.trace.source.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        environment: environment(profile, work.gpus),
        scope: columns.scope,
        iterations: columns.iterations(profile),
        metrics: metrics.finish(),
        ops: ops.collect(),
        wall_clock: wall_clock(profile, &work, &columns),
        op_types: sums.finish(Kind::OpTypes, &columns),
        groups: sums.finish(Kind::Groups, &columns),
        kernels: sums.finish(Kind::Kernels, &columns),
    }
}

/// Which iterations are used, and the place of each among the samples.
struct Columns {
    scope: Scope,
    /// By iteration.
    is_used: Vec<bool>,
    /// By iteration: its sample, if it is sampled.
    column: Vec<Option<usize>>,
    /// Number of samples.
    samples: usize,
    /// Number of values summed over: used iterations, or 1.
    used: u32,
}

impl Columns {
    fn new(profile: &Profile<'_>) -> Self {
        let states = &profile.iterations.states;
        let total = profile.iterations.total();
        let is_steady =
            |at: u32| profile.iterations.is_aggregated(at) && states[at as usize] == IterationState::Steady;
        let steady: Vec<u32> = (0..total).filter(|&at| is_steady(at)).collect();
        let mut column = vec![None; total as usize];
        let mut is_used = vec![false; total as usize];
        if steady.is_empty() {
            for at in profile.iterations.start..=profile.iterations.stop {
                is_used[at as usize] = true;
                column[at as usize] = Some(0);
            }
            return Self { scope: Scope::WholeCapture, is_used, column, samples: 1, used: 1 };
        }
        let stride = steady.len().div_ceil(SAMPLES_KEPT);
        for &at in &steady {
            is_used[at as usize] = true;
        }
        let mut samples = 0;
        for &at in steady.iter().step_by(stride) {
            column[at as usize] = Some(samples);
            samples += 1;
        }
        let used = u32::try_from(steady.len()).unwrap_or(u32::MAX);
        Self { scope: Scope::Iterations, is_used, column, samples, used }
    }

    fn is_used(&self, iteration: u32) -> bool {
        self.is_used[iteration as usize]
    }

    fn iterations(&self, profile: &Profile<'_>) -> Iterations {
        let mut left_out = BTreeMap::new();
        for (at, state) in profile.iterations.states.iter().enumerate() {
            if *state != IterationState::Steady && self.scope == Scope::Iterations {
                let is_in_range = u32::try_from(at).is_ok_and(|at| profile.iterations.is_aggregated(at));
                let why = if is_in_range { state.as_str() } else { "outside the range" };
                *left_out.entry(why.to_owned()).or_default() += 1;
            }
        }
        let numbered = (0..).zip(&self.column);
        let sampled = numbered.filter(|(_, column)| column.is_some()).map(|(at, _)| at);
        let is_whole = self.scope == Scope::WholeCapture;
        Iterations {
            total: profile.iterations.total(),
            used: if is_whole { 0 } else { self.used },
            left_out,
            sampled: if is_whole { Vec::new() } else { sampled.collect() },
        }
    }
}

/// A sum over all used iterations, and the part of each sample.
#[derive(Default)]
struct Sum {
    total_ns: Ns,
    samples: Vec<f64>,
}

impl Sum {
    fn add(&mut self, columns: &Columns, iteration: u32, ns: Ns) {
        self.total_ns += ns;
        if let Some(column) = columns.column[iteration as usize] {
            self.samples.resize(columns.samples, 0.0);
            self.samples[column] += to_f64(ns);
        }
    }

    /// Samples are kept only of what holds enough of the GPU time.
    fn finish(mut self, columns: &Columns, all_ns: Ns) -> GpuTime {
        let is_small = to_f64(self.total_ns) < SAMPLED_SHARE * to_f64(all_ns);
        if is_small || columns.scope == Scope::WholeCapture {
            self.samples = Vec::new();
        } else {
            self.samples.resize(columns.samples, 0.0);
        }
        GpuTime { mean_ns: mean(self.total_ns, columns), samples_ns: self.samples }
    }
}

/// Rounded to what a baseline needs, so that the file stays small.
fn mean(total: Ns, columns: &Columns) -> f64 {
    rounded(to_f64(total) / f64::from(columns.used))
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[derive(Clone, Copy)]
enum Kind {
    OpTypes,
    Groups,
    Kernels,
}

/// Sums by name.
#[derive(Default)]
struct Sums<'a> {
    by_name: [BTreeMap<&'a str, Sum>; 3],
    all_ns: Ns,
}

impl<'a> Sums<'a> {
    fn of(&mut self, kind: Kind, name: &'a str) -> &mut Sum {
        self.by_name[kind as usize].entry(name).or_default()
    }

    fn finish(&mut self, kind: Kind, columns: &Columns) -> BTreeMap<String, GpuTime> {
        // Op types are few: all of them are sampled.
        let all_ns = if matches!(kind, Kind::OpTypes) { 0 } else { self.all_ns };
        let sums = std::mem::take(&mut self.by_name[kind as usize]);
        sums.into_iter().map(|(name, sum)| (name.to_owned(), sum.finish(columns, all_ns))).collect()
    }
}

/// An op while its samples are taken.
struct OpSums<'a> {
    op: Op,
    time: Sum,
    launches: BTreeMap<&'a str, u64>,
    counts_for_tensor_cores: bool,
}

impl OpSums<'_> {
    fn is_used(&self) -> bool {
        self.time.total_ns > 0 || !self.launches.is_empty()
    }

    fn finish(self, columns: &Columns, all_ns: Ns) -> (String, Op) {
        let per_iteration = |launches: u64| rounded(count_to_f64(launches) / f64::from(columns.used));
        let kernels = self.launches.into_iter().map(|(name, count)| (name.to_owned(), per_iteration(count)));
        let op = Op { kernels: kernels.collect(), time: self.time.finish(columns, all_ns), ..self.op };
        (Op::key(&op.name, &op.direction, op.ordinal), op)
    }
}

/// All ops of the capture, by id.
fn ops<'a>(profile: &Profile<'a>) -> Vec<OpSums<'a>> {
    let ids: Vec<OpId> = (0..profile.ops.ops.len()).map(OpId::new).collect();
    let mut by_start = ids.clone();
    by_start.sort_by_key(|id| (profile.ops.ops[id.index()].first_start, *id));
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
                ordinal: profile.ops.ops[id.index()].ordinal,
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

/// Samples of the metrics.
struct Metrics {
    values: BTreeMap<&'static str, Vec<f64>>,
    tensor_cores: Vec<(Ns, Ns)>,
}

impl Metrics {
    /// Every time is 0 until something is added.
    fn new(samples: usize) -> Self {
        let keys = metrics::METRICS.iter().map(|metric| metric.key);
        let times = keys.filter(|key| *key != metrics::TC_UTILIZATION);
        Self {
            values: times.map(|key| (key, vec![0.0; samples])).collect(),
            tensor_cores: vec![(0, 0); samples],
        }
    }

    fn add(&mut self, key: &'static str, columns: &Columns, iteration: u32, value: f64) {
        if let Some(column) = columns.column[iteration as usize]
            && let Some(values) = self.values.get_mut(key)
        {
            values[column] += value;
        }
    }

    fn add_tensor_cores(&mut self, columns: &Columns, iteration: u32, tc_ns: Ns, all_ns: Ns) {
        if let Some(column) = columns.column[iteration as usize] {
            self.tensor_cores[column].0 += tc_ns;
            self.tensor_cores[column].1 += all_ns;
        }
    }

    fn finish(self) -> BTreeMap<String, Vec<f64>> {
        let mut values: BTreeMap<String, Vec<f64>> = self
            .values
            .into_iter()
            .map(|(key, values)| (key.to_owned(), values.into_iter().map(rounded).collect()))
            .collect();
        // Undefined without a kernel of an op that could use them.
        if self.tensor_cores.iter().all(|&(_, all)| all > 0) {
            let percents = self.tensor_cores.iter().map(|&(tc, all)| rounded(percent(tc, all)));
            values.insert(metrics::TC_UTILIZATION.to_owned(), percents.collect());
        }
        values
    }
}

fn environment(profile: &Profile<'_>, gpus_used: usize) -> Environment {
    let system = &profile.trace.system;
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
        mode: profile.correlation.mode.as_str().to_owned(),
        key_node: profile.iterations.key_node.as_ref().map(|key_node| key_node.name.clone()),
    }
}

fn wall_clock(profile: &Profile<'_>, work: &WorkByName, columns: &Columns) -> WallClock {
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
                let name = profile.trace.strings.get(id);
                let is_communication = is_communication_kernel(name);
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

fn op_key(profile: &Profile<'_>, op: OpId) -> String {
    if op.is_none() {
        return "unassociated".to_owned();
    }
    let ordinal = profile.ops.ops[op.index()].ordinal;
    Op::key(profile.op_name(op), profile.label(op).direction.as_str(), ordinal)
}
