//! What an export says about the job that it is a part of. It is read for jobs alone, beside the analysis of the capture, so that
//! single captures do not pay for it.

use super::RowReader;
use super::database::Database;
use super::string_ids::Names;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::read::facts::JobFacts;
use crate::read::facts::global_ids::process_of;
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

/// Reads what an export says about its job.
///
/// # Errors
/// If the file is not a readable SQLite database, or changes while it is read.
pub(crate) fn read(path: &Path) -> Result<JobFacts, Error> {
    let database = Database::open(path, RowReader::Auto)?;
    database.finish(read_tables(&database))
}

fn read_tables(database: &Database) -> Result<JobFacts, Error> {
    let diagnostics = &mut Diagnostics::default();
    let names = Names::read(database, diagnostics)?;
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

/// Whether a text begins like those of NCCL.
pub(super) fn begins_with_nccl(text: &str) -> bool {
    text.get(..4).is_some_and(|first| first.eq_ignore_ascii_case("nccl"))
}
