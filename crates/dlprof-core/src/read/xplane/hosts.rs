//! Planes of the host: calls, ranges, steps and Python functions, thread by thread.

use super::gpus::OpsOfCalls;
use super::plane::{ById, Event, Line, OpStats, Plane};
use super::wire::Malformed;
use crate::base::ids::StrId;
use crate::base::intervals::{push_joined, union};
use crate::base::time::Span;
use crate::read::draft::{CallRow, Draft, NO_KEY};
use crate::read::facts::NO_SEQUENCE;
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a plane is one of threads of the host.
pub(super) fn is_host(plane: &str) -> bool {
    ["/host:CPU", "/host:CUPTI", "/host:ROCTRACER", "/host:NVTX-CUPTI", "/host:python-tracer"]
        .contains(&plane)
}

/// How many steps the program marked on a plane.
pub(super) fn steps(plane: &Plane<'_>) -> Result<usize, Malformed> {
    let mut steps = 0;
    if is_host(&plane.name) {
        for line in plane.lines()? {
            plane.each(&line, |event| steps += usize::from(event.stats.step.is_some()))?;
        }
    }
    Ok(steps)
}

pub(super) fn read<'a>(
    plane: &Plane<'a>,
    process: i64,
    ops: &mut OpsOfCalls<'a>,
    draft: &mut Draft<'_>,
) -> Result<(), Malformed> {
    /// Threads whose number nobody says have numbers from here.
    const UNKNOWN: i64 = 1 << 23;
    let mut known = ById::default();
    let mut held = Vec::new();
    for (at, line) in plane.lines()?.iter().enumerate() {
        let unknown = UNKNOWN + i64::try_from(at).unwrap_or(0);
        let thread = draft.thread(process, thread_number(line).unwrap_or(unknown));
        draft.name_thread(thread, &line.name);
        let mut launched = Vec::new();
        let mut holds = LineHolds { thread, calls: Vec::new(), ranges: Vec::new() };
        plane.each(line, |event| match told(&mut known, &event, draft) {
            Told::Function(name) => {
                let key = event.stats.correlation.unwrap_or(NO_KEY);
                let of_op = event.stats.of_op;
                let says = if of_op.op.is_some() { Some(ops.place(of_op)) } else { ops.of_call(key) };
                launched.extend(says.map(|says| (event.span, says)));
                holds.calls.push(event.span);
                draft.push_call(CallRow { span: event.span, thread, name, key, parent: NO_KEY });
            }
            Told::Frame(name) => draft.push_frame(event.span, thread, name),
            Told::Range(text) if event.span.length() > 0 => {
                push_joined(&mut holds.ranges, event.span);
                draft.push_range(event.span, thread, text, NO_SEQUENCE);
            }
            Told::Range(_) => {}
        })?;
        push_ops(launched, thread, ops, draft);
        held.push(holds);
    }
    join_threads(&held, draft);
    Ok(())
}

/// What a line holds.
struct LineHolds {
    thread: u32,
    calls: Vec<Span>,
    /// Ranges of the program and of XLA, without functions of Python; those that touch are mostly one.
    ranges: Vec<Span>,
}

/// Calls of a thread may have a line of their own beside that of its ranges, under another number. A line of nothing but calls is of the
/// thread in whose ranges all of them lie, where that is one thread, and no other line of calls is of it.
fn join_threads(lines: &[LineHolds], draft: &mut Draft<'_>) {
    let alone: Vec<&LineHolds> =
        lines.iter().filter(|line| line.ranges.is_empty() && !line.calls.is_empty()).collect();
    if alone.is_empty() {
        return;
    }
    let of_ranges = lines.iter().filter(|line| line.calls.is_empty() && !line.ranges.is_empty());
    let of_ranges: Vec<(u32, Vec<Span>)> =
        of_ranges.map(|line| (line.thread, union(line.ranges.clone()))).collect();
    let holds = |spans: &[Span], call: &Span| {
        let place = spans.partition_point(|span| span.start <= call.start);
        place.checked_sub(1).is_some_and(|before| call.end <= spans[before].end)
    };
    let holders = |line: &LineHolds| -> Vec<u32> {
        let all = |spans: &[Span]| line.calls.iter().all(|call| holds(spans, call));
        of_ranges.iter().filter(|(_, spans)| all(spans)).map(|&(thread, _)| thread).collect()
    };
    let joined: Vec<(u32, u32)> = alone
        .iter()
        .filter_map(|line| match holders(line)[..] {
            [thread] => Some((line.thread, thread)),
            _ => None,
        })
        .collect();
    let lines_of = |thread: u32| joined.iter().filter(|(_, other)| *other == thread).count();
    let own: FxHashMap<u32, u32> =
        joined.iter().copied().filter(|&(_, thread)| lines_of(thread) == 1).collect();
    draft.same_threads(&own);
}

/// What an event of a host is, by its name.
#[derive(Clone, Copy)]
enum Told {
    Function(StrId),
    /// A function of Python.
    Frame(StrId),
    /// The place of its text.
    Range(u32),
}

fn told(known: &mut ById<Told>, event: &Event<'_, '_>, draft: &mut Draft<'_>) -> Told {
    let name = event.name;
    // Steps that nobody named are called so.
    if name.is_empty() && event.stats.step.is_some() {
        return Told::Range(draft.plain_text("step"));
    }
    if let Some(&told) = known.get(event.id) {
        return told;
    }
    let told = if is_function(name) {
        Told::Function(draft.name(name))
    } else if name.starts_with('$') {
        Told::Frame(draft.name(name.trim_start_matches('$')))
    } else {
        Told::Range(draft.plain_text(name))
    };
    known.insert(event.id, told);
    told
}

/// The number of a thread after the last slash of its name, where that is one of the operating system.
fn thread_number(line: &Line<'_>) -> Option<i64> {
    /// Linux has no larger ones.
    const MOST: i64 = 1 << 22;
    let number = line.name.strip_prefix("Host Threads/")?.parse().ok()?;
    (1..=MOST).contains(&number).then_some(number)
}

/// Whether a name is a function of CUDA's or HIP's runtime or driver.
fn is_function(name: &str) -> bool {
    ["cuda", "cu", "hip"].iter().any(|prefix| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_uppercase()))
    })
}

/// Adds the range of an op around each call of a thread, and that of its module around all calls of one execution: the next one
/// begins where the first op of the module comes again, of a module of several ops after others: an op may make several calls.
fn push_ops(mut launched: Vec<(Span, u32)>, thread: u32, ops: &OpsOfCalls<'_>, draft: &mut Draft<'_>) {
    launched.sort_by_key(|(span, _)| (span.start, span.end));
    let mut texts = FxHashMap::default();
    let mut module: Option<(Span, OpStats<'_>)> = None;
    let mut last = OpStats::default();
    let mut first_of = FxHashMap::default();
    let mut has_several = FxHashSet::default();
    for says in launched.iter().map(|&(_, place)| ops.get(place)) {
        let of = (says.module, says.program);
        if !first_of.entry(of).or_insert(says).is_op_of(&says) {
            has_several.insert(of);
        }
    }
    for (span, place) in launched {
        let says = ops.get(place);
        let goes_on = |(_, first): &(Span, OpStats<'_>)| {
            (first.module, first.program) == (says.module, says.program)
                && (!says.is_op_of(first)
                    || last.is_op_of(first) && has_several.contains(&(says.module, says.program)))
        };
        match module.as_mut().filter(|known| goes_on(known)) {
            Some((whole, _)) => *whole = Span::new(whole.start, whole.end.max(span.end)),
            None => {
                push_module(module.replace((span, says)), thread, draft);
            }
        }
        last = says;
        let text = *texts.entry(place).or_insert_with(|| draft.plain_text(&op_text(&says)));
        draft.push_range(span, thread, text, NO_SEQUENCE);
    }
    push_module(module, thread, draft);
}

fn push_module(module: Option<(Span, OpStats<'_>)>, thread: u32, draft: &mut Draft<'_>) {
    let Some((span, says)) = module else { return };
    let Some(name) = says.module else { return };
    let program = says.program.map_or_else(String::new, |program| format!(",program_id={program}"));
    let text = format!("XlaModule:#hlo_module={}{program}#", String::from_utf8_lossy(name));
    draft.push_plain_range(span, thread, &text);
}

/// The text of an op as XLA writes it: `jit(train_step)/layer/dot_general` is `layer/dot_general` in its module.
fn op_text(says: &OpStats<'_>) -> String {
    let op = String::from_utf8_lossy(says.op.unwrap_or_default());
    let path = String::from_utf8_lossy(says.name.unwrap_or_default());
    let mut path = &*path;
    while path.starts_with("jit(")
        && let Some((_, rest)) = path.split_once(")/")
    {
        path = rest;
    }
    match path.is_empty() {
        true => format!("Thunk:#hlo_op={op}#"),
        false => format!("Thunk:#name={path},hlo_op={op}#"),
    }
}
