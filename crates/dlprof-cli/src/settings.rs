//! Makes checked options from the arguments and the settings files.

use crate::analysis_args::{Analysis, Clock, IterRange, Mode, Options, TimeUnit};
use crate::console::{self, Verbosity};
use crate::exit::Failure;
use crate::general_args::ReaderChoice;
use crate::nsys::{self, Exported, Exporter};
use crate::progress::Progress;
use crate::settings_files::SettingsFiles;
use crate::stages::Stages;
use dlprof_core::advice::{Judged, OwnOutcome, OwnResult, RuleSettings, judge};
use dlprof_core::capture::correlate::{LooseWork, ModeChoice};
use dlprof_core::capture::names::ActivitySettings;
use dlprof_core::columns::Memory;
use dlprof_core::figures::profile::ProfileSettings;
use dlprof_core::kept::Cache;
use dlprof_core::read::ingest::{RowDetail, RowReader, SqliteOptions};
use dlprof_core::read::time_cut::TimeCut;
use dlprof_core::steps::iterate::{ClockChoice, FigureRules};
use dlprof_core::{
    Capture, DefaultRange, KeyNodeChoice, MOST_THREADS, OpenOptions, Profile, RangeChoice, ReadOptions,
};
use dlprof_export::Inputs;
use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Checked options of an analysis.
pub(crate) struct Settings {
    pub(crate) file: PathBuf,
    /// What is asked of the capture.
    pub(crate) asked: OpenOptions<'static>,
    /// What settings files say about rules.
    pub(crate) rules: RuleSettings,
    pub(crate) profile_name: Option<String>,
    pub(crate) time_unit: TimeUnit,
    pub(crate) verbosity: Verbosity,
    /// `None` for half of the memory that is available.
    memory: Option<usize>,
    pub(crate) cache: Option<Cache>,
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
        console::print_settings_files(verbosity, &paths);
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
        let figures = ProfileSettings {
            activity: ActivitySettings {
                thresholds: file.thresholds,
                communication: file.kernels.communication,
                data_loading: file.kernels.data_loading,
            },
            gpus: file.gpus.iter().map(|(name, gpu)| gpu.row(name)).collect(),
        };
        let read = ReadOptions {
            mode: mode_choice(args.mode.or(file.mode).unwrap_or(Mode::Auto)),
            loose_work: LooseWork::ByTime { waiting_ns: file.thresholds.waiting_ns },
            tensor_cores: file.kernels.tensor_cores,
            cut,
            threads: threads(args.general.threads.or(file.threads).unwrap_or(0), verbosity),
            sqlite: SqliteOptions {
                reader: match args.general.reader {
                    Some(ReaderChoice::Sqlite) => RowReader::Sqlite,
                    Some(ReaderChoice::Auto) | None => RowReader::Auto,
                },
                detail: RowDetail::Analysis,
            },
            ..ReadOptions::default()
        };
        let key_node = key_node_choice(args.key_node.clone().or(file.key_node));
        Ok(Self {
            file: input,
            asked: OpenOptions { read, key_node, range, figures, on_stage: None },
            rules,
            profile_name: args.profile_name.clone().or(file.profile_name),
            time_unit: args.time_unit.or(file.time_unit).unwrap_or(TimeUnit::Auto),
            verbosity,
            memory: args.general.memory.or(file.memory.map(|memory| memory.0)),
            cache: if args.general.no_cache || file.no_cache == Some(true) { None } else { cache() },
            nsys: args.general.nsys.clone().or(file.nsys),
            exported: OnceCell::new(),
            shows_progress: !args.general.no_progress && !args.general.is_quiet(),
        })
    }

    /// Asks for figures by DLProf's rules: with its own key node unless another is asked for, over all iterations unless others
    /// are asked for, and without work that joins a range by time, of which DLProf knows nothing.
    pub(crate) fn use_rules_of_dlprof(&mut self) {
        let OpenOptions { read, key_node, range, .. } = &mut self.asked;
        if *key_node == KeyNodeChoice::Find {
            *key_node = KeyNodeChoice::Dlprof;
        }
        range.rules = FigureRules::Dlprof;
        read.loose_work = LooseWork::Unassociated;
        if range.otherwise == DefaultRange::Auto {
            range.otherwise = DefaultRange::All;
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
                    "`--sqlite` needs a `.nsys-rep` report; `{}` is not one",
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
        let rows = self.progress();
        let on_progress = |done, total| {
            rows.update(done, total);
            ControlFlow::Continue(())
        };
        let options = ReadOptions {
            mode: ModeChoice::Simple,
            threads: self.asked.read.threads,
            memory: self.memory(),
            sqlite: SqliteOptions { detail: RowDetail::Records, ..self.asked.read.sqlite },
            on_progress: Some(&on_progress),
            ..ReadOptions::default()
        };
        Ok(Capture::read(input, &options)?)
    }

    /// The bar of reading.
    fn progress(&self) -> Progress {
        Progress::new(self.shows_progress, format!("reading {}", self.short_name()), "rows")
    }

    /// The budget of a capture.
    fn memory(&self) -> Memory {
        self.memory.map_or_else(Memory::default, Memory::within)
    }

    /// How much memory may be used.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory.unwrap_or_else(|| Memory::default().bytes())
    }

    /// Opens the capture and judges the profile. Shows what is done if it takes long.
    pub(crate) fn profile(&self) -> Result<Judged, Failure> {
        let input = self.input()?;
        let rows = self.progress();
        let on_progress = |done, total| {
            rows.update(done, total);
            ControlFlow::Continue(())
        };
        let stages = Stages::new(self.verbosity, self.shows_progress, &rows);
        let on_stage = |stage, event| {
            stages.show(stage, event);
            ControlFlow::Continue(())
        };
        let asked = OpenOptions {
            read: ReadOptions {
                memory: self.memory(),
                on_progress: Some(&on_progress),
                ..self.asked.read.clone()
            },
            on_stage: Some(&on_stage),
            ..self.asked.clone()
        };
        let judged = self.judge(&Capture::open(input, &asked, self.cache.as_ref())?)?;
        console::print_scratch(self.verbosity, judged.capture.memory.most_scratch_bytes());
        Ok(judged)
    }

    /// Ends the work with a profile: prints what was odd about the input, and keeps what was worked out for later runs.
    pub(crate) fn finish(&self, profile: &Profile) {
        console::print_diagnostics(self.verbosity, &profile.diagnostics);
        self.keep_figures(profile);
    }

    /// Keeps what was worked out with a profile for later runs.
    pub(crate) fn keep_figures(&self, profile: &Profile) {
        if let Some(cache) = &self.cache {
            self.asked.keep_figures(profile, cache);
        }
    }

    /// Judges a profile. Mistakes of users' rules that only a capture shows are found now, whatever is shown of the capture.
    fn judge(&self, profile: &Profile) -> Result<Judged, Failure> {
        let started = Instant::now();
        let judged = judge(profile, &self.rules);
        if let Some((_, error)) = judged.own_failures().next() {
            return Err(error.clone().into());
        }
        if !self.rules.own.is_empty() {
            console::print_stage(self.verbosity, "own rules", started.elapsed());
        }
        for OwnResult { id, outcome } in judged.own_results() {
            if let OwnOutcome::NotRun(reason) = outcome {
                console::print_rule_not_run(self.verbosity, id, reason);
            }
        }
        Ok(judged)
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
        console::print_note(&format!(
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
