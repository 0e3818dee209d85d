//! A capture as files.

use super::folder::{FolderWriter, KeptFolder};
use crate::base::groups::Grouped;
use crate::base::ids::WorkId;
use crate::capture::classified::order::Orders;
use crate::capture::graph_captures::GraphCaptures;
use crate::capture::{
    CallRoles, CaptureContents, CaptureDescription, JudgedKernels, Launches, OpCalls, Waits, WorkZones,
};
use crate::columns::{FactTable, Memory, TableDeclaration, Texts, table};
use crate::read::facts::{
    AboutRecording, AllocatorFacts, ApiCallFacts, CollectiveFacts, CopyFacts, CpuSampleFacts, GraphNodeFacts,
    HostFacts, KernelFacts, MemoryEventFacts, MetricSampleFacts, MpiCallFacts, OsCallFacts, OverheadFacts,
    PythonFrameFacts, RangeFacts, RangeText, RecordedTables, RepeatedCalls, StackFrameFacts, StackOffsets,
    SwitchFacts, SyncFacts, ThreadRangeFacts, TransferFacts, UnsizedTransfers, WorkFacts,
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
    ApiCallFacts::DECLARATION,
    RepeatedCalls::DECLARATION,
    SyncFacts::DECLARATION,
    WorkFacts::DECLARATION,
    KernelFacts::DECLARATION,
    CopyFacts::DECLARATION,
    TransferFacts::DECLARATION,
    UnsizedTransfers::DECLARATION,
    CollectiveFacts::DECLARATION,
    GraphNodeFacts::DECLARATION,
    ThreadRangeFacts::DECLARATION,
    MpiCallFacts::DECLARATION,
    OsCallFacts::DECLARATION,
    OverheadFacts::DECLARATION,
    CpuSampleFacts::DECLARATION,
    StackOffsets::DECLARATION,
    StackFrameFacts::DECLARATION,
    SwitchFacts::DECLARATION,
    PythonFrameFacts::DECLARATION,
    MemoryEventFacts::DECLARATION,
    AllocatorFacts::DECLARATION,
    MetricSampleFacts::DECLARATION,
    CallRoles::DECLARATION,
    Waits::DECLARATION,
    Launches::DECLARATION,
    WorkZones::DECLARATION,
    JudgedKernels::DECLARATION,
    OpCalls::DECLARATION,
    WorkOfCalls::DECLARATION,
    WorkOffsets::DECLARATION,
];

/// The small data of a capture.
#[derive(Serialize, Deserialize)]
struct Rest<'a> {
    about: Cow<'a, AboutRecording>,
    description: Cow<'a, CaptureDescription>,
    range_texts: Cow<'a, [RangeText]>,
}

/// Writes a capture.
pub(super) fn write(capture: &CaptureContents, folder: &mut FolderWriter) -> io::Result<()> {
    folder.tables(STRINGS, [&capture.strings])?;
    folder.tables(NAMES, [&capture.names])?;
    write_recorded(&capture.recorded, folder)?;
    folder.table(&capture.call_roles)?;
    folder.table(&capture.waits)?;
    folder.table(&capture.launches)?;
    folder.table(&capture.work_zones)?;
    folder.table(&capture.judged)?;
    folder.table(&capture.op_calls)?;
    folder.table(&WorkOfCalls { work: capture.work_by_call.items().clone() })?;
    folder.table(&WorkOffsets { offset: capture.work_by_call.offsets().clone() })?;
    folder.description(&Rest {
        about: Cow::Borrowed(&capture.recorded.about),
        description: Cow::Borrowed(&capture.description),
        range_texts: Cow::Borrowed(&capture.ranges.texts),
    })
}

/// Writes the tables as they were read.
fn write_recorded(recorded: &RecordedTables, folder: &mut FolderWriter) -> io::Result<()> {
    folder.table(&recorded.api_calls)?;
    folder.table(&recorded.repeated_calls)?;
    folder.table(&recorded.syncs)?;
    folder.table(&recorded.work)?;
    folder.table(&recorded.kernels)?;
    folder.table(&recorded.copies)?;
    folder.table(&recorded.transfers)?;
    folder.table(&recorded.unsized_transfers)?;
    folder.table(&recorded.collectives)?;
    folder.table(&recorded.graph_nodes)?;
    let ranges = &recorded.ranges;
    let lists = ranges.by_thread.iter().chain([&ranges.without_thread]);
    folder.tables(ThreadRangeFacts::DECLARATION.name, lists)?;
    write_host(&recorded.host, folder)?;
    folder.table(&recorded.memory_events)?;
    folder.table(&recorded.allocator)?;
    folder.table(&recorded.metric_samples)
}

/// Maps what [`write_recorded`] wrote.
fn read_recorded(
    folder: &KeptFolder,
    about: AboutRecording,
    range_texts: Arc<[RangeText]>,
) -> Option<RecordedTables> {
    let mut by_thread: Vec<ThreadRangeFacts> = folder.tables(ThreadRangeFacts::DECLARATION.name)?;
    let without_thread = by_thread.pop()?;
    Some(RecordedTables {
        about,
        api_calls: folder.table()?,
        repeated_calls: folder.table()?,
        syncs: folder.table()?,
        work: folder.table()?,
        kernels: folder.table()?,
        copies: folder.table()?,
        transfers: folder.table()?,
        unsized_transfers: folder.table()?,
        collectives: folder.table()?,
        graph_nodes: folder.table()?,
        ranges: RangeFacts { texts: range_texts, by_thread, without_thread },
        host: read_host(folder)?,
        memory_events: folder.table()?,
        allocator: folder.table()?,
        metric_samples: folder.table()?,
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
    folder.table(&host.switches)?;
    folder.table(&host.python)
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
        python: folder.table()?,
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
    let mut about = rest.about.into_owned();
    about.source.path = export.into();
    let recorded = read_recorded(folder, about, rest.range_texts.into())?;
    let (work_of_calls, offsets): (WorkOfCalls, WorkOffsets) = (folder.table()?, folder.table()?);
    let contents = CaptureContents {
        recorded,
        description: rest.description.into_owned(),
        strings: folder.tables(STRINGS)?.pop()?,
        names: folder.tables(NAMES)?.pop()?,
        call_roles: folder.table()?,
        waits: folder.table()?,
        launches: folder.table()?,
        work_zones: folder.table()?,
        judged: folder.table()?,
        op_calls: folder.table()?,
        work_by_call: Grouped::from_columns(offsets.offset, work_of_calls.work)?,
        records: None,
        memory,
        pool,
        host_zones: OnceLock::new(),
        range_zones: OnceLock::new(),
        orders: Orders::default(),
        counters: None,
        graph_captures: GraphCaptures::default(),
    };
    fits(&contents).then_some(contents)
}

/// Whether tables about the same rows have as many.
fn fits(capture: &CaptureContents) -> bool {
    capture.work_zones.fits(capture.work.len())
        && capture.launches.api.len() == capture.work.len()
        && capture.judged.tensor_cores.len() == capture.kernels.len()
        && capture.call_roles.kind.len() == capture.api_calls.len()
        && capture.call_roles.fate.len() == capture.api_calls.len()
        && capture.waits.api.len() == capture.syncs.kind.len()
}
