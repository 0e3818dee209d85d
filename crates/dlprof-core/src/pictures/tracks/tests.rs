//! Tracks of drawn captures.

use super::pieces::Pieces;
use super::{GpuUse, TrackLanes, TrackPiece, TrackWork, Tracks};
use crate::base::time::{Ns, Span};
use crate::figures::profile::Profile;
use crate::read::facts::WorkKind;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;
use proptest::prelude::*;

/// Four steps of 100 ns. The kernel of each step runs into the next one.
fn steps() -> Drawn {
    let mut drawn = Drawn::new();
    drawn.range("train", 900..1400);
    for step in 0..4 {
        let start = 1000 + step * 100;
        drawn.range("step", start..start + 90).range("layer", start + 5..start + 60);
        drawn.launch(start + 10..start + 14, "gemm", start + 50..start + 120);
    }
    drawn
}

fn profile(drawn: Drawn, range: &RangeChoice) -> Profile {
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(range).expect("a profile")
}

/// Kind, name, start and end of all pieces.
fn pieces(tracks: &Tracks<'_>) -> Vec<(&'static str, String, Ns, Ns)> {
    let said = |piece: TrackPiece| {
        (tracks.kind(&piece), tracks.name(&piece).into_owned(), piece.span.start, piece.span.end)
    };
    tracks.pieces().map(said).collect()
}

/// Host pieces are cut at the edges of the range; its kernels are whole, and no others are there.
#[test]
fn a_range_has_what_its_calls_launched() {
    let profile = profile(steps(), &RangeChoice::from(2..=3));
    let tracks = profile.tracks();
    let expected = [
        ("op", "train", 1100, 1300),
        ("iteration", "iteration 2", 1100, 1200),
        ("op", "step", 1100, 1190),
        ("op", "layer", 1105, 1160),
        ("api", "cudaLaunchKernel", 1110, 1114),
        ("kernel", "gemm", 1150, 1220),
        ("iteration", "iteration 3", 1200, 1300),
        ("op", "step", 1200, 1290),
        ("op", "layer", 1205, 1260),
        ("api", "cudaLaunchKernel", 1210, 1214),
        ("kernel", "gemm", 1250, 1320),
    ];
    let expected: Vec<_> =
        expected.map(|(kind, name, start, end)| (kind, name.to_owned(), start, end)).into();
    let mut found = pieces(&tracks);
    found.sort_by_key(|a| (a.2, std::cmp::Reverse(a.3)));
    assert_eq!(found, expected);
}

#[test]
fn work_knows_the_call_that_launched_it() {
    let profile = profile(steps(), &RangeChoice::from(2..=2));
    let tracks = profile.tracks();
    let work = tracks.pieces().find_map(|piece| match piece.what {
        TrackWork::Work { work, .. } => Some(work),
        _ => None,
    });
    let work = work.expect("a kernel");
    let (_, track, start) = tracks.launch_of(work).expect("its call");
    assert_eq!((tracks.tracks()[track].name.as_str(), start), ("thread", 1110));
    assert!(tracks.kernel_device(work).is_some());
}

/// Parts of time do not show: not where pieces are open over many of them, and not where many start at once.
#[test]
fn slabs_do_not_show() {
    let mut drawn = steps();
    (0..6).for_each(|_| {
        drawn.loose(WorkKind::Memset, "", 1130..1131);
    });
    let profile = profile(drawn, &RangeChoice::from(1..=3));
    let tracks = profile.tracks();
    let all: Vec<TrackPiece> = tracks.pieces().collect();
    assert!(all.len() > 20, "{all:?}");
    for most in [1, 2, 5] {
        let found: Vec<TrackPiece> = Pieces::in_slabs(&tracks, most).collect();
        assert_eq!(found, all, "{most} a slab");
    }
}

#[test]
fn gpu_use_counts_what_overlaps_once() {
    let profile = profile(steps(), &RangeChoice::from(2..=3));
    let tracks = profile.tracks();
    assert_eq!(profile.iterations.aggregated_span(), Span::new(1100, 1300));
    let mut gpu_use = GpuUse::new(&tracks);
    let device = crate::base::ids::DeviceId::new(0);
    for span in [Span::new(1000, 1110), Span::new(1105, 1120), Span::new(1118, 1119), Span::new(1290, 1400)] {
        gpu_use.add(device, span);
    }
    let mut busy = 0.0;
    let mut last = None;
    let read = gpu_use.readings(|reading| {
        busy += reading.value / 100.0;
        last = Some((reading.time, reading.value));
        Ok::<(), ()>(())
    });
    assert_eq!(read, Ok(()));
    assert!((busy - 30.0).abs() < 1e-9, "{busy} ns");
    assert_eq!(last, Some((1300, 0.0)));
}

proptest! {
    /// Of a thread: pieces of a lane lie in each other or follow each other. Of a stream: they follow each other.
    #[test]
    fn lanes_have_no_crossing_pieces(spans in prop::collection::vec((0i64..60, 0i64..30), 1..40)) {
        let profile = profile(steps(), &RangeChoice::from(2..=3));
        let tracks = profile.tracks();
        let work = tracks.pieces().find(|piece| matches!(piece.what, TrackWork::Work { .. })).expect("a kernel");
        let call = tracks.pieces().find(|piece| matches!(piece.what, TrackWork::ApiCall(_))).expect("a call");
        let mut spans: Vec<Span> = spans.into_iter().map(|(start, length)| Span::new(start, start + length)).collect();
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        for (of, is_nested) in [(work, false), (call, true)] {
            let mut lanes = TrackLanes::new(&tracks);
            let placed: Vec<(usize, Span)> =
                spans.iter().map(|&span| (lanes.place(&TrackPiece { span, ..of }), span)).collect();
            for (at, &(lane, span)) in placed.iter().enumerate() {
                for &(_, later) in placed[at + 1..].iter().filter(|later| later.0 == lane) {
                    let lies_in = is_nested && later.end <= span.end;
                    prop_assert!(later.start >= span.end || lies_in, "{:?} and {:?}", span, later);
                }
            }
            let last = placed.iter().map(|&(lane, _)| lane).max().unwrap_or(0);
            prop_assert!(last == 0 || spans.len() > 1);
        }
    }
}
