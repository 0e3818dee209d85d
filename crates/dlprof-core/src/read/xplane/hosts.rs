//! Planes of the host: calls, ranges, steps and Python functions, thread by thread.

use super::gpus::OpsOfCalls;
use super::plane::{Event, Line, Plane, Stats};
use super::wire::Malformed;
use crate::base::time::Span;
use crate::read::draft::{CallRow, Draft, NO_KEY};

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

pub(super) fn read(
    plane: &Plane<'_>,
    process: i64,
    ops: &OpsOfCalls<'_>,
    draft: &mut Draft<'_>,
) -> Result<(), Malformed> {
    /// Threads whose number nobody says have numbers from here.
    const UNKNOWN: i64 = 1 << 23;
    for (at, line) in plane.lines()?.iter().enumerate() {
        let unknown = UNKNOWN + i64::try_from(at).unwrap_or(0);
        let thread = draft.thread(process, thread_number(line).unwrap_or(unknown));
        draft.name_thread(thread, &line.name);
        let mut launched = Vec::new();
        plane.each(line, |event| {
            let name = &*event.name;
            if is_function(name) {
                let key = event.stats.correlation.unwrap_or(NO_KEY);
                let says = if event.stats.op.is_some() { Some(&event.stats) } else { ops.get(&key) };
                launched.extend(says.map(|says| (event.span, *says)));
                let name = draft.name(name);
                draft.push_call(CallRow { span: event.span, thread, name, key, parent: NO_KEY });
            } else if name.starts_with('$') {
                let name = draft.name(name.trim_start_matches('$'));
                draft.push_frame(event.span, thread, name);
            } else if event.span.length() > 0 {
                draft.push_plain_range(event.span, thread, range_text(&event));
            }
        })?;
        push_ops(launched, thread, draft);
    }
    Ok(())
}

/// The text of a range that is no call. Steps that nobody named are called so.
fn range_text<'e>(event: &'e Event<'_>) -> &'e str {
    if event.stats.step.is_some() && event.name.is_empty() { "step" } else { &event.name }
}

/// The number of a thread behind the last slash of its name, where that is one of the operating system.
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
/// begins where the first op of the module comes again.
fn push_ops(mut launched: Vec<(Span, Stats<'_>)>, thread: u32, draft: &mut Draft<'_>) {
    launched.sort_by_key(|(span, _)| (span.start, span.end));
    let mut module: Option<(Span, Stats<'_>)> = None;
    for (span, says) in launched {
        let goes_on = |(_, first): &(Span, Stats<'_>)| {
            (first.module, first.program) == (says.module, says.program)
                && (first.op, first.name) != (says.op, says.name)
        };
        match module.as_mut().filter(|known| goes_on(known)) {
            Some((whole, _)) => *whole = Span::new(whole.start, whole.end.max(span.end)),
            None => {
                push_module(module.replace((span, says)), thread, draft);
            }
        }
        draft.push_plain_range(span, thread, &op_text(&says));
    }
    push_module(module, thread, draft);
}

fn push_module(module: Option<(Span, Stats<'_>)>, thread: u32, draft: &mut Draft<'_>) {
    let Some((span, says)) = module else { return };
    let Some(name) = says.module else { return };
    let program = says.program.map_or_else(String::new, |program| format!(",program_id={program}"));
    let text = format!("XlaModule:#hlo_module={}{program}#", String::from_utf8_lossy(name));
    draft.push_plain_range(span, thread, &text);
}

/// The text of an op as XLA writes it: `jit(train_step)/layer/dot_general` is `layer/dot_general` in its module.
fn op_text(says: &Stats<'_>) -> String {
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
