//! The path of user ranges that is open on a thread, at any time: `forward/layer.3`. The numbers of steps are left out, so that
//! all steps have the same paths. As elsewhere, a path ends where it is deep or long enough: what is open inside belongs to its end.

use super::iterations::numbered;
use crate::base::ids::{Maybe, StrId, ThreadId};
use crate::base::op_path::{DEEPEST, LONGEST_PATH, part_of};
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use indexmap::IndexSet;
use regex::Regex;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Reverse;
use std::sync::LazyLock;

/// What stands before the number of a step.
static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(train[ _]?)?(step|iter|iteration|batch)s?[ _:#-]*$").expect("a constant")
});

/// The paths of all threads that were asked for.
#[derive(Default)]
pub(super) struct OpPaths {
    /// All paths; the empty one is the first.
    paths: IndexSet<String, FxBuildHasher>,
    threads: FxHashMap<ThreadId, PathsOfThread>,
}

/// From when on which path is open.
struct PathsOfThread {
    times: Vec<Ns>,
    paths: Vec<usize>,
    hint: usize,
}

impl OpPaths {
    pub(super) fn new() -> Self {
        let mut paths = Self::default();
        paths.paths.insert(String::new());
        paths
    }

    /// The path that is open on a thread when a call begins, by its number; the empty one without a thread.
    pub(super) fn at(&mut self, capture: &Capture, thread: Maybe<ThreadId>, time: Ns) -> usize {
        let Some(thread) = thread.some() else { return 0 };
        let Self { paths, threads } = self;
        let of = threads.entry(thread).or_insert_with(|| PathsOfThread::new(capture, thread, paths));
        of.hint = partition_near(&of.times, of.hint, |&from| from <= time);
        of.hint.checked_sub(1).map_or(0, |at| of.paths[at])
    }

    /// The path of a number.
    pub(super) fn path(&self, number: usize) -> &str {
        self.paths.get_index(number).map_or("", String::as_str)
    }

    /// All paths in order of their numbers.
    pub(super) fn into_list(self) -> Vec<String> {
        self.paths.into_iter().collect()
    }
}

impl PathsOfThread {
    fn new(capture: &Capture, thread: ThreadId, all: &mut IndexSet<String, FxBuildHasher>) -> Self {
        let mut of = Self { times: Vec::new(), paths: Vec::new(), hint: 0 };
        let Some(ranges) = capture.ranges.by_thread.get(thread.index()) else { return of };
        let text = |row: usize| capture.ranges.texts[ranges.text[..][row].index()];
        let mut rows: Vec<usize> = (0..ranges.span.len()).filter(|&row| text(row).domain.is_none()).collect();
        let span = |row: usize| -> Span { ranges.span[..][row] };
        rows.sort_by_key(|&row| (span(row).start, Reverse(span(row).end)));
        // Open ranges: the end of each, and the path with it. The path of a text inside of a path is made once.
        let mut open: Vec<(Ns, usize)> = Vec::new();
        let mut made: FxHashMap<(Option<usize>, StrId), usize> = FxHashMap::default();
        for row in rows {
            of.close(&mut open, span(row).start);
            let around = open.last().map(|&(_, path)| path);
            let ends = |around: usize| open.len() >= DEEPEST || all[around].len() > LONGEST_PATH;
            let text = text(row).text;
            let path = match around {
                Some(around) if ends(around) => around,
                _ => *made.entry((around, text)).or_insert_with(|| {
                    let name = part_of(name(capture.strings.get(text)));
                    let path =
                        around.map_or_else(|| name.to_string(), |around| format!("{}/{name}", all[around]));
                    all.insert_full(path).0
                }),
            };
            open.push((span(row).end, path));
            of.change(span(row).start, &open);
        }
        of.close(&mut open, Ns::MAX);
        of
    }

    /// Closes what ends up to a time, the innermost first.
    fn close(&mut self, open: &mut Vec<(Ns, usize)>, time: Ns) {
        while let Some((end, _)) = open.pop_if(|(end, _)| *end <= time) {
            self.change(end, open);
        }
    }

    fn change(&mut self, time: Ns, open: &[(Ns, usize)]) {
        let latest = self.times.last().copied().unwrap_or(time);
        self.times.push(time.max(latest));
        self.paths.push(open.last().map_or(0, |&(_, path)| path));
    }
}

/// A text without the number of a step.
fn name(text: &str) -> &str {
    match numbered(text) {
        Some((prefix, _)) if STEP.is_match(prefix) => prefix.trim_end_matches([' ', '_', ':', '#', '-']),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::drawn::Drawn;

    #[test]
    fn paths_have_no_numbers_of_steps() {
        let mut drawn = Drawn::new();
        drawn
            .range("step 3", 0..100)
            .range("forward", 10..50)
            .range("layer.1", 20..30)
            .range("other", 120..130);
        let capture = drawn.capture();
        let mut paths = OpPaths::new();
        let found: Vec<usize> = [5, 10, 25, 30, 60, 100, 125]
            .map(|time| paths.at(&capture, ThreadId::new(0).into(), time))
            .into();
        let list = paths.into_list();
        let found: Vec<&str> = found.into_iter().map(|path| list[path].as_str()).collect();
        assert_eq!(
            found,
            ["step", "step/forward", "step/forward/layer.1", "step/forward", "step", "", "other"]
        );
    }

    #[test]
    fn ranges_that_nothing_closes_make_no_longer_paths() {
        let longest = |texts: &dyn Fn(i64) -> String| {
            let mut drawn = Drawn::new();
            for at in 0..2_000 {
                drawn.range(&texts(at), at..100_000 - at);
            }
            let capture = drawn.capture();
            let mut paths = OpPaths::new();
            let innermost = paths.at(&capture, ThreadId::new(0).into(), 50_000);
            let around = paths.at(&capture, ThreadId::new(0).into(), 10);
            assert_eq!(paths.path(around).matches('/').count(), 10);
            let list = paths.into_list();
            assert!(list.iter().all(|path| path.len() <= list[innermost].len()));
            (list[innermost].matches('/').count() + 1, list[innermost].len())
        };
        assert_eq!(longest(&|at| format!("r{}", at % 7)).0, DEEPEST);
        let (parts, bytes) = longest(&|at| format!("{at}{}", "x".repeat(5_000)));
        assert!(parts < 20 && bytes < LONGEST_PATH + 2_000, "{parts} parts, {bytes} bytes");
    }
}
