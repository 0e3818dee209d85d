//! Arguments and settings file to checked options.

use crate::args::{Analysis, IterRange, Mode, Options, Reader, TimeUnit, parse_size};
use crate::exit::Failure;
use crate::progress::Progress;
use dlprof_core::cache::Cache;
use dlprof_core::correlate::ModeChoice;
use dlprof_core::iterate::IterationRange;
use dlprof_core::{IterationOptions, KeyNodeChoice, Origin, ProfileSource, ReadOptions, Rows, ingest};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Memory to keep within where nothing else is asked for, in bytes.
const MEMORY: usize = 384 << 20;

/// Captures of smaller files are not kept, in bytes.
const SMALLEST_KEPT: u64 = 4 << 20;

/// Checked options of an analysis.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) file: PathBuf,
    pub(crate) iterations: IterationOptions,
    pub(crate) profile_name: Option<String>,
    pub(crate) time_unit: TimeUnit,
    pub(crate) verbosity: Verbosity,
    mode: ModeChoice,
    threads: usize,
    memory: usize,
    reader: ingest::Reader,
    cache: Option<Cache>,
    shows_progress: bool,
}

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Errors.
    Quiet,
    /// Errors and warnings.
    Normal,
    /// Notes and stage times as well.
    Verbose,
}

/// The settings file.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    iter_start: Option<u32>,
    iter_stop: Option<u32>,
    iter_range: Option<IterRange>,
    key_node: Option<String>,
    mode: Option<Mode>,
    profile_name: Option<String>,
    time_unit: Option<TimeUnit>,
    threads: Option<usize>,
    memory: Option<String>,
    no_cache: Option<bool>,
}

impl Settings {
    /// Puts arguments and settings file together. The command line wins.
    pub(crate) fn new(args: &Analysis) -> Result<Self, Failure> {
        let input = args.file.clone().or_else(|| args.database.clone()).ok_or_else(|| Failure::Usage {
            message: "no FILE given".into(),
            hint: Some("give an nsys SQLite export, or try `dlprof-agg demo`".into()),
        })?;
        Self::of(input, &args.options)
    }

    /// As [`Settings::new`], for a file.
    pub(crate) fn of(input: PathBuf, args: &Options) -> Result<Self, Failure> {
        let file = args.config.as_deref().map_or_else(|| Ok(File::default()), read_file)?;
        let iterations = IterationOptions {
            key_node: key_node_choice(args.key_node.clone().or(file.key_node)),
            iter_start: args.iter_start.or(file.iter_start),
            iter_stop: args.iter_stop.or(file.iter_stop),
            iter_range: match args.iter_range.or(file.iter_range) {
                Some(IterRange::Steady) => IterationRange::Steady,
                Some(IterRange::All) | None => IterationRange::All,
            },
        };
        iterations.check()?;
        Ok(Self {
            file: input,
            iterations,
            profile_name: args.profile_name.clone().or(file.profile_name),
            time_unit: args.time_unit.or(file.time_unit).unwrap_or(TimeUnit::Auto),
            verbosity: match (args.quiet, args.verbose) {
                (true, _) => Verbosity::Quiet,
                (false, true) => Verbosity::Verbose,
                (false, false) => Verbosity::Normal,
            },
            mode: mode_choice(args.mode.or(file.mode).unwrap_or(Mode::Auto)),
            threads: args.threads.or(file.threads).unwrap_or(0),
            memory: memory(args, file.memory)?,
            reader: match args.reader {
                Reader::Auto => ingest::Reader::Auto,
                Reader::Sqlite => ingest::Reader::Sqlite,
            },
            cache: if args.no_cache || file.no_cache == Some(true) { None } else { cache() },
            shows_progress: !args.no_progress && !args.quiet,
        })
    }

    /// Whether looking the capture up takes less than reading it.
    fn is_worth_keeping(&self) -> bool {
        std::fs::metadata(&self.file).is_ok_and(|file| file.len() >= SMALLEST_KEPT)
    }

    /// Reads what the profile asked for needs, with a progress bar if it takes long.
    pub(crate) fn read(&self, rows: Rows) -> Result<ProfileSource, Failure> {
        crate::scratch::keep_within(self.memory);
        let started = Instant::now();
        let progress = Progress::new(self.shows_progress);
        let on_progress = |done, total| progress.update(done, total);
        let options = ReadOptions {
            mode: self.mode,
            threads: self.threads,
            reader: self.reader,
            cache: self.cache.as_ref().filter(|_| self.is_worth_keeping()),
            on_progress: Some(&on_progress),
        };
        let source = ProfileSource::read(&self.file, options, &self.iterations, rows);
        progress.finish();
        let source = source?;
        let stage = match source.origin() {
            Origin::Export => "read and correlate",
            Origin::KeptCapture => "read from the cache",
            Origin::KeptSums => "read sums from the cache",
        };
        crate::console::print_stage(self.verbosity, stage, started.elapsed());
        crate::console::print_scratch(self.verbosity, crate::scratch::most_bytes());
        Ok(source)
    }
}

/// The captures kept from earlier runs, where this system keeps such things; none if it does not say.
pub(crate) fn cache() -> Option<Cache> {
    let path =
        |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = path("XDG_CACHE_HOME")
        .or_else(|| path("LOCALAPPDATA"))
        .or_else(|| path("HOME").map(|home| home.join(".cache")))?;
    Some(Cache::new(folder.join("dlprof-agg"), Cache::LIMIT_BYTES))
}

fn memory(args: &Options, in_file: Option<String>) -> Result<usize, Failure> {
    if let Some(memory) = args.memory {
        return Ok(memory);
    }
    let Some(text) = in_file else { return Ok(MEMORY) };
    parse_size(&text).map_err(|reason| Failure::Usage {
        message: format!("`memory = \"{text}\"` in the settings file: {reason}"),
        hint: None,
    })
}

/// An empty name, as DLProf has it, means no key node.
fn key_node_choice(name: Option<String>) -> KeyNodeChoice {
    match name {
        None => KeyNodeChoice::Find,
        Some(name) if name.is_empty() => KeyNodeChoice::None,
        Some(name) => KeyNodeChoice::Named(name),
    }
}

fn mode_choice(mode: Mode) -> ModeChoice {
    match mode {
        Mode::Auto => ModeChoice::Auto,
        Mode::Pytorch => ModeChoice::Pytorch,
        Mode::Tensorflow => ModeChoice::Tensorflow,
        Mode::Jax => ModeChoice::Jax,
        Mode::Nvtx => ModeChoice::Nvtx,
        Mode::Simple => ModeChoice::Simple,
    }
}

fn read_file(path: &Path) -> Result<File, Failure> {
    let wrong = |message: String| Failure::Settings { path: path.into(), message };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    toml::from_str(&text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))
}
