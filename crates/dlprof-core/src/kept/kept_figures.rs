//! The figures of all iterations as files.

use super::folder::{FolderWriter, KeptFolder};
use super::manifest::Manifest;
use super::{FIGURES, KeptExport};
use crate::base::reach::Reach;
use crate::columns::{FactTable, TableDeclaration};
use crate::figures::activity::{
    GpuFigures, GpuTimeRows, GpuTimes, GpuWindowRows, IdleRanges, LaunchCount, LongGaps, WindowCallRows,
};
use crate::figures::profile::{IterationFigures, KnownFigures};
use crate::steps::index::{Index, IndexContents};
use crate::steps::iterate::KeyNodeChoice;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// All declarations, which define the layout of the files.
pub(super) const DECLARATIONS: &[TableDeclaration] = &[
    GpuTimeRows::DECLARATION,
    GpuWindowRows::DECLARATION,
    WindowCallRows::DECLARATION,
    LongGaps::DECLARATION,
    IdleRanges::DECLARATION,
];

/// The small data of figures.
#[derive(Serialize, Deserialize)]
struct Rest {
    gpus: Vec<Reach>,
    blocking: [u64; 2],
}

/// What figures belong to: what their index belongs to, and what they depend on besides.
type Label = (String, String);

fn label_of(folder: &Path) -> Option<Label> {
    serde_json::from_str(&Manifest::read(folder)?.label).ok()
}

impl KeptExport {
    /// The figures of iterations that are kept of an index; none if none are kept, or what is kept is damaged.
    #[must_use]
    pub fn kept_figures(&self, index: &Index, key_node: &KeyNodeChoice) -> KnownFigures {
        self.read_figures(index, key_node).map(KnownFigures::from).unwrap_or_default()
    }

    fn read_figures(&self, index: &Index, key_node: &KeyNodeChoice) -> Option<IterationFigures> {
        let (identity, index_label) = self.index_label(key_node)?;
        let place = self.cache.place(identity, FIGURES);
        let (of_index, key) = label_of(&place).filter(|(of_index, _)| *of_index == index_label)?;
        let label = serde_json::to_string(&(of_index, &key)).ok()?;
        index.capture.pool.install(|| {
            let folder = KeptFolder::open(&place, &label, self.cache.trusted_from, &index.capture.memory)?;
            let figures = read(&folder, &key, index)?;
            folder.is_still_there().then_some(figures)
        })
    }

    /// Keeps the figures of iterations that a profile of the index found last, unless they are kept already. If they cannot be
    /// kept, they are worked out again next time.
    pub fn keep_figures(&self, figures: &KnownFigures, key_node: &KeyNodeChoice) {
        let Some((figures, (identity, of_index))) = figures.last().zip(self.index_label(key_node)) else {
            return;
        };
        let label = (of_index, figures.key.clone());
        if label_of(&self.cache.place(identity, FIGURES)).is_none_or(|kept| kept != label) {
            let content = |folder: &mut FolderWriter| write(figures, folder);
            let label = serde_json::to_string(&label).unwrap_or_default();
            drop(self.cache.write(identity, FIGURES, label, content));
        }
    }
}

fn write(figures: &IterationFigures, folder: &mut FolderWriter) -> io::Result<()> {
    let (rows, lengths, gpus) = figures.gpus.times.parts();
    folder.table(&GpuTimeRows { time: rows.clone() })?;
    folder.table(&GpuWindowRows { length: lengths.clone() })?;
    folder.table(&WindowCallRows { calls: figures.calls.clone() })?;
    folder.table(&figures.gpus.gaps)?;
    folder.table(&figures.gpus.ranges)?;
    let count = |count: LaunchCount| [count.found, count.of];
    folder.description(&Rest { gpus: gpus.to_vec(), blocking: count(figures.blocking) })
}

/// Maps figures; none if the files do not fit the index.
fn read(folder: &KeptFolder, key: &str, index: &IndexContents) -> Option<IterationFigures> {
    let rest: Rest = folder.description()?;
    let rows: GpuTimeRows = folder.table()?;
    let windows: GpuWindowRows = folder.table()?;
    let calls: WindowCallRows = folder.table()?;
    let gaps: LongGaps = folder.table()?;
    let ranges: IdleRanges = folder.table()?;
    let iterations = index.iterations.total() as usize;
    let (devices, texts) = (index.capture.devices.len(), index.capture.strings.len());
    let fits = rest.gpus.len() == devices
        && windows.length.len() == iterations
        && calls.calls.len() == iterations
        && gaps.fits(&index.capture)
        && ranges.fits(iterations, devices, texts);
    let count = |[found, of]: [u64; 2]| LaunchCount { found, of };
    let memory = &index.capture.memory;
    let times = GpuTimes::from_rows(memory, rows.time, windows.length, rest.gpus).filter(|_| fits)?;
    Some(IterationFigures {
        key: key.to_owned(),
        gpus: GpuFigures { times, gaps, ranges },
        calls: calls.calls,
        blocking: count(rest.blocking),
    })
}
