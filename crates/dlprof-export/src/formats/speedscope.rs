//! Stacks for speedscope (<https://www.speedscope.app>): one profile of samples, whose weights are GPU time.

use super::stacks::{Frames, stacks};
use crate::overview::Overview;
use dlprof_core::{Ns, Profile};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Names the format in its files.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    name: &'a str,
    exporter: &'static str,
    #[serde(rename = "activeProfileIndex")]
    active_profile_index: usize,
    shared: Shared<'a>,
    profiles: [Sampled; 1],
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Vec<Frame<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
}

/// Samples with their weights; a sample is a list of places in the list of frames, outermost first.
#[derive(Serialize)]
struct Sampled {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    unit: &'static str,
    #[serde(rename = "startValue")]
    start_value: Ns,
    #[serde(rename = "endValue")]
    end_value: Ns,
    samples: Vec<Vec<usize>>,
    weights: Vec<Ns>,
}

/// Writes the stacks of a profile, in order of their frames. `name` is the title of the file; the profile in it says what part of
/// the capture it is about.
///
/// # Errors
/// If `out` cannot be written to.
pub(crate) fn write(
    profile: &Profile,
    name: &str,
    overview: &Overview,
    out: &mut dyn Write,
) -> io::Result<()> {
    let stacks = stacks(profile);
    let places = places(&stacks);
    let samples = stacks.keys().map(|frames| frames.iter().map(|frame| places[frame.as_ref()]).collect());
    let file = File {
        schema: SCHEMA,
        name,
        exporter: concat!("dlprof-agg ", env!("CARGO_PKG_VERSION")),
        active_profile_index: 0,
        profiles: [Sampled {
            kind: "sampled",
            name: format!("GPU time: {}", overview.window.parts.join(", ")),
            unit: "nanoseconds",
            start_value: 0,
            end_value: stacks.values().sum(),
            samples: samples.collect(),
            weights: stacks.values().copied().collect(),
        }],
        shared: Shared { frames: places.keys().map(|&name| Frame { name }).collect() },
    };
    serde_json::to_writer(&mut *out, &file)?;
    writeln!(out)
}

/// The frames in byte order, each with its place.
fn places<'a>(stacks: &'a BTreeMap<Frames<'_>, Ns>) -> BTreeMap<&'a str, usize> {
    let mut places: BTreeMap<&str, usize> =
        stacks.keys().flatten().map(|frame: &Cow<'_, str>| (frame.as_ref(), 0)).collect();
    places.values_mut().enumerate().for_each(|(place, value)| *value = place);
    places
}
