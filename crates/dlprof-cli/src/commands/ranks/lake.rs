//! Captures of a lake: folders that `lake add` has written.

use super::folder::entries;
use crate::exit::Failure;
use dlprof_core::{CaptureOfJob, DIGEST_FILE, natural_order, read_digests};
use std::path::{Path, PathBuf};

/// The captures that a folder means, if it is a lake, a run of one, or one of its captures; none if it is something else.
pub(super) fn captures_in(folder: &Path, inside: &[PathBuf]) -> Result<Option<Vec<PathBuf>>, Failure> {
    if is_capture(folder) {
        return Ok(Some(vec![folder.into()]));
    }
    let is_named = |path: &&PathBuf, start: &str| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
    };
    let ranks: Vec<PathBuf> =
        inside.iter().filter(|path| is_named(path, "rank=") && path.is_dir()).cloned().collect();
    if !ranks.is_empty() {
        return Ok(Some(ranks));
    }
    let mut runs: Vec<&PathBuf> =
        inside.iter().filter(|path| is_named(path, "run=") && path.is_dir()).collect();
    runs.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    match runs.as_slice() {
        [] => Ok(None),
        [run] => captures_in(run, &entries(run)?),
        [first, .., last] => Err(Failure::Request {
            message: format!(
                "`{}` has {} runs, from `{}` to `{}`",
                folder.display(),
                runs.len(),
                name(first),
                name(last)
            ),
            hint: Some(format!("name one of them, such as `{}`", last.display())),
        }),
    }
}

/// Whether a path is a capture of a lake.
pub(super) fn is_capture(path: &Path) -> bool {
    path.join(DIGEST_FILE).is_file()
}

/// A capture of a lake, by the name that it had.
pub(super) fn read(folder: &Path) -> CaptureOfJob {
    let ranks = read_digests(folder).map_err(|error| format!("`{}`: {error}", folder.display()));
    let named = ranks.as_ref().ok().and_then(|ranks| ranks.first()).map(|digest| digest.who.file.clone());
    CaptureOfJob { file: named.unwrap_or_else(|| folder.into()), ranks }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
