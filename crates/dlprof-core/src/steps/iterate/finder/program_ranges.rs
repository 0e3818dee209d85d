//! The ranges of the program by the ranges around them, as the finder sees them: without operators of frameworks.

use super::delimiter_names::Leaves;
use super::input::RangeSays;
use super::paths::Paths;
use crate::base::ids::{self, ThreadId};
use crate::base::op_path::{DEEPEST, LONGEST_PATH, part_of};
use crate::base::time::Span;
use crate::read::facts::RecordedTables;

/// The ranges of the program.
pub(crate) struct ProgramRanges {
    /// By path: its names, each after a `/`, and the path around it, which comes before it.
    pub paths: Vec<(String, Option<usize>)>,
    /// By thread: when its ranges ran, and the path of each, in nesting order.
    pub of_thread: Vec<Vec<(Span, usize)>>,
}

/// Finds the ranges of the program. What is deeper than paths go belongs to the last one that counts.
pub(crate) fn program_ranges(texts: &[RangeSays<'_>], recorded: &RecordedTables) -> ProgramRanges {
    let leaves = Leaves::new(texts);
    let found = Paths::new(recorded, &leaves);
    let mut paths: Vec<(String, Option<usize>)> = Vec::new();
    let mut counted: Vec<usize> = Vec::with_capacity(found.leaf.len());
    for (path, &leaf) in found.leaf.iter().enumerate() {
        let parent = found.parent(path).map(|parent| counted[parent]);
        let around = parent.map_or("", |parent| paths[parent].0.as_str());
        let is_too_deep = found.depth[path] as usize >= DEEPEST || around.len() >= LONGEST_PATH;
        if let Some(parent) = parent.filter(|_| is_too_deep) {
            counted.push(parent);
            continue;
        }
        let name = format!("{around}/{}", part_of(leaves.name[leaf as usize]));
        counted.push(paths.len());
        paths.push((name, parent));
    }
    let of_thread = |thread: ThreadId| {
        let executions = found.of_thread(thread).iter();
        executions.map(|execution| (execution.span, counted[execution.path as usize])).collect()
    };
    let threads = ids::all::<ThreadId>(recorded.ranges.by_thread.len());
    ProgramRanges { paths, of_thread: threads.map(of_thread).collect() }
}
