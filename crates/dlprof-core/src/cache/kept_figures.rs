//! The figures of all iterations as files.

use super::folder::{FolderWriter, KeptFolder};
use super::{FIGURES, KeptExport};
use crate::activity::{GpuTimeRows, GpuTimes, LaunchCount, LongGaps, WindowCallRows};
use crate::columns::{FactTable, TableDeclaration};
use crate::index::{FigureKeeper, IndexContents, IterationFigures};
use serde::{Deserialize, Serialize};
use std::io;

/// All declarations, which define the layout of the files.
pub(super) const DECLARATIONS: &[TableDeclaration] =
    &[GpuTimeRows::DECLARATION, WindowCallRows::DECLARATION, LongGaps::DECLARATION];

/// Where the figures of an index are kept.
#[derive(Debug, Clone)]
pub(super) struct FiguresPlace {
    export: KeptExport,
    /// What the index belongs to.
    index_label: String,
}

/// The small data of figures.
#[derive(Serialize, Deserialize)]
struct Rest {
    used: Vec<bool>,
    blocking: [u64; 2],
    without_work: [u64; 2],
}

impl FiguresPlace {
    pub(super) fn new(export: KeptExport, index_label: String) -> Self {
        Self { export, index_label }
    }

    fn label(&self, key: &str) -> String {
        serde_json::to_string(&(&self.index_label, key)).unwrap_or_default()
    }
}

impl FigureKeeper for FiguresPlace {
    fn read(&self, key: &str, index: &IndexContents) -> Option<IterationFigures> {
        let cache = &self.export.cache;
        let place = cache.place(self.export.identity.as_ref()?, FIGURES);
        index.capture.pool.install(|| {
            let memory = &index.capture.memory;
            let folder = KeptFolder::open(&place, &self.label(key), cache.trusted_from, memory)?;
            let figures = read(&folder, key, index)?;
            folder.is_still_there().then_some(figures)
        })
    }

    fn write(&self, figures: &IterationFigures) {
        let Some(identity) = &self.export.identity else { return };
        let content = |folder: &mut FolderWriter| write(figures, folder);
        drop(self.export.cache.write(identity, FIGURES, self.label(&figures.key), content));
    }
}

fn write(figures: &IterationFigures, folder: &mut FolderWriter) -> io::Result<()> {
    folder.table(&GpuTimeRows { time: figures.gpu_times.rows().clone() })?;
    folder.table(&WindowCallRows { calls: figures.calls.clone() })?;
    folder.table(&figures.gaps)?;
    let count = |count: LaunchCount| [count.found, count.of];
    folder.description(&Rest {
        used: figures.gpu_times.used().to_vec(),
        blocking: count(figures.blocking),
        without_work: count(figures.without_work),
    })
}

/// Maps figures; none if the files do not fit the index.
fn read(folder: &KeptFolder, key: &str, index: &IndexContents) -> Option<IterationFigures> {
    let rest: Rest = folder.description()?;
    let rows: GpuTimeRows = folder.table()?;
    let calls: WindowCallRows = folder.table()?;
    let gaps: LongGaps = folder.table()?;
    let windows = index.iterations.total() as usize;
    let fits = rest.used.len() == index.capture.devices.len()
        && calls.calls.len() == windows
        && gaps.fits(&index.capture);
    let count = |[found, of]: [u64; 2]| LaunchCount { found, of };
    let gpu_times = GpuTimes::from_rows(rows.time, windows, rest.used).filter(|_| fits)?;
    Some(IterationFigures {
        key: key.to_owned(),
        gpu_times,
        calls: calls.calls,
        gaps,
        blocking: count(rest.blocking),
        without_work: count(rest.without_work),
    })
}
