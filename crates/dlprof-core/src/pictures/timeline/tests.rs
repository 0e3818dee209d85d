//! Timelines of drawn captures.

use super::{Lane, LaneItemClass, LaneKind, LaneOwner, Timeline};
use crate::capture::classified::Cause;
use crate::capture::names::ApiClass;
use crate::figures::profile::Profile;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;
use proptest::prelude::*;

/// Three steps of 100 ns. Each launches two kernels late, so that the GPU waits for the launch before and between them.
fn steps() -> Profile {
    let mut drawn = Drawn::new();
    for step in 0..3 {
        let start = 1000 + step * 100;
        drawn.range("step", start..start + 90).range("layer", start + 5..start + 60);
        drawn.launch(start + 10..start + 14, "gemm", start + 14..start + 30);
        drawn.launch(start + 50..start + 54, "ncclDevKernel_AllReduce", start + 54..start + 80);
    }
    profile(drawn)
}

fn profile(drawn: Drawn) -> Profile {
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile")
}

fn timeline(profile: &Profile, iteration: u32) -> Timeline {
    profile.timeline(iteration, usize::MAX).expect("an iteration")
}

fn lane(timeline: &Timeline, kind: LaneKind) -> &Lane {
    timeline.lanes.iter().find(|lane| lane.kind == kind).expect("a lane")
}

fn names<'a>(timeline: &'a Timeline, lane: &Lane) -> Vec<&'a str> {
    lane.name.iter().map(|&name| timeline.names[name as usize].as_str()).collect()
}

#[test]
fn threads_and_streams_are_lanes() {
    let profile = steps();
    let timeline = timeline(&profile, 2);
    assert_eq!((timeline.start_ns, timeline.length_ns), (1100, 100));
    let ranges = lane(&timeline, LaneKind::Ranges);
    assert_eq!(names(&timeline, ranges), ["step", "layer"]);
    assert_eq!((&ranges.start_ns[..], &ranges.depth[..]), (&[0, 5][..], &[0, 1][..]));
    assert!(matches!(ranges.owner, LaneOwner::Thread { pid: 1, .. }), "{:?}", ranges.owner);
    let calls = lane(&timeline, LaneKind::ApiCalls);
    assert_eq!(calls.class, [LaneItemClass::Call(ApiClass::Launch); 2]);
    let stream = lane(&timeline, LaneKind::Stream);
    assert_eq!(names(&timeline, stream), ["gemm", "ncclDevKernel_AllReduce"]);
    assert_eq!((&stream.start_ns[..], &stream.length_ns[..]), (&[14, 54][..], &[16, 26][..]));
    assert_eq!(stream.class, [LaneItemClass::Kernel, LaneItemClass::Communication]);
    let ops: Vec<&str> =
        stream.op.iter().map(|op| timeline.names[op.expect("an op") as usize].as_str()).collect();
    assert_eq!(ops, ["LAYER_1", "LAYER_1"]);
    let links: Vec<[usize; 4]> = timeline.links.iter().map(|&link| link.into()).collect();
    assert_eq!(links, [[1, 0, 3, 0], [1, 1, 3, 1]]);
}

#[test]
fn idle_time_has_its_cause() {
    let timeline = timeline(&steps(), 2);
    let idle = lane(&timeline, LaneKind::Idle);
    assert_eq!((&idle.start_ns[..], &idle.length_ns[..]), (&[0, 30, 80][..], &[14, 24, 20][..]));
    assert_eq!(idle.class[1], LaneItemClass::Idle(Cause::HostRange), "{:?}", names(&timeline, idle));
}

#[test]
fn an_unknown_iteration_has_none() {
    assert_eq!(steps().timeline(4, 10), None);
}

#[test]
fn the_longest_items_are_kept() {
    let profile = steps();
    let whole = timeline(&profile, 2);
    let total: usize = whole.lanes.iter().map(|lane| lane.start_ns.len()).sum();
    let part = profile.timeline(2, total / 2).expect("an iteration");
    let kept: usize = part.lanes.iter().map(|lane| lane.start_ns.len()).sum();
    assert_eq!(kept + usize::try_from(part.left_out).expect("few"), total);
    assert!(part.left_out > 0 && part.left_out_ns > 0);
    let stream = lane(&part, LaneKind::Stream);
    assert_eq!(names(&part, stream), ["ncclDevKernel_AllReduce"]);
    for link in &part.links {
        let (call, work) = (&part.lanes[link.call_lane], &part.lanes[link.work_lane]);
        assert!(call.start_ns[link.call] <= work.start_ns[link.work]);
    }
}

proptest! {
    /// Work and idle time of a GPU fill its iterations without overlap, and every item lies inside.
    #[test]
    fn work_and_idle_time_fill_an_iteration(lengths in prop::collection::vec((1i64..30, 1i64..40), 2..12)) {
        let mut drawn = Drawn::new();
        let mut now = 1000;
        for &(call, kernel) in &lengths {
            drawn.range("step", now..now + call + 50);
            drawn.launch(now + 1..now + 1 + call, "k", now + call + 1..now + call + 1 + kernel);
            now += call + 60;
        }
        let profile = profile(drawn);
        for iteration in 0..=profile.iterations.last_iteration() {
            let timeline = timeline(&profile, iteration);
            for lane in &timeline.lanes {
                let ends = lane.start_ns.iter().zip(&lane.length_ns).map(|(start, length)| start + length);
                prop_assert!(lane.start_ns.iter().all(|&start| start >= 0));
                prop_assert!(ends.max().is_none_or(|end| end <= timeline.length_ns));
            }
            let of_kind = |kind| timeline.lanes.iter().filter(move |lane| lane.kind == kind);
            if of_kind(LaneKind::Stream).count() > 0 {
                let sum = |kind| of_kind(kind).flat_map(|lane| &lane.length_ns).sum::<i64>();
                prop_assert_eq!(sum(LaneKind::Idle) + sum(LaneKind::Stream), timeline.length_ns);
            }
        }
    }
}
