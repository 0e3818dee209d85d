//! A job in Markdown, for a job summary or a ticket.

use super::blocks::{float, ms};
use super::text::{problems, rests_on, saving};
use dlprof_core::{Job, JobRank, capitalized};
use std::cmp::Reverse;

/// Ranks that are listed; of more those that lag most.
const RANKS: usize = 16;

/// A job in Markdown.
#[must_use]
pub fn job_markdown(job: &Job) -> String {
    let mut text = format!("### {}\n\n{}\n\n", escape(&job.verdict()), escape(&rests_on(job)));
    for problem in problems(job) {
        text.push_str(&format!("> **warning**: {}\n\n", escape(problem.trim_start_matches("! "))));
    }
    text.push_str("| Rank | Node | GPU | Own ms | Waiting ms | Lag ms | Last % | Cause |\n");
    text.push_str("|---:|---|---:|---:|---:|---:|---:|---|\n");
    let mut ranks: Vec<&JobRank> = job.ranks.iter().collect();
    if ranks.len() > RANKS {
        ranks.sort_by_key(|rank| Reverse(rank.lag.lag_ns));
    }
    for rank in ranks.iter().take(RANKS) {
        let mean = &rank.steps.mean;
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {:+.2} | {} | {} |\n",
            rank.rank,
            escape(&rank.who.node),
            rank.who.device_id,
            ms(mean.length_ns - mean.wait_ns),
            if job.has_waiting() { ms(mean.wait_ns) } else { "–".into() },
            float(rank.lag.lag_ns) / 1e6,
            rank.last_percent.map_or_else(|| "–".into(), |percent| format!("{percent:.0}")),
            rank.cause.map_or("", |cause| cause.as_str())
        ));
    }
    if ranks.len() > RANKS {
        text.push_str(&format!("\n{} more {}.\n", ranks.len() - RANKS, job.words().many));
    }
    text.push_str(&format!("\n| Finding | Saving {} | What to do |\n|---|---|---|\n", job.per_step()));
    for finding in &job.findings {
        let title = escape(&capitalized(&finding.title));
        text.push_str(&format!("| {title} | {} | {} |\n", saving(finding), escape(&finding.advice)));
    }
    text
}

/// A text that Markdown takes as it is.
fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace(['\n', '\r'], " ")
}
