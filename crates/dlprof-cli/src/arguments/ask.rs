//! The command line of `ask`.

use super::analysis::Options;
use super::brief::{AnswerForm, Brief};
use crate::answers::ask;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dlprof_core::DefaultRange;
use dlprof_export::StandingQuestion;
use std::path::PathBuf;

/// A question and captures.
#[derive(Debug, Args)]
pub(crate) struct Ask {
    #[arg(value_name = "QUESTION", value_parser = questions(), hide_possible_values = true)]
    #[arg(help = names_of_questions(), long_help = questions_in_words())]
    pub(crate) question: StandingQuestion,
    /// Captures: two for `compare`, the older one first; else one
    #[arg(value_name = "FILE", required = true, num_args = 1.., id = "files")]
    pub(crate) files: Vec<PathBuf>,
    /// A kernel or a range, as a name or as a key of an earlier answer
    #[arg(long, value_name = "KEY")]
    pub(crate) about: Option<String>,
    /// The rest of a part that an earlier answer cut: its `next`
    #[arg(long, value_name = "NEXT")]
    pub(crate) cursor: Option<String>,
    #[command(flatten)]
    form: AnswerForm,
    #[command(flatten)]
    pub(crate) options: Options,
}

fn questions() -> impl TypedValueParser<Value = StandingQuestion> {
    let value = |question: StandingQuestion| {
        let [name, words] = question.words();
        PossibleValue::new(name).help(words)
    };
    PossibleValuesParser::new(StandingQuestion::ALL.map(value))
        .map(|name: String| StandingQuestion::named(&name).expect("the values are names of questions"))
}

fn names_of_questions() -> String {
    let names = StandingQuestion::ALL.map(|question| question.words()[0]);
    format!("What to ask: {}", names.join(", "))
}

fn questions_in_words() -> String {
    let lines = StandingQuestion::ALL.map(|question| {
        let [name, words] = question.words();
        format!("- {name}: {words}")
    });
    format!("What to ask\n\n{}", lines.join("\n"))
}

impl Ask {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<ask::Ask, Failure> {
        let Self { question, files, about, cursor, form, options } = self;
        let Brief { brief, max_tokens } = options.general.brief.clone();
        let most_tokens = form.most_tokens().filter(|_| !brief);
        let settings = options.settings(DefaultRange::Auto)?;
        let file = |path| CaptureFile::new(path, settings.clone());
        Ok(ask::Ask {
            fails_on: ask::FailsOn::Nothing,
            question,
            files: files.into_iter().map(file).collect(),
            about,
            cursor,
            is_json: brief || most_tokens.is_some(),
            most_tokens: most_tokens.unwrap_or(max_tokens as usize),
        })
    }
}
