//! Every limit of what is read, kept and made: how much, of what, and what happens beyond it. All commands ask here, and
//! `docs/reliability.md` lists what stands here.
//!
//! ```text
//! found ──► Limit::check ──┬── at most so many in any case, fewer where the memory budget has no room for them
//!                          └── or so many for each item of the capture, which is there anyway
//! ```
//!
//! So cost grows with the input and no faster, and products of two of its numbers have an end.

use std::fmt::{self, Display, Formatter};

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What there may be so many of.
    pub what: &'static str,
    /// The number that is allowed in any case.
    pub most: usize,
    /// What is counted.
    pub unit: LimitUnit,
    /// And so many for each of these, if that is more.
    pub for_each: Option<(usize, &'static str)>,
    /// Bytes of memory that each takes; none where the memory budget does not matter, because all fit into any.
    pub bytes_each: Option<usize>,
    /// What happens beyond it.
    pub beyond: Beyond,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitUnit {
    /// What the name says.
    Number,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
}

/// What happens beyond a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// The input is refused: exit code 3.
    Input,
    /// The request is refused: exit code 5; and what to do.
    Request(&'static str),
    /// A report of `stats` is refused, and the others are made: exit code 5.
    Report,
    /// The settings are refused: exit code 2.
    Usage,
    /// Nothing is refused; what happens instead.
    Instead(&'static str),
}

/// More than a limit allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMuch {
    /// The limit.
    pub limit: &'static Limit,
    /// How many there are; none if counting ended at the limit.
    pub found: Option<usize>,
    /// How many there may be here.
    pub most: usize,
    /// The memory budget in bytes, if it is why there may be no more.
    pub memory_bytes: Option<usize>,
}

/// Counts what is made until there is too much of it.
#[derive(Debug)]
pub(crate) struct Room {
    end: TooMuch,
    taken: usize,
}

impl Limit {
    /// How many there may be for so many items.
    pub(crate) fn most_for(&self, items: usize) -> usize {
        let more = self.for_each.map_or(0, |(each, _)| each.saturating_mul(items));
        self.most.max(more)
    }

    /// Where too much begins for so many items within a memory budget.
    fn end(&'static self, items: usize, memory_bytes: usize) -> TooMuch {
        let room = self.bytes_each.map_or(usize::MAX, |each| memory_bytes / each.max(1));
        let more = self.for_each.map_or(0, |(each, _)| each.saturating_mul(items));
        let most = self.most.min(room).max(more);
        let is_of_memory = room < self.most && more <= room;
        TooMuch { limit: self, found: None, most, memory_bytes: is_of_memory.then_some(memory_bytes) }
    }

    /// Whether so many are few enough.
    ///
    /// # Errors
    /// If they are not.
    pub(crate) fn check(
        &'static self,
        found: usize,
        items: usize,
        memory_bytes: usize,
    ) -> Result<(), TooMuch> {
        let end = self.end(items, memory_bytes);
        if found <= end.most { Ok(()) } else { Err(TooMuch { found: Some(found), ..end }) }
    }

    /// Room for what is made one after another.
    pub(crate) fn room(&'static self, items: usize, memory_bytes: usize) -> Room {
        Room { end: self.end(items, memory_bytes), taken: 0 }
    }

    /// How many there may be, as people read it.
    #[must_use]
    pub fn in_words(&self) -> String {
        let most = match self.unit {
            LimitUnit::Number => grouped(self.most),
            LimitUnit::Bytes => bytes(self.most),
            LimitUnit::Seconds => format!("{} s", self.most),
        };
        match self.for_each {
            Some((each, item)) => format!("{most}, or {each} for each {item}"),
            None => most,
        }
    }
}

impl Room {
    /// Takes room for so many.
    ///
    /// # Errors
    /// If there is not enough left.
    pub(crate) fn take(&mut self, more: usize) -> Result<(), TooMuch> {
        self.taken = self.taken.saturating_add(more);
        if self.taken <= self.end.most { Ok(()) } else { Err(self.end) }
    }
}

impl Beyond {
    /// What to do, where there is something to say.
    #[must_use]
    pub fn advice(self) -> Option<&'static str> {
        match self {
            Self::Request(advice) => Some(advice),
            Self::Input | Self::Report | Self::Usage | Self::Instead(_) => None,
        }
    }

    /// What happens, as people read it.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Input => "exit code 3",
            Self::Request(_) => "exit code 5",
            Self::Report => "exit code 5 for that report",
            Self::Usage => "exit code 2",
            Self::Instead(what) => what,
        }
    }
}

impl Display for TooMuch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shown = |number: usize| match self.limit.unit {
            LimitUnit::Number => number.to_string(),
            LimitUnit::Bytes => bytes(number),
            LimitUnit::Seconds => format!("{number} s"),
        };
        let most = shown(self.most);
        write!(f, "{}: ", self.limit.what)?;
        match self.found {
            Some(found) => write!(f, "{}; at most {most}", shown(found))?,
            None => write!(f, "more than {most}")?,
        }
        match self.memory_bytes {
            Some(budget) => write!(f, " within {} of memory (`--memory`)", bytes(budget)),
            None => Ok(()),
        }
    }
}

/// A number of bytes.
fn bytes(bytes: usize) -> String {
    const UNITS: [(usize, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.iter().find(|(size, _)| bytes >= *size && bytes.is_multiple_of(*size)) {
        Some((size, unit)) => format!("{} {unit}", grouped(bytes / size)),
        None => format!("{} bytes", grouped(bytes)),
    }
}

/// A number with its thousands apart.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits
        .chars()
        .enumerate()
        .flat_map(|(at, digit)| comma(at).then_some(',').into_iter().chain([digit]))
        .collect()
}

/// Declares limits and the list of them.
macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident = $what:literal, $most:expr, $unit:ident, $for_each:expr, $bytes_each:expr, $beyond:expr;)*) => {
        $($(#[$doc])* pub static $name: Limit = Limit {
            what: $what, most: $most, unit: LimitUnit::$unit, for_each: $for_each, bytes_each: $bytes_each, beyond: $beyond,
        };)*

        /// All limits, in the order in which `docs/reliability.md` lists them.
        pub static LIMITS: &[&Limit] = &[$(&$name),*];
    };
}

const FEWER_ITERATIONS: Beyond = Beyond::Request(
    "name an op that runs less often with `--key-node`, or read a part of the capture with `--from` and `--to`",
);

limits! {
    /// No machine has more: an input that names more holds other numbers in their place.
    GPUS = "GPUs of a capture", 256, Number, None, None, Beyond::Input;
    /// Each process on each GPU is a rank, and what each waited for is looked up in the whole capture.
    RANKS = "`ranks`: processes on GPUs in one capture", 256, Number, None, None,
        Beyond::Request("give a capture for each rank, or one for each machine");
    /// Rows of GPUs and iterations, from the first that the work of a GPU reaches to the last.
    GPU_ROWS = "rows of GPUs and iterations", 2_000_000, Number, Some((4, "piece of GPU work")), None, FEWER_ITERATIONS;
    /// Every rank has all iterations, and what its GPU did in each.
    RANK_ROWS = "`ranks`: rows of ranks and iterations of one capture", 2_000_000, Number, Some((4, "piece of GPU work")),
        Some(512), FEWER_ITERATIONS;
    /// Pairs of an iteration and a GPU that tables list.
    GPU_PAIRS = "`gpu_time`, `idle_causes`: pairs of GPU and iteration that are all listed", 100_000, Number,
        Some((4, "piece of GPU work")), None, Beyond::Instead("those without work of the GPU are left out");
    /// Different texts of ranges, with their sizes and domains.
    RANGE_TEXTS = "different texts of ranges", 200_000, Number, None, None,
        Beyond::Instead("later ones are together, as `other names`; `too-many-names` says how many ranges that are");
    /// Different names of kernels.
    KERNEL_NAMES = "different names of kernels", 300_000, Number, None, None,
        Beyond::Instead("later ones are together, as `other names`");
    /// Ops that are told apart by their ordinals. Where no iterations are found, every call of a name would be an op of its own.
    OPS = "ops that are told apart by their place in an iteration", 400_000, Number, None, None,
        Beyond::Instead("later calls of a name belong to its last op; `too-many-ops`");
    /// Each looks through a table or asks a query.
    OWN_RULES = "own rules of a settings file", 1_000, Number, None, None, Beyond::Usage;
    /// All queries of own rules of a run together; in the viewer, of each range of iterations that is looked at.
    OWN_RULE_SECONDS = "own rules in SQL: time of all their queries of a run together", 10, Seconds, None, None, Beyond::Usage;
    /// Ops of a run in a baseline or a comparison: those that start first, which are the same in every run of a program.
    BASELINE_OPS = "ops of a run in a baseline or a comparison", 50_000, Number, None, None,
        Beyond::Instead("those that start first stay; the others are together, as `other ops`");
    /// Op types, groups and kernel names of a run.
    BASELINE_NAMES = "op types, groups and kernel names of a run there, of each", 20_000, Number, None, None,
        Beyond::Instead("those with most GPU time stay; the others are together, as `other names`");
    /// A name in a baseline.
    BASELINE_NAME_BYTES = "a name in a baseline", 512, Bytes, None, None, Beyond::Instead("its start and a digest");
    /// What the digests of a capture of a lake unpack to. They are JSON full of times, which packs to a thirtieth at best.
    DIGEST_BYTES = "the digests of a capture of a lake, unpacked", 32 << 20, Bytes, Some((40, "packed byte")), Some(1),
        Beyond::Instead("the capture is not used; table `rank_files` says why");
    /// What a trace unpacks to: traces are packed to a tenth or a twentieth.
    TRACE_BYTES = "a trace of torch.profiler, unpacked", 1 << 30, Bytes, Some((400, "packed byte")), None, Beyond::Input;
    /// A call and a piece of work of one correlation id are a row of several reports.
    STATS_LAUNCHES = "`stats`: pairs of a call and GPU work with one correlation id", 2_000_000, Number,
        Some((4, "piece of GPU work")), Some(128), Beyond::Report;
    /// A range in a thousand others stands in a thousand rows of nsys's reports.
    STATS_RANGES_OF_CALLS = "`stats`: ranges that contain a call, of all calls together", 20_000_000, Number,
        Some((20, "call that launches work")), Some(24), Beyond::Report;
    /// Or has a stack of a thousand numbers.
    STATS_RANGES_OF_RANGES = "`stats`: ranges that contain a range, of all ranges together", 20_000_000, Number,
        Some((64, "range")), Some(8), Beyond::Report;
    /// Rows of kernels by range.
    STATS_KERNEL_ROWS = "`stats`: rows of `nvtx_kern_sum`", 400_000, Number, Some((1, "piece of GPU work")), Some(256),
        Beyond::Report;
    /// Names of kernels that follow the names of ranges.
    STATS_NAME_BYTES = "`stats`: names of kernels after names of ranges (`:nvtx-name`)", 200 << 20, Bytes, None, Some(1),
        Beyond::Report;
    /// Rows of a table in a page, if the user sets no other number.
    PAGE_ROWS = "rows of a table in an HTML report", 250_000, Number, None, None,
        Beyond::Instead("the page says beside the table how many it holds (`--max-rows` changes it)");
    /// The shortest items are left out.
    TIMELINE_ITEMS = "items of a time line in a page", 200_000, Number, None, None,
        Beyond::Instead("the shortest are left out; the page says how many");
    /// The same in the viewer.
    VIEWER_TIMELINE_ITEMS = "items of a time line in the viewer", 100_000, Number, None, None,
        Beyond::Instead("the shortest are left out; the page says how many");
    /// Lanes of a time line.
    TIMELINE_LANES = "lanes of a time line", 1_000, Number, None, None,
        Beyond::Instead("those with fewest items are left out; the page says how many");
    /// Causes of idle time are worked out GPU by GPU, and all calls of the host near by are looked at for each.
    IDLE_LANES = "lanes of idle time", 64, Number, None, None,
        Beyond::Instead("those with fewest items are left out; the page says how many");
    /// Nodes of a tree, and a path more.
    FLAME_NODES = "nodes of a flame graph", 50_000, Number, None, None,
        Beyond::Instead("what has least GPU time is one node, `other work`");
}

#[cfg(test)]
mod tests {
    use super::*;

    static PAIRS: Limit = Limit {
        what: "pairs",
        most: 1000,
        unit: LimitUnit::Number,
        for_each: Some((4, "kernel")),
        bytes_each: Some(8),
        beyond: Beyond::Report,
    };

    #[test]
    fn memory_lowers_what_is_allowed_in_any_case_and_not_what_the_capture_needs() {
        assert_eq!(PAIRS.check(1000, 0, 1 << 20), Ok(()));
        let said =
            |found, items, memory| PAIRS.check(found, items, memory).map_err(|found| found.to_string());
        assert_eq!(said(1001, 0, 1 << 20), Err("pairs: 1001; at most 1000".into()));
        assert_eq!(said(1200, 300, 1 << 20), Ok(()));
        assert_eq!(
            said(129, 0, 1024),
            Err("pairs: 129; at most 128 within 1 KiB of memory (`--memory`)".into())
        );
        assert_eq!(said(400, 100, 1024), Ok(()));
        assert_eq!(said(401, 100, 1024), Err("pairs: 401; at most 400".into()));
    }

    #[test]
    fn room_ends() {
        let mut room = PAIRS.room(0, usize::MAX);
        assert_eq!((room.take(999), room.take(1)), (Ok(()), Ok(())));
        assert_eq!(room.take(1).map_err(|end| end.to_string()), Err("pairs: more than 1000".into()));
    }

    #[test]
    fn limits_are_said_in_words() {
        assert_eq!(PAIRS.in_words(), "1,000, or 4 for each kernel");
        assert_eq!(
            [1 << 30, 200 << 20, 512, 1_234_567].map(bytes),
            ["1 GiB", "200 MiB", "512 bytes", "1,234,567 bytes"]
        );
        assert!(LIMITS.iter().all(|limit| limit.most > 0 && !limit.what.is_empty()));
    }
}
