//! Options of `view`.

use crate::analysis_args::Options;
use clap::Args;
use std::path::PathBuf;

/// The captures to explore, and where the server listens.
#[derive(Debug, Args)]
pub(crate) struct View {
    /// SQLite exports of Nsight Systems reports; the pages show one at a time, and of two also what differs
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub(crate) files: Vec<PathBuf>,
    /// Name or address to listen on
    ///
    /// `0.0.0.0` lets other machines in: the printed address then ends in a random token, without which nothing is answered.
    #[arg(short, long, value_name = "ADDRESS", default_value = "localhost")]
    pub(crate) bind: String,
    /// Port, or the next free one; 0 for any free one
    #[arg(short, long, value_name = "PORT", default_value_t = 8000)]
    pub(crate) port: u16,
    /// Open the address in the browser
    #[arg(long)]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}
