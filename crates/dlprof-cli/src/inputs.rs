//! The files that a command reads: no output may be one of them.

use crate::general_args::General;
use crate::{settings, settings_files};
use dlprof_export::{Inputs, Overwrite};
use std::path::PathBuf;

/// Captures or baselines, the settings files, the program that exports reports, and all that is kept of earlier runs.
pub(crate) fn of<'a>(files: impl IntoIterator<Item = &'a PathBuf>, general: &General) -> Inputs {
    let mut inputs = Inputs::default();
    files.into_iter().for_each(|file| inputs.add(file));
    let settings = settings_files::places(general.config.as_deref());
    settings.iter().chain(&general.nsys).for_each(|file| inputs.add(file));
    if let Some(cache) = settings::cache() {
        inputs.add_folder(cache.folder());
    }
    inputs
}

/// What `--force` says.
pub(crate) fn overwrite(force: bool) -> Overwrite {
    if force { Overwrite::Replace } else { Overwrite::Refuse }
}
