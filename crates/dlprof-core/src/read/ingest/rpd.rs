//! From a database of rocmProfileData (`.rpd`) to [`Facts`]. Its numbers are of 64 bits: each session has a range of its own.

use super::columns::columns;
use super::database::Database;
use super::progress;
use super::row::Row;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::columns::Memory;
use crate::read::draft::{CallRow, Draft, Lane, NO_KEY, NOBODY, UNKNOWN_SIZE, WorkRow};
use crate::read::facts::{
    Device, Facts, LaunchConfig, RecordedSource, Recorder, RecorderKind, Vendor, WorkKind,
};
use crate::read::progress::{OnProgress, Progress};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

const API: &str = "rocpd_api";
const OP: &str = "rocpd_op";
const LINKS: &str = "rocpd_api_ops";

/// Whether a database is one of rocmProfileData.
pub(super) fn is_one(database: &Database) -> bool {
    database.has_table(API) && database.has_table(OP)
}

/// Reads a database.
pub(super) fn read(
    database: &Database,
    memory: &Memory,
    on_progress: Option<OnProgress<'_>>,
) -> Result<Facts, Error> {
    let progress = progress(database, [API, OP, LINKS], on_progress)?;
    let mut draft = Draft::new(memory);
    let said = Said::read(database)?;
    let processes = RefCell::new(Processes::default());
    let is_of_cuda = Cell::new(false);
    fill(database, &progress, API, API_COLUMNS, &mut draft, |draft, row| {
        api(&said, &processes, &is_of_cuda, draft, row);
    })?;
    // Work is of the process of its call; of the first one if none is known.
    let processes = processes.into_inner();
    fill(database, &progress, OP, OP_COLUMNS, &mut draft, |draft, row| op(&said, &processes, draft, row))?;
    draft.about.source = RecordedSource {
        path: database.path().into(),
        size_bytes: database.size_bytes(),
        schema_version: said.schema_version.clone(),
        ..RecordedSource::default()
    };
    let vendor = if is_of_cuda.get() { Vendor::Nvidia } else { Vendor::Amd };
    draft.about.recorder = Recorder { kind: RecorderKind::Rpd, vendor };
    draft.about.notes.nvtx_traced = said.has_markers.then_some(true);
    draft.finish(database.path())
}

/// Fills a draft with the rows of a table.
fn fill(
    database: &Database,
    progress: &Progress<'_>,
    table: &str,
    columns: &[&str],
    draft: &mut Draft<'_>,
    on_row: impl Fn(&mut Draft<'_>, &Row<'_>),
) -> Result<(), Error> {
    let mark = draft.mark();
    let draft = RefCell::new(draft);
    let init = || draft.borrow_mut().rewind(&mark);
    database.fold(table, columns, Some(progress), init, |(), row| on_row(&mut draft.borrow_mut(), row))
}

/// The processes that calls name, by their number.
#[derive(Default)]
struct Processes {
    by_pid: FxHashMap<i64, i64>,
    /// By call: its process, where there are several.
    by_call: FxHashMap<i64, i64>,
    first: i64,
}

impl Processes {
    /// The global id of the process of a call.
    fn add(&mut self, call: i64, pid: i64, draft: &mut Draft<'_>) -> i64 {
        let process = *self.by_pid.entry(pid).or_insert_with(|| draft.add_process(pid, None));
        if self.by_pid.len() == 1 {
            self.first = process;
        }
        if process != self.first {
            self.by_call.insert(call, process);
        }
        process
    }

    fn of_call(&self, call: Option<i64>) -> i64 {
        call.and_then(|call| self.by_call.get(&call)).copied().unwrap_or(self.first)
    }
}

/// What smaller tables say of calls and work.
struct Said {
    schema_version: String,
    strings: FxHashMap<i64, String>,
    /// Arguments of calls; since version 3 they have a table of their own.
    arguments: Option<FxHashMap<i64, String>>,
    /// By call: the text of the operator of PyTorch that it is.
    operators: FxHashMap<i64, String>,
    kernels: FxHashMap<i64, Launch>,
    /// By call: bytes.
    copies: FxHashMap<i64, u64>,
    call_of_op: FxHashMap<i64, i64>,
    /// Calls that take the number of work-items.
    by_work_items: FxHashSet<i64>,
    has_markers: bool,
}

/// What a launch says of its kernel.
#[derive(Clone, Copy)]
struct Launch {
    name: i64,
    grid: [i64; 3],
    block: [i64; 3],
    lds: Option<i64>,
}

impl Said {
    fn read(database: &Database) -> Result<Self, Error> {
        let strings = texts(database, "rocpd_string")?;
        let arguments = texts(database, "rocpd_ustring")?;
        let is_marker = |text: &String| text == "UserMarker";
        let mut said = Self {
            schema_version: String::new(),
            has_markers: strings.values().any(is_marker),
            arguments: database.has_table("rocpd_ustring").then_some(arguments),
            operators: FxHashMap::default(),
            kernels: kernels(database)?,
            copies: FxHashMap::default(),
            call_of_op: FxHashMap::default(),
            by_work_items: FxHashSet::default(),
            strings,
        };
        database.read("rocpd_metadata", &["tag", "value"], |row| {
            if row.text(0).is_some_and(|tag| tag == "schema_version") {
                said.schema_version = row.text(1).unwrap_or_default();
            }
        })?;
        let columns = ["api_ptr_id", "autogradName_id", "seq", "op_id", "sizes"];
        database.read("ext_autogradapi", &columns, |row| {
            let int = |column| row.int(column, &mut Diagnostics::default());
            let Some(name) = int(1).and_then(|name| said.strings.get(&name)) else { return };
            let text = operator(name, [int(2), int(3)], row.text_to_take_apart(4));
            said.operators.extend(int(0).map(|call| (call, text)));
        })?;
        database.read("rocpd_copyapi", &["api_ptr_id", "size"], |row| {
            let size = row.plain_int(1).flatten().and_then(|size| u64::try_from(size).ok());
            said.copies.extend(row.plain_int(0).flatten().zip(size));
        })?;
        database.read(LINKS, &["op_id", "api_id"], |row| {
            said.call_of_op.extend(row.plain_int(0).flatten().zip(row.plain_int(1).flatten()));
        })?;
        database.read(API, &["id", "apiName_id"], |row| {
            let name = row.plain_int(1).flatten().map_or("", |name| said.string(name));
            if name.contains("ExtModuleLaunch") {
                said.by_work_items.extend(row.plain_int(0).flatten());
            }
        })?;
        Ok(said)
    }

    fn string(&self, id: i64) -> &str {
        self.strings.get(&id).map_or("", String::as_str)
    }

    /// The text of a range.
    fn marker(&self, call: i64, arguments: i64) -> &str {
        let plain = || self.arguments.as_ref().unwrap_or(&self.strings).get(&arguments);
        self.operators.get(&call).or_else(plain).map_or("", String::as_str)
    }
}

/// An operator as `emit_nvtx` writes it.
fn operator(name: &str, [sequence, op]: [Option<i64>; 2], sizes: Option<Cow<'_, str>>) -> String {
    let number = |name: &str, value: Option<i64>| {
        value.filter(|&value| value >= 0).map_or_else(String::new, |value| format!(", {name} = {value}"))
    };
    let sizes = sizes.filter(|sizes| sizes.starts_with('['));
    let sizes = sizes.map_or_else(String::new, |sizes| format!(", sizes = {sizes}"));
    format!("{name}{}{}{sizes}", number("seq", sequence), number("op_id", op))
}

fn texts(database: &Database, table: &str) -> Result<FxHashMap<i64, String>, Error> {
    let mut texts = FxHashMap::default();
    database.read(table, &["id", "string"], |row| {
        texts.extend(row.plain_int(0).flatten().zip(row.text_to_take_apart(1).map(Cow::into_owned)));
    })?;
    Ok(texts)
}

fn kernels(database: &Database) -> Result<FxHashMap<i64, Launch>, Error> {
    columns! {
        CALL "api_ptr_id"; NAME "kernelName_id"; LDS "groupSegmentSize";
        GRID_X "gridX"; GRID_Y "gridY"; GRID_Z "gridZ";
        BLOCK_X "workgroupX"; BLOCK_Y "workgroupY"; BLOCK_Z "workgroupZ";
    }
    let mut kernels = FxHashMap::default();
    database.read("rocpd_kernelapi", COLUMNS, |row| {
        let int = |column| row.int(column, &mut Diagnostics::default());
        let Some(call) = int(CALL) else { return };
        let launch = Launch {
            name: int(NAME).unwrap_or(NO_KEY),
            grid: [GRID_X, GRID_Y, GRID_Z].map(|column| int(column).unwrap_or(1)),
            block: [BLOCK_X, BLOCK_Y, BLOCK_Z].map(|column| int(column).unwrap_or(1)),
            lds: int(LDS),
        };
        kernels.insert(call, launch);
    })?;
    Ok(kernels)
}

const API_COLUMNS: &[&str] = &["id", "pid", "tid", "start", "end", "apiName_id", "args_id"];

/// Whether a function is the tracer's own work.
fn is_of_tracer(function: &str) -> bool {
    ["hcc_activity_callback", "rpdflush"].contains(&function) || function.ends_with("::writeRows")
}

fn api(
    said: &Said,
    processes: &RefCell<Processes>,
    is_of_cuda: &Cell<bool>,
    draft: &mut Draft<'_>,
    row: &Row<'_>,
) {
    let diagnostics = draft.diagnostics();
    let Some(span) = row.span(3, 4, diagnostics) else { return };
    let [id, pid, tid, name, arguments] =
        [0, 1, 2, 5, 6].map(|column| row.int(column, diagnostics).unwrap_or(NO_KEY));
    let process = processes.borrow_mut().add(id, pid.max(0), draft);
    let thread = if tid == NO_KEY { NOBODY } else { draft.thread(process, tid) };
    let function = said.string(name);
    is_of_cuda.set(is_of_cuda.get() || Vendor::of_function(function) == Some(Vendor::Nvidia));
    if function == "UserMarker" {
        let (text, sequence) = draft.text(said.marker(id, arguments));
        draft.push_range(span, thread, text, sequence);
        return;
    }
    let is_of_tracer = is_of_tracer(function);
    if !is_of_tracer && Vendor::of_function(function).is_none() {
        // A function of the program that was marked by its name.
        draft.push_plain_range(span, thread, function);
        return;
    }
    let name = draft.name(function);
    match is_of_tracer {
        true => draft.push_overhead(span, thread, name),
        false => draft.push_call(CallRow { span, thread, name, key: id, parent: NO_KEY }),
    }
}

const OP_COLUMNS: &[&str] = &["id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"];

fn op(said: &Said, processes: &Processes, draft: &mut Draft<'_>, row: &Row<'_>) {
    let diagnostics = draft.diagnostics();
    let Some(span) = row.span(3, 4, diagnostics) else { return };
    let [id, gpu, queue, description, kind] =
        [0, 1, 2, 5, 6].map(|column| row.int(column, diagnostics).unwrap_or(NO_KEY));
    let (kind_name, call) = (said.string(kind), said.call_of_op.get(&id).copied());
    let (kind, copy_kind) = match kind_name {
        "CopyHostToDevice" => (WorkKind::Copy, 1),
        "CopyDeviceToHost" => (WorkKind::Copy, 2),
        "CopyDeviceToDevice" => (WorkKind::Copy, 8),
        name if name.starts_with("Copy") => (WorkKind::Copy, 0),
        "FillBuffer" => (WorkKind::Memset, 0),
        // `Task` is a kernel of a graph.
        _ => (WorkKind::Kernel, 0),
    };
    let device = draft.device((0, gpu), || Device { device_id: gpu.max(0), ..Device::default() });
    let launch = call.and_then(|call| said.kernels.get(&call)).copied();
    let own = Some(said.string(description)).filter(|name| !name.is_empty());
    let of_launch = launch.map(|launch| said.string(launch.name)).filter(|name| !name.is_empty());
    let is_task = kind_name == "Task";
    let name = if kind == WorkKind::Kernel { own.or(of_launch).unwrap_or(kind_name) } else { "" };
    let name = draft.name(name.strip_suffix(".kd").unwrap_or(name));
    let by_work_items = call.is_some_and(|call| said.by_work_items.contains(&call));
    // The many kernels of a graph are not told apart.
    let config = launch.filter(|_| !is_task && kind == WorkKind::Kernel);
    let config = config.map_or(NOBODY, |launch| draft.config(config_of(launch, by_work_items)));
    let process = processes.of_call(call);
    let lane = draft.lane(Lane { process, device, stream: queue, queue: NO_KEY });
    draft.push_work(WorkRow {
        call: call.unwrap_or(NO_KEY),
        name,
        config,
        bytes: call.and_then(|call| said.copies.get(&call)).copied().unwrap_or(UNKNOWN_SIZE),
        copy_kind,
        is_of_graph: is_task,
        ..WorkRow::new(kind, span, lane)
    });
}

/// The grid in workgroups.
fn config_of(launch: Launch, by_work_items: bool) -> LaunchConfig {
    let Launch { grid, block, lds, .. } = launch;
    let workgroups = |at: usize| match by_work_items {
        true => (grid[at].max(0) / block[at].max(1)).max(1),
        false => grid[at],
    };
    LaunchConfig {
        grid: std::array::from_fn(workgroups),
        block,
        dynamic_shared_bytes: lds,
        ..LaunchConfig::default()
    }
}
