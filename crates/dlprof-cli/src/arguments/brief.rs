//! The options of brief answers.

use crate::answers::USUAL_TOKENS;
use clap::{Args, value_parser};

/// How long a brief answer may be.
#[derive(Debug, Clone, Args)]
pub(crate) struct Brief {
    /// Answer as one line of JSON for programs, within --max-tokens
    ///
    /// One form for all commands that have it, errors too; docs/agents/README.md describes it.
    #[arg(long, global = true)]
    pub(crate) brief: bool,
    /// Most tokens of a brief answer, 4 bytes each
    #[arg(long, value_name = "N", default_value_t = USUAL_TOKENS, value_parser = value_parser!(u32).range(200..=20_000), global = true)]
    pub(crate) max_tokens: u32,
}

impl Brief {
    /// The most tokens of a brief answer, if one is asked for.
    pub(crate) fn most_tokens(&self) -> Option<usize> {
        self.brief.then_some(self.max_tokens as usize)
    }
}
