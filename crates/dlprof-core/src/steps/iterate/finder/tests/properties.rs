//! What must hold for every capture.

use super::super::{FoundIterations, tile};
use super::drawing::{Drawing, done};
use crate::base::time::Span;
use proptest::prelude::*;

/// What a thread does next.
#[derive(Debug, Clone)]
enum Act {
    Kernel(usize),
    CopyOut,
    Graph,
    Wait(i64),
    Range(usize, Vec<Act>),
    Repeat(usize, Vec<Act>),
}

const NAMES: [&str; 8] = ["step", "train", "warmup", "eval", "layer", "a", "aten::mm, seq = 7", "batch 3"];

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let leaf = prop_oneof![
        4 => (0..4_usize).prop_map(Act::Kernel),
        1 => Just(Act::CopyOut),
        1 => Just(Act::Graph),
        1 => (0..300_i64).prop_map(Act::Wait),
    ];
    let act = leaf.prop_recursive(4, 40, 6, |inner| {
        let list = prop::collection::vec(inner, 0..6);
        prop_oneof![
            (0..NAMES.len(), list.clone()).prop_map(|(name, acts)| Act::Range(name, acts)),
            (2..6_usize, list).prop_map(|(times, acts)| Act::Repeat(times, acts)),
        ]
    });
    prop::collection::vec(act, 0..8)
}

fn draw(d: &mut Drawing, acts: &[Act]) {
    for act in acts {
        match act {
            Act::Kernel(name) => done(d.kernel(["gemm", "relu", "norm", "ncclAllReduce"][*name], 20)),
            Act::CopyOut => done(d.copy_out(3)),
            Act::Graph => done(d.graph(50)),
            Act::Wait(us) => done(d.wait(*us)),
            Act::Range(name, acts) => done(d.range(NAMES[*name], |d| draw(d, acts))),
            Act::Repeat(times, acts) => (0..*times).for_each(|_| draw(d, acts)),
        }
    }
}

fn found(acts: &[Act], processes: usize) -> FoundIterations {
    let mut d = Drawing::new();
    draw(&mut d, acts);
    for process in 1..processes {
        let thread = d.new_thread(process);
        draw(d.at_start_on(thread), acts);
    }
    d.find()
}

proptest! {
    #[test]
    fn iterations_follow_each_other(acts in acts(), processes in 1..3_usize) {
        let found = found(&acts, processes);
        prop_assert_eq!(&found, &self::found(&acts, processes), "same capture, same answer");
        for candidate in &found.candidates {
            for measure in [candidate.steadiness, candidate.coverage, candidate.regularity, candidate.score] {
                prop_assert!((0.0..=1.0).contains(&measure), "{:?}", candidate);
            }
            prop_assert!(candidate.executions >= 3);
        }
        let Some(delimiter) = &found.delimiter else { return Ok(()) };
        prop_assert!(delimiter.by_process[0].iterations.len() >= 3);
        prop_assert_eq!(&delimiter.name, &found.candidates[0].name, "the chosen one stands first");
        for process in &delimiter.by_process {
            let iterations: &[Span] = &process.iterations;
            prop_assert!(iterations.windows(2).all(|pair| pair[0].end <= pair[1].start));
            let end = iterations.last().map_or(0, |last| last.end) + 10;
            let pieces = tile(iterations, Span::new(0, end));
            prop_assert_eq!((pieces[0].span.start, pieces[pieces.len() - 1].span.end), (0, end));
            prop_assert!(pieces.windows(2).all(|pair| pair[0].span.end == pair[1].span.start));
            let count = pieces.iter().filter(|piece| piece.is_iteration).count();
            prop_assert_eq!(count, iterations.len());
        }
    }
}
