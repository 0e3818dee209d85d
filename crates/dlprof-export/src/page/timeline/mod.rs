//! One iteration as lanes: what every thread and every stream did, why each GPU idled, and who launched what.
//!
//! ```text
//! thread   ├───── range ─────────────────┤
//!            ├ call ┤ ├ call ┤  ├ wait ──┤
//! stream               ├ kernel ┤  ├ kernel ┤
//! idle    ├────────────┤        ├──┤              coloured by cause
//! ```
//!
//! All times are nanoseconds from the start of the iteration, so those of what began before it are negative.

mod gpus;
mod threads;

use dlprof_core::ids::ThreadId;
use dlprof_core::profile::Profile;
use dlprof_core::time::{Ns, Span};
use serde::Serialize;
use std::collections::HashMap;

/// An iteration as lanes.
#[derive(Debug, Clone, Serialize)]
pub struct Timeline {
    /// The iteration.
    pub iteration: u32,
    /// Its start, from the start of the capture.
    pub start_ns: Ns,
    /// Its length.
    pub length_ns: Ns,
    /// Every text that items refer to by its place.
    pub names: Vec<String>,
    /// Threads on which something happened, those with most launches first.
    pub threads: Vec<threads::ThreadLanes>,
    /// The used GPUs.
    pub gpus: Vec<gpus::GpuLanes>,
    /// What the capture did not record.
    pub missing: Missing,
}

/// Kinds of records that the capture lacks.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Missing {
    /// Calls of the operating system.
    pub os_calls: bool,
    /// CPU samples.
    pub samples: bool,
}

/// Items of a lane, as columns.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Items {
    pub(super) start: Vec<Ns>,
    pub(super) length: Vec<Ns>,
    /// Places in [`Timeline::names`].
    pub(super) name: Vec<usize>,
    /// How many items of the lane each lies in.
    pub(super) depth: Vec<usize>,
}

impl Items {
    fn push(&mut self, span: Span, from: Ns, name: usize) {
        self.start.push(span.start - from);
        self.length.push(span.length());
        self.name.push(name);
    }

    /// Says how deep each item lies in others. Items are in order of their start, longer ones first.
    fn nest(&mut self) {
        let mut open: Vec<Ns> = Vec::new();
        for (&start, &length) in self.start.iter().zip(&self.length) {
            while open.last().is_some_and(|&end| end <= start) {
                open.pop();
            }
            self.depth.push(open.len());
            open.push(start + length);
        }
    }
}

/// Texts, each once.
#[derive(Default)]
pub(super) struct Names<'a> {
    places: HashMap<&'a str, usize>,
    texts: Vec<String>,
}

impl<'a> Names<'a> {
    fn place(&mut self, text: &'a str) -> usize {
        let next = self.texts.len();
        *self.places.entry(text).or_insert_with(|| {
            self.texts.push(text.to_owned());
            next
        })
    }
}

impl Timeline {
    /// The lanes of an iteration; none if there is no such iteration.
    #[must_use]
    pub fn new(profile: &Profile, iteration: u32) -> Option<Self> {
        if iteration >= profile.iterations.total() {
            return None;
        }
        let span = profile.iterations.windows.span(iteration);
        let mut names = Names::default();
        let (threads, places) = threads::lanes(profile, span, &mut names);
        let gpus = gpus::lanes(profile, span, &places, &mut names);
        let host = &profile.capture.host;
        Some(Self {
            iteration,
            start_ns: span.start,
            length_ns: span.length(),
            names: names.texts,
            threads,
            gpus,
            missing: Missing { os_calls: host.os_calls.is_none(), samples: host.samples.time.is_empty() },
        })
    }

    /// Number of items in all lanes.
    #[must_use]
    pub fn items(&self) -> usize {
        let of_thread = |lanes: &threads::ThreadLanes| lanes.items();
        let of_gpu = |lanes: &gpus::GpuLanes| lanes.items();
        self.threads.iter().map(of_thread).sum::<usize>() + self.gpus.iter().map(of_gpu).sum::<usize>()
    }
}

/// By thread: its place among the lanes.
type Places = HashMap<ThreadId, usize>;

/// Whether something lies in a span, in part at least.
fn is_in(item: Span, span: Span) -> bool {
    item.start < span.end && item.end > span.start
}

/// The aggregated iterations that are worth a look: the one of median length, and the slowest.
#[must_use]
pub fn telling_iterations(profile: &Profile) -> [u32; 2] {
    let iterations = &profile.iterations;
    let mut by_length: Vec<u32> =
        iterations.range().filter(|&number| !iterations.is_outside(number)).collect();
    if by_length.is_empty() {
        by_length.push(iterations.start);
    }
    by_length.sort_by_key(|&number| (iterations.windows.span(number).length(), number));
    [by_length[by_length.len() / 2], by_length[by_length.len() - 1]]
}
