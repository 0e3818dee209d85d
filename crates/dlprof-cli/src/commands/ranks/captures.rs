//! Reads the captures of a job, one after another or several at a time; of each only what is kept of its ranks stays.

use crate::console::progress::Progress;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use crate::settings::Settings;
use dlprof_core::{
    ActivitySettings, Capture, CaptureOfJob, Error, ErrorKind, KeyNodeChoice, RankDigest, ReadOptions,
    rank_digests,
};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How captures are read.
struct Reader<'a> {
    options: ReadOptions<'a>,
    key_node: &'a KeyNodeChoice,
    activity: &'a ActivitySettings,
}

/// The digests of the ranks of a capture, or why it cannot be read.
type Digests = Result<Vec<RankDigest>, Error>;

/// Reads captures. One that cannot be read says why; only where the system gives no more memory or files, that is the end.
pub(super) fn read(
    files: &[PathBuf],
    settings: &Settings,
    at_a_time: usize,
    on_captures: &(dyn Fn(u64, u64) + Sync),
) -> Result<Vec<CaptureOfJob>, Failure> {
    let asked = &settings.asked;
    let reader = Reader {
        options: ReadOptions { memory: settings.memory(), ..asked.read.clone() },
        key_node: &asked.key_node,
        activity: &asked.figures.activity,
    };
    // Reports are exported one after another, because nsys takes all processors for each.
    let captures: Vec<CaptureFile> =
        files.iter().map(|file| CaptureFile::new(file.clone(), settings.clone())).collect();
    let inputs: Vec<Result<PathBuf, String>> = captures
        .iter()
        .map(|capture| capture.export_if_report().map(Path::to_owned).map_err(|failure| in_words(&failure)))
        .collect();
    let progress = Progress::new(settings.shows_progress, "reading the ranks".into(), "captures");
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let read: Mutex<Vec<(usize, Digests)>> = Mutex::default();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(at) else { return };
            if let Ok(input) = input {
                let digests = reader.digests(input, &files[at]);
                read.lock().unwrap_or_else(PoisonError::into_inner).push((at, digests));
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.update(done as u64, inputs.len() as u64);
            on_captures(done as u64, inputs.len() as u64);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..at_a_time.min(inputs.len()) {
            scope.spawn(work);
        }
        work();
    });
    progress.finish();
    let mut ranks: Vec<Result<Vec<RankDigest>, String>> =
        inputs.into_iter().map(|input| input.map(|_| Vec::new())).collect();
    for (at, digests) in read.into_inner().unwrap_or_else(PoisonError::into_inner) {
        ranks[at] = match digests {
            Err(error) if error.kind() == ErrorKind::Limit => return Err(error.into()),
            digests => digests.map_err(|error| error.to_string()),
        };
    }
    let captures = files.iter().zip(ranks);
    Ok(captures.map(|(file, ranks)| CaptureOfJob { file: file.clone(), ranks }).collect())
}

impl Reader<'_> {
    fn digests(&self, input: &Path, named: &Path) -> Digests {
        let capture = Capture::read(input, &self.options)?;
        rank_digests(&capture, named, self.key_node, self.activity)
    }
}

fn in_words(failure: &Failure) -> String {
    match failure {
        Failure::Analysis(error) => error.to_string(),
        Failure::Input { message, .. }
        | Failure::Usage { message, .. }
        | Failure::Request { message, .. } => message.clone(),
        _ => "its report cannot be exported".into(),
    }
}
