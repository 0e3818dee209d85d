//! Makes checked options from the arguments and the settings files.

use crate::analysis_args::{Analysis, Clock, IterRange, Mode, Options, ReaderChoice, TimeUnit};
use crate::console::Verbosity;
use crate::exit::Failure;
use crate::progress::Progress;
use crate::settings_files::SettingsFiles;
use dlprof_core::activity::{ActivitySettings, NamePattern};
use dlprof_core::cache::Cache;
#[cfg(feature = "view")]
use dlprof_core::cache::KeptExport;
use dlprof_core::columns::Memory;
use dlprof_core::correlate::{LooseWork, ModeChoice};
use dlprof_core::findings::{OwnOutcome, OwnResult, RuleSettings};
use dlprof_core::iterate::{ClockChoice, FigureRules};
use dlprof_core::profile::ProfileSettings;
use dlprof_core::{Capture, DefaultRange, Error, KeyNodeChoice, Profile, RangeChoice, ReadOptions, ingest};
use std::path::PathBuf;
use std::time::Instant;

/// Captures of files with fewer bytes are not kept.
const SMALLEST_KEPT: u64 = 4 << 20;

/// Checked options of an analysis.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) file: PathBuf,
    pub(crate) key_node: KeyNodeChoice,
    pub(crate) range: RangeChoice,
    pub(crate) profile_name: Option<String>,
    pub(crate) time_unit: TimeUnit,
    pub(crate) verbosity: Verbosity,
    figures: ProfileSettings,
    /// What settings files say about rules.
    pub(crate) rules: RuleSettings,
    mode: ModeChoice,
    /// To which op the work of threads without ranges belongs.
    pub(crate) loose_work: LooseWork,
    /// Kernels that use Tensor Cores beyond the known ones.
    tensor_cores: Vec<NamePattern>,
    threads: usize,
    memory: Option<usize>,
    reader: ingest::RowReader,
    cache: Option<Cache>,
    shows_progress: bool,
}

impl Settings {
    /// Combines arguments and settings files. The command line has precedence.
    pub(crate) fn new(args: &Analysis) -> Result<Self, Failure> {
        Self::of(named_file(args)?, &args.options)
    }

    /// As [`Settings::new`], for commands that aggregate all iterations where nothing is said.
    pub(crate) fn of_all_iterations(args: &Analysis) -> Result<Self, Failure> {
        Self::with_usual_range(named_file(args)?, &args.options, DefaultRange::All)
    }

    /// As [`Settings::new`], for a file.
    pub(crate) fn of(input: PathBuf, args: &Options) -> Result<Self, Failure> {
        Self::with_usual_range(input, args, DefaultRange::Auto)
    }

    fn with_usual_range(input: PathBuf, args: &Options, usual: DefaultRange) -> Result<Self, Failure> {
        let SettingsFiles { options: file, rules, paths } = SettingsFiles::read(args.config.as_deref())?;
        let verbosity = match (args.quiet, args.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        };
        crate::console::print_settings_files(verbosity, &paths);
        let range = RangeChoice {
            iter_start: args.iter_start.or(file.iter_start),
            iter_stop: args.iter_stop.or(file.iter_stop),
            otherwise: match args.iter_range.or(file.iter_range) {
                Some(IterRange::Steady) => DefaultRange::Steady,
                Some(IterRange::All) => DefaultRange::All,
                Some(IterRange::Auto) => DefaultRange::Auto,
                None => usual,
            },
            clock: match args.clock.or(file.clock) {
                Some(Clock::Cpu) => ClockChoice::Cpu,
                Some(Clock::Gpu) => ClockChoice::Gpu,
                Some(Clock::Auto) | None => ClockChoice::Auto,
            },
            rules: FigureRules::Ours,
            batch_size: args.batch_size.or(file.batch_size).filter(|&size| size > 0),
        };
        range.check()?;
        Ok(Self {
            file: input,
            key_node: key_node_choice(args.key_node.clone().or(file.key_node)),
            range,
            figures: ProfileSettings {
                activity: ActivitySettings {
                    thresholds: file.thresholds,
                    communication: file.kernels.communication,
                    data_loading: file.kernels.data_loading,
                },
                gpus: file.gpus.iter().map(|(name, gpu)| gpu.row(name)).collect(),
                rules: rules.changes.clone(),
            },
            rules,
            profile_name: args.profile_name.clone().or(file.profile_name),
            time_unit: args.time_unit.or(file.time_unit).unwrap_or(TimeUnit::Auto),
            verbosity,
            mode: mode_choice(args.mode.or(file.mode).unwrap_or(Mode::Auto)),
            tensor_cores: file.kernels.tensor_cores,
            loose_work: LooseWork::ByTime { waiting_ns: file.thresholds.waiting_ns },
            threads: args.threads.or(file.threads).unwrap_or(0),
            memory: args.memory.or(file.memory.map(|memory| memory.0)),
            reader: match args.reader {
                ReaderChoice::Auto => ingest::RowReader::Auto,
                ReaderChoice::Sqlite => ingest::RowReader::Sqlite,
            },
            cache: if args.no_cache || file.no_cache == Some(true) { None } else { cache() },
            shows_progress: !args.no_progress && !args.quiet,
        })
    }

    /// Whether loading a kept capture is quicker than reading the export.
    fn is_worth_keeping(&self) -> bool {
        std::fs::metadata(&self.file).is_ok_and(|file| file.len() >= SMALLEST_KEPT)
    }

    /// Reads the capture and aggregates the chosen iterations. Shows a progress bar if reading takes long.
    pub(crate) fn profile(&self) -> Result<Profile, Failure> {
        let started = Instant::now();
        let progress = Progress::new(self.shows_progress);
        let on_progress = |done, total| progress.update(done, total);
        let memory = self.memory.map_or_else(Memory::default, Memory::within);
        let options = ReadOptions {
            mode: self.mode,
            loose_work: self.loose_work,
            tensor_cores: self.tensor_cores.clone(),
            threads: self.threads,
            memory: memory.clone(),
            reader: self.reader,
            on_progress: Some(&on_progress),
        };
        let kept = self.cache.as_ref().filter(|_| self.is_worth_keeping());
        let kept =
            kept.map(|cache| cache.export_with(&self.file, self.mode, self.loose_work, &self.tensor_cores));
        let stage = |name: &str, started: Instant| {
            crate::console::print_stage(self.verbosity, name, started.elapsed());
        };
        let read = || match &kept {
            None => Ok((Capture::read(&self.file, &options)?, "read and correlate")),
            Some(kept) => match kept.kept_capture(&options)? {
                Some(capture) => Ok((capture, "read the capture from the cache")),
                None => Ok((kept.read(&options)?, "read and correlate, and keep the capture")),
            },
        };
        let capture: Result<_, Error> = read();
        progress.finish();
        let (capture, done) = capture?;
        stage(done, started);
        let started = Instant::now();
        let (index, done) = match &kept {
            None => (capture.index(&self.key_node)?, "index"),
            Some(kept) => match kept.kept_index(&capture, &self.key_node) {
                Some(index) => (index, "read the index from the cache"),
                None => (kept.make_index(&capture, &self.key_node)?, "index, and keep it"),
            },
        };
        stage(done, started);
        let started = Instant::now();
        let profile = index.profile_with(&self.range, &self.figures)?;
        stage("profile", started);
        let profile = self.with_own_rules(&profile)?;
        crate::console::print_scratch(self.verbosity, memory.most_scratch_bytes());
        Ok(profile)
    }
}

#[cfg(feature = "view")]
impl Settings {
    /// What the user changed about the figures.
    pub(crate) fn figures(&self) -> &ProfileSettings {
        &self.figures
    }

    /// What is remembered of the export of a profile; none if nothing is to be kept.
    pub(crate) fn kept_export(&self, profile: &Profile) -> Option<KeptExport> {
        let cache = self.cache.as_ref()?;
        let path = &profile.capture.source.path;
        Some(cache.export_with(path, self.mode, self.loose_work, &self.tensor_cores))
    }
}

impl Settings {
    /// Applies users' rules. Mistakes that only a capture shows are found now, whatever is shown of the capture.
    fn with_own_rules(&self, profile: &Profile) -> Result<Profile, Failure> {
        let started = Instant::now();
        let profile = profile.with_own_rules(&self.rules)?;
        if !self.rules.own.is_empty() {
            crate::console::print_stage(self.verbosity, "own rules", started.elapsed());
        }
        for OwnResult { id, outcome } in profile.own_results() {
            if let OwnOutcome::NotRun(reason) = outcome {
                crate::console::print_rule_not_run(self.verbosity, id, reason);
            }
        }
        Ok(profile)
    }
}

fn named_file(args: &Analysis) -> Result<PathBuf, Failure> {
    args.file.clone().or_else(|| args.database.clone()).ok_or_else(|| Failure::Usage {
        message: "no FILE given".into(),
        hint: Some("give an nsys SQLite export, or try `dlprof-agg demo`".into()),
    })
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
