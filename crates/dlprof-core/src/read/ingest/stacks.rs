//! Table `SAMPLING_CALLCHAINS`: the stacks of CPU samples, a row for each frame.

use super::TableSource;
use super::columns::columns;
use super::row::Row;
use super::string_ids::NameReader;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::groups::Grouped;
use crate::base::ids::StrId;
use crate::columns::{Buffer, Memory, StringPool};
use crate::read::facts::{StackFrameFacts, StackFrameFactsBuilder, StackOffsets, StackOffsetsBuilder};
use rustc_hash::FxHashMap;

pub(super) const TABLE: &str = "SAMPLING_CALLCHAINS";

columns! {
    ID "id";
    SYMBOL "symbol";
    MODULE "module";
    STACK_DEPTH "stackDepth";
}

/// The table as read.
pub(super) struct RawStacks {
    /// The export's ids of samples.
    sample: Buffer<i64>,
    /// 0 is the innermost frame.
    depth: Buffer<u32>,
    pub(super) frames: StackFrameFactsBuilder,
    pub(super) extra: StringPool,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawStacks, Error> {
    let rows = source.rows(TABLE)?;
    let init = || {
        let stacks = RawStacks {
            sample: source.memory.buffer(rows),
            depth: source.memory.buffer(rows),
            frames: StackFrameFactsBuilder::new(source.memory, rows),
            extra: StringPool::default(),
            diagnostics: Diagnostics::default(),
        };
        (stacks, NameReader::new(source.names))
    };
    let (mut stacks, names) = source.fold(TABLE, COLUMNS, init, push)?;
    stacks.extra = names.into_extra();
    Ok(stacks)
}

fn push((stacks, names): &mut (RawStacks, NameReader<'_>), row: &Row<'_>) {
    let RawStacks { sample, depth, frames, diagnostics, .. } = stacks;
    let Some(id) = row.int(ID, diagnostics) else { return };
    sample.push(id);
    let level = row.int(STACK_DEPTH, diagnostics).unwrap_or(0);
    depth.push(u32::try_from(level).unwrap_or(u32::MAX));
    frames.symbol.push(names.cell(row, SYMBOL, diagnostics).unwrap_or(StrId::NONE));
    frames.module.push(names.cell(row, MODULE, diagnostics).unwrap_or(StrId::NONE));
}

impl RawStacks {
    /// The frames sample by sample, innermost first, and where those of each sample start. `samples` are the export's ids.
    pub(super) fn by_sample(self, memory: &Memory, samples: &[i64]) -> (StackOffsets, StackFrameFacts) {
        if samples.is_empty() {
            return <_>::default();
        }
        let places: FxHashMap<i64, usize> = samples.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let rows = u32::try_from(self.sample.len()).unwrap_or(u32::MAX);
        let sample_of = |row: u32| places.get(&self.sample[row as usize]).copied();
        let depth_of = |&row: &u32| self.depth[row as usize];
        let grouped = Grouped::sorted(memory, samples.len(), 0..rows, sample_of, depth_of);
        let mut offsets = StackOffsetsBuilder::new(memory, samples.len() + 1);
        offsets.offset.extend(grouped.offsets().iter().copied());
        let order = || grouped.items().iter().map(|&row| row as usize);
        let mut frames = StackFrameFactsBuilder::new(memory, grouped.items().len());
        frames.symbol.extend(order().map(|row| self.frames.symbol[row]));
        frames.module.extend(order().map(|row| self.frames.module[row]));
        (offsets.finish(), frames.finish())
    }
}
