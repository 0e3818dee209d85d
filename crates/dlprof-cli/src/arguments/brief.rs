//! The options of answers for programs.

use super::value_help::with_values;
use crate::answers::USUAL_TOKENS;
use clap::{Args, ValueEnum, value_parser};

/// A limit of this many tokens is as good as none.
const MOST_TOKENS: usize = 20_000;

/// How an answer is written that is a text or one line for programs.
#[derive(Debug, Clone, Args)]
pub(crate) struct AnswerForm {
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true,
        hide_possible_values = true,
        help = "text, json [default: text]",
        long_help = with_values::<AnswerFormat>("How to write it to standard output [default: text]")
    )]
    format: AnswerFormat,
}

/// A form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// For people
    Text,
    /// For programs, as docs/agents/README.md describes it
    Json,
}

impl AnswerForm {
    /// The most tokens of an answer for programs, if one is asked for.
    pub(super) fn most_tokens(&self) -> Option<usize> {
        (self.format == AnswerFormat::Json).then_some(MOST_TOKENS)
    }
}

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
