//! Answers for programs: the standing questions, answered by queries over the tables, in one form.
//!
//! ```text
//! question ─plans─► queries ─► parts ┐
//! capture ─unknown─► reasons ────────┴─► Envelope ─► JSON or text within a number of tokens
//! ```
//!
//! Nothing is computed here: every figure is a cell of a table that `query` can show. Where a query needs what was not recorded, it
//! is left out, and the reason stands in its place.

mod cursor;
mod envelope;
mod plans;
mod question;
mod say;
#[cfg(test)]
mod tests;
mod text;
mod unknown;

pub use cursor::{Cursor, CursorError};
pub use envelope::{
    BYTES_OF_TOKEN, CaptureName, ColumnName, ENVELOPE_VERSION, Envelope, Mistake, Part, Scope, State, Warning,
};
pub use question::Question;
pub use unknown::{Cannot, cannot_of_error};

use crate::display::{TimeUnit, sentence};
use crate::overview::{Window, overview, window};
use crate::query::{Limits, Query, QueryError};
use dlprof_core::{Judged, Recorder, Severity};
use plans::{About, Plan, plans};
use serde_json::Value as Json;
use std::borrow::Cow;
use unknown::unknowns;

/// A capture that is asked about.
#[derive(Debug, Clone, Copy)]
pub struct AskedCapture<'a> {
    /// Its key.
    pub id: &'a str,
    /// Its name, as `query` has it.
    pub name: &'a str,
    /// What is known of it.
    pub judged: &'a Judged,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The question.
    pub question: Question,
    /// A kernel or a range, as a key or a name.
    pub about: Option<&'a str>,
    /// Captures: two to be compared, the older one first; else one, or several ranks.
    pub captures: &'a [AskedCapture<'a>],
    /// Where the rows of a part go on that an earlier answer cut.
    pub cursor: Option<&'a Cursor>,
    /// Limits of each query.
    pub limits: Limits,
}

/// Answers a question.
///
/// # Errors
/// If a query was stopped at a limit.
pub fn ask(asking: &Asking<'_>) -> Result<Envelope, QueryError> {
    let Asking { question, captures, .. } = *asking;
    let mut envelope = Envelope { question: Some(question.words()[0]), ..of_captures("ask", captures) };
    let Some(first) = captures.last() else { return Ok(envelope) };
    let view = overview(first.judged, TimeUnit::Auto);
    let mut unknown: Vec<Cannot> = Vec::new();
    for one in captures {
        let more = match one.name == first.name {
            true => unknowns(one.judged, &view),
            false => unknowns(one.judged, &overview(one.judged, TimeUnit::Auto)),
        };
        for cannot in more {
            if unknown.iter().all(|known| known.because != cannot.because) {
                unknown.push(cannot);
            }
        }
    }
    answer(asking, unknown, &mut envelope)?;
    if envelope.error.is_none() {
        say::say(question, &view, first.judged, &mut envelope);
    }
    let prose = envelope.parts.iter_mut().flat_map(Part::prose);
    in_words_of_recorder(captures, prose.chain([&mut envelope.say]));
    Ok(envelope)
}

/// What an answer says of the captures that it is about: which part of them, and what misleads about them.
#[must_use]
pub fn of_captures(tool: &str, captures: &[AskedCapture<'_>]) -> Envelope {
    let mut envelope = Envelope::new(tool, State::Answer);
    match captures {
        [one] => {
            envelope.capture = Some(name(one));
            envelope.scope = Some(scope(&window(one.judged)));
        }
        several => envelope.captures = several.iter().map(name).collect(),
    }
    envelope.warn = captures.iter().flat_map(|one| warnings(one, captures.len() > 1)).collect();
    in_words_of_recorder(captures, envelope.warn.iter_mut().map(|warning| &mut warning.say));
    envelope
}

/// Sentences of this program in the words of who recorded the captures, where all are of one. What was recorded stays as it is.
fn in_words_of_recorder<'t>(captures: &[AskedCapture<'_>], texts: impl Iterator<Item = &'t mut String>) {
    let recorders: Vec<Recorder> = captures.iter().map(|one| one.judged.capture.recorder).collect();
    let Some(recorder) = recorders.first().filter(|first| recorders.iter().all(|one| one == *first)) else {
        return;
    };
    for text in texts {
        if let Cow::Owned(words) = recorder.in_its_words(text) {
            *text = words;
        }
    }
}

/// Columns in which a 0 says nothing where a reason holds: what they are about could not be seen.
const NOT_KNOWN_TO_BE_0: [(&str, &str); 6] = [
    ("input_percent", "no_os_calls"),
    ("cpu_percent", "no_api_calls"),
    ("sync_percent", "no_api_calls"),
    ("waits_for_cpu_in_short_gaps_percent", "no_api_calls"),
    ("communication_percent", "kinds_unknown"),
    ("communication_percent", "graphs_recorded_whole"),
];

/// Runs the queries that can be run, and says what the others would need.
fn answer(asking: &Asking<'_>, unknown: Vec<Cannot>, envelope: &mut Envelope) -> Result<(), QueryError> {
    let Asking { question, about, captures, cursor, .. } = *asking;
    let names: Vec<&str> = captures.iter().map(|capture| capture.name).collect();
    let is_unknown = |key: &&str| unknown.iter().any(|cannot| cannot.because == *key);
    let mut reasons: Vec<&str> = ["program_failed", "lost_records"].into();
    reasons.extend(question.limits());
    // Of iterations whose records were lost it is not known what GPUs did, though others have kernels.
    let lacks_kernels = captures.iter().any(|capture| !capture.judged.has_kernel_records());
    let seal = cursor::seal(question.words()[0], about, captures.iter().map(|capture| capture.id));
    let lacks_matrix_units = captures.iter().all(|capture| capture.judged.has_tensor_cores() == Some(false));
    for plan in plans(question, &About { thing: about, names: &names, lacks_matrix_units }) {
        reasons.extend(plan.needs);
        let needs_kernels = plan.needs.contains(&"no_kernels");
        if plan.needs.iter().any(is_unknown)
            || needs_kernels && lacks_kernels
            || cursor.is_some_and(|cursor| cursor.part != plan.name)
        {
            continue;
        }
        let mut part = part(&plan, asking, seal)?;
        for (column, reason) in NOT_KNOWN_TO_BE_0 {
            reasons.extend(Some(reason).filter(|reason| is_unknown(reason) && part.forget_zeros(column)));
        }
        let is_blind = part.total == 0 && plan.emptied_by.iter().any(is_unknown);
        reasons.extend(plan.emptied_by.iter().filter(|_| is_blind));
        let is_left_out = plan.is_rare && part.total == 0;
        if !is_blind && !is_left_out {
            envelope.parts.push(part);
        }
    }
    let of_rows = rows_lack(question, captures, &envelope.parts);
    reasons.extend(of_rows);
    if about.is_some() && envelope.parts.first().is_some_and(|part| part.total == 0) && cursor.is_none() {
        let (capture, question) = (envelope.capture.take(), envelope.question);
        *envelope = Envelope { capture, question, ..no_such_key(about.unwrap_or_default()) };
        return Ok(());
    }
    let mut unknown = unknown;
    if let Some(key) = of_rows.filter(|key| unknown.iter().all(|known| known.because != *key)) {
        unknown.extend(captures.first().and_then(|one| Cannot::new(key, &one.judged.capture)));
    }
    if question != Question::Suffices {
        unknown.retain(|cannot| reasons.contains(&cannot.because) || cannot.because == "no_launches");
        let has_rows = envelope.parts.iter().any(|part| part.total > 0);
        envelope.state = match (unknown.is_empty(), has_rows) {
            (true, _) => State::Answer,
            (false, true) => State::Partial,
            (false, false) => State::Cannot,
        };
    }
    envelope.cannot = unknown;
    Ok(())
}

/// What rows say themselves that they do not cover.
fn rows_lack(question: Question, captures: &[AskedCapture<'_>], parts: &[Part]) -> Option<&'static str> {
    match (question, captures, parts) {
        (Question::TensorCores, _, [first, ..]) => {
            let is_untold = |row: &Vec<Json>| match first.name {
                "kernels" => row.get(1).is_some_and(|cell| cell == "unknown"),
                _ => {
                    let share = row.last().and_then(Json::as_f64).unwrap_or(0.0);
                    row.first().is_some_and(|key| key == "tensor_cores:unknown") && share >= 1.0
                }
            };
            first.rows.iter().any(is_untold).then_some("name_does_not_tell")
        }
        (Question::WhichRank, [one], _) => one.judged.is_one_rank_of_many().then_some("one_rank_of_many"),
        _ => None,
    }
}

fn no_such_key(about: &str) -> Envelope {
    let mistake = Mistake {
        code: "no_such_key",
        say: format!("there is no `{}` in the analysed part", envelope::cut(about, 80)),
        hint: Some(
            "`ask where_time` has keys of kernels and ranges; `--key-node=` takes the whole capture".into(),
        ),
        did_you_mean: Vec::new(),
    };
    Envelope::mistake("ask", mistake)
}

/// The rows of a query.
fn part(plan: &Plan, asking: &Asking<'_>, seal: u32) -> Result<Part, QueryError> {
    let mut query = Query::new(&plan.sql, asking.captures.len())?.with_limits(asking.limits);
    for capture in asking.captures {
        query.add(capture.name, capture.judged)?;
    }
    let (first, most) = asking.cursor.map_or((0, plan.most), |cursor| (cursor.offset, usize::MAX));
    let part = Part::of(plan.name, &query.run()?, first, most.min(1000), Some(plan.sql.clone()));
    Ok(part.with_seal(seal))
}

fn name(capture: &AskedCapture<'_>) -> CaptureName {
    CaptureName { id: capture.id.to_owned(), name: envelope::cut(capture.name, 120) }
}

/// Which part of a capture its figures are about.
fn scope(window: &Window) -> Scope {
    Scope {
        text: envelope::cut(&window.parts.first().cloned().unwrap_or_default(), 200),
        first: window.first,
        last: window.last,
        length_ns: window.length_ns,
        clock: window.clock,
    }
}

/// What misleads about a capture, which is named where there are several.
fn warnings(capture: &AskedCapture<'_>, names: bool) -> Vec<Warning> {
    let judged = capture.judged;
    let of_findings = judged.findings().iter().filter(|finding| finding.misleads).map(|finding| Warning {
        code: finding.id.to_string(),
        say: sentence(&finding.problem, TimeUnit::Auto),
    });
    let errors = judged.diagnostics.iter().filter(|found| found.code.severity() == Severity::Error);
    let of_capture = errors.map(|found| Warning {
        code: found.code.key().replace('-', "_"),
        say: found.code.meaning().to_owned(),
    });
    let mut warnings: Vec<Warning> = of_findings.chain(of_capture).collect();
    let of = if names { format!("{}: ", name(capture).name) } else { String::new() };
    warnings.iter_mut().for_each(|warning| warning.say = format!("{of}{}", envelope::cut(&warning.say, 300)));
    warnings
}
