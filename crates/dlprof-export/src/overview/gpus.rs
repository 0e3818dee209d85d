//! The GPUs of the machine.

use super::Basis;
use super::step::{IdleRow, idle, idle_ranges};
use super::tiles::counted;
use dlprof_core::{DeviceId, DiagnosticCode, GpuTime, IdleRange, Ns, Profile, RangeFamily, percent};
use serde::Serialize;
use std::cell::OnceCell;

/// A GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GpuRow {
    /// The number that people know it by.
    pub number: i64,
    /// Product name; `None` if it is not known.
    pub name: Option<String>,
    /// Whether the capture has work on it.
    pub is_used: bool,
    /// Share of the time with any work; `None` without kernel records, 0 for one that is not used.
    pub busy_percent: Option<f64>,
    /// What it did and why it idled; `None` without kernel records.
    pub time: Option<GpuTimes>,
}

/// What a GPU did in an iteration, and why it idled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GpuTimes {
    /// Length in nanoseconds: busy and idle.
    pub length_ns: f64,
    /// Of it, time with any work running: the next three add up to it.
    pub busy_ns: f64,
    /// Kernels ran that compute.
    pub compute_ns: f64,
    /// Communication ran, and nothing that computes.
    pub exposed_communication_ns: f64,
    /// Copies ran, and nothing else.
    pub exposed_copy_ns: f64,
    /// Nothing ran: the causes add up to it.
    pub idle_ns: f64,
    /// Why it idled, most time first, without causes that took no time.
    pub idle: Vec<IdleRow>,
}

pub(super) fn gpus(profile: &Profile, basis: Basis) -> Vec<GpuRow> {
    let times = profile.gpu_times();
    let sums = times.totals(counted(&profile.iterations));
    let ranges = OnceCell::new();
    let row = |(at, device): (usize, &dlprof_core::Device)| {
        let sum = profile.knows_gpu_work().then_some(sums[at]);
        GpuRow {
            number: profile.device_number(DeviceId::new(at)),
            name: device.name.clone(),
            is_used: times.is_used(at),
            busy_percent: sum.as_ref().map(|sum| percent(sum.busy_ns, sum.length_ns)),
            time: sum.map(|sum| gpu_times(&sum, || profile.families_of(of_gpu(profile, &ranges, at)), basis)),
        }
    };
    // What devices that are no GPUs do is not read.
    if profile.capture.diagnostics.counted(DiagnosticCode::OtherDevice) > 0 {
        return Vec::new();
    }
    // What the GPUs of other ranks do is not in the trace of one.
    let is_of_rank = crate::origin::rank(profile).is_some();
    let gpus = profile.capture.devices.iter().enumerate();
    gpus.filter(|(at, _)| !is_of_rank || times.is_used(*at)).map(row).collect()
}

/// Idle time of a GPU by range of the host. What all GPUs have is put together at the first question.
fn of_gpu<'a>(
    profile: &'a Profile,
    by_gpu: &'a OnceCell<Vec<Vec<&'a IdleRange>>>,
    gpu: usize,
) -> impl Iterator<Item = &'a IdleRange> {
    let ranges = by_gpu.get_or_init(|| {
        let mut by_gpu = vec![Vec::new(); profile.capture.devices.len()];
        idle_ranges(profile).for_each(|range| by_gpu[range.device.index()].push(range));
        by_gpu
    });
    ranges[gpu].iter().copied()
}

fn gpu_times(sum: &GpuTime, ranges: impl FnOnce() -> Vec<RangeFamily>, basis: Basis) -> GpuTimes {
    let each = |ns: Ns| basis.each(ns);
    GpuTimes {
        length_ns: each(sum.length_ns),
        busy_ns: each(sum.busy_ns),
        compute_ns: each(sum.compute_ns),
        exposed_communication_ns: each(sum.exposed_communication_ns),
        exposed_copy_ns: each(sum.exposed_copy_ns),
        idle_ns: each(sum.idle_ns()),
        idle: idle(sum, ranges, each),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_gpu_add_up_and_are_those_of_the_step_if_it_is_the_only_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
        let capture = dlprof_core::Capture::read(path.as_ref(), &dlprof_core::ReadOptions::default());
        let index = capture.expect("the sample").index(&dlprof_core::KeyNodeChoice::Find).expect("an index");
        let profile = index.profile(&dlprof_core::RangeChoice::from(15..=58)).expect("a profile");
        let basis = Basis::of(&profile);
        let rows = gpus(&profile, basis);
        let step = super::super::step::step(&profile.clone().into(), basis).expect("GPU work");
        assert_eq!(rows.iter().filter(|row| row.is_used).count(), 1);
        for row in rows.into_iter().filter(|row| row.is_used) {
            let time = row.time.expect("kernel records");
            let near = |a: f64, b: f64| (a - b).abs() < 1.0;
            assert!(near(
                time.compute_ns + time.exposed_communication_ns + time.exposed_copy_ns,
                time.busy_ns
            ));
            assert!(near(time.busy_ns + time.idle_ns, time.length_ns));
            assert!(near(time.idle.iter().map(|cause| cause.ns).sum(), time.idle_ns));
            assert!(near(time.busy_ns, step.busy_ns) && near(time.length_ns, step.length_ns));
            assert_eq!(time.idle, step.idle);
        }
    }
}
