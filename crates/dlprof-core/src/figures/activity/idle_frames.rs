//! In which Python functions threads were while GPUs waited for them.
//!
//! ```text
//! functions    ├ train.py(3): step ─────────────────────┤
//!                  ├ loss.py(7): log ──────────┤
//! GPU waits           ├────────────────────────────┤
//! innermost            log                      step
//! ```

use super::waiting::WaitingTimes;
use crate::base::ids::StrId;
use crate::base::intervals::covered_ns;
use crate::base::time::{Ns, Span};
use crate::columns::Texts;
use crate::read::facts::PythonFrameFacts;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A Python function, and how long it was the innermost one of a thread that a GPU waited for: a row of table `idle_python`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleFrame {
    /// File, line and function; none for time outside of all functions.
    pub name: StrId,
    /// How long GPUs waited for threads that were in it.
    pub waiting_ns: Ns,
}

/// A function that is open.
struct Open {
    end: Ns,
    name: StrId,
    /// How long GPUs waited in it, and in those directly inside.
    waited_ns: Ns,
    inside_ns: Ns,
}

/// The functions, most time first. They add up to the time for which GPUs waited for threads with functions.
pub(crate) fn idle_frames(
    frames: &PythonFrameFacts,
    waiting: &WaitingTimes,
    strings: &Texts,
) -> Vec<IdleFrame> {
    let mut sums: BTreeMap<StrId, Ns> = BTreeMap::new();
    for thread in waiting.threads() {
        let threads = &frames.thread[..];
        let rows = threads.partition_point(|&of| of < thread.into())
            ..threads.partition_point(|&of| of <= thread.into());
        if rows.is_empty() {
            continue;
        }
        let waits = waiting.of(thread);
        let mut open: Vec<Open> = Vec::new();
        let mut outside_ns = waiting.length(thread);
        let mut close = |open: &mut Vec<Open>| {
            if let Some(frame) = open.pop() {
                *sums.entry(frame.name).or_default() += (frame.waited_ns - frame.inside_ns).max(0);
            }
        };
        for row in rows {
            let (span, name) = (frames.span[..][row], frames.name[..][row]);
            if strings.get(name).starts_with("nn.Module: ") {
                continue;
            }
            while open.last().is_some_and(|around| around.end <= span.start) {
                close(&mut open);
            }
            let inside =
                Span::new(span.start, open.last().map_or(span.end, |around| span.end.min(around.end)));
            let waited_ns = covered_ns(waits, inside);
            match open.last_mut() {
                Some(around) => around.inside_ns += waited_ns,
                None => outside_ns -= waited_ns,
            }
            open.push(Open { end: inside.end, name, waited_ns, inside_ns: 0 });
        }
        while !open.is_empty() {
            close(&mut open);
        }
        *sums.entry(StrId::NONE).or_default() += outside_ns.max(0);
    }
    // Methods of objects have an address in their name, so that each object has names of its own.
    let mut by_function: BTreeMap<Option<Cow<'_, str>>, IdleFrame> = BTreeMap::new();
    for (name, waiting_ns) in sums.into_iter().filter(|(_, waiting_ns)| *waiting_ns > 0) {
        let row = IdleFrame { name, waiting_ns: 0 };
        by_function.entry(row.function(strings)).or_insert(row).waiting_ns += waiting_ns;
    }
    let mut rows: Vec<IdleFrame> = by_function.into_values().collect();
    rows.sort_by_key(|row| Reverse(row.waiting_ns));
    rows
}

impl IdleFrame {
    /// The function, without the address of an object; none for time outside of all functions.
    pub(crate) fn function<'a>(&self, strings: &'a Texts) -> Option<Cow<'a, str>> {
        self.name.some().map(|name| without_address(strings.get(name)))
    }
}

/// `<built-in method to of Tensor object>` of `<built-in method to of Tensor object at 0x7ce279c59e00>`.
fn without_address(name: &str) -> Cow<'_, str> {
    const BEFORE: &str = " at 0x";
    let Some(at) = name.find(BEFORE) else { return name.into() };
    let digits = &name[at + BEFORE.len()..];
    let behind = digits.trim_start_matches(|letter: char| letter.is_ascii_hexdigit());
    if behind.len() == digits.len() { name.into() } else { format!("{}{behind}", &name[..at]).into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::ThreadId;
    use crate::columns::StringPool;

    #[test]
    fn waiting_belongs_to_the_innermost_function() {
        let mut pool = StringPool::default();
        let rows = [
            ("step", 0..100),
            ("nn.Module: Net_0", 5..90),
            ("log", 10..60),
            ("<to of Tensor object at 0x7ce2>", 20..28),
            ("<to of Tensor object at 0x7ce3>", 28..30),
        ];
        let frames = PythonFrameFacts {
            span: rows.iter().map(|(_, time)| Span::new(time.start, time.end)).collect(),
            thread: rows.iter().map(|_| ThreadId::new(0).into()).collect(),
            name: rows.iter().map(|(name, _)| pool.intern(name)).collect(),
        };
        let waiting = WaitingTimes::new(vec![vec![Span::new(25, 80), Span::new(95, 110)]]);
        let strings = Texts::from(&pool);
        let found = idle_frames(&frames, &waiting, &strings);
        let found: Vec<(String, Ns)> = found
            .iter()
            .map(|row| (row.function(&strings).unwrap_or_default().into_owned(), row.waiting_ns))
            .collect();
        let expected = [("log", 30), ("step", 25), ("", 10), ("<to of Tensor object>", 5)];
        assert_eq!(found, expected.map(|(name, ns)| (name.to_owned(), ns)));
        for name in ["at 0x", "a at 0x", "a at 0y12"] {
            assert_eq!(without_address(name), name);
        }
    }
}
