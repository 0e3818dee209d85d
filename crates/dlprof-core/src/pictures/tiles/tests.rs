//! Tiles of drawn captures.

use super::{CaptureLanes, ItemPlace, Tile, TileAddress};
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use crate::pictures::timeline::{LaneItemClass, LaneKind};
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

/// A microsecond, in which these captures are drawn.
const US: Ns = 1_000;

/// Steps of 100 µs. Each launches two kernels late, and copies while the second one runs.
fn steps(number: i64) -> Profile {
    let mut drawn = Drawn::new();
    for step in 0..number {
        let at = |from: Ns, to: Ns| (1_000 + step * 100 + from) * US..(1_000 + step * 100 + to) * US;
        drawn.range("step", at(0, 90)).range("layer", at(5, 60));
        drawn.launch(at(10, 14), "gemm", at(14, 30));
        drawn.launch(at(50, 54), "ncclDevKernel_AllReduce", at(54, 80));
        drawn.copy(at(60, 61), 64, at(62, 90));
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile")
}

fn tile(profile: &Profile, lanes: &CaptureLanes, level: u32, number: i64) -> Tile {
    let all: Vec<usize> = (0..lanes.heads().len()).collect();
    profile.tile(lanes, TileAddress { level, number }, &all).expect("a tile")
}

/// Number and time of the items of a kind that begin in tiles of a level.
fn sums(profile: &Profile, lanes: &CaptureLanes, level: u32, kind: LaneKind) -> (u64, Ns) {
    let heads = lanes.heads();
    let length = 512_i64 << level;
    let (first, last) = (lanes.span().start.div_euclid(length), lanes.span().end.div_euclid(length));
    let (mut count, mut time) = (0, 0);
    for number in first..=last {
        for row in tile(profile, lanes, level, number).rows {
            if heads[row.lane].kind != kind {
                continue;
            }
            for at in (0..row.start_ns.len()).filter(|&at| row.start_ns[at] >= 0) {
                count += u64::from(row.count.get(at).copied().unwrap_or(1));
                time += row.length_ns[at];
            }
        }
    }
    (count, time)
}

#[test]
fn tiles_of_every_level_have_the_same_sums() {
    let profile = steps(40);
    let lanes = CaptureLanes::new(&profile.capture);
    for (kind, expected) in [
        (LaneKind::Stream, (120, 40 * 70 * US)),
        (LaneKind::ApiCalls, (120, 40 * 9 * US)),
        (LaneKind::Ranges, (80, 40 * 145 * US)),
        (LaneKind::Idle, (79, (39 * 24 + 40 * 24) * US)),
    ] {
        for level in [3, 9, 13, 17, 22] {
            assert_eq!(sums(&profile, &lanes, level, kind), expected, "{kind:?} at level {level}");
        }
    }
}

#[test]
fn items_that_overlap_are_in_rows_of_their_own() {
    let profile = steps(3);
    let lanes = CaptureLanes::new(&profile.capture);
    let rows = |kind| lanes.heads().iter().find(|head| head.kind == kind).map(|head| head.rows);
    assert_eq!(
        (rows(LaneKind::Ranges), rows(LaneKind::ApiCalls), rows(LaneKind::Idle)),
        (Some(2), Some(1), Some(1))
    );
    assert_eq!(rows(LaneKind::Stream), Some(2));
}

#[test]
fn idle_time_has_its_cause_near_by_and_from_afar() {
    let mut drawn = Drawn::new();
    for step in 0..4 {
        let at = |from: Ns, to: Ns| (1_000 + step * 1_000 + from) * US..(1_000 + step * 1_000 + to) * US;
        drawn.range("step", at(0, 900));
        drawn.launch(at(10, 14), "gemm", at(14, 30));
        drawn.launch(at(400, 404), "gemm", at(404, 500)).launch(at(480, 484), "gemm", at(540, 600));
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let profile = index.profile(&RangeChoice::default()).expect("a profile");
    let lanes = CaptureLanes::new(&profile.capture);
    let idle = lanes.heads().iter().position(|head| head.kind == LaneKind::Idle).expect("a lane");
    // A tile of 1 ms, and one of 67 ms.
    let mut of_long_gap = Vec::new();
    for (level, number) in [(11, 1), (17, 0)] {
        let tile = profile.tile(&lanes, TileAddress { level, number }, &[idle]).expect("a tile");
        let row = &tile.rows[0];
        for at in 0..row.length_ns.len() {
            let class = tile.classes[row.class[at] as usize];
            let is_told = matches!(class, LaneItemClass::Idle(_));
            assert_eq!(
                is_told,
                row.length_ns[at] >= tile.bin_ns && row.count.get(at).is_none_or(|&count| count == 1)
            );
            if row.length_ns[at] == 374 * US {
                of_long_gap.push(class);
            }
        }
    }
    assert!(
        of_long_gap.len() > 1 && of_long_gap.windows(2).all(|pair| pair[0] == pair[1]),
        "{of_long_gap:?}"
    );
}

#[test]
fn there_is_no_tile_beyond_all_time() {
    let profile = steps(2);
    let lanes = CaptureLanes::new(&profile.capture);
    for (level, number) in [(63, 0), (64, 0), (400, 1), (40, i64::MAX), (54, 2)] {
        assert_eq!(profile.tile(&lanes, TileAddress { level, number }, &[0]), None);
    }
    let empty = profile.tile(&lanes, TileAddress { level: 0, number: -5 }, &[0, 7, 1_000]).expect("a tile");
    assert!(empty.rows.is_empty());
}

#[test]
fn an_item_knows_its_launch_and_its_op_across_iterations() {
    let mut drawn = Drawn::new();
    for step in 0..4 {
        let start = 1_000 + step * 100;
        drawn.range("step", start..start + 90).range("layer", start + 5..start + 60);
        // The work begins in the next iteration.
        drawn.launch(start + 10..start + 14, "gemm", start + 105..start + 130);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let profile = index.profile(&RangeChoice::default()).expect("a profile");
    let lanes = CaptureLanes::new(&profile.capture);
    let lane_of = |kind| lanes.heads().iter().position(|head| head.kind == kind).expect("a lane");
    let (stream, calls) = (lane_of(LaneKind::Stream), lane_of(LaneKind::ApiCalls));
    let place = |lane, item| ItemPlace { lane, row: 0, item };
    let kernel = profile.lane_item(&lanes, place(stream, 2)).expect("an item");
    assert_eq!((kernel.item.name.as_str(), kernel.item.start_ns, kernel.item.length_ns), ("gemm", 1_305, 25));
    let launch = kernel.launch.expect("a call");
    assert_eq!((launch.place, launch.start_ns), (place(calls, 2), 1_210));
    assert_eq!(kernel.op.map(|(_, name)| name).as_deref(), Some("/step/layer"));
    let call = profile.lane_item(&lanes, launch.place).expect("an item");
    assert_eq!(call.launched.iter().map(|item| item.place).collect::<Vec<_>>(), [place(stream, 2)]);
    let idle = profile.lane_item(&lanes, place(lane_of(LaneKind::Idle), 1)).expect("an item");
    assert_eq!(idle.ended_by.map(|item| item.place), Some(place(stream, 2)));
    assert_eq!(profile.lane_item(&lanes, place(stream, 99)), None);
    assert_eq!(profile.lane_item(&lanes, place(99, 0)), None);
}

#[test]
fn items_are_found_by_name_before_and_behind_a_time() {
    let profile = steps(40);
    let lanes = CaptureLanes::new(&profile.capture);
    let at = |step: i64, from: Ns| (1_000 + step * 100 + from) * US;
    let found = profile.find_items(&lanes, "GEMM", at(10, 14));
    let starts = |items: &[super::LaneItem]| items.iter().map(|item| item.start_ns).collect::<Vec<_>>();
    assert_eq!((found.count, found.before), (40, 10));
    assert_eq!(starts(&found.next), (10..40).map(|step| at(step, 14)).collect::<Vec<_>>());
    assert_eq!(starts(&found.previous), (0..10).map(|step| at(step, 14)).collect::<Vec<_>>());
    assert_eq!(profile.find_items(&lanes, "nothing of this name", 0).count, 0);
    assert_eq!(profile.find_items(&lanes, " ", 0).count, 0);
    let many = profile.find_items(&lanes, "e", at(20, 0));
    assert_eq!((many.previous.len(), many.next.len()), (100, 100));
    assert!(starts(&many.previous).is_sorted() && starts(&many.next).is_sorted());
    assert_eq!(many.count, many.before * 2);
}

#[test]
fn tiles_and_figures_asked_for_at_once_do_not_wait_for_each_other() {
    for _ in 0..12 {
        let profile = steps(60);
        let lanes = CaptureLanes::new(&profile.capture);
        let span = lanes.span();
        std::thread::scope(|scope| {
            for level in 10..16 {
                let (profile, lanes) = (&profile, &lanes);
                scope.spawn(move || tile(profile, lanes, level, 0));
                scope.spawn(move || profile.long_gaps().span.len());
                scope.spawn(move || profile.time_range(span).work.len());
            }
        });
    }
}
