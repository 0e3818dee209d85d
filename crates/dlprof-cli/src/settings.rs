//! Makes checked options from the arguments and the settings files.

use crate::analysis_args::{Analysis, Clock, IterRange, Mode, Options, TimeUnit};
use crate::console::Verbosity;
use crate::exit::Failure;
use crate::general_args::ReaderChoice;
use crate::nsys::{self, Exported, Exporter};
use crate::progress::{Progress, Waiting};
use crate::settings_files::SettingsFiles;
use dlprof_core::advice::{OwnOutcome, OwnResult, RuleSettings};
use dlprof_core::capture::correlate::{LooseWork, ModeChoice};
use dlprof_core::capture::names::{ActivitySettings, NamePattern};
use dlprof_core::columns::Memory;
use dlprof_core::figures::profile::ProfileSettings;
use dlprof_core::kept::{Cache, KeptExport};
use dlprof_core::read::ingest;
use dlprof_core::read::time_cut::TimeCut;
use dlprof_core::steps::iterate::{ClockChoice, FigureRules};
use dlprof_core::{
    Capture, DefaultRange, Error, KeyNodeChoice, MOST_THREADS, Profile, RangeChoice, ReadOptions,
};
use dlprof_export::Inputs;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
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
    /// Which op gets the work of threads without ranges.
    pub(crate) loose_work: LooseWork,
    /// The part of the capture that is looked at.
    cut: TimeCut,
    /// Names of further kernels that use Tensor Cores.
    tensor_cores: Vec<NamePattern>,
    threads: usize,
    memory: Option<usize>,
    reader: ingest::RowReader,
    cache: Option<Cache>,
    /// The program that exports reports; `None` for `nsys` on PATH.
    nsys: Option<PathBuf>,
    /// The export of a report. It is kept here, because it may be removed when it is dropped.
    exported: OnceCell<Exported>,
    pub(crate) shows_progress: bool,
}

impl Settings {
    /// Combines arguments and settings files. The command line has precedence.
    pub(crate) fn new(args: &Analysis) -> Result<Self, Failure> {
        Self::of(named_file(args)?, &args.options)
    }

    /// As [`Settings::new`], for commands that aggregate all iterations by default.
    pub(crate) fn of_all_iterations(args: &Analysis) -> Result<Self, Failure> {
        Self::with_usual_range(named_file(args)?, &args.options, DefaultRange::All)
    }

    /// As [`Settings::new`], for a file.
    pub(crate) fn of(input: PathBuf, args: &Options) -> Result<Self, Failure> {
        Self::with_usual_range(input, args, DefaultRange::Auto)
    }

    fn with_usual_range(input: PathBuf, args: &Options, usual: DefaultRange) -> Result<Self, Failure> {
        let SettingsFiles { options: file, rules, paths } =
            SettingsFiles::read(args.general.config.as_deref())?;
        let verbosity = args.general.level();
        crate::console::print_settings_files(verbosity, &paths);
        let iter_range = args.iter_range.or(file.iter_range);
        let (iter_start, iter_stop) =
            (args.iter_start.or(file.iter_start), args.iter_stop.or(file.iter_stop));
        let range = RangeChoice {
            // Who asks for all iterations of a DLProf database does not want only those that DLProf aggregated.
            iter_start: iter_start
                .or((iter_range == Some(IterRange::All) && iter_stop.is_none()).then_some(0)),
            iter_stop,
            otherwise: match iter_range {
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
            batch_size: args.batch_size.or(file.batch_size.map(|size| size.0)),
        };
        range.check()?;
        let (from, to) = (args.from.as_ref().or(file.from.as_ref()), args.to.as_ref().or(file.to.as_ref()));
        let cut = TimeCut::parse(from.map(String::as_str), to.map(String::as_str))?;
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
            cut,
            tensor_cores: file.kernels.tensor_cores,
            loose_work: LooseWork::ByTime { waiting_ns: file.thresholds.waiting_ns },
            threads: threads(args.general.threads.or(file.threads).unwrap_or(0), verbosity),
            memory: args.general.memory.or(file.memory.map(|memory| memory.0)),
            reader: match args.general.reader {
                Some(ReaderChoice::Sqlite) => ingest::RowReader::Sqlite,
                Some(ReaderChoice::Auto) | None => ingest::RowReader::Auto,
            },
            cache: if args.general.no_cache || file.no_cache == Some(true) { None } else { cache() },
            nsys: args.general.nsys.clone().or(file.nsys),
            exported: OnceCell::new(),
            shows_progress: !args.general.no_progress && !args.general.is_quiet(),
        })
    }

    /// Asks for figures by DLProf's rules: with its own key node unless another is asked for, over all iterations unless others
    /// are asked for, and without work that joins a range by time, of which DLProf knows nothing.
    pub(crate) fn use_rules_of_dlprof(&mut self) {
        if self.key_node == KeyNodeChoice::Find {
            self.key_node = KeyNodeChoice::Dlprof;
        }
        self.range.rules = FigureRules::Dlprof;
        self.loose_work = LooseWork::Unassociated;
        if self.range.otherwise == DefaultRange::Auto {
            self.range.otherwise = DefaultRange::All;
        }
    }

    /// The name of the file without its folder.
    fn short_name(&self) -> String {
        self.file.file_name().unwrap_or(self.file.as_os_str()).to_string_lossy().into_owned()
    }

    /// The export to read: the file that the user named, or the export of this report.
    fn input(&self) -> Result<&Path, Failure> {
        if !nsys::is_report(&self.file) {
            return Ok(&self.file);
        }
        if let Some(exported) = self.exported.get() {
            return Ok(&exported.path);
        }
        let exported = self.exporter().export(&self.file)?;
        Ok(&self.exported.get_or_init(|| exported).path)
    }

    fn exporter(&self) -> Exporter<'_> {
        Exporter {
            program: self.nsys.as_deref(),
            cache: self.cache.as_ref(),
            shows_progress: self.shows_progress,
        }
    }

    /// Reads the export of the report from a file that the user named. It is made if it is missing, or is to be made anew.
    pub(crate) fn use_export(&self, file: &Path, is_anew: bool, inputs: &Inputs) -> Result<(), Failure> {
        if !nsys::is_report(&self.file) {
            return Err(Failure::Usage {
                message: format!(
                    "`--sqlite` names the export of a report, but `{}` is none",
                    self.file.display()
                ),
                hint: Some("give the report (`.nsys-rep`), or leave out `--sqlite`".into()),
            });
        }
        let exported = self.exporter().export_to(&self.file, file, is_anew, inputs)?;
        self.exported.get_or_init(|| exported);
        Ok(())
    }

    /// The file as the user named it.
    pub(crate) fn named(&self) -> &Path {
        &self.file
    }

    /// Reads the capture with all that its rows say. Ops do not matter, so no time goes into finding them; nothing is kept.
    pub(crate) fn records(&self) -> Result<Capture, Failure> {
        let input = self.input()?;
        let progress = Progress::new(self.shows_progress, format!("reading {}", self.short_name()), "rows");
        let on_progress = |done, total| progress.update(done, total);
        let options = ReadOptions {
            mode: dlprof_core::capture::correlate::ModeChoice::Simple,
            threads: self.threads,
            memory: self.memory.map_or_else(Memory::default, Memory::within),
            reader: self.reader,
            detail: ingest::RowDetail::Records,
            on_progress: Some(&on_progress),
            ..ReadOptions::default()
        };
        let capture = Capture::read(input, &options);
        progress.finish();
        Ok(capture?)
    }

    /// Whether loading a kept capture is quicker than reading the export.
    fn is_worth_keeping(input: &Path) -> bool {
        std::fs::metadata(input).is_ok_and(|file| file.len() >= SMALLEST_KEPT)
    }

    /// How much memory may be used.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory.unwrap_or_else(|| Memory::default().bytes())
    }

    /// Reads the capture and aggregates the chosen iterations. Shows a progress bar if reading takes long.
    pub(crate) fn profile(&self) -> Result<Profile, Failure> {
        let started = Instant::now();
        let input = self.input()?;
        let progress = Progress::new(self.shows_progress, format!("reading {}", self.short_name()), "rows");
        let on_progress = |done, total| progress.update(done, total);
        let memory = self.memory.map_or_else(Memory::default, Memory::within);
        let options = ReadOptions {
            mode: self.mode,
            loose_work: self.loose_work,
            tensor_cores: self.tensor_cores.clone(),
            cut: self.cut.clone(),
            threads: self.threads,
            memory: memory.clone(),
            reader: self.reader,
            detail: ingest::RowDetail::Analysis,
            on_progress: Some(&on_progress),
        };
        let kept = self.cache.as_ref().filter(|_| Self::is_worth_keeping(input));
        let kept = kept
            .map(|cache| cache.export_with(input, self.mode, self.loose_work, &self.tensor_cores, &self.cut));
        let stage = |name: &str, started: Instant| {
            crate::console::print_stage(self.verbosity, name, started.elapsed());
        };
        let read = || match &kept {
            None => Ok((Capture::read(input, &options)?, "read and correlate")),
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
        let waiting = Waiting::new(self.shows_progress, "indexing");
        let (index, done) = match &kept {
            None => (capture.index(&self.key_node)?, "index"),
            Some(kept) => match kept.kept_index(&capture, &self.key_node) {
                Some(index) => (index, "read the index from the cache"),
                None => (kept.make_index(&capture, &self.key_node)?, "index, and keep it"),
            },
        };
        drop(waiting);
        stage(done, started);
        let started = Instant::now();
        let waiting = Waiting::new(self.shows_progress, "aggregating");
        let known = kept.as_ref().map(|kept| kept.kept_figures(&index, &self.key_node)).unwrap_or_default();
        let profile = index.profile_sharing(&self.range, &self.figures, &known)?;
        drop(waiting);
        stage("profile", started);
        let profile = self.with_own_rules(&profile)?;
        crate::console::print_scratch(self.verbosity, memory.most_scratch_bytes());
        Ok(profile)
    }
}

impl Settings {
    /// What is remembered of the export of a profile; none if nothing is to be kept.
    pub(crate) fn kept_export(&self, profile: &Profile) -> Option<KeptExport> {
        let cache = self.cache.as_ref()?;
        let path = &profile.capture.source.path;
        Some(cache.export_with(path, self.mode, self.loose_work, &self.tensor_cores, &self.cut))
    }

    /// Ends the work with a profile: prints what was odd about the input, and keeps what was worked out for later runs.
    pub(crate) fn finish(&self, profile: &Profile) {
        crate::console::print_diagnostics(self.verbosity, &profile.diagnostics);
        self.keep_figures(profile);
    }

    /// Keeps what was worked out with a profile for later runs.
    pub(crate) fn keep_figures(&self, profile: &Profile) {
        if Self::is_worth_keeping(&profile.capture.source.path)
            && let Some(kept) = self.kept_export(profile)
        {
            kept.keep_figures(profile.known_figures(), &self.key_node);
        }
    }
}

#[cfg(feature = "view")]
impl Settings {
    /// What the user changed about the figures.
    pub(crate) fn figures(&self) -> &ProfileSettings {
        &self.figures
    }
}

impl Settings {
    /// Applies users' rules. Mistakes that only a capture shows are found now, whatever is shown of the capture.
    fn with_own_rules(&self, profile: &Profile) -> Result<Profile, Failure> {
        let started = Instant::now();
        let profile = profile.with_own_rules(&self.rules);
        if let Some((_, error)) = profile.own_failures().next() {
            return Err(error.clone().into());
        }
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

/// The captures kept from earlier runs. `None` if the environment names no folder for them.
pub(crate) fn cache() -> Option<Cache> {
    let path =
        |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = path("XDG_CACHE_HOME")
        .or_else(|| path("LOCALAPPDATA"))
        .or_else(|| path("HOME").map(|home| home.join(".cache")))?;
    Some(Cache::new(folder.join("dlprof-agg"), Cache::LIMIT_BYTES))
}

/// An empty name, as DLProf has it, means no key node.
/// The number of worker threads; says so if it is smaller than asked for.
fn threads(asked: usize, verbosity: Verbosity) -> usize {
    if asked > MOST_THREADS && verbosity >= Verbosity::Normal {
        crate::console::print_note(&format!(
            "{MOST_THREADS} threads are used, the most there can be; --threads asks for {asked}"
        ));
    }
    asked.min(MOST_THREADS)
}

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
