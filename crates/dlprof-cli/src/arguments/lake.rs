//! The command line of `lake`.

use super::analysis::Options;
use super::general::overwrite;
use crate::commands::{lake, ranks};
use crate::exit::Failure;
use clap::{Args, Subcommand};
use dlprof_core::DefaultRange;
use std::path::PathBuf;

/// What to do with a lake.
#[derive(Debug, Subcommand)]
pub(crate) enum LakeAction {
    /// Put captures into a lake
    ///
    /// Every machine may add its own captures at the same time, on a file system that all share: a capture appears as a whole, and
    /// one that is there already is not added again. Options of the analysis, such as `--key-node`, count for what is written.
    Add(LakeAdd),
}

#[derive(Debug, Args)]
pub(crate) struct LakeAdd {
    /// The lake: a folder, which is made if there is none
    #[arg(value_name = "DIR", index = 1)]
    pub(crate) lake: PathBuf,
    /// Captures, folders of them, patterns, or `@FILE` with a path per line
    #[arg(value_name = "PATH", index = 2, required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Name of the run [default: SLURM_JOB_ID or its like; else the folder of the capture]
    #[arg(long, value_name = "NAME")]
    pub(crate) run: Option<String>,
    /// Rank of the only capture, of several the lowest [default: as the capture says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..), conflicts_with = "rank_from")]
    pub(crate) rank: Option<i64>,
    /// Where paths have the rank: group `rank`, or the first group
    #[arg(long, value_name = "REGEX")]
    pub(crate) rank_from: Option<String>,
    /// Replace captures that have the same run and rank
    #[arg(short, long)]
    pub(crate) force: bool,
}

impl LakeAdd {
    /// What is asked for.
    pub(crate) fn asked(self, options: Options) -> Result<lake::LakeAdd, Failure> {
        Ok(lake::LakeAdd {
            lake: self.lake,
            paths: self.paths,
            settings: options.settings(DefaultRange::Auto)?,
            run: self.run,
            rank: self.rank,
            rank_from: self.rank_from.as_deref().map(ranks::rank_pattern).transpose()?,
            overwrite: overwrite(self.force),
        })
    }
}
