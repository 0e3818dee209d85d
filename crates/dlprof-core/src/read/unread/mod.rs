//! Files that are known and not read: what they are, and the command that makes what is read.
//!
//! ```text
//! first 64 KiB, one layer of gzip unpacked ─┐
//! names of the tables of a database         ├─► signs of all kinds, in order ─► a sentence and a hint
//! names of what is in a folder             ─┘
//! ```
//!
//! A kind is declared once, with its sign, its sentence and its hint, in the file of those who make such files. Bytes and shape
//! tell; the ending of a name only where bytes do not. Nothing of a file is run, unpickled or followed, and names of people and
//! machines that it has are not repeated.

mod amd;
mod failed_copies;
mod frameworks;
mod json_start;
mod kind;
mod nvidia;
mod packed;
mod profilers;
mod protobuf;
mod sample;
#[cfg(test)]
mod tests;

pub(super) use amd::RECORD as RECORD_ROCM;
pub(super) use frameworks::is_profile_of_xla;
pub(super) use sample::Sample;

use crate::base::UnreadFile;
use kind::{Kind, Sign};
use std::fs::DirEntry;
use std::io;
use std::path::Path;

/// All kinds, in the order in which they are asked. Who is surer of itself comes first.
fn kinds() -> impl Iterator<Item = &'static Kind> {
    [failed_copies::KINDS, packed::KINDS, nvidia::KINDS, amd::KINDS, frameworks::KINDS, profilers::KINDS]
        .into_iter()
        .flatten()
}

/// What a file or folder is, if it is of a kind that is known and not read; none also if it cannot be looked at.
#[must_use]
pub fn unread_file(path: &Path) -> Option<UnreadFile> {
    if path.is_dir() { of_folder(path) } else { of_sample(&Sample::read(path).ok()?) }
}

/// What a file is that begins with such bytes, if it is of a kind that is not read.
pub(super) fn of_sample(sample: &Sample<'_>) -> Option<UnreadFile> {
    kinds().find_map(|kind| match kind.sign {
        Sign::Bytes(detail) | Sign::NsysReport(detail) => Some(kind.found(sample.path, &detail(sample)?)),
        Sign::Tables(_) | Sign::Folder(_) => None,
    })
}

/// What an SQLite database with such tables is, if it is of a kind that is not read.
pub(super) fn of_tables<'a>(path: &Path, tables: impl Iterator<Item = &'a str>) -> Option<UnreadFile> {
    let tables: Vec<&str> = tables.collect();
    let is_kind = |kind: &&Kind| matches!(kind.sign, Sign::Tables(is_one) if is_one(&tables));
    kinds().find(is_kind).map(|kind| kind.found(path, ""))
}

/// What a folder is, if it is of a kind that is not read.
pub(super) fn of_folder(path: &Path) -> Option<UnreadFile> {
    /// Names beyond these are not looked at.
    const MOST: usize = 10_000;
    let name = |entry: io::Result<DirEntry>| Some(entry.ok()?.file_name().to_string_lossy().into());
    let inside: Vec<String> = std::fs::read_dir(path).ok()?.take(MOST).filter_map(name).collect();
    let is_kind = |kind: &&Kind| matches!(kind.sign, Sign::Folder(is_one) if is_one(path, &inside));
    kinds().find(is_kind).map(|kind| kind.found(path, ""))
}

/// Of each kind that is known and not read: what a file is called that is one, and what to do about it. For the documentation.
pub fn unread_kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    kinds().map(|kind| (kind.one, kind.hint))
}

/// What most of some files are that are of kinds that are not read, and how many; of equals the one that is named first.
#[must_use]
pub fn most_frequent_unread<'a>(
    files: impl Iterator<Item = &'a Path>,
) -> Option<(usize, &'a Path, UnreadFile)> {
    let mut counts: Vec<(usize, &Path, UnreadFile)> = Vec::new();
    for file in files {
        let Some(found) = unread_file(file) else { continue };
        match counts.iter_mut().find(|(_, _, known)| known.several == found.several) {
            Some((count, ..)) => *count += 1,
            None => counts.push((1, file, found)),
        }
    }
    // Of equals `max_by_key` takes the last.
    counts.into_iter().rev().max_by_key(|(count, ..)| *count)
}
