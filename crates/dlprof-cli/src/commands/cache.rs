//! `cache`: what is kept of earlier runs: captures, and exports of reports.

use crate::console;
use crate::exit::Failure;
use crate::nsys::{self, KeptReport};
use dlprof_core::{Cache, count_to_f64};
use dlprof_export::pad;
use std::time::SystemTime;

/// Says why there is nothing to list or to remove.
pub(crate) fn none() -> Result<(), Failure> {
    console::print("No captures are kept, because neither XDG_CACHE_HOME nor HOME names a folder.\n")
}

/// Removes all kept captures and exports.
pub(crate) fn clear(cache: &Cache) -> Result<(), Failure> {
    let (count, bytes) = cache.clear().map_err(|source| unusable(cache, source))?;
    let (exports, more) = nsys::clear(cache).map_err(|source| unusable(cache, source))?;
    let and = if exports > 0 { format!(" and {exports} exports") } else { String::new() };
    let folder = cache.folder().display();
    console::print(&format!("Removed {count} captures{and} from {folder}, {}\n", size(bytes + more)))
}

/// Prints what is kept, the most recently used first.
pub(crate) fn list(cache: &Cache) -> Result<(), Failure> {
    let entries = cache.entries().map_err(|source| unusable(cache, source))?;
    let taken = entries.iter().map(|entry| entry.bytes).sum();
    let (folder, limit) = (cache.folder().display(), size(cache.limit_bytes()));
    let mut text = format!("{} captures in {folder}, {} of at most {limit}\n", entries.len(), size(taken));
    for entry in &entries {
        let (state, export) = match &entry.export {
            Some(export) if entry.is_fresh => ("", export.display().to_string()),
            Some(export) => ("  (the export was changed or moved)", export.display().to_string()),
            None => ("", "(cannot be read)".to_owned()),
        };
        text.push_str(&line(entry.bytes, entry.used, &export, state));
    }
    text.push_str(&exports(&nsys::list(cache).map_err(|source| unusable(cache, source))?));
    console::print(&text)
}

fn unusable(cache: &Cache, source: std::io::Error) -> Failure {
    Failure::Cache { folder: cache.folder().into(), source }
}

/// The kept exports of reports; nothing if there are none.
fn exports(kept: &[KeptReport]) -> String {
    if kept.is_empty() {
        return String::new();
    }
    let taken = kept.iter().map(|one| one.bytes).sum();
    let limit = size(nsys::LIMIT_BYTES);
    let mut text = format!("{} exports of reports, {} of at most {limit}\n", kept.len(), size(taken));
    for one in kept {
        let state = if one.is_fresh { "" } else { "  (the report was changed or moved)" };
        text.push_str(&line(one.bytes, one.used, &one.report.display().to_string(), state));
    }
    text
}

fn line(bytes: u64, used: SystemTime, file: &str, state: &str) -> String {
    format!("  {}{}{file}{state}\n", pad(&size(bytes), 12), pad(&age(used), 14))
}

fn size(bytes: u64) -> String {
    let mebibytes = count_to_f64(bytes) / f64::from(1 << 20);
    if mebibytes < 1024.0 { format!("{mebibytes:.1} MiB") } else { format!("{:.1} GiB", mebibytes / 1024.0) }
}

/// How long ago, in the largest whole unit.
fn age(used: SystemTime) -> String {
    let seconds = SystemTime::now().duration_since(used).unwrap_or_default().as_secs();
    match seconds {
        0..60 => "just now".into(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..172_800 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86400),
    }
}
