//! Ranges to op calls, in each mode.

use super::backward::{self, Sequences};
use super::frameworks::FrameworkTexts;
use super::labels::{Direction, Eligibility, Identity, Label, Marker, eligibility_of_type};
use super::{Builder, Markers, families, nesting, shapes};
use crate::diagnostics::Code;
use crate::groups::Grouped;
use crate::ids::{LabelId, OpCallId, ProcessId, StrId, ThreadId};
use crate::time::Span;
use crate::trace::Trace;
use rustc_hash::FxHashMap;

/// Where a range stands, in the mode of DLProf's markers.
#[derive(Clone, Copy)]
struct MarkerFrame {
    /// The op call around the range, or the range itself.
    call: OpCallId,
    /// Text of the innermost trace marker.
    trace_marker: StrId,
}

/// DLProf's PyTorch markers: a call is an argument marker that is not inside another one.
pub(super) fn from_markers(trace: &Trace, markers: &Markers, builder: &mut Builder) {
    let by_thread = nesting::ranges_by_thread(trace);
    let mut labels: FxHashMap<(StrId, StrId), LabelId> = FxHashMap::default();
    let mut sequences = Sequences::default();
    for thread in 0..trace.threads.len() {
        let process = trace.threads[thread].process;
        let thread_id = ThreadId::new(thread);
        nesting::walk(by_thread.get(thread), &trace.ranges.span, |row, frames: &[MarkerFrame]| {
            let mut frame = frames
                .last()
                .copied()
                .unwrap_or(MarkerFrame { call: OpCallId::NONE, trace_marker: StrId::NONE });
            let span = trace.ranges.span[row];
            let text = trace.ranges.text[row];
            match markers.of(trace, row) {
                Marker::Trace { .. } => frame.trace_marker = text,
                marker @ Marker::Op { .. } if frame.call.is_none() => {
                    let label = *labels.entry((frame.trace_marker, text)).or_insert_with(|| {
                        let around = markers.by_text.get(&frame.trace_marker);
                        let label = marker.label(around, &mut builder.names);
                        builder.add_label(label.expect("the marker is an op"))
                    });
                    frame.call = builder.add_call(span, thread_id, label);
                }
                Marker::Malformed => {
                    let text = trace.strings.get(text);
                    let start: String = text.chars().take(60).collect();
                    builder.diagnostics.count(Code::MalformedMarker, || format!("`{start}…`"));
                }
                Marker::None if trace.ranges.sequence[row] >= 0 => {
                    let sequence = trace.ranges.sequence[row];
                    if !frame.call.is_none() {
                        sequences.forward(process, sequence, span.start, frame.call);
                    } else if backward::is_node(trace.strings.get(text)) {
                        frame.call = add_node(builder, span, thread_id, trace.strings.get(text));
                        sequences.backward(process, sequence, frame.call);
                    }
                }
                _ => {}
            }
            frame
        });
    }
    sequences.link(&mut builder.calls, &mut builder.labels, &mut builder.diagnostics);
}

/// A backward node; its label holds until the forward op is known.
fn add_node(builder: &mut Builder, span: Span, thread: ThreadId, text: &str) -> OpCallId {
    let name = builder.names.intern(text);
    let label = match builder.node_labels.get(&name) {
        Some(&label) => label,
        None => {
            let mut label = Label::plain(name, text, Identity::NameAndOrdinal, Eligibility::NotEligible);
            label.direction = Direction::Backward;
            let label = builder.add_label(label);
            builder.node_labels.insert(name, label);
            label
        }
    };
    builder.add_call(span, thread, label)
}

/// Where a range stands, in the modes of plain ranges and of `emit_nvtx`.
#[derive(Clone, Copy)]
struct RangeFrame {
    /// The op call around the range, or the range itself.
    call: OpCallId,
    /// `/`-joined texts of the user ranges around, the range itself included.
    path: StrId,
    /// Inside an operator: what is deeper belongs to it.
    in_operator: bool,
    /// A wrapper whose backward node has not been met yet.
    awaits_node: bool,
}

/// Plain ranges, and operators of `emit_nvtx` inside them. Every user range is an op call with the work that no
/// range inside it claims; an operator that is not inside another one is an op call with all work inside it.
pub(super) fn from_ranges(
    trace: &Trace,
    markers: &Markers,
    frameworks: &FrameworkTexts,
    builder: &mut Builder,
) {
    let by_thread = nesting::ranges_by_thread(trace);
    let mut walker = RangeWalker {
        trace,
        empty_text: markers.empty_text,
        frameworks,
        builder,
        labels: FxHashMap::default(),
        shared_names: families::shared_names(trace),
        sequences: Sequences::default(),
    };
    for thread in 0..trace.threads.len() {
        walker.walk_thread(ThreadId::new(thread), &by_thread);
    }
    let RangeWalker { builder, sequences, .. } = walker;
    sequences.link(&mut builder.calls, &mut builder.labels, &mut builder.diagnostics);
}

struct RangeWalker<'a> {
    trace: &'a Trace,
    empty_text: StrId,
    frameworks: &'a FrameworkTexts,
    builder: &'a mut Builder,
    /// Label by (path around, text, sizes).
    labels: FxHashMap<(StrId, StrId, StrId), LabelId>,
    /// Names of ranges whose texts carry instance numbers.
    shared_names: FxHashMap<StrId, String>,
    sequences: Sequences,
}

impl RangeWalker<'_> {
    fn walk_thread(&mut self, thread: ThreadId, by_thread: &Grouped<u32>) {
        let trace = self.trace;
        let outside =
            RangeFrame { call: OpCallId::NONE, path: StrId::NONE, in_operator: false, awaits_node: false };
        let mut awaited: Option<OpCallId> = None;
        nesting::walk(by_thread.get(thread.index()), &trace.ranges.span, |row, frames: &[RangeFrame]| {
            let around = frames.last().copied().unwrap_or(outside);
            let frame = self.enter(row, thread, around, &mut awaited);
            if let Some(parent) = around.call.some()
                && frame.call != around.call
            {
                self.builder.cpu_ns[parent.index()] -= trace.ranges.span[row].length();
            }
            frame
        });
    }

    fn enter(
        &mut self,
        row: usize,
        thread: ThreadId,
        around: RangeFrame,
        awaited: &mut Option<OpCallId>,
    ) -> RangeFrame {
        let ranges = &self.trace.ranges;
        let process = self.trace.threads[thread.index()].process;
        let (span, sequence) = (ranges.span[row], ranges.sequence[row]);
        let text = self.trace.strings.get(ranges.text[row]);
        if around.in_operator {
            self.note_sequence(process, sequence, span, around, awaited);
            return RangeFrame { awaits_node: false, ..around };
        }
        if ranges.text[row] == self.empty_text {
            return around;
        }
        if backward::is_wrapper(text) || (sequence >= 0 && backward::is_node(text)) {
            let call = add_node(self.builder, span, thread, backward::unwrapped(text));
            let awaits_node = sequence < 0;
            *awaited = awaits_node.then_some(call);
            if !awaits_node {
                self.sequences.backward(process, sequence, call);
            }
            return RangeFrame { call, in_operator: true, awaits_node, ..around };
        }
        let is_operator = ranges.is_operator[row] || text.starts_with("aten::");
        let label = self.label(row, around.path, is_operator);
        let call = self.builder.add_call(span, thread, label);
        if is_operator && sequence >= 0 {
            self.sequences.forward(process, sequence, span.start, call);
        }
        let is_nameless = is_operator || self.frameworks.is_node(ranges.text[row]);
        let path = if is_nameless { around.path } else { self.builder.labels[label.index()].name };
        RangeFrame { call, path, in_operator: is_operator, awaits_node: false }
    }

    /// A sequence number inside an operator: of the node that a wrapper waits for, or of the operator.
    fn note_sequence(
        &mut self,
        process: ProcessId,
        sequence: i64,
        span: Span,
        around: RangeFrame,
        awaited: &mut Option<OpCallId>,
    ) {
        if sequence < 0 {
            return;
        }
        if around.awaits_node && *awaited == Some(around.call) {
            self.sequences.backward(process, sequence, around.call);
            *awaited = None;
        } else {
            self.sequences.forward(process, sequence, span.start, around.call);
        }
    }

    fn label(&mut self, row: usize, path: StrId, is_operator: bool) -> LabelId {
        let ranges = &self.trace.ranges;
        let key = (path, ranges.text[row], ranges.sizes[row]);
        if let Some(&label) = self.labels.get(&key) {
            return label;
        }
        let label = match self.frameworks.get(ranges.text[row]) {
            Some(text) => text.label(path, &mut self.builder.names),
            None => self.range_label(row, path, is_operator),
        };
        let label = self.builder.add_label(label);
        self.labels.insert(key, label);
        label
    }

    fn range_label(&mut self, row: usize, path: StrId, is_operator: bool) -> Label {
        let ranges = &self.trace.ranges;
        let text = match self.shared_names.get(&ranges.text[row]) {
            Some(name) => name.as_str(),
            None => self.trace.strings.get(ranges.text[row]),
        };
        let name = format!("{}/{text}", self.builder.names.get(path));
        let name = self.builder.names.intern(&name);
        if is_operator {
            operator_label(name, text, self.trace.strings.get(ranges.sizes[row]))
        } else {
            Label::plain(name, text, Identity::Name, Eligibility::WhenUsed)
        }
    }
}

/// The label of an `emit_nvtx` operator; its type is the part behind the namespace.
fn operator_label(name: StrId, text: &str, sizes: &str) -> Label {
    let op_type = text.rsplit("::").next().unwrap_or(text);
    let mut label = Label::plain(name, op_type, Identity::NameAndOrdinal, eligibility_of_type(op_type));
    label.direction = Direction::Forward;
    label.shapes = shapes::from_sizes(op_type, sizes);
    label
}
