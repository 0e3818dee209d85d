//! The command line of `mcp`.

use super::analysis::Options;
use crate::exit::Failure;
use crate::library::Asked;
use crate::mcp;
use clap::{Args, value_parser};
use std::path::PathBuf;

/// How agents are served.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Folder below which captures may be read [default: .]
    ///
    /// May be given several times. Symbolic links that lead out of it are refused.
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    pub(crate) root: Vec<PathBuf>,
    /// Most captures that are held open
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = value_parser!(u32).range(1..=256))]
    pub(crate) max_open: u32,
    /// Answer with structured content as well
    #[arg(long)]
    pub(crate) structured: bool,
    /// Export reports (`.nsys-rep`), for which nsys is started
    #[arg(long)]
    pub(crate) allow_export: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}

impl Mcp {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<mcp::Mcp, Failure> {
        let general = self.options.general;
        let asked = Asked {
            memory_bytes: general.memory,
            key_node: self.options.key_node,
            batch_size: self.options.batch_size,
            ncu: self.options.ncu,
            config: general.config,
            no_cache: general.no_cache,
            threads: general.threads.unwrap_or(0),
            ..Asked::default()
        };
        Ok(mcp::Mcp {
            roots: self.root,
            asked,
            most_tokens: general.brief.max_tokens,
            most_open: self.max_open as usize,
            is_structured: self.structured,
            may_export: self.allow_export,
        })
    }
}
