//! The command line of `ranks`, and captures of jobs that other commands take.

use super::analysis::{Analysis, Options};
use super::general::overwrite;
use super::report_format::CiReport;
use super::rules::{FAIL_ON, FAIL_ON_LONG, FailOn};
use super::value_help::with_values;
use crate::commands::ranks;
use crate::commands::ranks::JobOfCaptures;
use crate::commands::report_files::Pages;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use clap::Args;
use dlprof_core::{DefaultRange, JOB_TABLES};
use dlprof_export::{ExportOutput, FormatError, Inputs};
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Ranks {
    /// More captures of the job, or folders of them
    #[arg(value_name = "PATH", index = 2)]
    pub(crate) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) job: JobOptions,
    #[command(flatten)]
    pub(crate) report: CiReport,
    /// Show all findings
    #[arg(long)]
    pub(crate) details: bool,
    #[arg(
        long,
        value_enum,
        value_name = "SEVERITY",
        hide_possible_values = true,
        help = FAIL_ON,
        long_help = with_values::<FailOn>(FAIL_ON_LONG)
    )]
    pub(crate) fail_on: Option<FailOn>,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// How a job is made of captures.
#[derive(Debug, Default, Args)]
pub(crate) struct JobOptions {
    /// Where paths have the rank: group `rank`, or the first group
    ///
    /// A regular expression that each path of a capture matches. Without it: the largest communicator, MPI, the environment,
    /// `rankN` in the name of the file; else the order of names, which is said.
    #[arg(long, value_name = "REGEX")]
    pub(crate) rank_from: Option<String>,
    /// Go on with the largest part if captures are of different runs or kinds
    #[arg(long)]
    pub(crate) largest_part: bool,
    /// Judge this session of several, from 1 on [default: the latest]
    ///
    /// The same rank twice, one after the other, is two sessions of a job; ranks without a world size or a communicator in common are
    /// of several jobs. Each is judged alone. Without it: of each job the one with most ranks, and of equals the latest.
    #[arg(long, value_name = "N")]
    pub(crate) session: Option<NonZeroUsize>,
    /// Look only at the capture of this rank: its dashboard, its tables
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) rank: Option<i64>,
    /// Captures that are read at a time [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// The captures of a job as they were named, and how they are read.
pub(super) struct NamedJob {
    job: JobOptions,
    analysis: Analysis,
    more: Vec<PathBuf>,
}

impl Ranks {
    /// What is asked for.
    pub(crate) fn asked(mut self) -> Result<ranks::Ranks, Failure> {
        // Who goes on although files exist goes on although captures are of different runs, too.
        self.job.largest_part |= self.report.force;
        let rank = self.job.rank;
        let pages = self.report.take_pages();
        let pages = pages.iter().map(|path| ExportOutput::new(path, None, JOB_TABLES.len()));
        let pages = pages.collect::<Result<_, FormatError>>()?;
        let named = self.job.of(self.analysis, self.more);
        let job = named.asked()?;
        let inputs = named.inputs(&job);
        Ok(ranks::Ranks {
            files: self.report.files(Pages::HtmlAndPdf, &inputs)?,
            pages,
            overwrite: overwrite(self.report.force),
            inputs,
            job,
            rank,
            format: self.report.format,
            has_all_findings: self.details,
            fail_on: self.fail_on.map(Into::into),
        })
    }
}

impl JobOptions {
    /// The job that some captures are, by their files.
    pub(super) fn of_files(self, files: Vec<PathBuf>, options: Options) -> NamedJob {
        self.of(Analysis { file: None, database: None, options }, files)
    }

    /// The job that some captures are.
    pub(super) fn of(self, analysis: Analysis, more: Vec<PathBuf>) -> NamedJob {
        NamedJob { job: self, analysis, more }
    }
}

impl NamedJob {
    /// The job, whose captures are not read yet.
    pub(super) fn asked(&self) -> Result<JobOfCaptures, Failure> {
        let Self { job, analysis, more } = self;
        let paths: Vec<&PathBuf> = analysis.named().into_iter().chain(more).collect();
        if paths.is_empty() {
            return Err(Failure::Usage {
                message: "no PATH given".into(),
                hint: Some("give the captures of a job, or a folder of them".into()),
            });
        }
        let settings = analysis.options.clone().settings(DefaultRange::Auto)?;
        let pattern = job.rank_from.as_deref().map(ranks::rank_pattern).transpose()?;
        let mut asked = JobOfCaptures::of_paths(&paths, settings)?;
        asked.request.rank_from = pattern;
        asked.request.largest_part = job.largest_part;
        asked.request.session = job.session.map(NonZeroUsize::get);
        asked.at_a_time = job.jobs.map_or(1, NonZeroUsize::get);
        Ok(asked)
    }

    /// What no output may replace: the captures, lists of them, and what every command reads.
    pub(super) fn inputs(&self, job: &JobOfCaptures) -> Inputs {
        let mut inputs = self.analysis.options.inputs(&job.files);
        let named = self.analysis.named().into_iter().chain(&self.more);
        named.filter_map(|path| ranks::list_of(path)).for_each(|list| inputs.add(list));
        inputs
    }

    /// The capture that `--rank` names, else the file that was named.
    pub(super) fn capture(self) -> Result<CaptureFile, Failure> {
        match self.job.rank {
            Some(rank) => self.asked()?.capture_of(rank),
            None => self.analysis.capture(),
        }
    }
}
