//! What a user asks for, checked: the values that commands work with.
//!
//! ```text
//! settings files ─files─┐
//!                       ├─► OptionValues ─► Settings
//! command line ─► Given ┘
//! ```
//!
//! Nothing here opens a capture or knows how the command line is written.

pub(crate) mod choices;
mod files;
pub(crate) mod iteration_pair;
mod keys;
mod mistakes;
mod values;

pub(crate) use files::{SettingsFiles, UsualFiles, files_named, places};
pub(crate) use values::{BatchSize, MemorySize, OptionValues, parse_size};

use crate::console::{self, Verbosity};
use crate::exit::Failure;
use choices::{IterRange, Mode};
use dlprof_core::{
    ActivitySettings, Cache, ClockChoice, DefaultRange, FigureRules, KeyNodeChoice, LooseWork, MOST_THREADS,
    Memory, NcuOptions, OpenOptions, ProfileSettings, RangeChoice, RankThresholds, ReadOptions, RowDetail,
    RowReader, RuleSettings, SqliteOptions, TimeCut,
};
use dlprof_export::TimeUnit;
use std::path::PathBuf;

/// What the command line says.
pub(crate) struct Given {
    pub(crate) values: OptionValues,
    /// The settings file that has precedence over the others.
    pub(crate) config: Option<PathBuf>,
    pub(crate) usual_files: UsualFiles,
    pub(crate) reader: RowReader,
    pub(crate) verbosity: Verbosity,
    /// Whether progress is shown; never if only errors are.
    pub(crate) shows_progress: bool,
}

/// Checked options of an analysis.
#[derive(Clone)]
pub(crate) struct Settings {
    /// What is asked of a capture.
    pub(crate) asked: OpenOptions<'static>,
    pub(crate) profile_name: Option<String>,
    pub(crate) time_unit: TimeUnit,
    pub(crate) verbosity: Verbosity,
    /// In bytes; `None` for half of the memory that is available.
    pub(crate) memory: Option<usize>,
    pub(crate) cache: Option<Cache>,
    /// The program that exports reports; `None` for `nsys` on PATH.
    pub(crate) nsys: Option<PathBuf>,
    pub(crate) shows_progress: bool,
    /// Thresholds of what is said of jobs of many ranks.
    pub(crate) ranks: RankThresholds,
    /// The options that were given and say how a capture is read; what settings files say does not count.
    pub(crate) reading_options: Vec<&'static str>,
}

impl Settings {
    /// Combines the command line and settings files; the command line has precedence. `usual` is aggregated if nothing else is
    /// asked for.
    pub(crate) fn new(given: Given, usual: DefaultRange) -> Result<Self, Failure> {
        let files = SettingsFiles::read(given.config.as_deref(), given.usual_files)?;
        console::print_settings_files(given.verbosity, &files.paths);
        if let Some(local) = &files.local {
            console::print_local_settings(&local.path, &local.keys, &local.replaced);
        }
        let reading_options = given.values.reading_options();
        let values = given.values.or(files.values);
        let mut settings = Self::of(values, files.rules, usual)?;
        settings.asked.read.threads = threads(settings.asked.read.threads, given.verbosity);
        settings.asked.read.sqlite.reader = given.reader;
        settings.reading_options = reading_options;
        settings.verbosity = given.verbosity;
        settings.shows_progress = given.shows_progress && given.verbosity > Verbosity::Quiet;
        Ok(settings)
    }

    /// Checks values.
    pub(crate) fn of(
        values: OptionValues,
        rules: RuleSettings,
        usual: DefaultRange,
    ) -> Result<Self, Failure> {
        let (range, reading_options) = (range(&values, usual), values.reading_options());
        range.check()?;
        let cut = TimeCut::parse(values.from.as_deref(), values.to.as_deref())?;
        Ok(Self {
            asked: OpenOptions {
                read: ReadOptions {
                    mode: values.mode.unwrap_or(Mode::Auto).into(),
                    loose_work: LooseWork::ByTime { waiting_ns: values.thresholds.waiting_ns },
                    tensor_cores: values.kernels.tensor_cores,
                    ncu: NcuOptions {
                        logs: values.ncu.unwrap_or_default(),
                        is_same_gpu: values.ncu_same_gpu.unwrap_or(false),
                    },
                    capture_trace: values.capture_trace,
                    cut,
                    threads: values.threads.unwrap_or(0),
                    sqlite: SqliteOptions { detail: RowDetail::Analysis, ..SqliteOptions::default() },
                    ..ReadOptions::default()
                },
                key_node: key_node(values.key_node),
                range,
                figures: ProfileSettings {
                    activity: ActivitySettings {
                        thresholds: values.thresholds,
                        communication: values.kernels.communication,
                        data_loading: values.kernels.data_loading,
                    },
                    gpus: values.gpus.iter().map(|(name, gpu)| gpu.row(name)).collect(),
                },
                rules,
                on_stage: None,
            },
            profile_name: values.profile_name,
            time_unit: values.time_unit.map(Into::into).unwrap_or_default(),
            verbosity: Verbosity::Normal,
            memory: values.memory.map(|memory| memory.0),
            cache: if values.no_cache == Some(true) { None } else { cache() },
            nsys: values.nsys,
            shows_progress: false,
            ranks: values.ranks,
            reading_options,
        })
    }

    /// Asks for figures by DLProf's rules: with its own key node unless another is asked for, over all iterations unless others
    /// are asked for, and without work that joins a range by time, of which DLProf knows nothing.
    #[must_use]
    pub(crate) fn by_rules_of_dlprof(mut self) -> Self {
        let OpenOptions { read, key_node, range, .. } = &mut self.asked;
        if *key_node == KeyNodeChoice::Find {
            *key_node = KeyNodeChoice::Dlprof;
        }
        range.rules = FigureRules::Dlprof;
        read.loose_work = LooseWork::Unassociated;
        if range.otherwise == DefaultRange::Auto {
            range.otherwise = DefaultRange::All;
        }
        self
    }

    /// How much memory may be used.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory.unwrap_or_else(|| Memory::default().bytes())
    }

    /// The budget of all captures of the process.
    pub(crate) fn memory(&self) -> Memory {
        self.memory.map_or_else(Memory::default, Memory::of_process)
    }
}

fn range(values: &OptionValues, usual: DefaultRange) -> RangeChoice {
    // Who asks for all iterations of a DLProf database does not want only those that DLProf aggregated.
    let is_all = values.iter_range == Some(IterRange::All) && values.iter_stop.is_none();
    RangeChoice {
        iter_start: values.iter_start.or(is_all.then_some(0)),
        iter_stop: values.iter_stop,
        otherwise: values.iter_range.map_or(usual, Into::into),
        clock: values.clock.map_or(ClockChoice::Auto, Into::into),
        rules: FigureRules::Ours,
        batch_size: values.batch_size.map(|size| size.0),
    }
}

/// An empty name, as DLProf has it, means no key node.
fn key_node(name: Option<String>) -> KeyNodeChoice {
    match name {
        None => KeyNodeChoice::Find,
        Some(name) if name.is_empty() => KeyNodeChoice::None,
        Some(name) => KeyNodeChoice::Named(name),
    }
}

/// The number of worker threads; says so if it is smaller than asked for.
fn threads(asked: usize, verbosity: Verbosity) -> usize {
    if asked > MOST_THREADS && verbosity >= Verbosity::Normal {
        console::print_note(&format!(
            "{MOST_THREADS} threads are used, the most there can be; --threads asks for {asked}"
        ));
    }
    asked.min(MOST_THREADS)
}

/// The captures kept from earlier runs. `None` if the environment names no folder for them.
pub(crate) fn cache() -> Option<Cache> {
    let path =
        |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = path("XDG_CACHE_HOME")
        .or_else(|| path("LOCALAPPDATA"))
        .or_else(|| path("HOME").map(|home| home.join(".cache")))?;
    Some(Cache::new(folder.join("dlprof-agg"), Cache::LIMIT_BYTES))
}

#[cfg(test)]
mod tests;
