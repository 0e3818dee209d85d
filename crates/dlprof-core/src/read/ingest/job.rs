//! What an export says about the job that it is a part of. It is read for jobs alone, beside the analysis of the capture, so that
//! single captures do not pay for it.

use super::RowReader;
use super::cell::Cell;
use super::columns::columns;
use super::database::Database;
use super::payload::{self, Payload, Schemas};
use super::ranges::TABLE;
use super::row::Row;
use super::string_ids::Names;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::{Ns, Span};
use crate::read::facts::global_ids::process_of;
use crate::read::facts::{Exchange, ExchangeText, JobFacts};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::path::Path;

/// Ranks of MPI.
const MPI_RANKS: &str = "MPI_RANKS";

/// Variables that hold the rank of a process, the most telling first, then those that hold the number of processes.
pub(crate) const RANK_VARIABLES: [&str; 9] = [
    "RANK",
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "PALS_RANKID",
    "MV2_COMM_WORLD_RANK",
    "JSM_NAMESPACE_RANK",
    "FLUX_TASK_RANK",
    "SLURM_PROCID",
];

/// Variables that hold the number of processes.
pub(crate) const WORLD_VARIABLES: [&str; 4] =
    ["WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"];

/// Reads what an export says about its job. Times are from the start of the capture, which begins `shift_ns` after the zero of
/// the export.
///
/// # Errors
/// If the file is not a readable SQLite database, or changes while it is read.
pub(crate) fn read(path: &Path, shift_ns: Ns) -> Result<JobFacts, Error> {
    let database = Database::open(path, RowReader::Auto)?;
    database.finish(read_tables(&database, shift_ns))
}

fn read_tables(database: &Database, shift_ns: Ns) -> Result<JobFacts, Error> {
    let diagnostics = &mut Diagnostics::default();
    let names = Names::read(database, diagnostics)?;
    let schemas = Schemas::read(database, diagnostics)?;
    let has = |column| database.has_table(TABLE) && database.has_column(TABLE, column);
    let has_payloads = has("binaryData") || has("jsonText");
    let mut facts = JobFacts {
        host: value(database, "TARGET_INFO_SYSTEM_ENV", "Hostname")?.unwrap_or_default(),
        session: value(database, "META_DATA_CAPTURE", "PROFILING_SESSION_UUID")?,
        report: value(database, "META_DATA_EXPORT", "EXPORT_PARAM_INPUT_FILE")?.unwrap_or_default(),
        environment: environment(database)?,
        ..JobFacts::default()
    };
    database.read(MPI_RANKS, &["globalTid", "rank"], |row| {
        if let (Some(thread), Some(rank)) = (row.int(0, diagnostics), row.int(1, diagnostics)) {
            facts.mpi_ranks.push((process_of(thread), rank));
        }
    })?;
    database.read("ThreadNames", &["nameId", "globalTid"], |row| {
        let name = row.int(0, diagnostics).and_then(|name| names.text_of(name));
        if let (Some(name), Some(thread)) =
            (name.filter(|name| begins_with_nccl(name)), row.int(1, diagnostics))
        {
            facts.nccl_threads.push((thread, name.to_owned()));
        }
    })?;
    if has_payloads || !schemas.is_empty() {
        let exchanges = exchanges(database, &names, &schemas, shift_ns)?;
        let is_bare = exchanges.iter().all(|one| one.communicator.is_none());
        facts.lacks_payloads = !schemas.is_empty() && !exchanges.is_empty() && is_bare;
        facts.exchanges = if has_payloads { exchanges } else { Vec::new() };
    }
    Ok(facts)
}

/// The first value of a name in a table of names and values.
fn value(database: &Database, table: &str, name: &str) -> Result<Option<String>, Error> {
    let mut found = None;
    database.read(table, &["name", "value"], |row| {
        if found.is_none() && row.text(0).as_deref() == Some(name) {
            found = row.text(1).filter(|text| !text.is_empty());
        }
    })?;
    Ok(found)
}

/// The variables of the first process that tell rank or size of a job: `NAME="VALUE"`.
fn environment(database: &Database) -> Result<Vec<(String, String)>, Error> {
    let mut variables = Vec::new();
    database.read("META_DATA_CAPTURE", &["name", "value"], |row| {
        if !row.text(0).is_some_and(|name| name.ends_with(":ENVIRONMENT_VARIABLE")) {
            return;
        }
        let Some(variable) = row.text(1) else { return };
        let Some((name, value)) = variable.split_once('=') else { return };
        if RANK_VARIABLES.contains(&name) || WORLD_VARIABLES.contains(&name) {
            variables.push((name.to_owned(), value.trim_matches('"').to_owned()));
        }
    })?;
    Ok(variables)
}

columns! {
    START "start";
    END "end";
    EVENT_TYPE "eventType";
    TEXT "text";
    TEXT_ID "textId";
    GLOBAL_TID "globalTid";
    DOMAIN_ID "domainId";
    BINARY "binaryData";
    JSON "jsonText";
}

/// `eventType` of a push/pop range, a start/end range and the creation of a domain.
const PUSH_POP: i64 = 59;
const START_END: i64 = 60;
const DOMAIN_CREATE: i64 = 75;

#[derive(Default)]
struct Reading {
    /// Each with its domain and whether its text names NCCL.
    exchanges: Vec<(Exchange, i64, bool)>,
    /// By process and number: whether a domain is NCCL's.
    domains: FxHashMap<(i64, i64), bool>,
    diagnostics: Diagnostics,
}

/// Ranges of NCCL, with what was recorded beside them.
fn exchanges(
    database: &Database,
    names: &Names,
    schemas: &Schemas,
    shift_ns: Ns,
) -> Result<Vec<Exchange>, Error> {
    let push = |reading: &mut Reading, row: &Row<'_>| reading.push(row, names, schemas, shift_ns);
    let Reading { exchanges, domains, .. } = database.fold(TABLE, COLUMNS, None, Reading::default, push)?;
    let is_nccl = |(exchange, domain, is_named): &(Exchange, i64, bool)| {
        *is_named || domains.get(&(process_of(exchange.global_tid), *domain)).is_some_and(|&is| is)
    };
    let mut exchanges: Vec<Exchange> =
        exchanges.into_iter().filter(is_nccl).map(|(exchange, ..)| exchange).collect();
    exchanges.sort_by_key(|one| (one.global_tid, one.span.start, Reverse(one.span.end)));
    Ok(exchanges)
}

impl Reading {
    fn push(&mut self, row: &Row<'_>, names: &Names, schemas: &Schemas, shift_ns: Ns) {
        let diagnostics = &mut self.diagnostics;
        let Some(domain) = row.int(DOMAIN_ID, diagnostics).filter(|&domain| domain != 0) else { return };
        let Some(global_tid) = row.int(GLOBAL_TID, diagnostics) else { return };
        let text = || {
            let own = row.text(TEXT);
            own.or_else(|| names.text_of(row.plain_int(TEXT_ID).flatten()?).map(str::to_owned))
        };
        match row.int(EVENT_TYPE, diagnostics) {
            Some(DOMAIN_CREATE) => {
                let is_nccl = text().is_some_and(|name| begins_with_nccl(&name));
                self.domains.insert((process_of(global_tid), domain), is_nccl);
            }
            Some(PUSH_POP | START_END) => {
                let Some(start) = row.start(START, diagnostics) else { return };
                let end = row.int(END, diagnostics).unwrap_or(Ns::MAX);
                let Some(text) = text() else { return };
                let payload = payload_of(row, schemas);
                let exchange = Exchange {
                    global_tid,
                    span: Span::new(start.saturating_sub(shift_ns), end.saturating_sub(shift_ns)),
                    text: ExchangeText::of(&text),
                    communicator: payload.communicator,
                    bytes: payload.bytes,
                    ranks: payload.ranks,
                    rank: payload.rank,
                    peer: payload.peer,
                };
                self.exchanges.push((exchange, domain, begins_with_nccl(&text)));
            }
            _ => {}
        }
    }
}

fn payload_of(row: &Row<'_>, schemas: &Schemas) -> Payload {
    let bytes = |column| match row.value(column) {
        Cell::Text(bytes) | Cell::Blob(bytes) => Some(bytes),
        _ => None,
    };
    match (bytes(BINARY), bytes(JSON)) {
        (Some(record), _) => schemas.payload(record),
        (None, Some(text)) => payload::of_json(text),
        (None, None) => Payload::default(),
    }
}

fn begins_with_nccl(text: &str) -> bool {
    text.get(..4).is_some_and(|first| first.eq_ignore_ascii_case("nccl"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    /// An export that describes payloads of a library, but lacks the records, with a range of a domain.
    fn of_domain(name: &str) -> JobFacts {
        let file = std::env::temp_dir().join(format!("dlprof-job-{}-{name}.sqlite", std::process::id()));
        _ = std::fs::remove_file(&file);
        let sql = format!(
            "CREATE TABLE StringIds (id INTEGER, value TEXT);
             CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, type INTEGER, name TEXT, offset INTEGER);
             INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (3, 1, 0, 'Message size [bytes]', 8);
             CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER);
             INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, '{name}', 1, 3), (5, 9, 59, 'AllReduce', 1, 3);"
        );
        Connection::open(&file).and_then(|database| database.execute_batch(&sql)).expect("a database");
        let facts = read(&file, 0);
        _ = std::fs::remove_file(&file);
        facts.expect("an export")
    }

    #[test]
    fn only_of_ranges_of_nccl_it_is_said_that_they_lack_what_was_recorded() {
        assert!(of_domain("NCCL").lacks_payloads);
        assert!(!of_domain("Other").lacks_payloads, "nothing is exchanged");
    }
}
