//! Small tables about the capture: page faults of unified memory, names of counters, messages of nsys, names of threads.

use super::database::Database;
use super::string_ids::Names;
use super::{MPI_TABLES, OPENACC_TABLES, OPENMP_TABLES, ranges};
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::StrId;
use crate::base::time::Ns;
use crate::columns::long_text::LONGEST_TEXT;
use crate::read::facts::{CaptureNotes, MetricName, NsysMessage, PageFaults, global_ids};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

const CPU_FAULTS: &str = "CUDA_UM_CPU_PAGE_FAULT_EVENTS";
const GPU_FAULTS: &str = "CUDA_UM_GPU_PAGE_FAULT_EVENTS";

pub(super) fn read(database: &Database, diagnostics: &mut Diagnostics) -> Result<CaptureNotes, Error> {
    Ok(CaptureNotes {
        page_faults: page_faults(database, diagnostics)?,
        metric_names: metric_names(database, diagnostics)?,
        nsys_messages: nsys_messages(database, diagnostics)?,
        traced_ns: traced_ns(database, diagnostics)?,
        captured_ns: 0,
        nvtx_traced: nvtx_traced(database)?,
        ranges_left_out: None,
        also_traced: also_traced(database)?,
        command: command(database)?,
        tf32_warning: None,
        lacks_payloads: false,
    })
}

/// The words of the command that nsys launched.
fn command(database: &Database) -> Result<Vec<String>, Error> {
    let (mut program, mut arguments) = (None, BTreeMap::new());
    database.read("META_DATA_CAPTURE", &["name", "value"], |row| {
        let (Some(name), Some(value)) = (row.text(0), row.text(1)) else { return };
        match name.strip_prefix("PROCESS_0:") {
            Some("COMMAND") => program = Some(value),
            Some(name) => {
                let number = name.strip_prefix("ARGUMENT_").and_then(|number| number.parse::<u32>().ok());
                if let Some(number) = number {
                    arguments.insert(number, value);
                }
            }
            None => {}
        }
    })?;
    let Some(program) = program.filter(|program| !program.is_empty()) else { return Ok(Vec::new()) };
    let mut room = LONGEST_TEXT;
    let fits = |word: &String| {
        let is_room = room >= word.len();
        room = room.saturating_sub(word.len().max(1));
        is_room
    };
    Ok([program].into_iter().chain(arguments.into_values()).take_while(fits).collect())
}

/// Texts of messages that nsys writes only where it records NVTX ranges; old exports have them in table `StringIds` alone.
const OF_NVTX_TRACE: [&str; 2] =
    ["NVTX profiling started", "No NVTX events collected. Does the process use NVTX?"];

/// Whether messages of nsys say that it recorded NVTX ranges.
pub(super) fn says_nvtx_was_traced(names: &Names) -> bool {
    OF_NVTX_TRACE.iter().any(|text| names.has(text))
}

/// How nsys says how many events of NVTX it collected of a process.
const RANGES_COLLECTED: &str = "Number of NVTX events collected:";

/// How many events of NVTX nsys collected, as its messages say, where the export has no table of them.
pub(super) fn ranges_left_out(database: &Database, notes: &CaptureNotes, names: &Names) -> Option<u64> {
    if database.has_table(ranges::TABLE) {
        return None;
    }
    let count = |text: &str| {
        let number = text.strip_prefix(RANGES_COLLECTED)?.trim().trim_end_matches('.').replace(',', "");
        number.parse::<u64>().ok().filter(|&count| count > 0)
    };
    let in_messages: u64 = notes.nsys_messages.iter().filter_map(|message| count(&message.text)).sum();
    let collected = if in_messages > 0 { in_messages } else { names.texts().filter_map(count).sum() };
    (collected > 0).then_some(collected)
}

/// Whether the profiler was asked to record NVTX ranges, of any process; none if this table does not say, as before nsys 2023.
fn nvtx_traced(database: &Database) -> Result<Option<bool>, Error> {
    let mut traced = None;
    database.read("META_DATA_CAPTURE", &["name", "value"], |row| {
        if row.text(0).is_some_and(|name| name.ends_with("COLLECT_NVTX_TRACE")) {
            let asked = row.text(1).as_deref() == Some("true");
            traced = Some(traced.unwrap_or(false) || asked);
        }
    })?;
    Ok(traced)
}

/// Kinds of records of which the export has rows.
fn also_traced(database: &Database) -> Result<Vec<String>, Error> {
    let kinds: [(&str, &[&str]); 3] =
        [("mpi", &MPI_TABLES), ("openacc", &OPENACC_TABLES), ("openmp", &OPENMP_TABLES)];
    let mut traced = Vec::new();
    for (kind, tables) in kinds {
        for table in tables {
            if database.fold(table, &["start"], None, || false, |any: &mut bool, _| *any = true)? {
                traced.push(kind.to_owned());
                break;
            }
        }
    }
    Ok(traced)
}

/// Of several sessions the longest.
fn traced_ns(database: &Database, diagnostics: &mut Diagnostics) -> Result<Option<Ns>, Error> {
    let mut longest = None;
    database.read("ANALYSIS_DETAILS", &["duration"], |row| {
        let duration = row.int(0, diagnostics).filter(|&duration| duration > 0);
        longest = longest.max(duration);
    })?;
    Ok(longest)
}

fn page_faults(database: &Database, diagnostics: &mut Diagnostics) -> Result<PageFaults, Error> {
    let count = |table| database.fold(table, &["start"], None, || 0, |rows: &mut u64, _| *rows += 1);
    let counted = |table| database.has_table(table).then(|| count(table)).transpose();
    let mut faults =
        PageFaults { cpu_events: counted(CPU_FAULTS)?, gpu_events: counted(GPU_FAULTS)?, gpu_faults: 0 };
    database.read(GPU_FAULTS, &["numberOfPageFaults"], |row| {
        let number = row.int(0, diagnostics).and_then(|number| u64::try_from(number).ok());
        faults.gpu_faults = faults.gpu_faults.saturating_add(number.unwrap_or(0));
    })?;
    Ok(faults)
}

/// Of a metric that several GPUs have, the name is there several times; the first one counts.
fn metric_names(database: &Database, diagnostics: &mut Diagnostics) -> Result<Vec<MetricName>, Error> {
    let mut names = BTreeMap::new();
    database.read("TARGET_INFO_GPU_METRICS", &["metricId", "metricName"], |row| {
        if let (Some(metric), Some(name)) = (row.int(0, diagnostics), row.text(1)) {
            names.entry(metric).or_insert(name);
        }
    })?;
    Ok(names.into_iter().map(|(metric, name)| MetricName { metric, name }).collect())
}

fn nsys_messages(database: &Database, diagnostics: &mut Diagnostics) -> Result<Vec<NsysMessage>, Error> {
    let mut messages = Vec::new();
    database.read("DIAGNOSTIC_EVENT", &["severity", "text", "globalPid"], |row| {
        if let Some(text) = row.text(1) {
            let severity = row.int(0, diagnostics).unwrap_or(0);
            // Messages about no process have 0 in its place.
            let pid = row.plain_int(2).flatten().map(global_ids::pid).filter(|&pid| pid != 0);
            messages.push(NsysMessage { severity, text, pid });
        }
    })?;
    Ok(messages)
}

/// Names of threads by global thread id; of several names of a thread the last one.
pub(super) fn thread_names(
    database: &Database,
    names: &Names,
    diagnostics: &mut Diagnostics,
) -> Result<FxHashMap<i64, StrId>, Error> {
    let mut by_thread = FxHashMap::default();
    database.read("ThreadNames", &["globalTid", "nameId"], |row| {
        let (thread, name) = (row.int(0, diagnostics), row.int(1, diagnostics));
        if let (Some(thread), Some(name)) = (thread, name.and_then(|id| names.by_id(id))) {
            by_thread.insert(thread, name);
        }
    })?;
    Ok(by_thread)
}
