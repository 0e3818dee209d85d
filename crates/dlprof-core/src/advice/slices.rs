//! Time slices of other work inside kernels.
//!
//! Where programs share a GPU, it runs one of them for some milliseconds and then the other. A kernel that is interrupted is
//! recorded as one kernel that takes as long as usual and a time slice of the other program.
//!
//! ```text
//! alone     │█ a █│█ b █│█ c █│
//! shared    │█ a █│█ b ░░░░░░░░░░░░░░░░░░ █│█ c █│        b takes a time slice longer
//! ```
//!
//! A launch is compared with the shortest one of the same kernel with the same grid and block on the same GPU at the same place
//! of the iteration, because one kernel may multiply matrices of several sizes with one grid. What a launch takes longer than
//! that, from 1 ms on, is time of other work. That it is other work shows in that short kernels of several names take many times
//! as long, all of them about the same time longer, and while nothing else of the capture runs on the GPU: neither data nor
//! clocks do that.

use crate::base::ids::{DeviceId, LaunchConfigId, StrId, WorkId};
use crate::base::ratios::median;
use crate::base::time::{Ns, Span, total};
use crate::figures::activity::{CopyGroup, CopyKind};
use crate::figures::profile::ProfileContents;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// Time slices of other work inside the kernels of some iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slices {
    /// What the launches take longer, summed up.
    pub(super) time_ns: Ns,
    /// Launches that take [`LEAST_NS`] longer or more.
    pub(super) launches: u64,
    /// What most of the short ones take longer.
    pub(super) usual_ns: Ns,
    /// Their kernels by long name, most such time first.
    pub(super) names: Vec<StrId>,
}

/// A time slice takes at least so long. GPUs switch between programs every one to some milliseconds.
pub(super) const LEAST_NS: Ns = 1_000_000;

/// Launches that take at least so many times as long as the shortest one show that other work runs: no clock falls that far.
const FACTOR: Ns = 5;

/// How many kernels by name, and how many launches, have to show it.
const FEWEST_NAMES: usize = 5;
const FEWEST_LAUNCHES: usize = 10;

/// Iterations from which on launches are compared by their place in the iteration.
const FEWEST_ITERATIONS: usize = 3;

/// Launches that are compared: kernel, grid and block, GPU.
type Key = (StrId, LaunchConfigId, DeviceId);

/// A launch that may hold time slices.
#[derive(Debug, Clone, Copy)]
struct Launch {
    key: Key,
    /// Place of its iteration.
    iteration: usize,
    span: Span,
}

/// A launch that takes longer than the shortest one.
#[derive(Debug, Clone, Copy)]
struct Longer {
    launch: Launch,
    longer_ns: Ns,
}

impl Longer {
    /// Whether a clock or data cannot be why.
    fn is_evidence(&self) -> bool {
        self.launch.span.length() >= FACTOR * (self.launch.span.length() - self.longer_ns)
    }
}

/// The time slices inside the kernels of some iterations; `None` where they are not certain. Migrations of unified memory, which
/// are among the copies, hold up kernels as well, so nothing is said of captures with them.
pub(super) fn slices(
    profile: &ProfileContents,
    places: &Range<usize>,
    copies: &[CopyGroup],
) -> Option<Slices> {
    let keys = uneven(profile, places);
    let names: BTreeSet<StrId> = keys.iter().filter(|(_, evident)| **evident).map(|(key, _)| key.0).collect();
    let migrations = [CopyKind::UnifiedHtoD, CopyKind::UnifiedDtoH, CopyKind::UnifiedDtoD];
    if names.len() < FEWEST_NAMES || copies.iter().any(|group| migrations.contains(&group.kind)) {
        return None;
    }
    let mut longer = longer(launches(profile, places, &keys), places.len());
    leave_alone(profile, &mut longer);
    let usual_ns = usual(&longer)?;
    let mut by_name: FxHashMap<StrId, Ns> = FxHashMap::default();
    for one in &longer {
        *by_name.entry(one.launch.key.0).or_default() += one.longer_ns;
    }
    let text = |name: StrId| profile.capture.strings.get(name);
    let mut names: Vec<(StrId, Ns)> = by_name.into_iter().collect();
    names.sort_by_key(|&(name, ns)| (Reverse(ns), text(name)));
    Some(Slices {
        time_ns: total(longer.iter().map(|one| one.longer_ns)),
        launches: longer.len() as u64,
        usual_ns,
        names: names.into_iter().map(|(name, _)| name).collect(),
    })
}

/// Kernels with one grid whose launches differ by a time slice or more, and whether some take [`FACTOR`] times as long as others.
fn uneven(profile: &ProfileContents, places: &Range<usize>) -> FxHashMap<Key, bool> {
    let capture = &profile.capture;
    let graphs = capture.counts().kernels - capture.whole_graphs;
    let mut bounds: FxHashMap<Key, (Ns, Ns)> = FxHashMap::default();
    for group in profile.launch_groups_of(places.clone()).iter() {
        // An exchange waits for other GPUs, and a graph may hold anything.
        if group.gpu.count == 0
            || group.example.index() >= graphs
            || profile.judge_kernel(group.example).is_communication()
        {
            continue;
        }
        let key = (group.key.long_name, group.key.config, group.key.device);
        let bound = bounds.entry(key).or_insert((group.gpu.min, group.gpu.max));
        *bound = (bound.0.min(group.gpu.min), bound.1.max(group.gpu.max));
    }
    let differ = bounds.into_iter().filter(|(_, (min, max))| max - min >= LEAST_NS);
    differ.map(|(key, (min, max))| (key, max >= FACTOR.saturating_mul(min))).collect()
}

/// The launches of some kernels that the iterations launch.
fn launches(profile: &ProfileContents, places: &Range<usize>, keys: &FxHashMap<Key, bool>) -> Vec<Launch> {
    let capture = &profile.capture;
    let mut found = Vec::new();
    profile.for_each_kernel(places.clone(), |iteration, kernel: WorkId| {
        let key =
            (capture.kernels.long_name[kernel], capture.kernels.config[kernel], capture.work.device[kernel]);
        if keys.contains_key(&key) {
            found.push(Launch { key, iteration, span: capture.work.span[kernel] });
        }
    });
    found
}

/// The launches that take [`LEAST_NS`] longer than the shortest one at their place of the iteration. From three iterations on,
/// iterations that launch a kernel more or less often than most are left out.
fn longer(mut launches: Vec<Launch>, iterations: usize) -> Vec<Longer> {
    launches
        .sort_unstable_by_key(|launch| (launch.key, launch.iteration, launch.span.start, launch.span.end));
    let mut found = Vec::new();
    for alike in launches.chunk_by(|a, b| a.key == b.key) {
        if iterations < FEWEST_ITERATIONS {
            add_longer(&mut found, alike.iter());
            continue;
        }
        let by_iteration: Vec<&[Launch]> = alike.chunk_by(|a, b| a.iteration == b.iteration).collect();
        let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
        for launches in &by_iteration {
            *counts.entry(launches.len()).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|&(count, often)| (often, count));
        let Some((count, _)) = most.filter(|&(_, often)| often >= FEWEST_ITERATIONS) else { continue };
        let usual = by_iteration.iter().filter(|launches| launches.len() == count);
        for place in 0..count {
            add_longer(&mut found, usual.clone().map(|launches| &launches[place]));
        }
    }
    found
}

fn add_longer<'a>(found: &mut Vec<Longer>, launches: impl Iterator<Item = &'a Launch> + Clone) {
    let Some(shortest) = launches.clone().map(|launch| launch.span.length()).min() else { return };
    let with_time = launches.map(|&launch| Longer { launch, longer_ns: launch.span.length() - shortest });
    found.extend(with_time.filter(|one| one.longer_ns >= LEAST_NS));
}

/// Keeps the launches during which no other kernel of the capture runs on the GPU for half of what they take longer.
fn leave_alone(profile: &ProfileContents, longer: &mut Vec<Longer>) {
    let capture = &profile.capture;
    let kernels = capture.counts().kernels;
    let devices = &capture.work.device[..][..kernels];
    let mut by_device: FxHashMap<DeviceId, Vec<Span>> = FxHashMap::default();
    for (&span, &device) in capture.work.span[..][..kernels].iter().zip(devices) {
        by_device.entry(device).or_default().push(span);
    }
    // By GPU: kernels by start, and up to each the latest end.
    let mut sorted: FxHashMap<DeviceId, (Vec<Span>, Vec<Ns>)> = FxHashMap::default();
    for (device, mut spans) in by_device {
        spans.sort_unstable_by_key(|span| (span.start, span.end));
        let mut latest = Ns::MIN;
        let ends = spans.iter().map(|span| {
            latest = latest.max(span.end);
            latest
        });
        let ends = ends.collect();
        sorted.insert(device, (spans, ends));
    }
    longer.retain(|one| {
        let span = one.launch.span;
        let Some((spans, ends)) = sorted.get(&one.launch.key.2) else { return false };
        let at = spans.partition_point(|other| (other.start, other.end) < (span.start, span.end));
        let before_ns = at.checked_sub(1).map_or(0, |before| ends[before].min(span.end) - span.start);
        let beside_ns = spans.get(at + 1).map_or(0, |next| span.end - next.start);
        2 * before_ns.max(beside_ns) < one.longer_ns
    });
}

/// What most launches that show other work take longer: half of them or more have one of two lengths, and these are launches of
/// several kernels. `None` where this is not so.
fn usual(longer: &[Longer]) -> Option<Ns> {
    let mut evidence: Vec<&Longer> = longer.iter().filter(|one| one.is_evidence()).collect();
    if evidence.len() < FEWEST_LAUNCHES {
        return None;
    }
    evidence.sort_unstable_by_key(|one| (one.longer_ns, one.launch.key, one.launch.span.start));
    let all = evidence.len();
    let first = evidence.drain(most_alike(&evidence)).collect::<Vec<_>>();
    let second = &evidence[most_alike(&evidence)];
    let names: BTreeSet<StrId> = first.iter().chain(second).map(|one| one.launch.key.0).collect();
    let is_certain = 2 * (first.len() + second.len()) >= all && names.len() >= FEWEST_NAMES;
    is_certain.then(|| median(first.iter().map(|one| one.longer_ns).collect()))
}

/// Of launches in order of what they take longer: the most that differ by at most a tenth of it.
fn most_alike(sorted: &[&Longer]) -> Range<usize> {
    let mut best = 0..0;
    let mut end = 0;
    for (start, first) in sorted.iter().enumerate() {
        while end < sorted.len() && 10 * sorted[end].longer_ns <= 11 * first.longer_ns {
            end += 1;
        }
        if end - start > best.len() {
            best = start..end;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Ns = 1_000;

    fn ns(number: usize) -> Ns {
        Ns::try_from(number).expect("small")
    }

    /// A launch of the kernel with a number.
    fn launch(kernel: usize, iteration: usize, start: Ns, ns: Ns) -> Launch {
        let key = (StrId::new(kernel), LaunchConfigId::new(0), DeviceId::new(0));
        Launch { key, iteration, span: Span { start, end: start + ns } }
    }

    /// Ten iterations in which each of some kernels runs three times; what a launch takes is said by kernel, iteration and place.
    fn program(kernels: usize, length: impl Fn(usize, usize, usize) -> Ns) -> Vec<Launch> {
        let mut start = 0;
        let mut launches = Vec::new();
        for iteration in 0..10 {
            for (kernel, place) in (0..kernels).flat_map(|kernel| (0..3).map(move |place| (kernel, place))) {
                let ns = length(kernel, iteration, place);
                launches.push(launch(kernel, iteration, start, ns));
                start += ns + US;
            }
        }
        launches
    }

    /// What a kernel takes alone.
    fn alone(kernel: usize) -> Ns {
        50 * US * ns(1 + kernel)
    }

    #[test]
    fn slices_inside_kernels_are_summed_up() {
        // Every fourth launch is interrupted, now and then twice.
        let interrupted =
            |kernel: usize, iteration: usize, place: usize| match (kernel + iteration + place) % 8 {
                0 => 2_800 * US,
                4 => 4_900 * US,
                _ => 0,
            };
        let launches =
            program(6, |kernel, iteration, place| alone(kernel) + interrupted(kernel, iteration, place));
        let expected: Ns =
            launches.iter().map(|one| one.span.length() - alone(one.key.0.position().expect("a text"))).sum();
        let found = longer(launches, 10);
        assert_eq!(total(found.iter().map(|one| one.longer_ns)), expected);
        assert!(usual(&found).is_some_and(|ns| ns == 2_800 * US || ns == 4_900 * US));
    }

    #[test]
    fn a_kernel_of_several_sizes_is_not_interrupted() {
        let launches = program(6, |kernel, _, place| alone(kernel) + 2_800 * US * ns(place));
        assert!(longer(launches, 10).is_empty());
    }

    /// A clock that falls makes each kernel longer by what it takes, and data that differ concern few kernels.
    #[test]
    fn clocks_and_data_are_no_other_work() {
        let slow = program(6, |kernel, iteration, _| 20 * alone(kernel) * if iteration < 5 { 1 } else { 4 });
        assert_eq!(usual(&longer(slow, 10)), None);
        let data = program(6, |kernel, iteration, _| {
            alone(kernel) + if kernel < 3 && iteration % 3 == 0 { 2_800 * US } else { 0 }
        });
        assert_eq!(usual(&longer(data, 10)), None);
        let uneven = program(6, |kernel, iteration, place| {
            let mixed = ((kernel * 31 + iteration) * 31 + place).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
            alone(kernel) + 250 * US * ns(mixed % 40)
        });
        assert_eq!(usual(&longer(uneven, 10)), None, "no two lengths have half of the launches");
    }

    #[test]
    fn without_iterations_launches_are_compared_with_the_shortest_of_all() {
        let launches: Vec<Launch> = (0..20)
            .map(|at| launch(0, 0, at * 10_000 * US, if at == 3 { 2_900 * US } else { 100 * US }))
            .collect();
        let found = longer(launches, 1);
        assert_eq!(found.iter().map(|one| one.longer_ns).collect::<Vec<_>>(), [2_800 * US]);
    }
}
