//! `cache`: the captures kept from earlier runs.

use crate::args::CacheAction;
use crate::exit::Failure;
use crate::{console, settings};
use dlprof_core::ratios::count_to_f64;
use dlprof_export::text::pad;
use std::time::SystemTime;

pub(crate) fn run(action: CacheAction) -> Result<(), Failure> {
    let Some(cache) = settings::cache() else {
        return console::print(
            "No captures are kept, because neither XDG_CACHE_HOME nor HOME names a folder.\n",
        );
    };
    let folder = cache.folder().display();
    let unusable = |source| Failure::Cache { folder: cache.folder().into(), source };
    match action {
        CacheAction::Clear => {
            let (count, bytes) = cache.clear().map_err(unusable)?;
            console::print(&format!("Removed {count} captures from {folder}, {}\n", size(bytes)))
        }
        CacheAction::List => {
            let entries = cache.entries().map_err(unusable)?;
            let taken = entries.iter().map(|entry| entry.bytes).sum();
            let limit = size(cache.limit_bytes());
            let mut text =
                format!("{} captures in {folder}, {} of at most {limit}\n", entries.len(), size(taken));
            for entry in &entries {
                let (state, export) = match &entry.export {
                    Some(export) if entry.is_fresh => ("", export.display().to_string()),
                    Some(export) => ("  (the export was changed or moved)", export.display().to_string()),
                    None => ("", "(cannot be read)".to_owned()),
                };
                let (bytes, age) = (pad(&size(entry.bytes), 12), pad(&age(entry.used), 14));
                text.push_str(&format!("  {bytes}{age}{export}{state}\n"));
            }
            console::print(&text)
        }
    }
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
