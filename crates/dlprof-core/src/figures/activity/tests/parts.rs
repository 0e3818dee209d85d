//! Figures of parts of windows, of first kernels and of long gaps, against slow versions.

use super::scene::{DEVICES, Kind, Scene, small_thresholds};
use super::slow::{scenes, windows};
use super::slow_idle::holds;
use crate::base::ids::DeviceId;
use crate::base::time::{Ns, Span};
use crate::capture::classified::{
    Activity, Attribution, Cause, Classified, attributions, is_own, joins_none,
};
use crate::capture::{HostZones, WorkZones};
use crate::figures::activity::waiting::waiting_times_by;
use crate::figures::activity::{
    LONG_GAP_NS, exposed_pageable_ns, gpu_figures, gpu_figures_near, gpu_times, idle_around_boundaries_ns,
    launches, longest_gaps, look_near, median_start_delay, start_delay, wait_costs,
};
use proptest::prelude::*;
use std::sync::Arc;

fn covers(scene: &Scene, device: usize, time: Ns, test: impl Fn(Kind, Span) -> bool) -> bool {
    let of_device = scene.items.iter().filter(|item| item.device == device && holds(item.span, time));
    of_device.into_iter().any(|item| test(item.kind, item.span))
}

/// Times a scene and windows by a factor, so that gaps are long.
fn stretched(scene: &Scene, windows: &[Span], factor: Ns) -> (Scene, Vec<Span>) {
    let stretch = |span: &mut Span| *span = Span::new(span.start * factor, span.end * factor);
    let (mut scene, mut windows) = (scene.clone(), windows.to_vec());
    scene.items.iter_mut().for_each(|item| stretch(&mut item.span));
    let tables = [&mut scene.calls, &mut scene.ranges, &mut scene.nccl, &mut scene.mpi, &mut scene.os_calls];
    tables.into_iter().flatten().for_each(|row| stretch(&mut row.span));
    scene.overheads.iter_mut().for_each(|(row, _)| stretch(&mut row.span));
    windows.iter_mut().for_each(stretch);
    (scene, windows)
}

/// When the rows of a scene are.
fn zones_of(activity: &Activity<'_>) -> HostZones {
    HostZones {
        api_calls: WorkZones::new(&activity.api_calls.span),
        op_calls: WorkZones::new(&[]),
        ranges: Arc::new(
            activity.ranges.by_thread.iter().map(|ranges| WorkZones::new(&ranges.span)).collect(),
        ),
        mpi: WorkZones::new(&activity.host.mpi.span),
        os_calls: WorkZones::new(activity.host.os_calls.as_ref().map_or(&[], |calls| &calls.span)),
        overheads: WorkZones::new(&activity.host.overheads.span),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn exposed_copies_are_those_of_every_nanosecond(scene in scenes(), start in -5i64..60, length in 1i64..70) {
        let (settings, span) = (small_thresholds(), Span::new(start, start + length));
        let found = scene.with(&settings, |facts| exposed_pageable_ns(facts, span, |_| true));
        let is_counted = |kind, own: Span| kind == Kind::Copy && holds(span, own.start);
        let is_exposed = |&(device, time): &(usize, Ns)| {
            covers(&scene, device, time, is_counted) && !covers(&scene, device, time, |kind, _| kind < Kind::Copy)
        };
        let all = (0..DEVICES).flat_map(|device| (-10..150).map(move |time| (device, time)));
        prop_assert_eq!(found, Ns::try_from(all.filter(is_exposed).count()).expect("few"));
    }

    #[test]
    fn idle_edges_are_those_of_every_nanosecond(scene in scenes(), windows in windows()) {
        // A twentieth of a window is a nanosecond or more then.
        let (scene, windows) = stretched(&scene, &windows, 20);
        let settings = small_thresholds();
        let used = |device: usize| scene.items.iter().any(|item| item.device == device);
        let used: Vec<bool> = (0..DEVICES).map(used).collect();
        let found = scene.with(&settings, |facts| idle_around_boundaries_ns(facts, &windows, &used));
        let edges: Vec<Span> = windows.iter().flat_map(|window| {
            let part = window.length() / 20;
            [Span::new(window.start, window.start + part), Span::new(window.end - part, window.end)]
        }).collect();
        let end = edges.last().map_or(0, |edge| edge.end);
        let is_idle = |device: usize, time: Ns| !covers(&scene, device, time, |_, _| true);
        let expected: usize = (0..DEVICES)
            .filter(|&device| scene.items.iter().any(|item| item.device == device && item.span.start < end))
            .map(|device| {
                let idle = |edge: &Span| (edge.start..edge.end).filter(|&time| is_idle(device, time)).count();
                edges.iter().map(idle).sum::<usize>()
            })
            .sum();
        prop_assert_eq!(found, Ns::try_from(expected).expect("few"));
    }

    #[test]
    fn the_median_delay_is_that_of_all_launches(scene in scenes(), start in -5i64..60, length in 1i64..70, most in 1usize..6) {
        let (settings, span) = (small_thresholds(), Span::new(start, start + length));
        let (found, launches) =
            scene.with(&settings, |facts| (median_start_delay(facts, span, most), launches(facts)));
        let mut kernels: Vec<usize> = (0..launches.len()).filter(|&at| holds(span, scene.items[at].span.start)).collect();
        kernels.sort_by_key(|&at| (scene.items[at].span, at));
        let delays = kernels.into_iter().filter_map(|at| Some(launches[at]?.start_delay_ns));
        let mut delays: Vec<Ns> = delays.take(most).collect();
        delays.sort_unstable();
        prop_assert_eq!(found, delays.get(delays.len() / 2).copied());
    }

    #[test]
    fn waits_need_only_the_items_near_their_windows(scene in scenes(), windows in windows()) {
        let settings = small_thresholds();
        let [near, all] = [true, false]
            .map(|is_part| scene.with(&settings, |facts| waiting_times_by(facts, &windows, is_part)));
        prop_assert_eq!(near, all);
    }

    #[test]
    fn long_gaps_have_the_cause_of_their_greatest_part(scene in scenes(), windows in windows()) {
        let (scene, mut windows) = stretched(&scene, &windows, 20_000);
        // They follow each other.
        (1..windows.len()).for_each(|at| windows[at].start = windows[at - 1].end);
        let settings = small_thresholds();
        let whole = Span::new(windows[0].start, windows[windows.len() - 1].end);
        let gaps = scene.with(&settings, |facts| gpu_figures(facts, &windows).gaps);
        let found = gaps.inside(whole, LONG_GAP_NS);
        for gap in &found {
            let times = scene.with(&settings, |facts| gpu_times(facts, &[gap.span]));
            let idle = times.at(gap.device.index(), 0).idle;
            prop_assert_eq!(idle.longest_gap_ns, gap.span.length());
            let most = Cause::ALL.into_iter().map(|cause| idle.of(cause)).max();
            let first = Cause::ALL.into_iter().find(|&cause| Some(idle.of(cause)) == most);
            prop_assert_eq!(Some(gap.cause), first);
        }
        let times = scene.with(&settings, |facts| gpu_times(facts, &[whole]));
        for device in 0..DEVICES {
            let longest = times.at(device, 0).idle.longest_gap_ns;
            let is_longest = |gap: &&crate::figures::activity::LongGap| gap.device.index() == device;
            let longest_found = found.iter().filter(is_longest).map(|gap| gap.span.length()).max().unwrap_or(0);
            // The longest part of a gap may be of one that reaches out of the windows.
            prop_assert!(longest_found <= longest);
        }
        prop_assert!(found.is_sorted_by_key(|gap| (gap.span.start, gap.device)));
    }

    #[test]
    fn the_longest_gaps_are_found(scene in scenes(), start in -5i64..60, length in 1i64..70, most in 1usize..4) {
        let (settings, span) = (small_thresholds(), Span::new(start, start + length));
        let all = scene.with(&settings, |facts| longest_gaps(facts, span, usize::MAX));
        let times = scene.with(&settings, |facts| gpu_times(facts, &[span]));
        for device in 0..DEVICES {
            let mut lengths = all.iter().filter(|gap| gap.device.index() == device).map(|gap| gap.span.length());
            prop_assert_eq!(lengths.next().unwrap_or(0), times.at(device, 0).idle.longest_gap_ns);
        }
        let few = scene.with(&settings, |facts| longest_gaps(facts, span, most));
        prop_assert_eq!(&few[..], &all[..most.min(all.len())]);
    }

    #[test]
    fn facts_near_a_span_tell_what_all_tell(
        scene in scenes(),
        start in -5i64..60,
        lengths in prop::collection::vec(1i64..20, 1..4),
    ) {
        let settings = small_thresholds();
        let mut windows = Vec::new();
        let mut end = start;
        for length in lengths {
            windows.push(Span::new(end, end + length));
            end += length;
        }
        let used: Vec<DeviceId> = (0..DEVICES)
            .filter(|&device| scene.items.iter().any(|item| item.device == device))
            .map(DeviceId::new)
            .collect();
        let (all, near) = scene.with(&settings, |facts| {
            let zones = zones_of(facts.activity());
            (gpu_figures(facts, &windows), gpu_figures_near(facts, &zones, &used, &windows))
        });
        for device in used {
            prop_assert!(all.times.of_device(device.index()).eq(near.times.of_device(device.index())));
        }
        let of_all = 0..windows.len();
        prop_assert_eq!(all.ranges.of_windows(of_all.clone()), near.ranges.of_windows(of_all));
    }

    #[test]
    fn waits_cost_near_a_span_what_they_cost_among_all(scene in scenes(), start in -5i64..60, length in 1i64..30) {
        let (settings, span) = (small_thresholds(), Span::new(start, start + length));
        let is_used = |&device: &usize| scene.items.iter().any(|item| item.device == device);
        let used: Vec<DeviceId> = (0..DEVICES).filter(is_used).map(DeviceId::new).collect();
        let costs = |facts: &Classified<'_>| wait_costs(facts, &[span], &[], span);
        let (all, near) = scene.with(&settings, |facts| {
            (costs(facts), look_near(facts, &zones_of(facts.activity()), &used, span, costs))
        });
        prop_assert_eq!(all, near);
    }

    #[test]
    fn single_kernels_have_the_delay_and_attribution_that_all_have(scene in scenes()) {
        let settings = small_thresholds();
        scene.with(&settings, |facts| {
            let (activity, zones) = (facts.activity(), zones_of(facts.activity()));
            let (launches, attributions) = (launches(facts), attributions(facts));
            for (kernel, launch) in launches.iter().enumerate() {
                assert_eq!(start_delay(activity, kernel), launch.map(|launch| launch.start_delay_ns));
                let call = activity.launches.api[kernel].some().map(|call| activity.repeated_calls.counted(call));
                let own = call.is_some_and(|call| is_own(activity, &zones.ranges, call));
                let attribution = attributions.get(kernel);
                assert_eq!(own, attribution == Attribution::Own);
                let joins_none = call.is_some_and(|call| joins_none(activity, &zones.ranges, call));
                assert!(!joins_none || attribution == Attribution::None, "{attribution:?}");
            }
        });
    }
}
