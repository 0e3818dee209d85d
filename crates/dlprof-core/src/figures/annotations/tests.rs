//! Annotations of drawn captures.

use super::AnnotationStats;
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;
use proptest::prelude::*;

fn annotations(drawn: Drawn) -> Vec<AnnotationStats> {
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    let profile: Profile = index.profile(&RangeChoice::default()).expect("a profile");
    profile.annotations()
}

/// Name, GPU time with and without annotations inside.
fn times(rows: &[AnnotationStats]) -> Vec<(&str, Ns, Ns)> {
    rows.iter().map(|row| (row.name.as_str(), row.total.gpu_ns, row.own.gpu_ns)).collect()
}

/// A step whose backward pass another thread runs, while a third one loads data in ranges of its own.
fn with_backward_pass() -> Drawn {
    let mut drawn = Drawn::new();
    drawn.range("step", 0..100).range("forward", 5..30).range("backward", 35..80);
    drawn.launch(6..7, "a", 10..13).launch(85..86, "d", 90..91);
    drawn.thread();
    drawn.launch(40..41, "b", 42..46).launch(60..61, "c", 62..64).launch(110..111, "e", 112..120);
    drawn.thread();
    drawn.range("load", 0..100);
    drawn
}

#[test]
fn the_backward_pass_belongs_to_the_range_that_waits_for_it() {
    let rows = annotations(with_backward_pass());
    let expected = [("/step", 10, 1), ("/step/backward", 6, 6), ("/step/forward", 3, 3), ("/load", 0, 0)];
    assert_eq!(times(&rows), expected);
    assert_eq!((rows[0].executions, rows[0].cpu_ns, rows[0].total.pieces), (1, 100, 4));
}

#[test]
fn of_two_threads_inside_ranges_none_is_guessed() {
    let mut drawn = with_backward_pass();
    drawn.thread();
    drawn.range("other", 50..100).launch(70..71, "f", 72..74);
    let expected = [
        ("/step", 8, 1),
        ("/step/backward", 4, 4),
        ("/step/forward", 3, 3),
        ("/other", 2, 2),
        ("/load", 0, 0),
    ];
    assert_eq!(times(&annotations(drawn)), expected);
}

#[test]
fn ranges_that_cross_are_siblings() {
    let mut drawn = Drawn::new();
    drawn.range("a", 0..50).range("b", 30..90).launch(10..11, "k", 12..13).launch(40..41, "k", 42..44);
    drawn.launch(60..61, "k", 62..66).launch(95..96, "k", 97..99);
    assert_eq!(times(&annotations(drawn)), [("/b", 6, 6), ("/a", 1, 1)]);
}

/// A thread's ranges and launches, which may lie in any way.
type ThreadActs = (Vec<(Ns, Ns, usize)>, Vec<Ns>);

fn thread_acts() -> impl Strategy<Value = ThreadActs> {
    let ranges = prop::collection::vec((0..60_i64, 1..40_i64, 0..3_usize), 0..6);
    (ranges, prop::collection::vec(0..100_i64, 0..8))
}

proptest! {
    #[test]
    fn what_was_launched_in_ranges_adds_up(threads in prop::collection::vec(thread_acts(), 1..3)) {
        let mut drawn = Drawn::new();
        let mut inside: Ns = 0;
        for (at, (ranges, launches)) in threads.iter().enumerate() {
            if at > 0 {
                drawn.process();
            }
            for &(start, length, name) in ranges {
                drawn.range(["a", "b", "c"][name], start..start + length);
            }
            for (number, &start) in launches.iter().enumerate() {
                let length = Ns::try_from(number).expect("few launches") + 1;
                drawn.launch(start..start + 1, "k", start + 200..start + 200 + length);
                let is_open = |&&(from, lasts, _): &&(Ns, Ns, usize)| from <= start && start <= from + lasts;
                inside += ranges.iter().find(is_open).map_or(0, |_| length);
            }
        }
        let rows = annotations(drawn);
        prop_assert_eq!(rows.iter().map(|row| row.own.gpu_ns).sum::<Ns>(), inside);
        prop_assert!(rows.iter().all(|row| row.total.gpu_ns >= row.own.gpu_ns));
        let executions: u64 = rows.iter().map(|row| row.executions).sum();
        prop_assert_eq!(executions, threads.iter().map(|(ranges, _)| ranges.len() as u64).sum::<u64>());
    }
}
