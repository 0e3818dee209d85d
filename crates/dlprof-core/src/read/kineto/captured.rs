//! Traces of the capture of CUDA graphs, as servers write them when they start: the launches that each graph runs again, in order.

use super::collect::Collector;
use super::rows::{NOWHERE, RawCall};
use crate::base::time::{Ns, Span};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What a thread captured.
#[derive(Debug)]
pub(crate) struct CapturingThread {
    /// Its Python frames, in the order in which they open.
    pub(crate) frames: Vec<(Span, String)>,
    /// The launches of each graph, in order.
    pub(crate) graphs: Vec<Vec<CapturedLaunch>>,
}

/// A launch that a graph runs again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CapturedLaunch {
    /// When it was captured.
    pub(crate) at: Ns,
    /// The digest of the name of its kernel; 0 where the trace does not say it.
    pub(crate) kernel: u64,
}

/// What the threads of a trace captured, those that captured a graph.
pub(super) fn capturing_threads(rows: &Collector) -> Vec<CapturingThread> {
    let mut by_thread: BTreeMap<u32, Vec<&RawCall>> = BTreeMap::new();
    rows.calls.iter().for_each(|call| by_thread.entry(call.thread).or_default().push(call));
    let captured = by_thread.into_iter().map(|(thread, calls)| (thread, graphs(rows, calls)));
    let with_frames = |(thread, graphs)| CapturingThread { frames: frames(rows, thread), graphs };
    captured.filter(|(_, graphs)| !graphs.is_empty()).map(with_frames).collect()
}

/// The launches between the begin of a capture and its end. A call inside another is a part of it.
fn graphs(rows: &Collector, mut calls: Vec<&RawCall>) -> Vec<Vec<CapturedLaunch>> {
    calls.sort_by_key(|call| (call.span.start, Reverse(call.span.end)));
    let mut graphs = Vec::new();
    let mut open: Option<Vec<CapturedLaunch>> = None;
    let mut launched_to = Ns::MIN;
    for call in calls {
        let function = rows.names.pool.get(call.name);
        if function.contains("StreamBeginCapture") {
            open = Some(Vec::new());
        } else if function.contains("StreamEndCapture") {
            graphs.extend(open.take());
        } else if is_launch(function) && call.span.start >= launched_to {
            launched_to = call.span.end;
            let kernel =
                if call.details == NOWHERE { 0 } else { rows.call_details[call.details as usize].kernel };
            open.iter_mut().for_each(|graph| graph.push(CapturedLaunch { at: call.span.start, kernel }));
        }
    }
    graphs
}

fn is_launch(function: &str) -> bool {
    function.contains("Launch") && function.contains("Kernel")
}

fn frames(rows: &Collector, thread: u32) -> Vec<(Span, String)> {
    let own = rows.frames.iter().filter(|frame| frame.thread == thread);
    let mut frames: Vec<_> = own.map(|frame| (frame.span, frame.name)).collect();
    frames.sort_by_key(|(span, _)| (span.start, Reverse(span.end)));
    let named = frames.into_iter().map(|(span, name)| (span, rows.names.pool.get(name)));
    named
        .filter(|(_, name)| name.starts_with("nn.Module: "))
        .map(|(span, name)| (span, name.to_owned()))
        .collect()
}
