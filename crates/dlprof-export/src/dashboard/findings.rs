//! What to change: the best findings in short, or all of them with their evidence.

use super::line::{Line, flow, heading, wrap_hard};
use super::paper::Paper;
use super::{Details, Look};
use crate::display::short_time;
use crate::overview::{FindingRow, Overview, SavingPerIteration};
use crate::text::width;
use anstyle::{AnsiColor, Style};

/// The block. Of the findings in short, so many are shown, each with at most so many lines of advice.
pub(super) fn findings(overview: &Overview, look: &Look<'_>, short: Short, paper: Paper) -> Vec<Line> {
    let findings = &overview.findings;
    if findings.is_empty() {
        let rules = "no rule found anything";
        return vec![heading("What to change", "", paper.columns), Line::of(format!("  {rules}"))];
    }
    let shown = match look.details {
        Details::All => findings.len(),
        Details::Best => short.shown(findings),
    };
    let about = overview.about_savings(&findings[..shown]);
    let mut lines = vec![heading("What to change", &about, paper.columns)];
    for finding in &findings[..shown] {
        lines.extend(match (look.details, finding.same_cause_as) {
            (Details::All, _) => whole(finding, cause_saves(finding, findings), look, paper),
            (Details::Best, None) => in_short(finding, look, short.advice_lines, paper),
            (Details::Best, Some(_)) => vec![below(finding, paper)],
        });
    }
    if let Some(after) = &overview.after_changes {
        let room = paper.columns.saturating_sub(2);
        lines.extend(wrap_hard(&paper.text(after), room).iter().map(|line| Line::of(format!("  {line}"))));
    }
    lines.extend(further(findings, shown, paper));
    lines
}

/// How to see the findings that are not shown, and the command that makes the changes of those that are, without their names where there is
/// no room for them.
fn further(findings: &[FindingRow], shown: usize, paper: Paper) -> Option<Line> {
    let more = (findings.len() > shown).then(|| format!("{} more: --details", findings.len() - shown));
    let replayed = findings[..shown].iter().filter(|row| row.is_replayed);
    let names: String = replayed.map(|row| format!(" {}", row.id)).collect();
    let trial = |names: &str| format!("try: dlprof-agg what-if FILE{names}");
    let said = |trial: Option<String>| {
        let parts: Vec<String> = more.iter().cloned().chain(trial).collect();
        (!parts.is_empty()).then(|| format!("  {}", parts.join("; ")))
    };
    let fits = |line: &String| width(line) <= paper.columns;
    let line = match names.is_empty() {
        true => said(None),
        false => said(Some(trial(&names))).filter(fits).or_else(|| said(Some(trial(""))).filter(fits)),
    };
    line.or_else(|| said(None)).map(Line::of)
}

/// Whether a finding has the cause of another one that saves something.
fn cause_saves(finding: &FindingRow, all: &[FindingRow]) -> bool {
    let is_cause = |one: &&FindingRow| Some(one.id.as_str()) == finding.same_cause_as;
    all.iter()
        .find(is_cause)
        .is_some_and(|cause| cause.saving.as_ref().is_some_and(|saving| saving.ns() > 0.0))
}

/// How much of the findings is shown on the first screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Short {
    /// Number of findings.
    pub(super) findings: usize,
    /// Lines of advice of each.
    pub(super) advice_lines: usize,
}

impl Short {
    /// How many rows are shown: so many findings, and after each all that shares its cause.
    fn shown(self, findings: &[FindingRow]) -> usize {
        let mut own = (0..findings.len()).filter(|&at| findings[at].same_cause_as.is_none());
        own.nth(self.findings).unwrap_or(findings.len())
    }
}

fn style_of(finding: &FindingRow) -> Style {
    match finding.severity {
        "error" => AnsiColor::Red.on_default().bold(),
        "warning" => AnsiColor::Yellow.on_default().bold(),
        _ => AnsiColor::Blue.on_default(),
    }
}

/// `expected −245 ms`; without the word where there is little room.
fn saving(saving: &SavingPerIteration, look: &Look<'_>, paper: Paper) -> String {
    let time = format!("−{}", short_time(saving.ns(), look.time_unit));
    paper.text(&match saving.kind() {
        _ if paper.columns < 70 && saving.expected_ns.is_some() => time,
        "expected" => format!("expected {time}"),
        _ if paper.columns < 70 => format!("≤ {}", time.trim_start_matches('−')),
        kind => format!("{kind} {time}"),
    })
}

/// The sign of the severity, then words.
fn first_line(finding: &FindingRow, words: &str, paper: Paper) -> Line {
    let mut line = Line::of("  ");
    line.push_styled(&paper.text(finding.mark), style_of(finding));
    line.push(" ");
    line.push(words);
    line
}

/// What was found in one line, with the saving; what to do in few.
fn in_short(finding: &FindingRow, look: &Look<'_>, advice_lines: usize, paper: Paper) -> Vec<Line> {
    let saving = finding.saving.as_ref().map_or_else(
        || finding.no_saving(crate::origin::UNKNOWN).to_owned(),
        |known| self::saving(known, look, paper),
    );
    let saving = paper.text(&saving);
    let room = paper.columns.saturating_sub(4 + 2 + width(&saving));
    let mut line = first_line(finding, &title(finding, room, paper), paper);
    line.push_right(&saving, paper.columns);
    let mut lines = vec![line];
    lines.extend(advice(finding, advice_lines, paper));
    lines
}

/// A finding that shares the cause of the one above it, in one line.
fn below(finding: &FindingRow, paper: Paper) -> Line {
    const SAME: &str = "same cause: ";
    let title = title(finding, paper.columns.saturating_sub(6 + SAME.len()), paper);
    let mut line = Line::of("    ");
    line.push_styled(&paper.text(finding.mark), style_of(finding));
    line.push(format!(" {SAME}{title}"));
    line
}

/// What was found, as far as it fits; else what its rule finds.
fn title(finding: &FindingRow, room: usize, paper: Paper) -> String {
    let problem = paper.text(&finding.problem);
    let clause = clause(&problem, room, Lists::Whole).map(|clause| clause.words.to_owned());
    clause.unwrap_or_else(|| paper.cut(&finding.title, room))
}

/// The advice in few lines; a clause of it where it is longer, with a sign that there is more.
fn advice(finding: &FindingRow, most: usize, paper: Paper) -> Vec<Line> {
    let arrow = paper.text("→");
    let start = format!("    {arrow} ");
    let room = paper.columns.saturating_sub(width(&start));
    let advice = paper.text(&finding.advice);
    let mut lines = wrap_hard(&advice, room);
    if lines.len() > most {
        let more = paper.text(" …");
        let fits = |columns: usize| {
            let words = clause(&advice, columns, Lists::Cut)?;
            let words = if words.is_all { words.words.to_owned() } else { format!("{}{more}", words.words) };
            let lines = wrap_hard(&words, room);
            (lines.len() <= most).then_some(lines)
        };
        // Words at the end of a line leave some of it empty.
        let columns = (0..room).map(|less| (room * most).saturating_sub(width(&more) + less));
        if let Some(short) = columns.into_iter().find_map(fits) {
            lines = short;
        }
    }
    let indent = " ".repeat(width(&start));
    let starts = std::iter::once(start.as_str()).chain(std::iter::repeat(indent.as_str()));
    lines.iter().zip(starts).map(|(line, start)| Line::of(format!("{start}{line}"))).collect()
}

/// A finding with everything that is known of it, and whether the one that has its cause saves anything.
fn whole(finding: &FindingRow, cause_saves: bool, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let room = paper.columns.saturating_sub(6);
    let mut problem = wrap_hard(&paper.text(&finding.problem), room).into_iter();
    let mut lines = vec![first_line(finding, &problem.next().unwrap_or_default(), paper)];
    lines.extend(problem.map(|line| Line::of(format!("    {line}"))));
    let indented = |words: &str| {
        let lines = wrap_hard(&paper.text(words), room);
        lines.into_iter().map(|line| Line::of(format!("    {line}"))).collect::<Vec<_>>()
    };
    if let Some(known) = finding.saving.as_ref().or(finding.unlikely.as_ref()) {
        lines.extend(indented(&saving_in_words(known, look)));
    }
    if let Some(cause) = finding.same_cause_as {
        let held = if cause_saves { ", whose saving holds what this would save" } else { "" };
        lines.extend(indented(&format!("has the cause of `{cause}`{held}")));
    }
    lines.extend(advice(finding, usize::MAX, paper));
    let facts = [format!("rule {}", finding.id), format!("{} confidence", finding.confidence)];
    let facts = facts.map(|fact| paper.text(&fact));
    lines.extend(
        flow(&facts, paper.separator(), room).into_iter().map(|line| Line::of(format!("    {line}"))),
    );
    // Commands and links are copied, so that they are neither wrapped nor cut.
    lines.extend(
        finding
            .command
            .iter()
            .chain(&finding.link)
            .map(|command| Line::of(format!("    {}", paper.text(command)))),
    );
    lines
}

fn saving_in_words(saving: &SavingPerIteration, look: &Look<'_>) -> String {
    let time = |ns| format!("−{}", short_time(ns, look.time_unit));
    let figures = match (saving.expected_ns, saving.at_most_ns) {
        (Some(0.0), Some(most)) if most > 0.0 => {
            format!("hardly anything, at most {}", time(most))
        }
        (Some(expected), Some(most)) if most > expected => {
            format!("expected {}, at most {}", time(expected), time(most))
        }
        (Some(expected), _) => format!("expected {}", time(expected)),
        (None, most) => format!("at most {}", time(most.unwrap_or(0.0))),
    };
    format!("saves {figures}: {}", saving.basis)
}

/// The start of a sentence, up to an end of a clause.
struct Clause<'a> {
    words: &'a str,
    is_all: bool,
}

/// Whether a list after a `:` is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// Where a sign says that there is more.
    Cut,
    /// Where its first item alone would stand for all.
    Whole,
}

/// The longest start of a sentence that ends with a clause and takes at most `columns`; `None` if there is none that says enough.
fn clause(sentence: &str, columns: usize, lists: Lists) -> Option<Clause<'_>> {
    if width(sentence) <= columns {
        return Some(Clause { words: sentence, is_all: true });
    }
    let ends = clause_ends(sentence, lists);
    let says_enough = |words: &&str| (SHORTEST_CLAUSE..=columns).contains(&width(words));
    // A whole sentence says more than a clause.
    let of = |is_wanted: fn(char) -> bool| {
        let ends = ends.iter().rev().filter(|(_, sign)| is_wanted(*sign));
        ends.map(|&(end, _)| &sentence[..end]).find(says_enough)
    };
    let words = of(|sign| matches!(sign, ';' | '.')).or_else(|| of(|_| true))?;
    Some(Clause { words, is_all: false })
}

/// A shorter start of a sentence says too little.
const SHORTEST_CLAUSE: usize = 24;

/// Where clauses of a sentence end, and with which sign: before `.`, `;`, `,` or `:` and a space, outside of code and parentheses.
fn clause_ends(sentence: &str, lists: Lists) -> Vec<(usize, char)> {
    let (mut is_code, mut depth, mut is_list) = (false, 0_usize, false);
    let mut ends = Vec::new();
    for (at, letter) in sentence.char_indices() {
        match letter {
            '`' => is_code = !is_code,
            '(' if !is_code => depth += 1,
            ')' if !is_code => depth = depth.saturating_sub(1),
            '.' | ';' | ',' | ':' if !is_code && depth == 0 && sentence[at + 1..].starts_with(' ') => {
                if lists == Lists::Cut || !(is_list && letter == ',') {
                    ends.push((at, letter));
                }
                is_list = letter == ':' || is_list && letter == ',';
            }
            _ => {}
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_a_cause_takes_no_place_of_others() {
        let row = |same_cause_as| FindingRow {
            id: String::new(),
            severity: "note",
            mark: "○",
            title: String::new(),
            problem: String::new(),
            advice: String::new(),
            confidence: "low",
            saving: None,
            unlikely: None,
            saves_nothing: false,
            is_replayed: false,
            same_cause_as,
            command: None,
            link: None,
        };
        let mut rows = [None, Some("first"), Some("first"), None, None].map(row);
        "first".clone_into(&mut rows[0].id);
        assert!(!cause_saves(&rows[1], &rows), "the first one saves nothing");
        let shown = |findings| Short { findings, advice_lines: 1 }.shown(&rows);
        assert_eq!([1, 2, 3, 9].map(shown), [3, 4, 5, 5]);
    }

    #[test]
    fn sentences_are_cut_at_clauses_outside_of_code() {
        let sentence = "GPUs stall with work queued 9.6% of the time, in 137 gaps (a, b); `x, y` too";
        let cut =
            |columns| clause(sentence, columns, Lists::Whole).map(|clause| (clause.words, clause.is_all));
        assert_eq!(cut(200), Some((sentence, true)));
        assert_eq!(cut(70), Some((&sentence[..64], false)));
        assert_eq!(cut(60), Some(("GPUs stall with work queued 9.6% of the time", false)));
        assert_eq!(cut(30), None);
        let sentence = "49.2% of the time GPUs idle for work done once: 21.4% in one way, 15.9% in another; more is to come";
        let cut = |columns| clause(sentence, columns, Lists::Whole).map(|clause| clause.words);
        assert_eq!(
            cut(90),
            Some("49.2% of the time GPUs idle for work done once: 21.4% in one way, 15.9% in another")
        );
        assert_eq!(cut(75), Some("49.2% of the time GPUs idle for work done once"));
    }
}
