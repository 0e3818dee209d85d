//! A capture as files.

use super::folder::{FolderWriter, KeptFolder};
use crate::base::groups::Grouped;
use crate::base::ids::WorkId;
use crate::capture::{
    ApiCalls, Capture, CaptureContents, Copies, Description, Kernels, OpCalls, Ranges, Syncs, ThreadRanges,
    Work, WorkZones,
};
use crate::columns::{FactTable, Memory, TableDeclaration, Texts, table};
use crate::read::facts::{
    CpuSampleFacts, HostFacts, MemoryEventFacts, MetricSampleFacts, MpiCallFacts, OsCallFacts, OverheadFacts,
    RangeText, RepeatedCalls, StackFrameFacts, StackOffsets, SwitchFacts, TransferFacts,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

table! {
    /// GPU work by op call, in order of start.
    "work_of_calls" WorkOfCalls built by WorkOfCallsBuilder, by () {
        /// The piece of work.
        work: WorkId, "";
    }
}

table! {
    /// Where the work of each op call starts in `work_of_calls`, and where the work of the last call ends.
    "work_offsets" WorkOffsets built by WorkOffsetsBuilder, by () {
        /// The row.
        offset: u32, "";
    }
}

/// Names of the files of texts.
const STRINGS: &str = "strings";
const NAMES: &str = "names";

/// All declarations, which define the layout of the files.
pub(super) const DECLARATIONS: &[TableDeclaration] = &[
    Texts::DECLARATION,
    ApiCalls::DECLARATION,
    RepeatedCalls::DECLARATION,
    Syncs::DECLARATION,
    Work::DECLARATION,
    WorkZones::DECLARATION,
    Kernels::DECLARATION,
    Copies::DECLARATION,
    TransferFacts::DECLARATION,
    OpCalls::DECLARATION,
    ThreadRanges::DECLARATION,
    MpiCallFacts::DECLARATION,
    OsCallFacts::DECLARATION,
    OverheadFacts::DECLARATION,
    CpuSampleFacts::DECLARATION,
    StackOffsets::DECLARATION,
    StackFrameFacts::DECLARATION,
    SwitchFacts::DECLARATION,
    MemoryEventFacts::DECLARATION,
    MetricSampleFacts::DECLARATION,
    WorkOfCalls::DECLARATION,
    WorkOffsets::DECLARATION,
];

/// The small data of a capture.
#[derive(Serialize, Deserialize)]
struct Rest<'a> {
    description: Cow<'a, Description>,
    range_texts: Cow<'a, [RangeText]>,
}

/// Writes a capture.
pub(super) fn write(capture: &Capture, folder: &mut FolderWriter) -> io::Result<()> {
    folder.tables(STRINGS, [&capture.strings])?;
    folder.tables(NAMES, [&capture.names])?;
    folder.table(&capture.api_calls)?;
    folder.table(&capture.repeated_calls)?;
    folder.table(&capture.waits)?;
    folder.table(&capture.work)?;
    folder.table(&capture.work_zones)?;
    folder.table(&capture.kernels)?;
    folder.table(&capture.copies)?;
    folder.table(&capture.transfers)?;
    folder.table(&capture.op_calls)?;
    folder.table(&WorkOfCalls { work: capture.work_by_call.items().clone() })?;
    folder.table(&WorkOffsets { offset: capture.work_by_call.offsets().clone() })?;
    let ranges = &capture.ranges;
    folder.tables(ThreadRanges::DECLARATION.name, ranges.by_thread.iter().chain([&ranges.without_thread]))?;
    write_host(&capture.host, folder)?;
    folder.table(&capture.memory_events)?;
    folder.table(&capture.metric_samples)?;
    folder.description(&Rest {
        description: Cow::Borrowed(&capture.description),
        range_texts: Cow::Borrowed(&ranges.texts),
    })
}

/// Writes what CPU threads did besides CUDA API calls and NVTX ranges.
fn write_host(host: &HostFacts, folder: &mut FolderWriter) -> io::Result<()> {
    folder.table(&host.mpi)?;
    folder.tables(OsCallFacts::DECLARATION.name, &host.os_calls)?;
    folder.table(&host.overheads)?;
    folder.table(&host.samples)?;
    folder.table(&host.stack_offsets)?;
    folder.table(&host.stack_frames)?;
    folder.table(&host.switches)
}

/// Maps what [`write_host`] wrote.
fn read_host(folder: &KeptFolder) -> Option<HostFacts> {
    Some(HostFacts {
        mpi: folder.table()?,
        os_calls: folder.tables(OsCallFacts::DECLARATION.name)?.pop(),
        overheads: folder.table()?,
        samples: folder.table()?,
        stack_offsets: folder.table()?,
        stack_frames: folder.table()?,
        switches: folder.table()?,
    })
}

/// Maps a capture; none if its files are damaged.
pub(super) fn read(
    folder: &KeptFolder,
    export: &Path,
    memory: Memory,
    pool: Arc<rayon::ThreadPool>,
) -> Option<CaptureContents> {
    let rest: Rest<'_> = folder.description()?;
    let mut description = rest.description.into_owned();
    description.source.path = export.into();
    let mut by_thread: Vec<ThreadRanges> = folder.tables(ThreadRanges::DECLARATION.name)?;
    let without_thread = by_thread.pop()?;
    let (work_of_calls, offsets): (WorkOfCalls, WorkOffsets) = (folder.table()?, folder.table()?);
    let work: Work = folder.table()?;
    let work_zones: WorkZones = folder.table()?;
    if !work_zones.fits(work.span.len()) {
        return None;
    }
    Some(CaptureContents {
        description,
        strings: folder.tables(STRINGS)?.pop()?,
        names: folder.tables(NAMES)?.pop()?,
        api_calls: folder.table()?,
        repeated_calls: folder.table()?,
        waits: folder.table()?,
        work,
        work_zones,
        kernels: folder.table()?,
        copies: folder.table()?,
        transfers: folder.table()?,
        op_calls: folder.table()?,
        work_by_call: Grouped::from_columns(offsets.offset, work_of_calls.work)?,
        ranges: Ranges { texts: rest.range_texts.into(), by_thread, without_thread },
        host: read_host(folder)?,
        memory_events: folder.table()?,
        metric_samples: folder.table()?,
        records: None,
        memory,
        pool,
        host_zones: OnceLock::new(),
    })
}
