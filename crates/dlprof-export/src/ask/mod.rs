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
use crate::overview::{Overview, overview};
use crate::query::{Limits, Query, QueryError};
use dlprof_core::{Judged, Severity};
use plans::{About, Plan, plans};
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
    let mut envelope =
        Envelope { question: Some(question.words()[0]), ..Envelope::new("ask", State::Answer) };
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
    match captures {
        [one] => envelope.capture = Some(name(one)),
        several => envelope.captures = several.iter().map(name).collect(),
    }
    envelope.scope = Some(scope(&view));
    envelope.warn = warnings(first.judged);
    answer(asking, unknown, &mut envelope)?;
    if envelope.error.is_none() {
        say::say(question, first.judged, &view, &mut envelope);
    }
    Ok(envelope)
}

/// Runs the queries that can be run, and says what the others would need.
fn answer(asking: &Asking<'_>, unknown: Vec<Cannot>, envelope: &mut Envelope) -> Result<(), QueryError> {
    let Asking { question, about, captures, cursor, .. } = *asking;
    let names: Vec<&str> = captures.iter().map(|capture| capture.name).collect();
    let is_unknown = |key: &&str| unknown.iter().any(|cannot| cannot.because == *key);
    let mut reasons: Vec<&str> = ["program_failed", "lost_records"].into();
    reasons.extend(question.limits());
    let seal = cursor::seal(question.words()[0], about, captures.iter().map(|capture| capture.id));
    for plan in plans(question, &About { thing: about, names: &names }) {
        reasons.extend(plan.needs);
        if plan.needs.iter().any(is_unknown) || cursor.is_some_and(|cursor| cursor.part != plan.name) {
            continue;
        }
        let part = part(&plan, asking, seal)?;
        let is_blind = part.total == 0 && plan.emptied_by.iter().any(is_unknown);
        reasons.extend(plan.emptied_by.iter().filter(|_| is_blind));
        if !is_blind {
            envelope.parts.push(part);
        }
    }
    if about.is_some() && envelope.parts.first().is_some_and(|part| part.total == 0) && cursor.is_none() {
        let (capture, question) = (envelope.capture.take(), envelope.question);
        *envelope = Envelope { capture, question, ..no_such_key(about.unwrap_or_default()) };
        return Ok(());
    }
    let mut unknown = unknown;
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
fn scope(view: &Overview) -> Scope {
    let window = &view.window;
    Scope {
        text: envelope::cut(&window.parts.first().cloned().unwrap_or_default(), 200),
        first: window.first,
        last: window.last,
        length_ns: window.length_ns,
        clock: window.clock,
    }
}

/// What misleads about a capture.
fn warnings(judged: &Judged) -> Vec<Warning> {
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
    warnings.iter_mut().for_each(|warning| warning.say = envelope::cut(&warning.say, 300));
    warnings
}
