//! Remembers which ranges and key nodes of an export were looked at: a small JSON file per export, beside its kept capture.

use super::KeptExport;
use super::folder::UNFINISHED;
use crate::base::begun::BegunFolder;
use crate::base::private::{private_folder, write_private};
use crate::base::small_file;
use crate::steps::iterate::{ClockChoice, KeyNodeChoice};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The ending of the files.
const ENDING: &str = ".aggregations.json";

/// A file has at most so many bytes.
const MOST_BYTES: u64 = 16 << 20;

/// At most this many files are kept; those written longest ago are removed first.
const MOST_FILES: usize = 200;

/// An aggregation that was made of an export: what was asked for, and what lists show of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptAggregation {
    /// First iteration aggregated.
    pub start: u32,
    /// Last iteration aggregated, inclusive.
    pub stop: u32,
    /// What delimits iterations.
    pub key_node: KeyNodeChoice,
    /// The clock asked for.
    pub clock: ClockChoice,
    /// Name of the key node; `None` if there is one iteration.
    pub key_node_name: Option<String>,
    /// The clock in force: `cpu` or `gpu`.
    pub clock_in_force: String,
    /// Number of aggregated iterations.
    pub aggregated: u32,
    /// Mean duration of an iteration in nanoseconds.
    pub mean_ns: f64,
}

#[derive(Serialize, Deserialize)]
struct Document {
    /// The export, and how it was read.
    export: String,
    aggregations: Vec<KeptAggregation>,
}

impl KeptExport {
    /// The aggregations remembered of the export, oldest first; none if the export changed in the meantime.
    ///
    /// # Errors
    /// If the file cannot be read, or does not hold what was written.
    pub fn aggregations(&self) -> io::Result<Vec<KeptAggregation>> {
        let (Some(identity), Some(path)) = (&self.identity, self.aggregations_file()) else {
            return Ok(Vec::new());
        };
        let named = |error: &dyn std::error::Error| {
            let kind = io::ErrorKind::InvalidData;
            io::Error::new(kind, format!("`{}` cannot be read: {error}", path.display()))
        };
        let text = match small_file::read(&path, MOST_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            text => text.map_err(|error| named(&error))?,
        };
        let document: Document = serde_json::from_slice(&text).map_err(|error| named(&error))?;
        Ok(if document.export == identity.to_json() { document.aggregations } else { Vec::new() })
    }

    /// Remembers aggregations, oldest first, instead of those remembered so far. Nothing is remembered of an export that cannot
    /// be identified reliably.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep_aggregations(&self, aggregations: &[KeptAggregation]) -> io::Result<()> {
        let (Some(identity), Some(path)) = (&self.identity, self.aggregations_file()) else { return Ok(()) };
        let folder = self.cache.folder();
        private_folder(folder)?;
        let document = Document { export: identity.to_json(), aggregations: aggregations.to_vec() };
        let begun = BegunFolder::new(folder, UNFINISHED)?;
        let file = begun.path().join("aggregations.json");
        write_private(&file, &serde_json::to_vec(&document)?)?;
        std::fs::rename(&file, &path)?;
        remove_oldest(folder)
    }

    fn aggregations_file(&self) -> Option<PathBuf> {
        Some(self.cache.place(self.identity.as_ref()?, ENDING))
    }
}

/// Removes the files of all exports.
pub(super) fn remove_all(folder: &Path) -> io::Result<()> {
    files(folder)?.into_iter().try_for_each(|(_, path)| std::fs::remove_file(path))
}

fn remove_oldest(folder: &Path) -> io::Result<()> {
    let mut files = files(folder)?;
    files.sort();
    let too_many = files.len().saturating_sub(MOST_FILES);
    for (_, path) in files.drain(..too_many) {
        // Another process may have removed it first.
        drop(std::fs::remove_file(path));
    }
    Ok(())
}

/// The files of all exports, with the time of the last change.
fn files(folder: &Path) -> io::Result<Vec<(SystemTime, PathBuf)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(ENDING) {
            let changed = path.metadata().and_then(|file| file.modified());
            files.push((changed.unwrap_or(SystemTime::UNIX_EPOCH), path));
        }
    }
    Ok(files)
}
