//! Reads the captures of a job, one after another or several at a time; of each only what is kept of its ranks stays.

use super::lake;
use crate::console::progress::Progress;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use crate::settings::Settings;
use dlprof_core::{
    ActivitySettings, Cache, Capture, CaptureOfJob, DigestChoice, Error, ErrorKind, KeyNodeChoice, NotRead,
    RankDigest, ReadOptions, rank_digests,
};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Is told, again and again, how many captures are read, of how many. A break ends it.
pub(crate) type OnCaptures<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

/// How captures are read.
struct Reader<'a> {
    options: ReadOptions<'a>,
    key_node: &'a KeyNodeChoice,
    activity: &'a ActivitySettings,
    cache: Option<&'a Cache>,
    /// Whether something new was kept.
    has_kept: AtomicBool,
}

/// Reads captures. One that cannot be read says why; only where the system gives no more memory or files, that is the end.
pub(super) fn read(
    files: &[PathBuf],
    settings: &Settings,
    at_a_time: usize,
    on_captures: OnCaptures<'_>,
) -> Result<Vec<CaptureOfJob>, Failure> {
    let asked = &settings.asked;
    let (done, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let go_on = || {
        let goes_on = on_captures(done.load(Ordering::Relaxed) as u64, files.len() as u64);
        is_stopped.fetch_or(goes_on.is_break(), Ordering::Relaxed);
        if is_stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let on_rows = |_, _| go_on();
    let reader = Reader {
        options: ReadOptions { memory: settings.memory(), on_progress: Some(&on_rows), ..asked.read.clone() },
        key_node: &asked.key_node,
        activity: &asked.figures.activity,
        cache: settings.cache.as_ref(),
        has_kept: AtomicBool::new(false),
    };
    // Reports are exported one after another, because nsys takes all processors for each.
    let captures: Vec<CaptureFile> =
        files.iter().map(|file| CaptureFile::new(file.clone(), settings.clone())).collect();
    let unusable = |failure: Failure| NotRead::unusable(in_words(&failure));
    let inputs: Vec<Result<PathBuf, NotRead>> = captures
        .iter()
        .map(|capture| capture.export_if_report().map(Path::to_owned).map_err(unusable))
        .collect();
    let progress = Progress::new(settings.shows_progress, "reading the ranks".into(), "captures");
    let next = AtomicUsize::new(0);
    let one = |at: usize, input: &Result<PathBuf, NotRead>| match input {
        Err(reason) => Ok(CaptureOfJob { file: files[at].clone(), ranks: Err(reason.clone()) }),
        Ok(input) if lake::is_capture(input) => Ok(lake::read(input, &reader.options.memory)),
        Ok(input) => reader.capture(input, &files[at]),
    };
    let read: Mutex<Vec<(usize, Result<CaptureOfJob, Error>)>> = Mutex::default();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(at) else { return };
            let capture = one(at, input);
            read.lock().unwrap_or_else(PoisonError::into_inner).push((at, capture));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.update(done as u64, inputs.len() as u64);
            if go_on().is_break() {
                return;
            }
        }
    };
    // What is of a lake is small, so that all threads may read it.
    let workers = match files.iter().all(|file| lake::is_capture(file)) {
        true => threads(asked.read.threads).max(at_a_time),
        false => at_a_time,
    };
    std::thread::scope(|scope| {
        for _ in 1..workers.min(inputs.len()) {
            scope.spawn(work);
        }
        work();
    });
    progress.finish();
    if let Some(cache) = reader.cache.filter(|_| reader.has_kept.load(Ordering::Relaxed)) {
        // What cannot be removed now is removed by a later run.
        drop(cache.trim());
    }
    let mut read = read.into_inner().unwrap_or_else(PoisonError::into_inner);
    read.sort_unstable_by_key(|(at, _)| *at);
    let unread = (0..).zip(&read).find(|(place, (at, _))| place != at).map_or(read.len(), |(place, _)| place);
    let captures = read.into_iter().map(|(_, capture)| capture).collect::<Result<_, Error>>()?;
    match files.get(unread) {
        Some(path) => Err(Error::Stopped { path: path.clone() }.into()),
        None => Ok(captures),
    }
}

impl Reader<'_> {
    /// What is kept of a capture, or why it cannot be read; an error where the system gives no more, or the work was stopped.
    fn capture(&self, input: &Path, named: &Path) -> Result<CaptureOfJob, Error> {
        match self.digests(input, named) {
            Err(error) if error.kind() == ErrorKind::Limit || matches!(error, Error::Stopped { .. }) => {
                Err(error)
            }
            digests => Ok(CaptureOfJob { file: named.into(), ranks: digests.map_err(NotRead::from) }),
        }
    }

    fn digests(&self, input: &Path, named: &Path) -> Result<Vec<RankDigest>, Error> {
        let Some(kept) = self.cache.and_then(|cache| cache.export_of_job(input, &self.options)) else {
            let capture = Capture::read(input, &self.options)?;
            return rank_digests(&capture, named, self.key_node, self.activity);
        };
        let choice = DigestChoice { key_node: self.key_node, activity: self.activity };
        if let Some(ranks) = kept.kept_digests(named, choice, &self.options)? {
            return Ok(ranks);
        }
        self.has_kept.store(true, Ordering::Relaxed);
        kept.make_digests(named, choice, &self.options)
    }
}

/// How many threads read what is small: as many as are asked for, or as there are processors.
fn threads(asked: usize) -> usize {
    if asked == 0 { std::thread::available_parallelism().map_or(1, NonZeroUsize::get) } else { asked }
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
