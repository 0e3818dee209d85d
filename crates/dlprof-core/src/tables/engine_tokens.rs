//! Table `engine_tokens`: the time between tokens of inference servers.

use super::declaration::{Declaration, RowTable};
use super::engine_steps::lane;
use super::layout::{Form, Layout};
use super::table::{Column, Unit};
use crate::figures::profile::Profile;
use crate::serving::{EngineLane, Interference};
use std::sync::LazyLock;

/// A figure of the time between tokens.
macro_rules! tokens {
    ($field:ident $key:literal $title:literal $unit:ident $doc:literal) => {
        Column::int($key, $title, Unit::$unit, $doc, |_, row: &EngineLane| {
            row.figures.tokens.map(|tokens| tokens.$field).into()
        })
    };
}

static COLUMNS: LazyLock<Vec<Column<EngineLane>>> = LazyLock::new(|| {
    vec![
        lane(|p, row: &EngineLane| p.capture.thread_in_words(row.thread).into()),
        Column::text("server", "Server", "The server whose form the marks have.", |_, row| {
            row.steps.first().map(|step| step.mark.form.server()).into()
        }),
        Column::int("steps", "Steps", Unit::None, "Steps of the thread.", |_, row| {
            (row.steps.len() as u64).into()
        }),
        tokens!(samples "token_intervals" "Token Intervals" None "Tokens that followed another one of their request; each step counts for the requests that decode in both."),
        tokens!(mean "mean_interval_ns" "Interval, Mean" Nanoseconds "Mean time between tokens."),
        tokens!(median "median_interval_ns" "Interval, Median" Nanoseconds "The smallest time that half of them do not exceed."),
        tokens!(p99 "p99_interval_ns" "Interval, p99" Nanoseconds "The smallest time that 99 of 100 do not exceed."),
        tokens!(max "max_interval_ns" "Interval, Largest" Nanoseconds "The largest."),
        Column::int(
            "median_decode_ns",
            "Decode Period, Median",
            Unit::Nanoseconds,
            "The median period of decode steps: tokens with a prefill in between are late by what exceeds it.",
            |_, row| row.figures.interference.map(|found| found.median_decode).into(),
        ),
        Column::int(
            "delayed_tokens",
            "Delayed Tokens",
            Unit::None,
            "Tokens with a prefill or mixed step in between.",
            |_, row| row.figures.interference.map(|found| found.delayed).into(),
        ),
        Column::float(
            "prefill_percent",
            "Prefill Share",
            Unit::Percent,
            "What part of the time between tokens is the prefill of other requests.",
            |_, row| row.figures.interference.as_ref().map(Interference::percent).into(),
        ),
    ]
});

/// Table `engine_tokens`.
pub(crate) static TABLE: Declaration<EngineLane> = Declaration {
    key: "engine_tokens",
    title: "Time Between Tokens",
    doc: "A row per thread with step marks: the time between tokens as requests see it that decode in two successive steps, over the \
          whole capture. It is per step; with speculation a step gives several tokens. Times of single requests cannot be had from a \
          capture.",
    columns: || &COLUMNS,
    layout: Layout { form: Form::Record, ..Layout::PLAIN },
};

/// Table `engine_tokens` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<EngineLane> {
    TABLE.of(profile, |profile| &profile.serving().lanes)
}
