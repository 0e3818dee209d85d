//! Windows in time on real captures: what is outside is gone, and nothing that follows is surprised.

use crate::windows::files;
use dlprof_core::{
    Capture, DefaultRange, KeyNodeChoice, Ns, RangeChoice, ReadOptions, Span, TimeCut, TimeLimit,
};
use dlprof_generate::corpus::folder;

fn inside(spans: &[Span], window: Span) -> (usize, Ns) {
    let touching = spans
        .iter()
        .filter(|span| span.start < window.end && (span.end > window.start || span.start >= window.start));
    touching.fold((0, 0), |(count, ns), span| (count + 1, ns + span.clip(window).length()))
}

fn whole(spans: &[Span]) -> (usize, Ns) {
    (spans.len(), spans.iter().map(|span| span.length()).sum())
}

#[test]
fn the_middle_half_of_every_capture() {
    let Some(corpus) = folder() else { return };
    for file in files(&corpus) {
        let Ok(uncut) = Capture::read(&file, &ReadOptions::default()) else { continue };
        if uncut.description.dlprof.is_some() {
            continue;
        }
        let lists = |capture: &Capture| -> Vec<Vec<Span>> {
            let ranges = capture.ranges.by_thread.iter().chain([&capture.ranges.without_thread]);
            let os_calls = capture.host.os_calls.as_ref().map_or(Vec::new(), |calls| calls.span.to_vec());
            let own = [capture.work.span.to_vec(), capture.api_calls.span.to_vec(), os_calls];
            own.into_iter().chain([ranges.flat_map(|list| list.span.to_vec()).collect()]).collect()
        };
        let before = lists(&uncut);
        let all = before.iter().flatten();
        let (first, last) = (all.clone().map(|span| span.start).min(), all.map(|span| span.end).max());
        let (Some(first), Some(last)) = (first.map(|first| first.max(0)), last) else { continue };
        let quarter = (last - first) / 4;
        let window = Span::new(first + quarter, last - quarter);
        let limit = |ns| Some(TimeLimit::At(ns));
        let cut = TimeCut { from: limit(window.start), to: limit(window.end) };
        let options = ReadOptions { cut, ..ReadOptions::default() };
        let capture =
            Capture::read(&file, &options).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for (before, after) in before.iter().zip(lists(&capture)) {
            assert_eq!(whole(&after), inside(before, window), "{}", file.display());
        }
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        let range = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
        let profile = dlprof_core::Judged::from(index.profile(&range).expect("a profile"));
        let boundaries = &profile.iterations.boundaries;
        assert!(boundaries.is_sorted(), "{}", file.display());
        assert!(boundaries[0] >= window.start, "{}: {boundaries:?}", file.display());
        assert!(*boundaries.last().expect("an end") <= window.end, "{}: {boundaries:?}", file.display());
        for table in dlprof_core::TABLES {
            let _rows = (table.build)(&profile).rows();
        }
    }
}
