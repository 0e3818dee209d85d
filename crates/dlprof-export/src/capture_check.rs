//! What a capture holds, what was made of it and what is missing, as text.

mod of_server;
mod of_trace;

use crate::display::{TimeUnit, percentage, plain, time};
use crate::origin;
use crate::text::pad;
use dlprof_core::{
    DiagnosticCode, Judged, NsysMessage, Problem, Process, Profile, RecorderKind, UNASSOCIATED, percent,
    to_f64,
};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::path::Path;

/// Writes what the capture of a profile holds, one line each, then what misleads in it and what is odd, the worst first.
///
/// # Errors
/// Only if `out` cannot be written to.
pub fn write_check(judged: &Judged, unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    let profile = judged.profile();
    writeln!(out, "{}", plain(&profile.capture.source.path.display().to_string()))?;
    for (what, value) in
        holds(profile).into_iter().chain(use_of_work(profile, unit)).chain(of_server::served(profile))
    {
        writeln!(out, "  {}{}", pad(what, 24), plain(&value))?;
    }
    let further = profile.capture.kineto.as_ref();
    let further = further.map(|notes| of_trace::how_to_record(&profile.capture, notes)).unwrap_or_default();
    let callers = origin::processes_with_calls(profile).map(Process::pid).collect();
    let recorder = profile.capture.recorder.kind;
    let said = recorder_said(recorder, &profile.capture.notes.nsys_messages, &callers);
    let lines = oddities(judged, unit).into_iter().chain(said);
    lines.chain(further).try_for_each(|line| writeln!(out, "{}", plain(&line)))
}

/// Writes what an export without events holds all the same, one line each.
///
/// # Errors
/// Only if `out` cannot be written to.
pub fn write_held(path: &Path, held: &[(&'static str, String)], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", plain(&path.display().to_string()))?;
    held.iter().try_for_each(|(what, value)| writeln!(out, "  {}{}", pad(what, 24), plain(value)))
}

/// What an export lacks that was made without payloads of ranges, and which command exports it.
pub(crate) const COMMUNICATORS: &str =
    "Communicators and bytes of NCCL are not in the export: make it with `nsys export --include-blobs=true`.";

/// Writes that communicators and bytes are missing.
///
/// # Errors
/// Only if `out` cannot be written to.
pub fn write_how_to_get_communicators(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{COMMUNICATORS}")
}

/// The size of a trace, of which many are small.
fn size_of_trace(bytes: u64) -> String {
    let bytes = dlprof_core::count_to_f64(bytes);
    if bytes < 1e5 { format!("{:.1} KB", bytes / 1e3) } else { format!("{:.1} MB", bytes / 1e6) }
}

/// Which nsys recorded, and which exported where that is another one or all that is known.
fn recorded_by(in_words: Option<String>, exported: &str) -> String {
    match in_words {
        Some(words) => words.replacen("nsys ", "", 1),
        None if exported.is_empty() => "unknown".to_owned(),
        None => format!("exported by {exported}"),
    }
}

/// A number of records; how many calls there are where these have none.
fn known(records: usize, calls_without: u64) -> String {
    match calls_without {
        0 => records.to_string(),
        calls => format!("{}, {calls} calls have no records", origin::UNKNOWN),
    }
}

/// The number of ranges; what nsys collected where the export lacks them.
fn ranges(ranges: usize, left_out: Option<u64>) -> String {
    match left_out {
        None => ranges.to_string(),
        Some(events) => format!("{}, the export lacks {events} events that nsys collected", origin::UNKNOWN),
    }
}

/// What is in the file.
fn holds(profile: &Profile) -> Vec<(&'static str, String)> {
    let trace = &profile.capture;
    let counts = profile.capture.counts();
    let version = &trace.source.product_version;
    let command = origin::command(profile).map(|command| ("command", command));
    if let Some(notes) = &trace.kineto {
        let is_other = profile.capture.diagnostics.counted(DiagnosticCode::OtherDevice) > 0;
        let counted = [
            ("size", size_of_trace(trace.source.size_bytes)),
            ("processes, threads", format!("{}, {}", trace.processes.len(), trace.threads.len())),
            (
                if is_other { "devices" } else { "GPUs" },
                trace.system.gpu_count.max(trace.devices.len()).to_string(),
            ),
            ("kernels", counts.kernels.to_string()),
            ("copies", copies_of(profile)),
            ("memsets", counts.memsets.to_string()),
            ("API calls", counts.api_calls.to_string()),
        ];
        let recorder = ("recorded by", trace.recorder.kind.name().to_owned());
        return [recorder].into_iter().chain(counted).chain(of_trace::recorded(trace, notes)).collect();
    }
    let without = trace.calls_without_records(|name| trace.strings.get(name));
    let held = [
        ("nsys", recorded_by(trace.system.nsys_in_words(), version)),
        ("size", format!("{:.1} MB", dlprof_core::count_to_f64(trace.source.size_bytes) / 1e6)),
        ("processes, threads", format!("{}, {}", trace.processes.len(), trace.threads.len())),
        ("GPUs", trace.system.gpu_count.max(trace.devices.len()).to_string()),
        ("kernels", (counts.kernels - counts.whole_graphs).to_string()),
        ("whole CUDA graphs", counts.whole_graphs.to_string()),
        ("copies", known(counts.copies, without.copies)),
        ("memsets", known(counts.memsets, without.memsets)),
        ("synchronizations", known(trace.syncs.kind.len(), without.synchronizations)),
        ("CUDA API calls", counts.api_calls.to_string()),
        ("NVTX ranges", ranges(counts.ranges, trace.notes.ranges_left_out)),
    ];
    let shared = origin::shared_gpus(profile).map(|words| ("shared GPUs", words));
    command.into_iter().chain(held).chain(shared).collect()
}

/// How many copies were recorded; calls that copy, and work that is not read, say that there may have been others.
fn copies_of(profile: &Profile) -> String {
    let capture = &profile.capture;
    let recorded = capture.counts().copies;
    if recorded == 0 && capture.diagnostics.counted(DiagnosticCode::OtherDevice) > 0 {
        return format!("{}: work of these devices is not read", origin::UNKNOWN);
    }
    known(recorded, capture.calls_without_records(|name| capture.strings.get(name)).copies)
}

/// How the GPU work was assigned to ops and iterations.
fn use_of_work(profile: &Profile, unit: TimeUnit) -> Vec<(&'static str, String)> {
    let (mut claimed, mut linked, mut all) = (0, 0, 0);
    for op in &profile.op_stats {
        let gpu_ns = op.times.gpu.sum;
        all += gpu_ns;
        claimed += if profile.op_name(op.op).starts_with(UNASSOCIATED) { 0 } else { gpu_ns };
        linked += if profile.op_id(op.op).ends_with("_BPROP") { gpu_ns } else { 0 };
    }
    let iterations = match &profile.iterations.key_node {
        // Iteration 0 is what comes before the first.
        Some(key_node) => format!("{}, by {}", profile.iterations.count().saturating_sub(1), key_node.name),
        None if profile.iterations.stored_range.is_some() => {
            "1, as in the database; `--key-node NAME` splits the capture".into()
        }
        None => "none: no clearly repeating training step was found".into(),
    };
    let shares = match all {
        0 if profile.capture.diagnostics.counted(DiagnosticCode::OtherDevice) > 0 => {
            format!("{}, work of these devices is not read", origin::UNKNOWN)
        }
        0 => format!("{}, no GPU work was recorded", origin::UNKNOWN),
        _ => format!(
            "{} of {} in the aggregated range by ops, {} by backward ops that are linked to a forward op",
            percentage(percent(claimed, all)),
            time(to_f64(all), unit),
            percentage(percent(linked, claimed))
        ),
    };
    let cut = profile.capture.description.cut.as_ref().map(|cut| ("part", format!("{cut} ({})", cut.asked)));
    let lines = [
        ("mode", origin::mode(profile)),
        ("ops, op calls", format!("{}, {}", profile.op_stats.len(), profile.capture.counts().op_calls)),
        ("GPU time claimed", shares),
        ("iterations", iterations),
    ];
    cut.into_iter().chain(lines).collect()
}

/// What misleads, as findings say, and diagnostics, each with examples and a hint.
fn oddities(judged: &Judged, unit: TimeUnit) -> Vec<String> {
    let profile = judged.profile();
    let problems = judged.problems();
    let told =
        problems.iter().filter(|problem| problem.misleads() || matches!(problem, Problem::Diagnostic(_)));
    let lines: Vec<String> = told.flat_map(|problem| lines_of(judged, problem, unit)).collect();
    let complained = profile.capture.notes.nsys_messages.iter().any(|message| level(message).is_some());
    match lines.is_empty() && !complained {
        true => vec!["No problems were found in the tables of this capture.".into()],
        false => lines,
    }
}

fn lines_of(judged: &Judged, problem: &Problem<'_>, unit: TimeUnit) -> Vec<String> {
    let (count, examples) = match problem {
        Problem::Finding(_) => (String::new(), &[][..]),
        Problem::Diagnostic(diagnostic) => (format!("{} × ", diagnostic.count), &diagnostic.examples[..]),
    };
    let says = problem.says().text(|ns| time(ns, unit));
    let head = format!("{}[{}]: {count}{says}", problem.severity().as_str(), problem.code());
    let examples = examples.iter().map(|example| format!("    {example}"));
    let hint = problem.remedy(judged).map(|hint| format!("    hint: {hint}"));
    std::iter::once(head).chain(examples).chain(hint).collect()
}

/// nsys's numbers of warnings and errors, and what they are called; the number above these is of verbose messages.
const LEVELS: [(i64, &str); 2] = [(3, "error"), (2, "warning")];

/// The number of different messages of nsys that are quoted, and the bytes of each.
const MOST_MESSAGES: usize = 12;
const MOST_BYTES: usize = 300;

/// What a message of nsys is called; `None` of those that inform.
fn level(message: &NsysMessage) -> Option<&'static str> {
    LEVELS.iter().find(|(severity, _)| *severity == message.severity).map(|(_, word)| *word)
}

/// Messages of nsys that differ in numbers alone.
struct Said {
    word: &'static str,
    /// The text, with `#` for the numbers that differ.
    text: String,
    times: u64,
    /// The numbers of the processes that they are about; none where a message does not say.
    processes: BTreeSet<Option<i64>>,
}

/// Errors and warnings of the recorder in its own words, those once that differ in numbers alone: nsys says many of each process
/// that it watched, whether or not that process uses a GPU. `callers` are the processes with CUDA calls.
fn recorder_said(recorder: RecorderKind, messages: &[NsysMessage], callers: &BTreeSet<i64>) -> Vec<String> {
    let mut said: Vec<Said> = Vec::new();
    let mut places: HashMap<(&str, String), usize> = HashMap::new();
    for (_, word) in LEVELS {
        for message in messages.iter().filter(|message| level(message) == Some(word)) {
            let text = message.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let process = message.pid.or_else(|| pid_in(&text));
            let place = *places.entry((word, without_numbers(&text))).or_insert(said.len());
            match said.get_mut(place) {
                Some(alike) => {
                    alike.times += 1;
                    alike.text = with_equal_numbers(&alike.text, &text);
                    alike.processes.insert(process);
                }
                None => said.push(Said { word, text, times: 1, processes: [process].into() }),
            }
        }
    }
    if said.is_empty() {
        return Vec::new();
    }
    let left_out = said.len().saturating_sub(MOST_MESSAGES);
    let line = |Said { word, text, times, processes }: &Said| {
        let cut = text.floor_char_boundary(MOST_BYTES);
        let more = if cut < text.len() { " …" } else { "" };
        let often = if *times > 1 { format!("{times} × ") } else { String::new() };
        format!("    {word}: {often}{}{more}{}", text[..cut].trim_end(), of_processes(processes, callers))
    };
    let (also, place) = match recorder {
        RecorderKind::Nsys | RecorderKind::Dlprof => {
            (", also of processes that use no GPU", "in table `DIAGNOSTIC_EVENT`")
        }
        RecorderKind::TorchProfiler => ("", "under the key of this level in the trace"),
        RecorderKind::Rocprofv3 | RecorderKind::RocprofSys | RecorderKind::Rpd | RecorderKind::Xla => {
            ("", "in the file")
        }
    };
    let head = format!("messages of {} while it recorded{also}:", recorder.name());
    let more = (left_out > 0).then(|| format!("    and {left_out} more, {place}"));
    std::iter::once(head).chain(said.iter().take(MOST_MESSAGES).map(line)).chain(more).collect()
}

/// The process that the text of a message names: `… for process with pid 4711`.
fn pid_in(text: &str) -> Option<i64> {
    let (_, behind) = text.split_once("pid ")?;
    let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
    behind[..end].parse().ok()
}

/// How many processes messages are about, and whether these use CUDA; nothing where a message does not say.
fn of_processes(processes: &BTreeSet<Option<i64>>, callers: &BTreeSet<i64>) -> String {
    let Some(known) = processes.iter().copied().collect::<Option<Vec<i64>>>() else { return String::new() };
    let calling = known.iter().filter(|process| callers.contains(process)).count();
    match (known.len(), calling) {
        (1, 0) => " (of a process without CUDA calls)".to_owned(),
        (1, _) => " (of a process with CUDA calls)".to_owned(),
        (all, 0) => format!(" (of {all} processes, none with CUDA calls)"),
        (all, calling) => format!(" (of {all} processes, {calling} with CUDA calls)"),
    }
}

/// Whether a piece of a text is a number.
fn is_number(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_digit())
}

/// The numbers of a text, and what stands around them, in order.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let of_number = is_number(rest);
        let end = rest.find(|c: char| c.is_ascii_digit() != of_number).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// A text with `#` for each number.
fn without_numbers(text: &str) -> String {
    pieces(text).map(|piece| if is_number(piece) { "#" } else { piece }).collect()
}

/// The first of two texts that differ in numbers alone, with `#` for those that differ; it may have such places already.
fn with_equal_numbers(first: &str, second: &str) -> String {
    let mut equal = String::with_capacity(first.len());
    let mut first = first.chars().peekable();
    for piece in pieces(second) {
        let number: String = match first.peek() {
            Some('#') if is_number(piece) => first.next().into_iter().collect(),
            _ if is_number(piece) => std::iter::from_fn(|| first.next_if(char::is_ascii_digit)).collect(),
            _ => first.by_ref().take(piece.chars().count()).collect(),
        };
        equal.push_str(if is_number(piece) && number != piece { "#" } else { &number });
    }
    equal
}

#[cfg(test)]
mod tests {
    use super::recorder_said;
    use dlprof_core::{NsysMessage, RecorderKind};
    use std::collections::BTreeSet;

    fn message(severity: i64, text: &str, pid: Option<i64>) -> NsysMessage {
        NsysMessage { severity, text: text.to_owned(), pid }
    }

    #[test]
    fn messages_say_of_which_processes_they_are() {
        let lines = |processes: &[Option<i64>], callers: &[i64]| {
            let of = |&process: &Option<i64>| message(2, "No CUDA events collected.", process);
            let messages: Vec<NsysMessage> = processes.iter().map(of).collect();
            recorder_said(RecorderKind::Nsys, &messages, &callers.iter().copied().collect())[1]
                .trim()
                .to_owned()
        };
        let once = "warning: No CUDA events collected.";
        assert_eq!(lines(&[Some(7)], &[]), format!("{once} (of a process without CUDA calls)"));
        assert_eq!(lines(&[Some(7)], &[7, 8]), format!("{once} (of a process with CUDA calls)"));
        let thrice = "warning: 3 × No CUDA events collected.";
        let processes = [Some(7), Some(8), Some(7)];
        assert_eq!(lines(&processes, &[9]), format!("{thrice} (of 2 processes, none with CUDA calls)"));
        assert_eq!(lines(&processes, &[8]), format!("{thrice} (of 2 processes, 1 with CUDA calls)"));
        assert_eq!(lines(&[Some(7), None, Some(8)], &[8]), thrice);
    }

    #[test]
    fn messages_are_of_the_program_that_recorded() {
        let messages = [message(3, "gpuGetDeviceCount failed with code 35", None)];
        let head = |recorder| recorder_said(recorder, &messages, &BTreeSet::new()).swap_remove(0);
        assert_eq!(head(RecorderKind::TorchProfiler), "messages of torch.profiler while it recorded:");
        assert!(
            head(RecorderKind::Nsys).starts_with("messages of nsys while it recorded, also of processes")
        );
    }

    #[test]
    fn numbers_that_differ_are_not_quoted() {
        let texts = [
            "12 MMAP events of id 17 (100 %)",
            "12 MMAP events of id 230 (9 %)",
            "12 MMAP events of id 5 (9 %)",
        ];
        let messages = texts.map(|text| message(2, text, None));
        let lines = recorder_said(RecorderKind::Nsys, &messages, &BTreeSet::new());
        assert_eq!(lines[1..], ["    warning: 3 × 12 MMAP events of id # (# %)"]);
    }

    #[test]
    fn errors_and_warnings_of_nsys_are_quoted_and_equal_ones_counted() {
        let said = |messages: &[(i64, &str)]| {
            let message = |&(severity, text): &(i64, &str)| message(severity, text, None);
            recorder_said(
                RecorderKind::Nsys,
                &messages.iter().map(message).collect::<Vec<_>>(),
                &BTreeSet::new(),
            )
        };
        assert!(said(&[(1, "NVTX profiling started"), (4, "verbose")]).is_empty());
        let lines = said(&[
            (2, "No MMAP events for pid 17"),
            (1, "started"),
            (2, "No MMAP events for pid 230"),
            (3, "Unable to configure\nthe collection of CPU samples."),
        ]);
        assert_eq!(
            lines[1..],
            [
                "    error: Unable to configure the collection of CPU samples.",
                "    warning: 2 × No MMAP events for pid # (of 2 processes, none with CUDA calls)"
            ]
        );
        let many: Vec<String> = (0..30).map(|n| "x".repeat(n + 400)).collect();
        let many: Vec<(i64, &str)> = many.iter().map(|text| (2, text.as_str())).collect();
        let lines = said(&many);
        assert_eq!((lines.len(), lines[13].trim()), (14, "and 18 more, in table `DIAGNOSTIC_EVENT`"));
        assert!(lines.iter().all(|line| line.len() < 330), "texts are cut");
    }
}
