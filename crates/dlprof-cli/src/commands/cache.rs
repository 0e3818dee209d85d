//! `cache`: the captures kept from earlier runs.

use crate::args::CacheAction;
use crate::exit::Failure;
use crate::text::pad;
use crate::{console, settings};
use dlprof_core::ratios::count_to_f64;
use std::time::SystemTime;

pub(crate) fn run(action: CacheAction) -> Result<(), Failure> {
    let Some(cache) = settings::cache() else {
        return console::print("Nothing is kept: neither XDG_CACHE_HOME nor HOME names a folder.\n");
    };
    let folder = cache.folder().display();
    let unusable = |source| Failure::Cache { folder: cache.folder().into(), source };
    match action {
        CacheAction::Clear => {
            let (count, bytes) = cache.clear().map_err(unusable)?;
            console::print(&format!("{count} captures removed from {folder}, {}\n", megabytes(bytes)))
        }
        CacheAction::List => {
            let entries = cache.entries().map_err(unusable)?;
            let taken = entries.iter().map(|entry| entry.bytes).sum();
            let limit = megabytes(cache.limit_bytes());
            let mut text =
                format!("{} captures in {folder}, {} of at most {limit}\n", entries.len(), megabytes(taken));
            for entry in &entries {
                let (state, export) = match &entry.export {
                    Some(export) if entry.is_fresh => ("", export.display().to_string()),
                    Some(export) => ("  (changed or moved since)", export.display().to_string()),
                    None => ("", "a file that cannot be read".to_owned()),
                };
                let (size, age) = (pad(&megabytes(entry.bytes), 12), pad(&age(entry.used), 18));
                text.push_str(&format!("  {size}{age}{export}{state}\n"));
            }
            console::print(&text)
        }
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", count_to_f64(bytes) / 1e6)
}

/// How long ago, in the largest whole unit.
fn age(used: SystemTime) -> String {
    let seconds = SystemTime::now().duration_since(used).unwrap_or_default().as_secs();
    let (number, unit) = match seconds {
        0..60 => return "just now".into(),
        60..3600 => (seconds / 60, "minutes"),
        3600..172_800 => (seconds / 3600, "hours"),
        _ => (seconds / 86400, "days"),
    };
    format!("{number} {unit} ago")
}
