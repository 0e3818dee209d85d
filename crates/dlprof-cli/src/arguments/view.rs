//! The command line of `view`.

use super::analysis::Options;
use crate::commands::view;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use clap::Args;
use dlprof_core::DefaultRange;
use std::path::PathBuf;

/// The captures to explore, and where the server listens.
#[derive(Debug, Args)]
pub(crate) struct View {
    /// SQLite exports of Nsight Systems reports; the pages show one at a time, and of two also what differs
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
    #[command(flatten)]
    pub(crate) options: Options,
}

impl View {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<view::View, Failure> {
        let settings = self.options.settings(DefaultRange::Auto)?;
        let files = self.files.into_iter().map(|file| CaptureFile::new(file, settings.clone()));
        Ok(view::View {
            files: files.collect(),
            bind: self.bind,
            port: self.port,
            allowed_hosts: self.allow_host,
            csv_safe: self.csv_safe,
            opens_browser: self.open,
        })
    }
}
