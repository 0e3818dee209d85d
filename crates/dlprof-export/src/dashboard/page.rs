//! Which blocks the dashboard has, how much each shows, and which stand beside each other.

use super::findings::Short;
use super::line::{Line, beside, flow, heading, wrap_hard};
use super::look::{Details, Look};
use super::paper::Paper;
use super::{details, findings, header, iterations, lists, step};
use crate::overview::Overview;

/// From so many columns on, two blocks stand beside each other.
const TWO_BLOCKS_FROM: usize = 140;

/// A narrower dashboard is longer than a screen.
const SCREEN_FROM: usize = 90;

/// Lines of the first screen at [`COLUMNS`](super::COLUMNS) columns.
const LINES: usize = 50;

/// How much of each list is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amounts {
    kernels: usize,
    ops: usize,
    findings: Short,
}

impl Amounts {
    /// Everything.
    pub(super) const ALL: Self = Self {
        kernels: usize::MAX,
        ops: usize::MAX,
        findings: Short { findings: usize::MAX, advice_lines: usize::MAX },
    };

    const NARROW: Self = Self { kernels: 6, ops: 4, findings: Short { findings: 4, advice_lines: 2 } };

    /// From much to little; the first that fits a screen is shown.
    fn shrinking() -> impl Iterator<Item = Self> {
        let of = |kernels, ops, findings, advice_lines| Self {
            kernels,
            ops,
            findings: Short { findings, advice_lines },
        };
        [
            of(3, 3, 2, 1),
            of(4, 3, 3, 1),
            of(5, 4, 3, 1),
            of(5, 5, 3, 1),
            of(6, 5, 3, 1),
            of(7, 5, 3, 1),
            of(8, 5, 3, 1),
            of(8, 5, 4, 1),
            of(8, 5, 4, 2),
            of(10, 5, 4, 2),
            of(10, 7, 5, 2),
            of(12, 7, 5, 2),
        ]
        .into_iter()
        .rev()
    }
}

/// What fits a screen.
pub(super) fn first_screen(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Vec<Line>> {
    if paper.columns < SCREEN_FROM {
        return page(overview, look, Amounts::NARROW, paper);
    }
    let height = |blocks: &[Vec<Line>]| {
        let shown = blocks.iter().filter(|block| !block.is_empty());
        shown.map(|block| block.len() + 1).sum::<usize>().saturating_sub(1)
    };
    let mut fitting = Vec::new();
    for amounts in Amounts::shrinking() {
        fitting = page(overview, look, amounts, paper);
        if height(&fitting) <= LINES {
            break;
        }
    }
    fitting
}

/// All blocks of the page, in their order.
pub(super) fn page(overview: &Overview, look: &Look<'_>, amounts: Amounts, paper: Paper) -> Vec<Vec<Line>> {
    let mut head = header::verdict(overview, paper);
    head.extend(header::window(overview, look, paper));
    let mut blocks = vec![head, header::tiles(overview, look, paper)];
    blocks.push(sentences("Server: steps and tokens, over the whole capture", &overview.serving, paper));
    blocks.push(step::step(overview, look, paper));
    if paper.columns >= TWO_BLOCKS_FROM && look.details == Details::Best {
        blocks.extend(wide(overview, look, amounts, paper));
    } else {
        blocks.extend(narrow(overview, look, amounts, paper));
    }
    blocks.push(sentences("Counters of Nsight Compute", &overview.counters, paper));
    blocks.push(foot(overview, look, paper));
    blocks
}

/// Sentences below a heading; nothing without any.
fn sentences(title: &str, sentences: &[String], paper: Paper) -> Vec<Line> {
    if sentences.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![heading(title, "", paper.columns)];
    for sentence in sentences {
        lines.extend(
            wrap_hard(&paper.text(sentence), paper.columns.saturating_sub(2))
                .into_iter()
                .map(|text| Line::of(format!("  {text}"))),
        );
    }
    lines
}

/// Blocks below each other.
fn narrow(overview: &Overview, look: &Look<'_>, amounts: Amounts, paper: Paper) -> Vec<Vec<Line>> {
    vec![
        iterations::iterations(overview, look, paper),
        kernels(overview, look, amounts.kernels, paper),
        ops_and_types(overview, look, amounts.ops, paper),
        findings::findings(overview, look, amounts.findings, paper),
    ]
}

/// Kernels and findings on the left, ops and iterations on the right.
fn wide(overview: &Overview, look: &Look<'_>, amounts: Amounts, paper: Paper) -> Vec<Vec<Line>> {
    let left = paper.of_columns((paper.columns - GAP) * 53 / 100);
    let right = paper.of_columns(paper.columns - GAP - left.columns);
    let column = left.columns + GAP;
    let gap = || Line::default();
    let mut ops = lists::ops(overview, look).lines(amounts.ops, right);
    if overview.ops.rows.is_empty() {
        ops.clear();
    }
    ops.extend(unknown_ops(overview, right).into_iter().flatten());
    let types = &overview.ops.types;
    let known = overview.kernels.as_ref().filter(|kernels| !kernels.rows.is_empty());
    let mut top = known.map_or_else(Vec::new, |kernels| {
        lists::kernels(kernels, look, amounts.kernels).lines(amounts.kernels, left)
    });
    let beside_kernels: Vec<Line> = match known {
        Some(kernels) => {
            let room = (top.len() + 4).saturating_sub(ops.len() + 2).max(3);
            let kinds = lists::kinds(kernels, look).lines(room, right);
            let gap = (!ops.is_empty()).then(gap);
            ops.into_iter().chain(gap).chain(kinds).collect()
        }
        None => {
            top = ops;
            Vec::new()
        }
    };
    let mut lower = iterations::iterations(overview, look, right);
    if !types.is_empty() {
        lower.extend((!lower.is_empty()).then(gap));
        lower.extend(lists::op_types(overview, look).lines(amounts.ops.min(5), right));
    }
    let findings = findings::findings(overview, look, amounts.findings, left);
    vec![beside(top, &beside_kernels, column), beside(findings, &lower, column)]
}

/// Columns between two blocks.
const GAP: usize = 4;

fn kernels(overview: &Overview, look: &Look<'_>, most: usize, paper: Paper) -> Vec<Line> {
    let Some(kernels) = overview.kernels.as_ref().filter(|kernels| !kernels.rows.is_empty()) else {
        return Vec::new();
    };
    let mut lines = lists::kernels(kernels, look, most).lines(most, paper);
    if kernels.kinds.len() > 1 {
        let start = "all by kind: ";
        let room = paper.columns - 2 - start.len();
        let kinds = kinds_that_fit(lists::kinds_in_words(kernels), look, room);
        let indent = " ".repeat(start.len());
        let starts = std::iter::once(start).chain(std::iter::repeat(indent.as_str()));
        lines.extend(kinds.iter().zip(starts).map(|(line, start)| Line::of(format!("  {start}{line}"))));
    }
    lines
}

/// The kinds of kernels with most time in one line, and how many more there are; all of them with all details.
fn kinds_that_fit(kinds: Vec<String>, look: &Look<'_>, room: usize) -> Vec<String> {
    let all = kinds.len();
    let with_rest = |kept: usize| {
        let rest = (kept < all).then(|| format!("{} more", all - kept));
        let parts: Vec<String> = kinds[..kept].iter().cloned().chain(rest).collect();
        flow(&parts, "   ", room)
    };
    match look.details {
        Details::All => with_rest(all),
        Details::Best => (1..=all).rev().map(with_rest).find(|lines| lines.len() < 2).unwrap_or_default(),
    }
}

/// What is said in the place of ops if the capture does not tell them apart.
fn unknown_ops(overview: &Overview, paper: Paper) -> Option<Vec<Line>> {
    let words = paper.text(overview.ops.unknown.as_ref()?);
    let lines = wrap_hard(&words, paper.columns - 2).into_iter().map(|line| Line::of(format!("  {line}")));
    Some(std::iter::once(heading("Top ops", "", paper.columns)).chain(lines).collect())
}

/// Op types stand beside ops where there is room for both.
fn ops_and_types(overview: &Overview, look: &Look<'_>, most: usize, paper: Paper) -> Vec<Line> {
    if let Some(unknown) = unknown_ops(overview, paper) {
        return unknown;
    }
    if overview.ops.rows.is_empty() {
        return Vec::new();
    }
    let (ops, types) = (lists::ops(overview, look), lists::op_types(overview, look));
    if paper.columns < 90 || look.details == Details::All {
        let mut lines = ops.lines(most, paper);
        if look.details == Details::All {
            lines.push(Line::default());
            lines.extend(types.lines(most, paper));
        }
        return lines;
    }
    let left = paper.of_columns((paper.columns - GAP) * 60 / 100);
    let right = paper.of_columns(paper.columns - GAP - left.columns);
    beside(ops.lines(most, left), &types.lines(most, right), left.columns + GAP)
}

/// The system, DLProf's figures, and where more is to be seen.
fn foot(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let system: Vec<String> = overview.system.iter().map(|part| paper.cut(part, paper.columns)).collect();
    let mut lines = flow(&system, paper.separator(), paper.columns);
    if look.details == Details::Best {
        let figures: Vec<String> =
            details::dlprof_in_words(overview, look).iter().map(|words| paper.text(words)).collect();
        lines.extend(flow(&figures, ", ", paper.columns));
    }
    if overview.notes > 0 {
        let notes = if overview.notes == 1 { "note" } else { "notes" };
        lines.push(format!("{} {notes} about the capture: -v", overview.notes));
    }
    lines.into_iter().map(Line::of).collect()
}
