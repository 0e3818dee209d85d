//! What is kept of a key node: the time line, and the sums of every block of iterations.
//!
//! ```text
//! sums         block 0 │ block 1 │ block 2 │ block 3 │ block 4
//! range              ╰e╯─────────┴─────────┴─────────╯e╯
//!              read and merged: blocks 1 to 3; summed up from the op calls of the capture: the edges
//! ```

use super::columns::{Stored, Writer};
use super::parts::{write_groups, write_json, write_some_texts};
use crate::aggregate::{Blocks, Counts, KernelNameSums, LastLaunch, RangeSums, Timeline};
use crate::ids::StrId;
use crate::iterate::{Candidate, KeyNode, Op};
use crate::time::Ns;
use crate::trace::Trace;
use arrow::error::ArrowError;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::Write;

/// Everything that is no long column.
#[derive(Serialize, Deserialize)]
pub(super) struct Rest<'a> {
    pub(super) counts: Counts,
    /// The last boundary.
    pub(super) end: Ns,
    pub(super) key_node: Cow<'a, Option<KeyNode>>,
    pub(super) candidates: Cow<'a, [Candidate]>,
    pub(super) ops: Cow<'a, [Op]>,
    /// GPUs of the machine.
    pub(super) gpus: usize,
    /// Iterations of a block.
    pub(super) block_length: u32,
}

/// Writes the time line, the blocks and their sums.
pub(super) fn write<W: Write>(
    trace: &Trace,
    timeline: &Timeline,
    blocks: &Blocks,
    of_blocks: &[RangeSums],
    columns: &mut Writer<W>,
) -> Result<(), ArrowError> {
    let iterations = &timeline.iterations;
    let rest = Rest {
        counts: timeline.counts,
        end: iterations.boundaries[iterations.boundaries.len() - 1],
        key_node: Cow::Borrowed(&iterations.key_node),
        candidates: Cow::Borrowed(&iterations.candidates),
        ops: Cow::Borrowed(&timeline.ops.ops),
        gpus: timeline.split.gpus,
        block_length: blocks.length(),
    };
    write_json("rest", &rest, columns)?;
    if let Some(key_node) = &iterations.key_node {
        columns.put("key_node.starts", key_node.starts.iter().copied())?;
        let starts = key_node.by_process.iter().map(|process| process.starts.iter().copied());
        write_lists("process.starts", starts, columns)?;
    }
    columns.put("iteration.state", iterations.states.iter().copied())?;
    columns.put("iteration.kernels", timeline.kernels.iter().copied())?;
    columns.put("iteration.resources", timeline.split.by_iteration.iter().copied())?;
    write_lists(
        "device.resources",
        timeline.split.by_device.iter().map(|device| device.iter().copied()),
        columns,
    )?;
    columns.put("process_iteration.kernels", timeline.process_iterations.iter().map(|row| row.kernels))?;
    columns.put("boundary.latest_end", timeline.covered.latest_end.iter().copied())?;
    columns.put("boundary.earliest_start", timeline.covered.earliest_start.iter().copied())?;
    columns.put("call.op", timeline.ops.of_call.iter().copied())?;
    write_groups("block.runs", blocks.runs(), columns)?;
    let texts = Texts::of(trace);
    columns.put("text.id", texts.ids())?;
    write_some_texts("text", texts.ids().map(|id| trace.strings.get(id)), columns)?;
    write_blocks(of_blocks, &texts, columns)
}

fn write_blocks<W: Write>(
    of_blocks: &[RangeSums],
    texts: &Texts,
    columns: &mut Writer<W>,
) -> Result<(), ArrowError> {
    write_lists("block.ops", of_blocks.iter().map(|sums| sums.ops.iter().copied()), columns)?;
    write_lists("block.groups", of_blocks.iter().map(|sums| sums.groups.iter().copied()), columns)?;
    let kernels = of_blocks.iter().map(|sums| {
        sums.kernels.iter().map(|row| KernelNameSums {
            name: texts.kept_id(row.name),
            last: LastLaunch { long_name: texts.kept_id(row.last.long_name), ..row.last },
            ..*row
        })
    });
    write_lists("block.kernels", kernels, columns)?;
    let apis = of_blocks.iter().map(|sums| sums.memory_apis.iter().map(|&name| texts.kept_id(name)));
    write_lists("block.memory_apis", apis, columns)?;
    columns.put("block.unnamed_memory", of_blocks.iter().map(|sums| sums.unnamed_memory))?;
    columns.put("block.totals", of_blocks.iter().map(|sums| sums.totals))
}

/// Writes lists as groups, without holding them.
fn write_lists<T: Stored, L: ExactSizeIterator<Item = T>, W: Write>(
    name: &str,
    lists: impl Iterator<Item = L> + Clone,
    columns: &mut Writer<W>,
) -> Result<(), ArrowError> {
    let ends = lists.clone().scan(0, |end, list| {
        *end += list.len();
        Some(u32::try_from(*end).unwrap_or(u32::MAX))
    });
    columns.put(&format!("{name}.offsets"), [0].into_iter().chain(ends))?;
    columns.put(name, lists.flatten())
}

/// The texts that name kernels and API functions; the others of a capture need not be read again.
struct Texts {
    /// By text of the capture: its kept id.
    kept: Vec<StrId>,
}

impl Texts {
    fn of(trace: &Trace) -> Self {
        let mut kept = vec![StrId::NONE; trace.strings.len()];
        let work = &trace.gpu_work;
        for name in work.short_name.iter().chain(&work.long_name).chain(&trace.api_calls.name) {
            if let Some(kept) = kept.get_mut(name.index()) {
                *kept = *name;
            }
        }
        // In the same order, so that what is sorted by id stays sorted.
        for (at, name) in kept.iter_mut().filter(|name| !name.is_none()).enumerate() {
            *name = StrId::new(at);
        }
        Self { kept }
    }

    fn kept_id(&self, name: StrId) -> StrId {
        self.kept.get(name.index()).copied().unwrap_or(StrId::NONE)
    }

    /// The kept texts by their ids in the capture.
    fn ids(&self) -> impl Iterator<Item = StrId> + Clone {
        let kept = self.kept.iter().enumerate().filter(|(_, kept)| !kept.is_none());
        kept.map(|(id, _)| StrId::new(id))
    }
}
