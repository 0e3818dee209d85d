//! The key node: the op whose executions delimit iterations.

use super::finder::{KERNELS, RANGE};
use super::op_beginnings::OpBeginnings;
use super::ops;
use crate::base::Error;
use crate::base::ids::{ApiCallId, LabelId, Maybe, OpCallId, ProcessId, StrId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::capture::correlate::{Direction, Eligibility, Label, Mode, UNASSOCIATED};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A key node that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyNode {
    /// Name of the op.
    pub name: String,
    /// The thread whose executions count: of those that run the key node, the one that owns most GPU time.
    pub thread: Maybe<ThreadId>,
    /// Starts of its executions on that thread, ascending.
    pub starts: Vec<Ns>,
    /// End of the last of them.
    pub last_end: Ns,
    /// Executions on other threads, which do not count.
    pub executions_elsewhere: usize,
    /// Its executions in each process that runs it, by process; one thread of each counts.
    pub by_process: Vec<ProcessExecutions>,
    /// How it came to be the key node.
    pub found: Found,
    /// Whether launches of kernels are its executions, not op calls or ranges.
    #[serde(default)]
    pub is_launches: bool,
}

/// Executions of a key node in a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessExecutions {
    /// The process.
    pub process: ProcessId,
    /// The thread whose executions count: of those of the process, the one that owns most GPU time.
    pub thread: Maybe<ThreadId>,
    /// Where its iterations start, and the pieces between them, ascending.
    pub starts: Vec<Ns>,
    /// Numbers of the pieces that are not iterations, ascending; the one before the first iteration, 0, is not listed.
    pub outside: Vec<u32>,
}

/// How a key node came to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    /// The user named it.
    ByUser,
    /// The finder chose it.
    ByFinder,
}

/// The key node that DLProf takes in its mode for TensorFlow 1 if none is named.
pub const DLPROFS_KEY_NODE: &str = "global_step";

/// How a regular expression begins.
const PATTERN: &str = "re:";

/// An execution of a key node: its thread, and when it ran.
type Execution = (ThreadId, Span);

/// Names suggested when a key node is unknown.
const SUGGESTIONS: usize = 3;

/// Looks a key node up: by op name, by op ID (of the run without a key node), by the text of a range; or, after
/// `re:`, by a regular expression that part of the name or text matches.
pub(super) fn find(capture: &Capture, wanted: &str) -> Result<KeyNode, Error> {
    if let Some(pattern) = wanted.strip_prefix(PATTERN) {
        let pattern = regex::Regex::new(pattern)
            .map_err(|error| Error::BadPattern { key_node: wanted.into(), source: error.into() })?;
        let executions = forward_calls(capture, |id| {
            let (name, label) = (name_of(capture, id), &capture.description.labels[id.index()]);
            let is_range = label.eligibility == Eligibility::WhenUsed;
            !name.starts_with(UNASSOCIATED)
                && (pattern.is_match(name) || (is_range && pattern.is_match(&label.op_type)))
        });
        return chosen(capture, wanted, executions);
    }
    let by_name = |label: LabelId| name_of(capture, label) == wanted;
    let mut executions = forward_calls(capture, by_name);
    if executions.is_empty() {
        executions = calls_by_op_id(capture, wanted);
    }
    if executions.is_empty() {
        executions = forward_calls(capture, |label| {
            let label = &capture.description.labels[label.index()];
            label.eligibility == Eligibility::WhenUsed && label.op_type == wanted
        });
    }
    chosen(capture, wanted, executions)
}

/// The key node that DLProf takes by itself. In its mode for PyTorch it finds one only in scripts that train, by a rule that was
/// never published, and none in what else is known of its output.
pub(super) fn of_dlprof(capture: &Capture) -> Option<KeyNode> {
    let executions = forward_calls(capture, |label| name_of(capture, label) == DLPROFS_KEY_NODE);
    match capture.description.mode {
        Mode::Tensorflow => chosen(capture, DLPROFS_KEY_NODE, executions).ok(),
        _ => None,
    }
}

/// The launches of a kernel, by its short or its demangled name, or by what follows `kernel:`; none if it was not launched by a
/// recorded call. Kernels of one graph launch are one execution.
pub(super) fn of_kernel(capture: &Capture, wanted: &str) -> Option<KeyNode> {
    let name = wanted.strip_prefix(KERNEL).unwrap_or(wanted);
    let kernels = &capture.kernels;
    let is_it: Vec<bool> =
        (0..capture.strings.len()).map(|id| capture.strings.get(StrId::new(id)) == name).collect();
    let names = kernels.short_name.iter().zip(&kernels.long_name);
    let launches = names.enumerate().filter(|(_, (short, long))| {
        [short, long].into_iter().any(|name| name.position().is_some_and(|name| is_it[name]))
    });
    let call = |(kernel, _): (usize, _)| capture.launches.api[WorkId::new(kernel)].some();
    let mut calls: Vec<ApiCallId> = launches.filter_map(call).collect();
    calls.sort_unstable();
    calls.dedup();
    let execution =
        |call: ApiCallId| Some((capture.api_calls.thread[call].some()?, capture.api_calls.span[call]));
    let executions: Vec<Execution> = calls.into_iter().filter_map(execution).collect();
    let gpu_ns = gpu_time_by_thread(capture);
    let key_node =
        (!executions.is_empty()).then(|| on_one_thread(capture, name.to_owned(), &executions, &gpu_ns));
    key_node.map(|key_node| beginning_with_ops(capture, key_node))
}

/// Lets iterations that launches delimit begin with the op calls around these.
fn beginning_with_ops(capture: &Capture, mut key_node: KeyNode) -> KeyNode {
    let threads = key_node.by_process.iter().map(|process| process.thread);
    let beginnings = OpBeginnings::by_thread(capture, threads);
    for process in &mut key_node.by_process {
        beginnings[&process.thread].move_back(&mut process.starts);
    }
    let main = key_node.by_process.iter().find(|process| process.thread == key_node.thread);
    let starts = main.map(|process| process.starts.clone()).unwrap_or_default();
    KeyNode { starts, is_launches: true, ..key_node }
}

/// How the name of a kernel begins that stands for its launches, whatever ops have that name.
const KERNEL: &str = "kernel:";

/// The error for a key node that never ran.
pub(super) fn unknown(capture: &Capture, wanted: &str) -> Error {
    Error::UnknownKeyNode { key_node: wanted.into(), nearest: nearest(capture, wanted) }
}

/// By text: how often what it names ran on the thread that counts, as [`find`] has it; none if nothing has that name.
pub(super) fn executions(capture: &Capture, texts: &[String]) -> Vec<Option<usize>> {
    let mut by_text: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, text) in texts.iter().enumerate() {
        by_text.entry(text).or_default().push(at);
    }
    let texts_of = |text: &str| by_text.get(text).cloned().unwrap_or_default();
    // By label: the texts that are its name, and those that are the text of its range.
    let of_label = |label: &Label| -> [Vec<usize>; 2] {
        if label.direction == Direction::Backward {
            return [Vec::new(), Vec::new()];
        }
        let is_range = label.eligibility == Eligibility::WhenUsed;
        let of_text = if is_range { texts_of(&label.op_type) } else { Vec::new() };
        [texts_of(capture.names.get(label.name)), of_text]
    };
    let labels: Vec<[Vec<usize>; 2]> = capture.description.labels.iter().map(of_label).collect();
    let mut counts: BTreeMap<(usize, usize, ThreadId), usize> = BTreeMap::new();
    let calls = &capture.op_calls;
    for call in calls.ids() {
        let Some(thread) = calls.thread[call].some() else { continue };
        for (form, texts) in labels[calls.label[call].index()].iter().enumerate() {
            for &text in texts {
                *counts.entry((text, form, thread)).or_default() += 1;
            }
        }
    }
    let gpu_ns = gpu_time_by_thread(capture);
    let on_busiest = |text: usize, form: usize| {
        let of_text = counts.range((text, form, ThreadId::new(0))..(text, form + 1, ThreadId::new(0)));
        // Of equals the first thread, as `on_one_thread` has it.
        let busiest = of_text.max_by_key(|((.., thread), _)| (gpu_ns[thread.index()], Reverse(*thread)));
        busiest.map(|(_, count)| *count)
    };
    let count = |(at, text): (usize, &String)| match on_busiest(at, 0) {
        Some(count) => Some(count),
        None if is_like_an_id(text) || text.starts_with(PATTERN) || has_own_meaning(text) => Some(0),
        None => on_busiest(at, 1),
    };
    texts.iter().enumerate().map(count).collect()
}

/// Whether a text may be the ID of an op.
fn is_like_an_id(text: &str) -> bool {
    let number = text.strip_suffix(ops::BACKWARD).unwrap_or(text).rsplit_once('_').map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
        && !text.contains(char::is_lowercase)
}

/// Whether a text stands for something else than a range of that name.
fn has_own_meaning(text: &str) -> bool {
    text.is_empty() || [KERNEL, KERNELS, RANGE].iter().any(|prefix| text.starts_with(prefix))
}

fn chosen(capture: &Capture, wanted: &str, mut executions: Vec<OpCallId>) -> Result<KeyNode, Error> {
    executions.retain(|call| !capture.op_calls.thread[call].is_none());
    let Some(&first) = executions.first() else { return Err(unknown(capture, wanted)) };
    let label_of = |call: OpCallId| capture.op_calls.label[call];
    let name = name_of(capture, label_of(first));
    // Several names, by a regular expression: what was asked for says it best.
    let is_one_name = executions.iter().all(|call| name_of(capture, label_of(*call)) == name);
    let name = if is_one_name { name } else { wanted }.to_owned();
    let gpu_ns = gpu_time_by_thread(capture);
    let calls = &capture.op_calls;
    let executions: Vec<Execution> = executions
        .into_iter()
        .filter_map(|call| Some((calls.thread[call].some()?, calls.span[call])))
        .collect();
    Ok(on_one_thread(capture, name, &executions, &gpu_ns))
}

/// Calls, not of the backward pass, whose label fulfils a condition.
fn forward_calls(capture: &Capture, condition: impl Fn(LabelId) -> bool) -> Vec<OpCallId> {
    let matching: Vec<bool> = (0..capture.description.labels.len())
        .map(LabelId::new)
        .map(|label| {
            capture.description.labels[label.index()].direction != Direction::Backward && condition(label)
        })
        .collect();
    let calls = &capture.op_calls;
    calls.ids().filter(|call| matching[calls.label[call].index()]).collect()
}

/// All calls with the name and direction of the op that has an ID when there is one iteration.
fn calls_by_op_id(capture: &Capture, wanted: &str) -> Vec<OpCallId> {
    let one_iteration = capture.memory.filled(capture.op_calls.len(), 0);
    let (ops, ..) = ops::identify(capture, &one_iteration);
    let Some(op) = ops.iter().find(|op| op.id == wanted) else { return Vec::new() };
    let wanted = &capture.description.labels[op.label.index()];
    let calls = &capture.op_calls;
    calls
        .ids()
        .filter(|call| {
            let label = &capture.description.labels[calls.label[call].index()];
            (label.name, label.direction) == (wanted.name, wanted.direction)
        })
        .collect()
}

/// GPU time of the calls of each thread.
fn gpu_time_by_thread(capture: &Capture) -> Vec<Ns> {
    let calls = &capture.op_calls;
    let mut gpu_ns = vec![0; capture.threads.len()];
    for call in calls.ids() {
        if let Some(thread) = calls.thread[call].some() {
            gpu_ns[thread.index()] += capture.op_calls.times[call].gpu_ns;
        }
    }
    gpu_ns
}

/// The executions on the thread that owns most GPU time; of equals, on the one with the smallest id.
fn on_one_thread(capture: &Capture, name: String, executions: &[Execution], gpu_ns: &[Ns]) -> KeyNode {
    let by_process = by_process(capture, executions, gpu_ns);
    let busiest = by_process
        .iter()
        .max_by_key(|process| {
            (process.thread.some().map(|thread| gpu_ns[thread.index()]), Reverse(process.thread))
        })
        .expect("a key node that ran has executions");
    let (thread, starts) = (busiest.thread, busiest.starts.clone());
    let executions_elsewhere = executions.len() - starts.len();
    let of_thread = executions.iter().filter(|(own, _)| thread == *own);
    let last = of_thread.map(|(_, span)| *span).max_by_key(|span| (span.start, span.end));
    let last_end = last.unwrap_or_default().end;
    KeyNode {
        name,
        thread,
        starts,
        last_end,
        executions_elsewhere,
        by_process,
        found: Found::ByUser,
        is_launches: false,
    }
}

fn by_process(capture: &Capture, executions: &[Execution], gpu_ns: &[Ns]) -> Vec<ProcessExecutions> {
    let mut by_thread: BTreeMap<ThreadId, Vec<Ns>> = BTreeMap::new();
    for executions in executions.chunk_by(|a, b| a.0 == b.0) {
        let starts = by_thread.entry(executions[0].0).or_default();
        starts.extend(executions.iter().map(|(_, span)| span.start));
    }
    let mut by_process: BTreeMap<ProcessId, (ThreadId, Vec<Ns>)> = BTreeMap::new();
    for (thread, starts) in by_thread {
        let process = capture.threads[thread.index()].process;
        match by_process.get(&process) {
            Some((other, _)) if gpu_ns[other.index()] >= gpu_ns[thread.index()] => {}
            _ => drop(by_process.insert(process, (thread, starts))),
        }
    }
    let sorted = |(process, (thread, mut starts)): (ProcessId, (ThreadId, Vec<Ns>))| {
        starts.sort();
        ProcessExecutions { process, thread: thread.into(), starts, outside: Vec::new() }
    };
    by_process.into_iter().map(sorted).collect()
}

fn name_of(capture: &Capture, label: LabelId) -> &str {
    capture.names.get(capture.description.labels[label.index()].name)
}

/// Names of ops that look like `wanted`, best first; where there are none, names of kernels.
fn nearest(capture: &Capture, wanted: &str) -> Vec<String> {
    let mut names: Vec<&str> =
        (0..capture.description.labels.len()).map(|label| name_of(capture, LabelId::new(label))).collect();
    names.retain(|name| !name.starts_with(UNASSOCIATED));
    let wanted = wanted.to_lowercase();
    let ops = nearest_of(names, &wanted);
    if !ops.is_empty() {
        return ops;
    }
    let mut kernels: Vec<StrId> = capture.kernels.short_name.to_vec();
    kernels.sort_unstable();
    kernels.dedup();
    nearest_of(kernels.into_iter().map(|name| capture.strings.get(name)).collect(), &wanted)
}

fn nearest_of(mut names: Vec<&str>, wanted: &str) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    let mut scored: Vec<(f64, &str)> = names.into_iter().map(|name| (likeness(name, wanted), name)).collect();
    scored.retain(|(score, _)| *score > 0.6);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
}

/// From 0 to 2: a name that contains the wanted text beats any that is merely similar.
fn likeness(name: &str, wanted: &str) -> f64 {
    let name = name.to_lowercase();
    let last = name.rsplit('/').next().unwrap_or(&name);
    let similarity = strsim::jaro_winkler(&name, wanted).max(strsim::jaro_winkler(last, wanted));
    if !wanted.is_empty() && name.contains(wanted) { 1.0 + similarity } else { similarity }
}

#[cfg(test)]
mod tests;
