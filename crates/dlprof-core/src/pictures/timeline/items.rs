//! The rows of a capture that lie in a window.

use crate::base::time::{Ns, Span};
use crate::capture::{CaptureContents, WorkZones};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rows of the tables of a capture that share time with a window, each list in order of start; of equal starts the longest first.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) api_calls: Vec<usize>,
    pub(super) work: Vec<usize>,
    pub(super) op_calls: Vec<usize>,
    pub(super) mpi_calls: Vec<usize>,
    pub(super) os_calls: Vec<usize>,
    pub(super) overheads: Vec<usize>,
    /// In order of time.
    pub(super) samples: Vec<usize>,
}

impl Items {
    pub(super) fn within(capture: &CaptureContents, window: Span) -> Self {
        let host = &capture.host;
        let zones = capture.host_zones();
        let os_calls = host.os_calls.as_ref().map_or(&[][..], |calls| &calls.span);
        Self {
            api_calls: rows_within(&capture.api_calls.span, &zones.api_calls, window),
            work: rows_within(&capture.work.span, &capture.work_zones, window),
            op_calls: rows_within(&capture.op_calls.span, &zones.op_calls, window),
            mpi_calls: rows_within(&host.mpi.span, &zones.mpi, window),
            os_calls: rows_within(os_calls, &zones.os_calls, window),
            overheads: rows_within(&host.overheads.span, &zones.overheads, window),
            samples: times_within(&host.samples.time, window),
        }
    }
}

/// Rows whose span shares time with a window; spans without length count where they stand.
pub(super) fn rows_within(spans: &[Span], zones: &WorkZones, window: Span) -> Vec<usize> {
    let is_inside = |span: &Span| {
        span.start < window.end && (span.end > window.start || span.is_empty() && span.start >= window.start)
    };
    // One that ends where the window starts may have no length.
    let near = zones.near_open(0..spans.len(), window.end, window.start.saturating_sub(1));
    let mut rows: Vec<usize> = near.flatten().filter(|&row| is_inside(&spans[row])).collect();
    rows.sort_by_key(|&row| (spans[row].start, Reverse(spans[row].end)));
    rows
}

fn times_within(times: &[Ns], window: Span) -> Vec<usize> {
    let is_inside = |&row: &usize| (window.start..window.end).contains(&times[row]);
    let mut rows: Vec<usize> = (0..times.len()).into_par_iter().filter(is_inside).collect();
    rows.sort_by_key(|&row| times[row]);
    rows
}

/// How many spans of those before it each span lies in, for spans in order of start, of equal starts the longest first.
pub(super) fn depths(spans: impl Iterator<Item = Span>) -> Vec<u8> {
    // The first to end on top.
    let mut open: BinaryHeap<Reverse<Ns>> = BinaryHeap::new();
    let depth = |span: Span| {
        while open.peek().is_some_and(|Reverse(end)| *end <= span.start) {
            open.pop();
        }
        open.push(Reverse(span.end));
        u8::try_from(open.len() - 1).unwrap_or(u8::MAX)
    };
    spans.map(depth).collect()
}
