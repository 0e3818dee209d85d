//! The command line of `profile`: clap types only.

use crate::analysis_args::Options;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

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
    #[command(flatten)]
    pub(crate) options: Options,
}
