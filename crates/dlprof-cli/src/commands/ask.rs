//! `ask`: the answer to a standing question about one or several captures.

use super::query::as_one_of_several;
use crate::answers::{Asked, OpenFile, answer};
use crate::console;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use dlprof_core::Judged;
use dlprof_export::{AnswerState, Envelope, QueryLimits, StandingQuestion};
use std::time::Duration;

/// What to ask, and in which form the answer is printed.
pub(crate) struct Ask {
    pub(crate) question: StandingQuestion,
    /// At least one.
    pub(crate) files: Vec<CaptureFile>,
    pub(crate) about: Option<String>,
    pub(crate) cursor: Option<String>,
    /// Whether it is JSON.
    pub(crate) is_json: bool,
    pub(crate) most_tokens: usize,
}

/// Time of each query.
pub(crate) const TIME_OF_QUERY: Duration = Duration::from_secs(60);

/// Returns the exit code: that of a request that does not fit where there is nothing of what it is about.
pub(crate) fn run(asked: &Ask) -> Result<u8, Failure> {
    let judged: Vec<Judged> = asked
        .files
        .iter()
        .map(|file| as_one_of_several(file, asked.files.len() > 1))
        .collect::<Result<_, _>>()?;
    let envelope = of_opened(asked, &judged)?;
    let text = match asked.is_json {
        true => envelope.to_json(asked.most_tokens) + "\n",
        false => envelope.to_text(asked.most_tokens),
    };
    console::print(&text)?;
    keep(&asked.files, &judged);
    Ok(if envelope.state == AnswerState::Error { crate::exit::REQUEST } else { crate::exit::DONE })
}

fn keep(files: &[CaptureFile], judged: &[Judged]) {
    files.iter().zip(judged).for_each(|(file, judged)| file.keep_figures(judged));
}

fn of_opened(asked: &Ask, judged: &[Judged]) -> Result<Envelope, Failure> {
    let open = |(file, judged)| -> OpenFile<'_> {
        let file: &CaptureFile = file;
        OpenFile { path: &file.path, judged }
    };
    let files: Vec<OpenFile<'_>> = asked.files.iter().zip(judged).map(open).collect();
    let memory_bytes = asked.files.first().map_or(0, |file| file.settings.memory_bytes());
    let limits = QueryLimits { time: TIME_OF_QUERY, memory_bytes };
    let (about, cursor) = (asked.about.as_deref(), asked.cursor.as_deref());
    answer(&Asked { question: asked.question, about, cursor, limits }, &files)
}
