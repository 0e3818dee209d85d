//! Work in a row that becomes one piece.

use super::dropped::{drop_work, scaled};
use super::graph::{ArcKind, Change, Node};
use super::model::Model;
use super::nodes::Nodes;

/// Of chosen work in a row each so many pieces become their first one, which takes so much of the time of all of them, and no less
/// than it takes alone.
pub(super) fn fuse(model: &Model, change: &mut Change<'_>, meant: &[usize], most: usize, times: f64) {
    let nodes = Nodes::of(&model.window);
    let mut dropped = Vec::new();
    for row in rows(model, meant) {
        for chunk in row.chunks(most) {
            if let [first, others @ ..] = chunk
                && !others.is_empty()
            {
                let ends: Vec<Node> = others.iter().map(|&at| nodes.work_end(at)).collect();
                change.join(nodes.work_end(*first), &ends, ArcKind::Duration, |own, others| {
                    scaled(own.saturating_add(others), times).max(own)
                });
                dropped.extend(others);
            }
        }
    }
    drop_work(model, change, &dropped);
}

/// Chosen work that follows one another on a stream in an iteration.
fn rows(model: &Model, meant: &[usize]) -> Vec<Vec<usize>> {
    let window = &model.window;
    let mut is_meant = vec![false; window.work.len()];
    meant.iter().for_each(|&at| is_meant[at] = true);
    let step = |at: usize| window.step_of(window.launching(at).span.start);
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for stream in &window.streams {
        let mut before: Option<usize> = None;
        for at in stream.work.iter().map(|&at| at as usize) {
            match (is_meant[at], before, rows.last_mut()) {
                (true, Some(before), Some(row)) if step(before) == step(at) => row.push(at),
                (true, ..) => rows.push(vec![at]),
                (false, ..) => {}
            }
            before = Some(at).filter(|&at| is_meant[at]);
        }
    }
    rows
}
