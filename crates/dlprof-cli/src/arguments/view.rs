//! The command line of `view`.

use super::analysis::Options;
use super::ranks::JobOptions;
use crate::commands::ranks::may_be_several;
use crate::commands::view;
use crate::commands::view::Shown;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use clap::Args;
use dlprof_core::DefaultRange;
use std::path::PathBuf;

/// The captures to explore, and where the server listens.
#[derive(Debug, Args)]
pub(crate) struct View {
    /// SQLite exports of Nsight Systems reports, or a folder with the ranks of a job
    ///
    /// The pages show one file at a time, and of two also what differs. A folder, a pattern or `@FILE` is a job of many ranks.
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub(crate) files: Vec<PathBuf>,
    /// Name or address to listen on
    ///
    /// `0.0.0.0` lets other machines in. The printed address ends in a random token, without which nothing is answered.
    #[arg(short, long, value_name = "ADDRESS", default_value = "localhost")]
    pub(crate) bind: String,
    /// Port, or the next free one; 0 for any free one
    #[arg(short, long, value_name = "PORT", default_value_t = 8000)]
    pub(crate) port: u16,
    /// Further host that requests may name; may be repeated
    ///
    /// Give the name of this machine, or of a proxy before it, if browsers use that.
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Make CSV downloads safe for spreadsheets
    ///
    /// Texts that a spreadsheet would take for formulas get a `'`. They begin with `=`, `+`, `-`, `@`, a tab or a line break. Without this option files have the texts of the capture.
    #[arg(long)]
    pub(crate) csv_safe: bool,
    /// Open the address in the browser
    #[arg(long)]
    pub(crate) open: bool,
    #[command(flatten, next_help_heading = "Jobs of many ranks")]
    pub(crate) job: JobOptions,
    #[command(flatten)]
    pub(crate) options: Options,
}

impl View {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<view::View, Failure> {
        let rank = self.job.rank;
        let shown = if self.files.iter().any(|file| may_be_several(file)) || rank.is_some() {
            let named = self.job.of_files(self.files, self.options);
            match rank {
                Some(rank) => Shown::Captures(vec![named.asked()?.capture_of(rank)?]),
                None => Shown::Job(Box::new(named.asked()?)),
            }
        } else {
            let settings = self.options.settings(DefaultRange::Auto)?;
            let files = self.files.into_iter().map(|file| CaptureFile::new(file, settings.clone()));
            Shown::Captures(files.collect())
        };
        Ok(view::View {
            shown,
            bind: self.bind,
            port: self.port,
            allowed_hosts: self.allow_host,
            csv_safe: self.csv_safe,
            opens_browser: self.open,
        })
    }
}
