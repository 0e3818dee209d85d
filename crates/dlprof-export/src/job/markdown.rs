//! A job in Markdown, for a job summary or a ticket.

use super::blocks::{Times, float};
use super::text::{problems, rests_on, saving, title, verdict};
use crate::dashboard::markdown::{escaped, escaped_name};
use crate::display::TimeUnit;
use dlprof_core::{Job, JobRank};
use std::cmp::Reverse;

/// Ranks that are listed; of more those that lag most.
const RANKS: usize = 16;

/// A job in Markdown.
#[must_use]
pub fn job_markdown(job: &Job) -> String {
    let times = Times::of(job, TimeUnit::Auto);
    let mut text = format!("### {}\n\n{}\n\n", escaped(&verdict(job, times)), escaped(&rests_on(job)));
    for problem in problems(job) {
        text.push_str(&format!("> **warning**: {}\n\n", escaped(problem.trim_start_matches("! "))));
    }
    let unit = times.symbol();
    text.push_str(&format!(
        "| Rank | Node | GPU | Own {unit} | Waiting {unit} | Lag {unit} | Last % | Cause |\n"
    ));
    text.push_str("|---:|---|---:|---:|---:|---:|---:|---|\n");
    let mut ranks: Vec<&JobRank> = job.ranks.iter().collect();
    if ranks.len() > RANKS {
        ranks.sort_by_key(|rank| Reverse(rank.lag.lag_ns));
    }
    for rank in ranks.iter().take(RANKS) {
        let mean = &rank.steps.mean;
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            rank.rank,
            escaped_name(&rank.who.node),
            rank.who.device_id,
            times.text(mean.length_ns - mean.wait_ns),
            if job.has_waiting() { times.text(mean.wait_ns) } else { "–".into() },
            times.signed(float(rank.lag.lag_ns)),
            rank.last_percent.map_or_else(|| "–".into(), |percent| format!("{percent:.0}")),
            rank.cause.map_or("", |cause| cause.as_str())
        ));
    }
    if ranks.len() > RANKS {
        text.push_str(&format!("\n{} more {}.\n", ranks.len() - RANKS, job.words().many));
    }
    text.push_str(&format!("\n| Finding | Saving {} | What to do |\n|---|---|---|\n", job.per_step()));
    for finding in &job.findings {
        let title = escaped(&title(finding, times));
        text.push_str(&format!("| {title} | {} | {} |\n", saving(finding, times), escaped(&finding.advice)));
    }
    text
}
