//! The command line of `profile`.

use super::analysis::Options;
use super::general::overwrite;
use crate::commands::profile;
use crate::exit::Failure;
use crate::nsys::{Profiling, free_name, logs_named};
use clap::{Arg, Args};
use dlprof_core::DefaultRange;
use dlprof_export::{NcuLogs, Target, ncu_log_name};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The name of reports, which is DLProf's.
const NAME: &str = "nsys_profile";

/// What `--ncu` without a log means here: a path that cannot be a log.
const MEASURES: &str = ".";

/// `--ncu` of `profile`: the log does not exist yet.
pub(super) fn measures(ncu: Arg) -> Arg {
    ncu.num_args(0..=1)
        .require_equals(true)
        .default_missing_value(MEASURES)
        .value_name("LOG")
        .help("Run the program again under ncu, and join its counters")
        .long_help(
            "Run the program again under ncu, and join its counters\n\nThe kernels with most time are measured in the first steady \
             iteration, as `dlprof-agg ncu --suggest` says. The log is kept beside the report, as NAME.ncu.csv. With `--ncu=LOG`, \
             a log that exists is joined instead.",
        )
}

#[derive(Debug, Args)]
pub(crate) struct Profile {
    /// The program to profile, and its arguments
    ///
    /// `--` before the program is not needed, but makes clear which options are whose.
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
    /// Name of the report, without an ending [default: nsys_profile]
    ///
    /// Without this option, and if there is a report of that name, a number is appended.
    #[arg(short, long, value_name = "NAME", aliases = ["nsys_base_name", "nsys-base-name"])]
    pub(crate) output: Option<PathBuf>,
    /// Replace the report that `--output` names
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Further options for `nsys profile`, as in a shell; may be repeated
    ///
    /// They come after those of this tool, so they have the last word, such as `--nsys-opts='--sample=process-tree'` for
    /// the functions in which the CPU spends its time, or `--nsys-opts='--gpu-metrics-devices=all'` for counters.
    #[arg(long, value_name = "TEXT", alias = "nsys_opts", allow_hyphen_values = true)]
    pub(crate) nsys_opts: Vec<String>,
    /// Begin to capture so many seconds after the start
    #[arg(short = 'y', long, value_name = "SECONDS")]
    pub(crate) delay: Option<u32>,
    /// Capture for so many seconds, then end the program
    #[arg(short, long, value_name = "SECONDS")]
    pub(crate) duration: Option<u32>,
    /// Capture only from `cudaProfilerStart` to `cudaProfilerStop`
    ///
    /// The program calls them; in PyTorch `torch.cuda.profiler.start()` and `stop()`. This makes reports of long runs small.
    /// `--iter-start` and `--iter-stop` then count the iterations that were captured; without this option they choose among all
    /// iterations.
    #[arg(long)]
    pub(crate) capture_range: bool,
    /// Record allocations of GPU memory too
    ///
    /// Then `show gpu_memory` says how much was in use in each iteration, and what it grew by. `nsys` gets
    /// `--cuda-memory-usage=true`, which slows programs down that allocate often. PyTorch keeps memory that it gave back: nsys sees
    /// what PyTorch takes from CUDA, and torch.profiler with `profile_memory=True` sees single tensors.
    #[arg(long)]
    pub(crate) memory_usage: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}

impl Profile {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<profile::Profile, Failure> {
        let profiling = self.profiling()?;
        let mut options = self.options;
        let measures = options.ncu.iter().any(|log| log.as_os_str() == MEASURES);
        options.ncu.retain(|log| log.as_os_str() != MEASURES);
        if measures {
            if let Some(option) = profiling.option_that_begins_late() {
                return Err(begins_late(&option));
            }
            let inputs = options.inputs(&Vec::<PathBuf>::new());
            let name = profiling.output.to_string_lossy();
            let [one, several] = [NcuLogs::One, NcuLogs::Several].map(|logs| ncu_log_name(&name, logs));
            // How many processes write a log is not known yet.
            for log in logs_named(Path::new(&several)).into_iter().chain([one.into()]) {
                Target::new(&log, overwrite(self.force), &inputs)?;
            }
        }
        let settings = options.settings(DefaultRange::Auto)?;
        Ok(profile::Profile { profiling, settings, measures })
    }

    /// What to profile, and where the report goes.
    fn profiling(&self) -> Result<Profiling, Failure> {
        let output = match &self.output {
            None => free_name(Path::new(NAME)),
            // `nsys` appends the ending itself.
            Some(name) if name.extension().is_some_and(|ending| ending == "nsys-rep") => {
                name.with_extension("")
            }
            Some(name) => name.clone(),
        };
        let mut further = Vec::new();
        for text in &self.nsys_opts {
            further.extend(shlex::split(text).ok_or_else(|| Failure::Usage {
                message: format!("`--nsys-opts {text}` has a quote that does not end"),
                hint: Some("write it as in a shell, such as `--nsys-opts='--stats=true'`".into()),
            })?);
        }
        let profiling = Profiling {
            output,
            overwrite: self.force,
            delay: self.delay,
            duration: self.duration,
            capture_range: self.capture_range,
            memory_usage: self.memory_usage,
            further,
            program: self.program.clone(),
        };
        // What the program reads is not known, but its words may name files.
        let read: Vec<PathBuf> = self.program.iter().map(PathBuf::from).collect();
        let inputs = self.options.inputs(&read);
        for report in profiling.possible_reports() {
            Target::new(&report, overwrite(self.force), &inputs)?;
        }
        Ok(profiling)
    }
}

/// Why kernels cannot be measured in a second run where the capture begins after the start of the program: `ncu` counts launches
/// from the start.
fn begins_late(option: &str) -> Failure {
    Failure::Usage {
        message: format!(
            "with `{option}` launches before the capture are not known, but `ncu` counts them: it would measure others than \
             those of the capture"
        ),
        hint: Some(
            "let the program call `torch.cuda.profiler.start()` and `stop()`, and give `--capture-range` instead: then both \
             count from there"
                .into(),
        ),
    }
}
