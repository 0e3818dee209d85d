//! The dashboard of a job, for a terminal: verdict, what it rests on, the parts of a step, ranks, collectives, what to change.

use super::blocks::{Times, bar, count, float, parts, size};
use super::{heat_map, rank_rows};
use crate::capture_check::COMMUNICATORS;
use crate::display::TimeUnit;
use crate::overview;
use crate::text::{pad, pad_left, width as text_width, wrap};
use dlprof_core::{
    CaptureKind, FileStatus, Job, JobFinding, JobSession, LEAST_STEPS_OF_LAG, RankClass, Severity,
    capitalized, have, spans_of_ranks,
};
use std::collections::BTreeSet;

/// How a job is shown.
#[derive(Debug, Clone, Copy)]
pub struct JobLook {
    /// Columns of the terminal.
    pub width: usize,
    /// The unit of times.
    pub time_unit: TimeUnit,
    /// Whether all findings are shown, not only those that save most.
    pub has_all_findings: bool,
}

/// Findings that are shown without being asked for.
const FINDINGS: usize = 4;
/// Kinds of collectives that are shown.
const KINDS: usize = 5;
/// Columns below which nothing is cut any more.
const NARROWEST: usize = 60;

/// The dashboard of a job.
#[must_use]
pub fn job_text(job: &Job, look: JobLook) -> String {
    let width = look.width.clamp(NARROWEST, 200);
    let times = Times::of(job, look.time_unit);
    let mut lines = wrap(&verdict(job, times), width);
    lines.extend(wrap(&rests_on(job), width));
    lines.extend(problems(job).into_iter().flat_map(|problem| wrap(&problem, width)));
    lines.push(String::new());
    lines.extend(wrapped_between(&figures(job, times), "   ", width));
    lines.push(String::new());
    lines.extend(step_bar(job, times, width));
    lines.push(String::new());
    lines.extend(match job.ranks.len() {
        0..=16 => rank_rows::all(job, times, width),
        17..=128 => heat_map::by_rank(job, times, width),
        _ => heat_map::by_node(job, times, width),
    });
    if job.groups > 1 {
        lines.push(String::new());
        lines.extend(groups(job, times));
    }
    lines.extend(collectives(job, times));
    lines.push(String::new());
    lines.extend(what_to_change(job, look, times, width));
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n") + "\n"
}

/// Who holds the job back, or that nobody does.
pub(super) fn verdict(job: &Job, times: Times) -> String {
    job.verdict(|ns| times.in_words(ns))
}

/// What was found.
pub(super) fn title(finding: &JobFinding, times: Times) -> String {
    capitalized(&finding.title.text(|ns| times.in_words(ns)))
}

/// Where the time goes: of a step, or of all that was captured.
pub(crate) fn where_it_goes(job: &Job) -> &'static str {
    if job.has_steps { "Where a step goes" } else { "Where the time goes" }
}

/// What savings are about. Each is that of a job in which one thing is mended, so that two of them may have the same time.
pub(crate) fn about_savings(job: &Job) -> String {
    about_those(job, &job.findings)
}

fn about_those(job: &Job, shown: &[JobFinding]) -> String {
    let saves =
        |finding: &&JobFinding| finding.saving_ns.or(finding.saving_upper_ns).is_some_and(|ns| ns > 0.0);
    overview::about_savings(job.per_step(), shown.iter().filter(saves).count() > 1)
}

/// How many ranks there are, and where their numbers are from, in one line.
pub(super) fn rests_on(job: &Job) -> String {
    what_it_rests_on(job).join(" · ")
}

/// How many ranks there are, and where their numbers are from.
pub(crate) fn what_it_rests_on(job: &Job) -> Vec<String> {
    let nodes: BTreeSet<&str> = job.ranks.iter().map(|rank| rank.who.node.as_str()).collect();
    let captures = job.files.iter().filter(|file| file.status == FileStatus::Read).count();
    let steps = match (job.steady.first(), job.steady.last()) {
        (Some(_), _) if !job.has_steps => "no repeating step".into(),
        (Some(first), Some(last)) if last > first => format!("steps {first} to {last} (steady)"),
        (Some(only), _) => format!("step {only}"),
        _ => "no common steps".into(),
    };
    let (error_ns, by_collectives) = job.clock_error();
    let clocks = if by_collectives {
        format!("±{:.0} µs by collectives", float(error_ns) / 1e3)
    } else {
        format!("±{:.0} ms by UTC", float(error_ns) / 1e6)
    };
    let plural =
        |number: usize, one: &str| format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" });
    // Traces do not say on which node they were made.
    let on_nodes = match nodes.contains("") {
        true => String::new(),
        false => format!(" on {}", plural(nodes.len(), "node")),
    };
    let session = match job.session {
        JobSession { of: 0 | 1, .. } => None,
        JobSession { number, of } => Some(format!("session {number} of {of} (`--session` takes another)")),
    };
    let first = [plural(job.ranks.len(), "rank") + &on_nodes, plural(captures, "capture")];
    let others = [
        steps,
        format!("ranks by {}, steps by {}", job.rank_source.as_str(), job.iteration_source.as_str()),
        format!("clocks {clocks}"),
    ];
    first.into_iter().chain(session).chain(others).collect()
}

/// What is missing: ranks, files, waiting, communicators.
pub(crate) fn problems(job: &Job) -> Vec<String> {
    let mut problems = Vec::new();
    let missing = job.absent.missing.len();
    if missing > 0 {
        let which = match job.known_missing() {
            [] => "which ones is not known, because ranks are numbered by order".to_owned(),
            known => spans_of_ranks(known),
        };
        problems.push(format!(
            "! {missing} of {} ranks {} no capture with GPU work: {which}; {}",
            job.world,
            have(missing),
            job.absent.groups_in_words()
        ));
    }
    let cut: Vec<i64> = job.ranks.iter().filter(|rank| rank.who.is_cut).map(|rank| rank.rank).collect();
    if !cut.is_empty() {
        problems.push(format!(
            "! {} {}: the trace ends early, so that less work is seen than there was",
            if cut.len() == 1 { job.words().one } else { job.words().many },
            spans_of_ranks(&cut)
        ));
    }
    let unread: Vec<_> = job.files.iter().filter(|file| file.status != FileStatus::Read).collect();
    if let Some(first) = unread.first() {
        let name = first.file.file_name().unwrap_or_default().to_string_lossy();
        let what = match &first.status {
            FileStatus::Unreadable(reason) => format!("not read: {reason}"),
            status => format!("{name}: {}", status.in_words()),
        };
        let more = match unread.len() {
            1 => String::new(),
            many => format!("; {} more: show rank_files", many - 1),
        };
        problems.push(format!("! {what}{more}"));
    }
    if !job.has_waiting() {
        let in_graphs = "Collectives inside CUDA graphs show with `nsys profile --cuda-graph-trace=node`.";
        let export = job.ranks.iter().find(|rank| rank.who.kind == CaptureKind::Export);
        let advice = match export {
            Some(rank) => rank.who.recorder.in_its_words(in_graphs),
            None => "Record the same steps on all ranks.".into(),
        };
        problems.push(format!(
            "! No collectives of different ranks could be matched, so waiting is not known. {advice}"
        ));
    }
    if job.ranks.iter().any(|rank| rank.who.lacks_payloads) {
        problems.push(format!("! {COMMUNICATORS}"));
    }
    problems
}

fn figures(job: &Job, times: Times) -> Vec<String> {
    let percent = |ns: f64| format!("{:.1} %", job.percent_of_step(ns));
    let waiting = if job.has_waiting() { percent(job.means.mean.wait_ns) } else { "–".into() };
    let items = job.items_per_s.map_or_else(|| "–".into(), |items| format!("{items:.0}"));
    let figures = [
        format!("{} {}", times.rough(job.means.mean.length_ns), job.per_step()),
        format!("waiting for others {waiting}"),
        format!("communication {} exposed", percent(job.mean_of(RankClass::Transfer))),
        format!("GPU {}", percent(job.mean_of(RankClass::Compute))),
        format!("items/s {items}"),
    ];
    figures.into()
}

/// Texts in lines, which break only between them.
fn wrapped_between(texts: &[String], between: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for text in texts {
        match lines
            .last_mut()
            .filter(|line| text_width(line) + text_width(between) + text_width(text) <= width)
        {
            Some(line) => line.push_str(&format!("{between}{text}")),
            None => lines.push(text.clone()),
        }
    }
    lines
}

fn step_bar(job: &Job, times: Times, width: usize) -> Vec<String> {
    /// What is less than this share of a step is not named.
    const LEAST_PERCENT: f64 = 0.3;
    let total = job.means.mean.length_ns;
    let title = format!(
        "{}, {}, mean of {} {}",
        where_it_goes(job),
        times.symbol(),
        count(job.ranks.len()),
        job.words().many
    );
    let mut lines = vec![pad(&title, width - 14) + &pad_left(&times.text(total), 14)];
    let parts = parts(job);
    lines.push(format!("  {}", bar(parts.iter().map(|part| (part.ns, part.character)), total, width - 2)));
    let named = parts.iter().filter(|part| job.percent_of_step(part.ns) >= LEAST_PERCENT);
    let words: Vec<String> = named
        .map(|part| {
            let percent = job.percent_of_step(part.ns);
            format!("{} {} {} ({percent:.1} %)", part.character, part.name, times.text(part.ns))
        })
        .collect();
    lines.extend(wrapped_between(&words, " ", width - 2).iter().map(|line| format!("  {line}")));
    lines
}

fn groups(job: &Job, times: Times) -> Vec<String> {
    let mut lines = vec!["Groups of ranks that do the same work".into()];
    let unit = times.symbol();
    for group in 0..job.groups {
        let members: Vec<_> = job.ranks.iter().filter(|rank| rank.group == group).collect();
        let numbers: Vec<i64> = members.iter().map(|rank| rank.rank).collect();
        let own = middle(members.iter().map(|rank| float(rank.steps.own_ns)));
        let compute = middle(members.iter().map(|rank| rank.steps.mean.of(RankClass::Compute)));
        lines.push(format!(
            "  {}  {:>5} ranks {} own {} {unit}, GPU {} {unit}, waiting {} {unit}",
            dlprof_core::group_name(group),
            members.len(),
            pad(&spans_of_ranks(&numbers), 30),
            times.text(own),
            times.text(compute),
            times.text(job.mean_wait_ns(group))
        ));
    }
    lines
}

/// The median of some times, for people.
fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn collectives(job: &Job, times: Times) -> Vec<String> {
    let mut kinds = job.collective_kinds();
    if kinds.is_empty() {
        return Vec::new();
    }
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.cost_ns));
    let [transfer, wait, p50, p90] = [9, 7, 9, 6].map(|columns| columns + times.wider());
    let (title, each) =
        (format!("Collectives, {}", times.symbol()), if job.has_steps { "a step" } else { "in all" });
    let mut lines = vec![
        String::new(),
        format!(
            "{title:<16}{:>9}{:>6}{each:>7}{:>transfer$}{:>wait$}{:>p50$}{:>p90$}{:>9}  last rank",
            "size", "ranks", "transfer", "wait", "skew p50", "p90", "bus GB/s"
        ),
    ];
    for kind in kinds.iter().take(KINDS) {
        let bus = kind.bus_gb_per_s.map_or_else(|| "–".into(), |speed| format!("{speed:.0}"));
        // Who is last by less than clocks tell is not named.
        let (error_ns, by_collectives) = job.clock_error();
        let is_told = !by_collectives || kind.skew_median_ns > error_ns;
        let last = match (kind.communicators, kind.last, kind.most_certain_last.filter(|_| is_told)) {
            (_, _, None) => "–".into(),
            (1, Some((rank, percent)), _) => format!("{rank} in {percent:.0} %"),
            (many, _, Some((rank, percent))) => format!("{rank} in {percent:.0} %, 1 of {many}"),
        };
        lines.push(format!(
            "  {:<14}{:>9}{:>6}{:>7.0}{:>transfer$}{:>wait$}{:>p50$}{:>p90$}{bus:>9}  {last}",
            kind.kind.as_str(),
            size(kind.bytes),
            kind.size,
            kind.per_iteration,
            times.text(float(kind.transfer_ns)),
            times.text(float(kind.wait_mean_ns)),
            times.text(float(kind.skew_median_ns)),
            times.text(float(kind.skew_p90_ns)),
        ));
    }
    lines
}

/// The saving of a finding in words; a dash where it is unknown or too little to show.
pub(super) fn saving(finding: &JobFinding, times: Times) -> String {
    if !finding.saves_something(times.scale) {
        return "–".into();
    }
    match (finding.saving_ns, finding.saving_upper_ns) {
        (Some(ns), _) => format!("expected −{}", times.in_words(ns)),
        (None, Some(ns)) => format!("at most −{}", times.in_words(ns)),
        (None, None) => "–".into(),
    }
}

fn what_to_change(job: &Job, look: JobLook, times: Times, width: usize) -> Vec<String> {
    let saving_width = 21 + times.wider();
    if job.findings.is_empty() {
        let words = job.words();
        let nothing = match job.has_lag() {
            false => {
                format!("  Not known: a lag needs {LEAST_STEPS_OF_LAG} steps that all {} have.", words.many)
            }
            true => format!("  Nothing: the {} are even.", words.many),
        };
        return vec!["What to change".into(), nothing];
    }
    let most = if look.has_all_findings { usize::MAX } else { FINDINGS };
    let shown = &job.findings[..job.findings.len().min(most)];
    let heading = about_those(job, shown);
    let mut lines = vec![pad("What to change", width.saturating_sub(heading.len())) + &heading];
    for finding in shown {
        let mark = if finding.severity == Severity::Note { '○' } else { '▲' };
        let room = width - 4 - saving_width;
        let title = wrap(&title(finding, times), room);
        for (at, line) in title.iter().enumerate() {
            lines.push(match at {
                0 => {
                    let saving = saving(finding, times);
                    format!("  {mark} {}{}", pad(line, room), pad_left(&saving, saving_width))
                }
                _ => format!("    {line}"),
            });
        }
        for (at, line) in wrap(&finding.advice, width - 6).iter().enumerate() {
            lines.push(format!("    {} {line}", if at == 0 { '→' } else { ' ' }));
        }
    }
    if let Some(more) = job.findings.len().checked_sub(most).filter(|&more| more > 0) {
        lines.push(format!("  {more} more: show job_findings"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::blocks::Times;
    use super::saving;
    use crate::display::TimeUnit;
    use dlprof_core::{Confidence, JobFinding, JobRule, Severity, StepScale};

    #[test]
    fn what_rounds_to_nothing_is_no_saving() {
        let finding = |scale, expected, upper| {
            let mut finding = JobFinding {
                rule: JobRule::SlowGpu,
                severity: Severity::Warning,
                confidence: Confidence::High,
                ranks: vec![1],
                title: "".into(),
                advice: String::new(),
                saving_ns: None,
                saving_upper_ns: None,
                figures: Vec::new(),
            };
            (finding.saving_ns, finding.saving_upper_ns) = (expected, upper);
            saving(&finding, Times::of_scale(scale, TimeUnit::Auto))
        };
        let usual = StepScale::Milliseconds;
        assert_eq!(finding(usual, Some(4_900.0), Some(800_000.0)), "–");
        assert_eq!(finding(usual, Some(0.0), None), "–");
        assert_eq!(finding(usual, None, Some(0.0)), "–");
        assert_eq!(finding(usual, Some(5_100.0), None), "expected −0.01 ms");
        assert_eq!(finding(usual, None, Some(800_000.0)), "at most −0.80 ms");
        assert_eq!(finding(StepScale::Microseconds, Some(4_900.0), None), "expected −4.9 µs");
        assert_eq!(finding(StepScale::Seconds, Some(1.25e9), None), "expected −1.250 s");
        assert_eq!(finding(StepScale::Seconds, Some(4e5), None), "–");
    }
}
