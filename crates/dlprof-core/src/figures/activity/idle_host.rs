//! What the host did while GPUs waited for it: on or off the CPU, in calls of the operating system, in functions.

use super::waiting::WaitingTimes;
use crate::base::ids::{ProcessId, StrId, ThreadId};
use crate::base::intervals::{covered_ns, holds, union};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::names::{Binary, creates_library};
use crate::columns::Texts;
use crate::read::facts::HostFacts;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// A thread that GPUs waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleThread {
    /// The thread.
    pub thread: ThreadId,
    /// How long GPUs waited for it.
    pub waiting_ns: Ns,
    /// Of it, while the thread had a processor.
    pub on_cpu_ns: Ns,
    /// Of it, while the thread had none.
    pub off_cpu_ns: Ns,
    /// Of it, before the first and after the last record of its scheduling.
    pub unknown_ns: Ns,
    /// CPU samples of the thread in this time.
    pub samples: u64,
}

/// A function of the operating system's libraries in which threads were while GPUs waited for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleOsCall {
    /// The function.
    pub function: StrId,
    /// Number of calls.
    pub calls: u64,
    /// Their time inside the waiting time, over all threads.
    pub time_ns: Ns,
}

/// Whose CPU sample it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SampleRole {
    /// The thread that a GPU waited for.
    Issuing,
    /// Another thread of its process.
    SameProcess,
    /// A thread of another process.
    OtherProcess,
}

impl SampleRole {
    /// All roles in order.
    pub const ALL: [Self; 3] = [Self::Issuing, Self::SameProcess, Self::OtherProcess];

    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Issuing => "issuing",
            Self::SameProcess => "same_process",
            Self::OtherProcess => "other_process",
        }
    }
}

/// A function that ran while GPUs waited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleFunction {
    /// Whose samples.
    pub role: SampleRole,
    /// The innermost function with a name; else the binary in brackets, or `[no stack]`.
    pub function: String,
    /// The binary, without its folder.
    pub module: String,
    /// Number of samples.
    pub samples: u64,
    /// Those among them in which the program or a library computes: what they are in is called by its code, and not by the
    /// driver, a library for communication or the profiler.
    pub of_program: u64,
}

/// Code of the program or of a library that computes for it, which threads that GPUs waited for ran, or whose calls of the driver
/// they were in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SampledCode {
    /// The binary, without its folder.
    pub module: String,
    /// The innermost function of this binary with a name; empty without one. Of stacks in which a library is made ready the
    /// function that does so.
    pub function: String,
    /// Whether the function makes a library ready, which programs do once.
    pub creates_library: bool,
}

/// What the host did while GPUs waited for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleHost {
    /// Threads, longest awaited first.
    pub threads: Vec<IdleThread>,
    /// Functions of the operating system's libraries, longest first.
    pub os_calls: Vec<IdleOsCall>,
    /// Sampled functions by role, most samples first.
    pub functions: Vec<IdleFunction>,
    /// Code that the samples of [`SampleRole::Issuing`] are in or called from, with their number, in order of binary and
    /// function.
    pub sampled_code: Vec<(SampledCode, u64)>,
    /// How long GPUs waited for threads, summed over threads.
    pub waiting_ns: Ns,
    /// Samples by [`SampleRole`].
    pub samples: [u64; 3],
}

/// What the host did in the times in which GPUs waited for it.
#[must_use]
pub fn idle_host(classified: &Classified<'_>, waiting: &WaitingTimes, host: &HostFacts) -> IdleHost {
    let roles = SampleRoles::new(classified, waiting);
    let mut samples_of = vec![0; classified.threads()];
    let mut by_role = [0; SampleRole::ALL.len()];
    let mut functions: FxHashMap<(SampleRole, Frame), [u64; 2]> = FxHashMap::default();
    let mut codes: FxHashMap<DiagnosticCode, u64> = FxHashMap::default();
    let strings = classified.activity().strings;
    for (sample, (&time, &thread)) in host.samples.time.iter().zip(&host.samples.thread).enumerate() {
        let Some(thread) = thread.some() else { continue };
        let Some(role) = roles.role(time, thread) else { continue };
        by_role[role as usize] += 1;
        if role == SampleRole::Issuing {
            samples_of[thread.index()] += 1;
            if let Some(code) = code_of(host, sample, strings) {
                *codes.entry(code).or_default() += 1;
            }
        }
        let [all, of_program] = functions.entry((role, named_frame(host, sample, strings))).or_default();
        *all += 1;
        *of_program += u64::from(is_of_program(host, sample, strings));
    }
    let mut threads = idle_threads(waiting, host);
    threads.iter_mut().for_each(|row| row.samples = samples_of[row.thread.index()]);
    IdleHost {
        waiting_ns: threads.iter().map(|row| row.waiting_ns).sum(),
        threads,
        os_calls: idle_os_calls(classified, waiting),
        functions: idle_functions(functions, strings),
        sampled_code: sampled_code(codes, strings),
        samples: by_role,
    }
}

/// Threads with their time on and off the CPU; samples are not counted yet.
fn idle_threads(waiting: &WaitingTimes, host: &HostFacts) -> Vec<IdleThread> {
    let mut switches: Vec<Vec<(Ns, bool)>> = vec![Vec::new(); waiting.known_threads()];
    let rows = host.switches.time.iter().zip(&host.switches.thread).zip(&host.switches.switched_in);
    for ((&time, &thread), &is_in) in rows {
        if let Some(thread) = thread.some().filter(|&thread| !waiting.of(thread).is_empty()) {
            switches[thread.index()].push((time, is_in));
        }
    }
    let of_thread = |thread: ThreadId| {
        let mut events = std::mem::take(&mut switches[thread.index()]);
        events.sort_unstable();
        let mut on_off = [0; 2];
        for pair in events.windows(2) {
            let inside = covered_ns(waiting.of(thread), Span::new(pair[0].0, pair[1].0));
            on_off[usize::from(pair[0].1)] += inside;
        }
        let [off_cpu_ns, on_cpu_ns] = on_off;
        let waiting_ns = waiting.length(thread);
        let unknown_ns = waiting_ns - on_cpu_ns - off_cpu_ns;
        IdleThread { thread, waiting_ns, on_cpu_ns, off_cpu_ns, unknown_ns, samples: 0 }
    };
    let mut rows: Vec<IdleThread> = waiting.threads().map(of_thread).collect();
    rows.sort_by_key(|row| (-row.waiting_ns, row.thread));
    rows
}

/// How long threads have no processor each time while GPUs wait for them, shortest first.
#[must_use]
pub(crate) fn sleeps(waiting: &WaitingTimes, host: &HostFacts) -> Vec<Ns> {
    let mut since: Vec<Option<Ns>> = vec![None; waiting.known_threads()];
    let mut order: Vec<usize> = (0..host.switches.time.len()).collect();
    order.sort_by_key(|&row| (host.switches.time[row], host.switches.switched_in[row]));
    let mut lengths = Vec::new();
    for row in order {
        let (time, thread) = (host.switches.time[row], host.switches.thread[row]);
        let Some(thread) = thread.some() else { continue };
        let since = &mut since[thread.index()];
        match host.switches.switched_in[row] {
            false => *since = Some(time),
            true => {
                let Some(start) = since.take() else { continue };
                let span = Span::new(start, time);
                if 2 * covered_ns(waiting.of(thread), span) > span.length() {
                    lengths.push(span.length());
                }
            }
        }
    }
    lengths.sort_unstable();
    lengths
}

/// Calls that the program made itself, by function.
fn idle_os_calls(classified: &Classified<'_>, waiting: &WaitingTimes) -> Vec<IdleOsCall> {
    let Some(calls) = &classified.activity().host.os_calls else { return Vec::new() };
    let mut functions: FxHashMap<StrId, (u64, Ns)> = FxHashMap::default();
    for (row, (&span, &thread)) in calls.span.iter().zip(&calls.thread).enumerate() {
        if calls.nesting.get(row).is_some_and(|&nesting| nesting > 0) {
            continue;
        }
        let inside = thread.some().map_or(0, |thread| covered_ns(waiting.of(thread), span));
        if inside > 0 {
            let sum = functions.entry(calls.name[row]).or_default();
            *sum = (sum.0 + 1, sum.1 + inside);
        }
    }
    let rows = functions.into_iter();
    let mut rows: Vec<IdleOsCall> =
        rows.map(|(function, (calls, time_ns))| IdleOsCall { function, calls, time_ns }).collect();
    let strings = classified.activity().strings;
    rows.sort_by_key(|row| (-row.time_ns, strings.get(row.function)));
    rows
}

/// Tells whose samples are taken while GPUs wait.
struct SampleRoles<'a> {
    classified: &'a Classified<'a>,
    waiting: &'a WaitingTimes,
    /// By process: when a GPU waited for any of its threads.
    processes: Vec<Vec<Span>>,
    /// When a GPU waited for any thread.
    any: Vec<Span>,
}

impl<'a> SampleRoles<'a> {
    fn new(classified: &'a Classified<'a>, waiting: &'a WaitingTimes) -> Self {
        let mut processes = vec![Vec::new(); classified.activity().processes.len()];
        let mut any = Vec::new();
        for thread in waiting.threads() {
            any.extend_from_slice(waiting.of(thread));
            if let Some(process) = classified.process(thread.into()) {
                processes[process.index()].extend_from_slice(waiting.of(thread));
            }
        }
        Self { classified, waiting, processes: processes.into_iter().map(union).collect(), any: union(any) }
    }

    fn role(&self, time: Ns, thread: ThreadId) -> Option<SampleRole> {
        let process = self.classified.process(thread.into()).map(ProcessId::index);
        if holds(self.waiting.of(thread), time) {
            Some(SampleRole::Issuing)
        } else if process.is_some_and(|process| holds(&self.processes[process], time)) {
            Some(SampleRole::SameProcess)
        } else {
            holds(&self.any, time).then_some(SampleRole::OtherProcess)
        }
    }
}

/// The innermost frame with a name, or what else a stack tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Frame {
    Function { symbol: StrId, module: StrId },
    Module(StrId),
    NoStack,
}

/// The frames of a sample, the innermost first.
fn frames_of(host: &HostFacts, sample: usize) -> Range<usize> {
    let offsets = &host.stack_offsets.offset;
    let bounds = offsets.get(sample).zip(offsets.get(sample + 1));
    bounds.map_or(0..0, |(&from, &to)| from as usize..to as usize)
}

/// Whether the innermost frame that is not in code that all share is in code of the program.
fn is_of_program(host: &HostFacts, sample: usize, strings: &Texts) -> bool {
    let mut binaries =
        frames_of(host, sample).map(|frame| Binary::of(strings.get(host.stack_frames.module[frame])));
    binaries.find(|&binary| binary != Binary::Shared) == Some(Binary::Program)
}

/// Whether the symbol of a frame is the name of a function.
fn is_name(symbol: &str) -> bool {
    !(symbol.is_empty() || symbol.starts_with("0x") || symbol.starts_with('['))
}

/// Binary and function that [`SampledCode`] names, and whether a library is made ready.
type DiagnosticCode = (StrId, StrId, bool);

/// The outermost frame of a sample in a function that makes a library ready.
pub(super) fn creating_frame(host: &HostFacts, sample: usize, strings: &Texts) -> Option<usize> {
    let (symbols, modules) = (&host.stack_frames.symbol, &host.stack_frames.module);
    let creates = |&frame: &usize| creates_library(strings.get(symbols[frame]), strings.get(modules[frame]));
    frames_of(host, sample).rev().find(creates)
}

/// The code of the program or of a library that a stack is in, or that called the driver; `None` where it shows none.
fn code_of(host: &HostFacts, sample: usize, strings: &Texts) -> Option<DiagnosticCode> {
    let frames = frames_of(host, sample);
    let words = |frame: usize| {
        (strings.get(host.stack_frames.symbol[frame]), strings.get(host.stack_frames.module[frame]))
    };
    if let Some(frame) = creating_frame(host, sample, strings) {
        return Some((host.stack_frames.module[frame], host.stack_frames.symbol[frame], true));
    }
    let mut of_program = frames.skip_while(|&frame| Binary::of(words(frame).1) != Binary::Program);
    let first = of_program.next()?;
    let module = host.stack_frames.module[first];
    let mut of_module = std::iter::once(first)
        .chain(of_program)
        .take_while(|&frame| host.stack_frames.module[frame] == module);
    let named = of_module.find(|&frame| is_name(words(frame).0));
    Some((module, named.map_or(StrId::NONE, |frame| host.stack_frames.symbol[frame]), false))
}

/// The code that most of some samples are in, and how many: of equals the first by name; none where no stack shows any.
pub(crate) fn code_of_most(
    host: &HostFacts,
    samples: impl Iterator<Item = usize>,
    strings: &Texts,
) -> Option<(SampledCode, u64)> {
    let mut codes: FxHashMap<DiagnosticCode, u64> = FxHashMap::default();
    samples
        .filter_map(|sample| code_of(host, sample, strings))
        .for_each(|code| *codes.entry(code).or_default() += 1);
    let codes = sampled_code(codes, strings).into_iter();
    codes.max_by(|(a, of_a), (b, of_b)| of_a.cmp(of_b).then_with(|| b.cmp(a)))
}

fn sampled_code(codes: FxHashMap<DiagnosticCode, u64>, strings: &Texts) -> Vec<(SampledCode, u64)> {
    let mut sums: BTreeMap<SampledCode, u64> = BTreeMap::new();
    for ((module, function, creates_library), samples) in codes {
        let module = strings.get(module).rsplit('/').next().unwrap_or_default().to_owned();
        let function = function.some().map_or("", |function| strings.get(function)).to_owned();
        *sums.entry(SampledCode { module, function, creates_library }).or_default() += samples;
    }
    sums.into_iter().collect()
}

pub(super) fn named_frame(host: &HostFacts, sample: usize, strings: &Texts) -> Frame {
    let frames = frames_of(host, sample);
    let named = frames.clone().find(|&frame| is_name(strings.get(host.stack_frames.symbol[frame])));
    match (named, frames.start) {
        (Some(frame), _) => Frame::Function {
            symbol: host.stack_frames.symbol[frame],
            module: host.stack_frames.module[frame],
        },
        (None, first) if !frames.is_empty() => Frame::Module(host.stack_frames.module[first]),
        _ => Frame::NoStack,
    }
}

impl Frame {
    /// Function and binary in words.
    pub(super) fn words(self, strings: &Texts) -> (String, String) {
        let binary = |module: StrId| strings.get(module).rsplit('/').next().unwrap_or_default().to_owned();
        match self {
            Self::Function { symbol, module } => (strings.get(symbol).to_owned(), binary(module)),
            Self::Module(module) => {
                let module = binary(module);
                let function = if module.starts_with('[') { module.clone() } else { format!("[{module}]") };
                (function, module)
            }
            Self::NoStack => ("[no stack]".to_owned(), String::new()),
        }
    }
}

fn idle_functions(counts: FxHashMap<(SampleRole, Frame), [u64; 2]>, strings: &Texts) -> Vec<IdleFunction> {
    let mut functions: BTreeMap<(SampleRole, String, String), [u64; 2]> = BTreeMap::new();
    for ((role, frame), [samples, of_program]) in counts {
        let (function, module) = frame.words(strings);
        let sums = functions.entry((role, function, module)).or_default();
        sums[0] += samples;
        sums[1] += of_program;
    }
    let rows = functions.into_iter();
    let mut rows: Vec<IdleFunction> = rows
        .map(|((role, function, module), [samples, of_program])| IdleFunction {
            role,
            function,
            module,
            samples,
            of_program,
        })
        .collect();
    rows.sort_by_key(|row| (row.role, std::cmp::Reverse(row.samples)));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Samples alone, with their frames.
    fn stacks(offsets: &[u32], symbol: &[StrId], module: &[StrId]) -> HostFacts {
        let mut host = HostFacts::default();
        host.stack_offsets.offset = offsets.to_vec().into();
        host.stack_frames.symbol = symbol.to_vec().into();
        host.stack_frames.module = module.to_vec().into();
        host
    }

    #[test]
    fn spans_inside_others_are_measured() {
        let spans = [Span::new(0, 10), Span::new(20, 30)];
        assert_eq!(covered_ns(&spans, Span::new(5, 25)), 10);
        assert_eq!(covered_ns(&spans, Span::new(10, 20)), 0);
        assert!(holds(&spans, 20) && !holds(&spans, 10) && !holds(&spans, -1));
    }

    #[test]
    fn who_calls_shared_code_says_whose_work_it_is() {
        let mut strings = crate::columns::StringPool::default();
        let [copy, kernel, driver, program] =
            ["/usr/lib/libc.so.6", "[kernel.kallsyms]", "/usr/lib/libcuda.so.1", "/home/me/train"]
                .map(|text| strings.intern(text));
        // Memory is copied by the program, by the driver that the program calls, and by nobody that is known.
        let module = [copy, program, kernel, copy, driver, program, copy];
        let host = stacks(&[0, 2, 6, 7, 7], &[], &module);
        let texts = Texts::from(&strings);
        let found: Vec<bool> = (0..4).map(|sample| is_of_program(&host, sample, &texts)).collect();
        assert_eq!(found, [true, false, false, false]);
    }

    #[test]
    fn a_library_that_is_made_ready_is_told_from_the_driver_that_it_calls() {
        let mut strings = crate::columns::StringPool::default();
        let [none, driver, library, program, create, main] = [
            "0x12",
            "/usr/lib/libcuda.so.1",
            "/usr/lib/libcublasLt.so.12",
            "/home/me/gemm",
            "cublasLtCreate",
            "main",
        ]
        .map(|text| strings.intern(text));
        // A whole stack, a broken one, and one of the driver alone.
        let symbol = [none, none, create, main, none, none, none];
        let module = [driver, library, library, program, driver, library, driver];
        let host = stacks(&[0, 4, 6, 7], &symbol, &module);
        let texts = Texts::from(&strings);
        let codes: Vec<Option<DiagnosticCode>> =
            (0..3).map(|sample| code_of(&host, sample, &texts)).collect();
        assert_eq!(codes, [Some((library, create, true)), Some((library, StrId::NONE, false)), None]);
    }

    #[test]
    fn the_innermost_frame_with_a_name_counts() {
        let mut strings = crate::columns::StringPool::default();
        let words_of_frames = ["0x12", "[Unknown]", "step", "/usr/lib/libcuda.so.1", "[kernel.kallsyms]", ""];
        let ids = words_of_frames.map(|text| strings.intern(text));
        let symbol = [ids[0], ids[1], ids[2], ids[0], ids[5], ids[1]];
        let module = [ids[3], ids[3], ids[3], ids[3], ids[3], ids[4]];
        let host = stacks(&[0, 3, 5, 6, 6], &symbol, &module);
        let texts = Texts::from(&strings);
        let words = |sample| named_frame(&host, sample, &texts).words(&texts);
        let expected = [
            ("step", "libcuda.so.1"),
            ("[libcuda.so.1]", "libcuda.so.1"),
            ("[kernel.kallsyms]", "[kernel.kallsyms]"),
            ("[no stack]", ""),
        ];
        for (sample, (function, module)) in expected.into_iter().enumerate() {
            assert_eq!(words(sample), (function.to_owned(), module.to_owned()));
        }
    }

    proptest! {
        #[test]
        fn lengths_inside_are_those_of_every_nanosecond(
            spans in prop::collection::vec((0i64..40, 1i64..9), 0..6),
            (start, length) in (-5i64..50, 0i64..30),
        ) {
            let spans = union(spans.into_iter().map(|(start, length)| Span::new(start, start + length)).collect());
            let span = Span::new(start, start + length);
            let inside: Ns = (span.start..span.end).filter(|&time| holds(&spans, time)).map(|_| 1).sum();
            prop_assert_eq!(covered_ns(&spans, span), inside);
        }
    }
}
