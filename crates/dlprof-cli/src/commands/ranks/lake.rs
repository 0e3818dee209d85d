//! Captures of a lake: folders that `lake add` has written.

use super::folder::entries;
use crate::console::{self, Verbosity};
use crate::exit::Failure;
use crate::opening::CaptureFile;
use crate::settings::Settings;
use dlprof_core::{
    CaptureOfJob, DIGEST_FILE, DigestError, JobRank, Memory, NotRead, has_rank, natural_order, rank_digests,
    read_digests,
};
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
pub(super) fn read(folder: &Path, memory: &Memory) -> CaptureOfJob {
    let unusable = |error: DigestError| NotRead::unusable(format!("`{}`: {error}", folder.display()));
    let ranks = read_digests(folder, memory).map_err(unusable);
    let named = ranks.as_ref().ok().and_then(|ranks| ranks.first()).map(|digest| digest.who.file.clone());
    CaptureOfJob { file: named.unwrap_or_else(|| folder.into()), ranks }
}

/// Refuses options that say how captures are read where what is kept of them is read instead.
pub(super) fn check_options(files: &[PathBuf], settings: &Settings) -> Result<(), Failure> {
    let options = &settings.reading_options;
    match files.iter().find(|file| is_capture(file)) {
        Some(kept) if !options.is_empty() => Err(Failure::Usage {
            message: format!(
                "{} {} how captures are read, and `{}` is of a lake, which keeps what was read",
                options.iter().map(|name| format!("`--{name}`")).collect::<Vec<_>>().join(", "),
                if options.len() == 1 { "says" } else { "say" },
                kept.display()
            ),
            hint: Some("such options count when captures are added: `dlprof-agg lake add`".into()),
        }),
        _ => Ok(()),
    }
}

/// Whether the file of a capture of a lake, which the lake does not keep, is still there and is the capture that was added.
pub(super) fn check_capture(file: &CaptureFile, rank: &JobRank) -> Result<(), Failure> {
    let path = &file.path;
    if !path.exists() {
        return Err(Failure::Input {
            message: format!(
                "the capture of rank {} is not there any more: it was `{}`",
                rank.rank,
                path.display()
            ),
            cause: None,
            hint: Some("a lake keeps no timelines; name the capture itself: `dlprof-agg FILE`".into()),
        });
    }
    if file.settings.verbosity > Verbosity::Quiet {
        console::print_step(&format!("reading `{}`, which the lake names", path.display()));
    }
    let (judged, asked) = (file.open()?, &file.settings.asked);
    let digests = rank_digests(&judged.capture, path, &asked.key_node, &asked.figures.activity)?;
    if has_rank(&digests, &rank.who) {
        file.keep_figures(&judged);
        return Ok(());
    }
    Err(Failure::Input {
        message: format!(
            "`{}` is another capture than the one that was put into the lake as rank {}",
            path.display(),
            rank.rank
        ),
        cause: None,
        hint: Some("a lake keeps no timelines; look for the capture itself: `dlprof-agg FILE`".into()),
    })
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
