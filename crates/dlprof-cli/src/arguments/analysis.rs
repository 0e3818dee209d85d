//! Options of every command that analyses captures.

use super::general::General;
use super::question;
use super::value_help::with_values;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use crate::settings::choices::{Clock, IterRange, Mode, TimeUnit};
use crate::settings::{self, BatchSize, Given, MemorySize, OptionValues, Settings};
use clap::Args;
use dlprof_core::{DefaultRange, graph_captures_in};
use dlprof_export::Inputs;
use std::path::PathBuf;

/// What to analyse, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct Analysis {
    /// Export of an Nsight Systems report (`.sqlite`), the report (`.nsys-rep`), a trace of torch.profiler, a database of rocprofv3 or
    /// rocmProfileData, or an XPlane profile
    ///
    /// A report is exported first, for which `nsys` is needed; see `--nsys`. A trace is JSON, packed with gzip or not; files are
    /// known by their content.
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The file, as DLProf names it
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "file", aliases = ["nsys_database", "nsys-database"])]
    pub(crate) database: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// How to analyse it. These options may come before or after the command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Analysis")]
pub(crate) struct Options {
    /// First iteration to aggregate
    #[arg(long, value_name = "N", alias = "iter_start", global = true)]
    pub(crate) iter_start: Option<u32>,
    /// Last iteration to aggregate, inclusive
    #[arg(long, value_name = "N", alias = "iter_stop", global = true)]
    pub(crate) iter_stop: Option<u32>,
    /// Look only at what is after a time, such as 29.8s, or a range
    ///
    /// A time of the capture, or the text of a range, whose end counts. What is outside does not exist for any figure: calls,
    /// ranges and GPU work that are open here begin here. Units are ns, us, ms, s and min. `start:TEXT` and `end:TEXT` say which
    /// limit of a range counts: of several, the start of the first or the end of the last.
    #[arg(long, value_name = "TIME", global = true)]
    pub(crate) from: Option<String>,
    /// Look only at what is before a time or a range
    ///
    /// A time of the capture, or the text of a range, whose start counts; see `--from`.
    #[arg(long, value_name = "TIME", global = true)]
    pub(crate) to: Option<String>,
    /// Name of the op or range that delimits iterations [default: found]
    ///
    /// An op name, an op ID, the text of a range, the name of a kernel, or `re:` and a regular expression; or whatever
    /// `dlprof-agg show key-nodes FILE` lists, sequences of kernels too. An empty name, `--key-node=`, means that nothing
    /// delimits iterations.
    #[arg(long, value_name = "NAME", aliases = ["key_node", "key-op", "key_op"], global = true)]
    pub(crate) key_node: Option<String>,
    #[arg(
        long,
        value_enum,
        value_name = "RANGE",
        alias = "iter_range",
        global = true,
        hide_possible_values = true,
        help = "Without these numbers: auto, steady or all iterations [default: auto]",
        long_help = with_values::<IterRange>(
            "Iterations to aggregate if `--iter-start` and `--iter-stop` are not given [default: auto; all for DLProf's \
             reports, `baseline`, `gate`, `compare` and `history`]"
        )
    )]
    pub(crate) iter_range: Option<IterRange>,
    /// Items, such as images, per iteration: adds items per second
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        alias = "batch_size",
        global = true
    )]
    pub(crate) batch_size: Option<u32>,
    #[arg(
        long,
        value_enum,
        value_name = "UNIT",
        alias = "time_unit",
        global = true,
        hide_possible_values = true,
        help = "Unit of times: auto, ns, us, ms, s [default: auto]",
        long_help = with_values::<TimeUnit>(
            "Unit of times in text and in reports for people; data files always have nanoseconds [default: auto]"
        )
    )]
    pub(crate) time_unit: Option<TimeUnit>,
    #[arg(
        short,
        long,
        value_enum,
        value_name = "MODE",
        global = true,
        hide_possible_values = true,
        help = "What ranges mean: auto, pytorch, tensorflow, jax, nvtx, simple",
        long_help = with_values::<Mode>("How NVTX ranges become ops [default: auto]")
    )]
    pub(crate) mode: Option<Mode>,
    #[arg(
        long,
        value_enum,
        value_name = "CLOCK",
        global = true,
        hide_possible_values = true,
        help = "Clock of durations and shares: auto, cpu, gpu [default: auto]",
        long_help = with_values::<Clock>("The clock of durations and shares [default: auto]")
    )]
    pub(crate) clock: Option<Clock>,
    /// Log of Nsight Compute to join to the kernels
    ///
    /// May be given several times. CSV that `ncu --csv --log-file FILE` wrote for the same program: adds tables `ncu-kernels`, `ncu-ops`, `ncu-launches` and
    /// `ncu-match`, and measured answers about Tensor Cores. docs/ncu.md says how logs are joined.
    #[arg(long, value_name = "LOG", global = true)]
    pub(crate) ncu: Vec<PathBuf>,
    /// Logs are of the GPU of the capture, whatever they say
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) ncu_same_gpu: bool,
    /// Capture trace of the CUDA graphs of a server, or a folder of them [default: `capture_traces` beside FILE]
    ///
    /// vLLM and SGLang write traces of torch.profiler while they capture graphs. With them the kernels of graphs in FILE, a trace as
    /// well, belong to modules of the model. docs/serving.md
    #[arg(long, value_name = "PATH", global = true, hide_short_help = true)]
    pub(crate) capture_trace: Option<PathBuf>,
    /// Name in reports, and start of the names of report files
    #[arg(long, value_name = "TEXT", alias = "profile_name", global = true)]
    pub(crate) profile_name: Option<String>,
    #[command(flatten)]
    pub(crate) general: General,
}

impl Analysis {
    /// The capture, by the range of iterations that is usual.
    pub(crate) fn capture(self) -> Result<CaptureFile, Failure> {
        self.capture_with(DefaultRange::Auto)
    }

    /// The capture; `usual` is aggregated if nothing else is asked for.
    pub(super) fn capture_with(self, usual: DefaultRange) -> Result<CaptureFile, Failure> {
        let file = self.named().cloned().ok_or_else(|| Failure::Usage {
            message: "no FILE given".into(),
            hint: Some("give an nsys SQLite export, or try `dlprof-agg demo`".into()),
        })?;
        Ok(CaptureFile::new(file, self.options.settings(usual)?))
    }

    /// The file, however it was named.
    pub(super) fn named(&self) -> Option<&PathBuf> {
        self.file.as_ref().or(self.database.as_ref())
    }

    /// What no output may replace: the file, and what every command reads.
    pub(super) fn inputs(&self) -> Inputs {
        self.options.inputs(self.named())
    }
}

impl Options {
    /// What no output may replace: captures or baselines, the settings files, what the command line and these name besides, and
    /// all that is kept of earlier runs.
    pub(super) fn inputs<'a>(&self, files: impl IntoIterator<Item = &'a PathBuf>) -> Inputs {
        let General { config, nsys, .. } = &self.general;
        let mut inputs = Inputs::default();
        files.into_iter().for_each(|file| inputs.add(file));
        let of_settings = [
            settings::places(config.as_deref()),
            settings::files_named(config.as_deref(), self.general.usual_files()),
        ];
        let captures = self.capture_trace.iter().filter_map(|place| graph_captures_in(place));
        captures.for_each(|folder| inputs.add_files_of(&folder));
        self.ncu
            .iter()
            .chain(&self.capture_trace)
            .chain(nsys)
            .chain(of_settings.iter().flatten())
            .for_each(|file| inputs.add(file));
        if let Some(cache) = settings::cache() {
            inputs.add_folder(cache.folder());
        }
        inputs
    }

    /// The first of the options that were given and say something about a capture.
    pub(super) fn about_capture(&self) -> Option<&'static str> {
        let given = [
            (self.iter_start.is_some(), "--iter-start"),
            (self.iter_stop.is_some(), "--iter-stop"),
            (self.from.is_some(), "--from"),
            (self.to.is_some(), "--to"),
            (self.key_node.is_some(), "--key-node"),
            (self.iter_range.is_some(), "--iter-range"),
            (self.batch_size.is_some(), "--batch-size"),
            (self.mode.is_some(), "--mode"),
            (self.clock.is_some(), "--clock"),
            (self.ncu_same_gpu, "--ncu-same-gpu"),
            (self.capture_trace.is_some(), "--capture-trace"),
            (self.profile_name.is_some(), "--profile-name"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }

    /// These options and the settings files, checked; `usual` is aggregated if nothing else is asked for.
    pub(super) fn settings(self, usual: DefaultRange) -> Result<Settings, Failure> {
        let mut settings = Settings::new(self.given(), usual)?;
        settings.asked.rules.wording = Some(question::command);
        Ok(settings)
    }

    fn given(self) -> Given {
        let (verbosity, usual_files) = (self.general.level(), self.general.usual_files());
        let General { no_progress, config, nsys, threads, memory, no_cache, reader, .. } = self.general;
        Given {
            values: OptionValues {
                iter_start: self.iter_start,
                iter_stop: self.iter_stop,
                iter_range: self.iter_range,
                from: self.from,
                to: self.to,
                clock: self.clock,
                batch_size: self.batch_size.map(BatchSize),
                key_node: self.key_node,
                mode: self.mode,
                profile_name: self.profile_name,
                time_unit: self.time_unit,
                threads,
                memory: memory.map(MemorySize),
                no_cache: no_cache.then_some(true),
                nsys,
                ncu: (!self.ncu.is_empty()).then_some(self.ncu),
                ncu_same_gpu: self.ncu_same_gpu.then_some(true),
                capture_trace: self.capture_trace,
                ..OptionValues::default()
            },
            config,
            usual_files,
            reader: reader.unwrap_or_default().into(),
            verbosity,
            shows_progress: !no_progress,
        }
    }
}
