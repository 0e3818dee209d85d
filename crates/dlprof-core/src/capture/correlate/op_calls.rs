//! Ranges to op calls, in each mode.

use super::backward::Sequences;
use super::dialects::dlprof::{Marker, Markers};
use super::dialects::{FrameworkTexts, emit_nvtx};
use super::labels::{Eligibility, Label, OpIdentity};
use super::nesting::{self, Range};
use super::{Builder, families};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::{self, LabelId, Maybe, OpCallId, ProcessId, RangeTextId, StrId, ThreadId};
use crate::base::op_path::{DEEPEST, LONGEST_PATH, is_deeper, part_of};
use crate::base::time::Span;
use crate::read::facts::{Facts, NO_SEQUENCE, RangeText, SequenceNumber};
use rustc_hash::FxHashMap;

/// Where a range stands, in the mode of DLProf's markers.
#[derive(Clone, Copy)]
struct MarkerFrame {
    /// The op call around the range, or the range itself.
    call: Maybe<OpCallId>,
    /// The innermost trace marker.
    trace_marker: Maybe<RangeTextId>,
}

/// DLProf's PyTorch markers: a call is an argument marker that is not inside another one.
pub(super) fn from_markers(facts: &Facts, markers: &Markers, builder: &mut Builder) {
    let is_user = nesting::user_texts(facts);
    let outside = MarkerFrame { call: Maybe::NONE, trace_marker: Maybe::NONE };
    let text_of = |range: RangeTextId| facts.ranges.texts[range.index()].text;
    let texts = facts.ranges.texts.iter();
    let is_node: Vec<bool> = texts.map(|says| emit_nvtx::is_node(facts.strings.get(says.text))).collect();
    let texts = facts.ranges.texts.iter();
    let accumulates: Vec<bool> =
        texts.map(|says| emit_nvtx::is_accumulation(facts.strings.get(says.text))).collect();
    let mut labels: FxHashMap<(Maybe<RangeTextId>, RangeTextId), LabelId> = FxHashMap::default();
    // By text: the trace marker around it last time, and the label of both.
    let mut last_label = vec![None; facts.ranges.texts.len()];
    let mut sequences = Sequences::new(&facts.memory, facts.processes.len());
    for thread in ids::all::<ThreadId>(facts.threads.len()) {
        let process = facts.process_of(thread);
        nesting::walk(facts, thread, &is_user, |range, frames: &[MarkerFrame]| {
            let mut frame = frames.last().copied().unwrap_or(outside);
            match markers.get(range.text) {
                Marker::Trace { .. } => frame.trace_marker = range.text.into(),
                marker @ Marker::Op { .. } if frame.call.is_none() => {
                    let known = last_label[range.text.index()];
                    let label = known.filter(|(around, _)| *around == frame.trace_marker);
                    let label = label.map(|(_, label)| label).unwrap_or_else(|| {
                        let label = *labels.entry((frame.trace_marker, range.text)).or_insert_with(|| {
                            let around = frame.trace_marker.some().map(|around| markers.get(around));
                            let label = marker.label(around, &mut builder.names);
                            builder.add_label(label.expect("the marker is an op"))
                        });
                        last_label[range.text.index()] = Some((frame.trace_marker, label));
                        label
                    });
                    frame.call = builder.add_call(range.span, thread.into(), label).into();
                }
                Marker::Malformed => {
                    let text = facts.strings.get(text_of(range.text));
                    builder
                        .diagnostics
                        .count(DiagnosticCode::MalformedMarker, || format!("`{}…`", start_of(text)));
                }
                Marker::None if range.sequence != NO_SEQUENCE => {
                    if let Some(call) = frame.call.some() {
                        sequences.forward(process, range.sequence, range.span.start, call);
                    } else if is_node[range.text.index()] {
                        let text = text_of(range.text);
                        let call = add_node(builder, facts, range.span, thread, text);
                        frame.call = call.into();
                        sequences.backward(process, range.sequence, range.span.start, call);
                    }
                }
                Marker::None if frame.call.is_none() && accumulates[range.text.index()] => {
                    frame.call = add_node(builder, facts, range.span, thread, text_of(range.text)).into();
                }
                _ => {}
            }
            frame
        });
    }
    sequences.link(&mut builder.calls, &mut builder.labels, &mut builder.diagnostics);
}

/// The start of a text, for an example.
fn start_of(text: &str) -> String {
    text.chars().take(60).collect()
}

/// A backward node with a text of the capture; its label holds until the forward op is known.
fn add_node(builder: &mut Builder, facts: &Facts, span: Span, thread: ThreadId, text: StrId) -> OpCallId {
    let label = match builder.node_labels.get(&text) {
        Some(&label) => label,
        None => {
            let node = facts.strings.get(text);
            let name = builder.names.intern(emit_nvtx::unwrapped(node));
            let label = builder.add_label(emit_nvtx::node_label(name, node));
            builder.node_labels.insert(text, label);
            label
        }
    };
    builder.add_call(span, thread.into(), label)
}

/// Where a range stands, in the modes of plain ranges and of `emit_nvtx`.
#[derive(Clone, Copy)]
struct RangeFrame {
    /// The op call around the range, or the range itself.
    call: Maybe<OpCallId>,
    /// `/`-joined texts of the user ranges around, the range itself included.
    path: StrId,
    /// How many there are.
    levels: usize,
    /// Inside an operator: what is deeper belongs to it.
    in_operator: bool,
    /// Directly inside Python code that PyTorch marks: deeper operators belong to it, and ranges that a program opens do not.
    in_python: bool,
    /// A wrapper whose backward node has not been met yet.
    awaits_node: bool,
}

/// Plain ranges, and operators of `emit_nvtx` inside them. Every user range is an op call with the work that no
/// range inside it claims; an operator that is not inside another one is an op call with all work inside it.
pub(super) fn from_ranges(
    facts: &Facts,
    markers: &Markers,
    frameworks: &FrameworkTexts,
    builder: &mut Builder,
) {
    let is_user = nesting::user_texts(facts);
    let mut walker = RangeWalker {
        facts,
        text_kinds: facts.ranges.texts.iter().map(|text| TextKind::of(text, facts)).collect(),
        empty_text: markers.empty_text,
        frameworks,
        builder,
        labels: FxHashMap::default(),
        shared_names: families::shared_names(facts),
        sequences: Sequences::new(&facts.memory, facts.processes.len()),
    };
    for thread in 0..facts.threads.len() {
        walker.walk_thread(ThreadId::new(thread), &is_user);
    }
    let RangeWalker { builder, sequences, .. } = walker;
    sequences.link(&mut builder.calls, &mut builder.labels, &mut builder.diagnostics);
}

/// What the text of a range says by itself.
struct TextKind {
    is_wrapper: bool,
    is_node: bool,
    is_operator: bool,
    is_python: bool,
}

impl TextKind {
    fn of(range: &RangeText, facts: &Facts) -> Self {
        let text = facts.strings.get(range.text);
        let is_operator = range.is_operator || text.starts_with("aten::");
        Self {
            is_wrapper: emit_nvtx::is_wrapper(text),
            is_node: emit_nvtx::is_node(text),
            is_operator,
            is_python: is_operator && emit_nvtx::is_python(text),
        }
    }
}

struct RangeWalker<'a> {
    facts: &'a Facts,
    /// By text of ranges.
    text_kinds: Vec<TextKind>,
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
    fn walk_thread(&mut self, thread: ThreadId, is_user: &[bool]) {
        let outside = RangeFrame {
            call: Maybe::NONE,
            path: StrId::NONE,
            levels: 0,
            in_operator: false,
            in_python: false,
            awaits_node: false,
        };
        let mut awaited: Option<OpCallId> = None;
        nesting::walk(self.facts, thread, is_user, |range, frames: &[RangeFrame]| {
            let around = frames.last().copied().unwrap_or(outside);
            let frame = self.enter(range, thread, around, &mut awaited);
            if let Some(parent) = around.call.some()
                && frame.call != around.call
            {
                self.builder.cpu_ns[parent.index()] -= range.span.length();
            }
            frame
        });
    }

    fn enter(
        &mut self,
        range: Range,
        thread: ThreadId,
        around: RangeFrame,
        awaited: &mut Option<OpCallId>,
    ) -> RangeFrame {
        let process = self.facts.threads[thread.index()].process;
        let Range { span, sequence, .. } = range;
        let says = self.facts.ranges.texts[range.text.index()];
        let TextKind { is_wrapper, is_node, is_operator, is_python } = self.text_kinds[range.text.index()];
        let has_sequence = sequence != NO_SEQUENCE;
        let is_programs = !(is_operator || is_wrapper || has_sequence);
        if around.in_operator && !(around.in_python && is_programs) {
            self.note_sequence(process, sequence, span, around, awaited);
            return RangeFrame { awaits_node: false, in_python: false, ..around };
        }
        if says.text == self.empty_text {
            return around;
        }
        if is_wrapper || (has_sequence && is_node) {
            let call = add_node(self.builder, self.facts, span, thread, says.text);
            let awaits_node = !has_sequence;
            *awaited = awaits_node.then_some(call);
            if !awaits_node {
                self.sequences.backward(process, sequence, span.start, call);
            }
            return RangeFrame {
                call: call.into(),
                in_operator: true,
                in_python: false,
                awaits_node,
                ..around
            };
        }
        if around.levels >= DEEPEST || self.builder.names.get(around.path).len() >= LONGEST_PATH {
            self.builder.diagnostics.count(DiagnosticCode::DeepNesting, || {
                format!("`{}`", start_of(self.facts.strings.get(says.text)))
            });
            return around;
        }
        let label = self.label(&says, around.path, is_operator);
        let call = self.builder.add_call(span, thread.into(), label);
        if is_operator && has_sequence {
            self.sequences.forward(process, sequence, span.start, call);
        }
        let is_nameless = is_operator || self.frameworks.is_node(says.text);
        let (path, levels) = match is_nameless {
            true => (around.path, around.levels),
            false => (self.builder.labels[label.index()].name, around.levels + 1),
        };
        let call = call.into();
        RangeFrame { call, path, levels, in_operator: is_operator, in_python: is_python, awaits_node: false }
    }

    /// A sequence number inside an operator: of the node that a wrapper waits for, or of the operator.
    fn note_sequence(
        &mut self,
        process: ProcessId,
        sequence: SequenceNumber,
        span: Span,
        around: RangeFrame,
        awaited: &mut Option<OpCallId>,
    ) {
        if sequence == NO_SEQUENCE {
            return;
        }
        let Some(call) = around.call.some() else { return };
        if around.awaits_node && *awaited == Some(call) {
            let start = self.builder.calls.span[call.index()].start;
            self.sequences.backward(process, sequence, start, call);
            *awaited = None;
        } else {
            self.sequences.forward(process, sequence, span.start, call);
        }
    }

    fn label(&mut self, says: &RangeText, path: StrId, is_operator: bool) -> LabelId {
        let key = (path, says.text, says.sizes);
        if let Some(&label) = self.labels.get(&key) {
            return label;
        }
        let label = match self.frameworks.get(says.text) {
            Some(text) => text.label(path, &mut self.builder.names),
            None => self.range_label(says, path, is_operator),
        };
        let label = self.builder.add_label(label);
        self.labels.insert(key, label);
        label
    }

    fn range_label(&mut self, says: &RangeText, path: StrId, is_operator: bool) -> Label {
        let text = match self.shared_names.get(&says.text) {
            Some(name) => name.as_str(),
            None => self.facts.strings.get(says.text),
        };
        let text = &*part_of(text);
        let name = format!("{}/{text}", self.builder.names.get(path));
        if is_deeper(&name) {
            self.builder.diagnostics.count(DiagnosticCode::DeepNesting, || format!("`{}`", start_of(text)));
        }
        let name = self.builder.names.intern(&name);
        if is_operator {
            emit_nvtx::operator_label(name, text, self.facts.strings.get(says.sizes))
        } else {
            Label::plain(name, text, OpIdentity::Name, Eligibility::WhenUsed)
        }
    }
}

#[cfg(test)]
mod tests;
