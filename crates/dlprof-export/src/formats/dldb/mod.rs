//! A DLProf database of version 1.8.0 (`dlprof_dldb.sqlite`), which DLProf's own viewer opens.
//!
//! Rows are written in DLProf's order, so that every row has the id that DLProf gives it:
//!
//! ```text
//! machine, settings            a row each
//! ops                          by name, then ID; after each op its calls by start; after each call its API calls
//!                              by name, then start
//! texts, grids and blocks      when a row first refers to them
//! aggregation                  findings, iterations, totals
//! metrics                      when a row first refers to them, equal ones once: by op (in order of IDs), group, kernel, op type
//! ```
//!
//! All rows are written in one transaction without a journal: the file is in a place where nobody sees it until it is whole.

mod aggregation;
mod calls;
mod dictionary;
mod expert_systems;
mod insert;
mod iterations;
mod lookups;
mod machine;
mod metrics;
mod nodes;
mod ops;
mod totals;

use dictionary::Dictionary;
use dlprof_core::{Judged, Profile};
use rusqlite::{Connection, ErrorCode};
use std::io;
use std::path::Path;

/// Tables, views and indexes.
const SCHEMA: &str = include_str!("schema.sql");

/// DLProf's own index of kernels takes two kernels of one call, GPU time and thread for one. Where there are such kernels, the
/// index keeps its name and columns but allows them.
const KERNEL_INDEX: [&str; 2] =
    ["CREATE UNIQUE INDEX unique_read_only_kernels", "CREATE INDEX unique_read_only_kernels"];

/// Writes a profile by DLProf's rules as a new database.
///
/// # Errors
/// If the file exists, or the system refuses to write.
pub fn write(judged: &Judged, profile_name: Option<&str>, path: &Path) -> io::Result<()> {
    let name = profile_name.or(stored_name(judged)).unwrap_or_default();
    std::fs::File::create_new(path)?;
    write_rows(judged, name, path).map_err(io_error)
}

/// The name in the database that the profile was made from.
fn stored_name(profile: &Profile) -> Option<&str> {
    profile.capture.description.dlprof.as_ref().map(|notes| notes.profile_name.as_str())
}

fn write_rows(judged: &Judged, profile_name: &str, path: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    fill(&connection, judged, profile_name)?;
    connection.close().map_err(|(_, error)| error)
}

fn fill(connection: &Connection, judged: &Judged, profile_name: &str) -> rusqlite::Result<()> {
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; \
         PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -262144; BEGIN",
    )?;
    let [unique, plain] = KERNEL_INDEX;
    match lookups::has_equal_kernels(judged) {
        true => connection.execute_batch(&SCHEMA.replace(unique, plain))?,
        false => connection.execute_batch(SCHEMA)?,
    }
    let mut dictionary = Dictionary::new(connection)?;
    machine::write(connection, judged, profile_name, &mut dictionary)?;
    let rows = ops::write(connection, judged, &mut dictionary)?;
    aggregation::write(connection, judged, &rows, &mut dictionary)?;
    connection.execute_batch("COMMIT")
}

fn io_error(error: rusqlite::Error) -> io::Error {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    // SQLite says the same once more in the source of its error.
    io::Error::new(kind, error.to_string())
}

/// The only domain.
const DOMAIN: i64 = 1;

/// The only aggregation.
const AGGREGATION: i64 = 1;

/// Six decimals, as DLProf keeps fractions.
fn six_decimals(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
