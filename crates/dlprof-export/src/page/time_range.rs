//! What a range of time holds, as lists with titles: pages draw whatever lists there are.

use dlprof_core::{Cause, DeviceId, GpuTime, Maybe, OpId, Profile, RangeSum, StepClass, ThreadId, TimeRange};
use serde::Serialize;

/// Most rows of a list; the others are added up in its last row.
const MOST_ROWS: usize = 200;

/// What a range of time holds.
#[derive(Debug, Clone, Serialize)]
pub struct TimeRangeSums {
    /// Its start, in nanoseconds from the start of the capture.
    pub start_ns: i64,
    /// Its length.
    pub length_ns: i64,
    /// What it holds, from different sides.
    pub lists: Vec<SumList>,
}

/// What it holds, from one side.
#[derive(Debug, Clone, Serialize)]
pub struct SumList {
    /// The word in files.
    pub key: &'static str,
    /// The heading.
    pub title: &'static str,
    /// Whose time it is.
    pub whose: &'static str,
    /// The time of which shares are: the length of the range for one GPU or for each.
    pub whole_ns: i64,
    /// The rows, those with most time first.
    pub rows: Vec<SumRow>,
}

/// A row of a list.
#[derive(Debug, Clone, Serialize)]
pub struct SumRow {
    /// The name.
    pub name: String,
    /// The ID, of ops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The word of the class or cause, which decides the colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// How many; none where nothing is counted.
    pub count: Option<u64>,
    /// The time.
    pub time_ns: i64,
}

/// Whose time a list has.
#[derive(Debug, Clone, Copy)]
enum Whose {
    Average,
    AllGpus,
    Threads,
}

impl Whose {
    fn words(self) -> &'static str {
        match self {
            Self::Average => "average of the used GPUs",
            Self::AllGpus => "summed over the used GPUs",
            Self::Threads => "summed over threads",
        }
    }
}

impl TimeRangeSums {
    /// The lists of a range of a profile's capture.
    #[must_use]
    pub fn new(profile: &Profile, range: &TimeRange) -> Self {
        let length_ns = range.span.length();
        let gpus = i64::try_from(range.gpus.len()).unwrap_or(i64::MAX);
        let list = |key, title, whose: Whose, rows| {
            let whole_ns =
                if matches!(whose, Whose::AllGpus) { length_ns.saturating_mul(gpus) } else { length_ns };
            SumList { key, title, whose: whose.words(), whole_ns, rows: shortened(rows) }
        };
        let lists = vec![
            list("classes", "Classes", Whose::Average, classes(range)),
            list("idle_causes", "Idle time by cause", Whose::AllGpus, causes(range)),
            list("gpus", "GPUs, busy", Whose::AllGpus, gpus_busy(profile, range)),
            list("work", "Kernels and copies", Whose::AllGpus, named(&range.work)),
            list("ops", "Ops, GPU time", Whose::AllGpus, ops(profile, range)),
            list("api_calls", "API calls", Whose::Threads, named(&range.api_calls)),
            list("threads", "Threads, in API calls", Whose::Threads, threads(profile, range)),
        ];
        let lists = lists.into_iter().filter(|list| !list.rows.is_empty()).collect();
        Self { start_ns: range.span.start, length_ns, lists }
    }
}

fn row(name: impl Into<String>, count: Option<u64>, time_ns: i64) -> SumRow {
    SumRow { name: name.into(), id: None, class: None, count, time_ns }
}

fn classes(range: &TimeRange) -> Vec<SumRow> {
    let Some(classes) = &range.classes else { return Vec::new() };
    let of = |class: StepClass| SumRow {
        class: Some(class.as_str()),
        ..row(class.words(), None, classes.of_class(class))
    };
    let mut rows: Vec<SumRow> = StepClass::ALL.map(of).into_iter().filter(|row| row.time_ns != 0).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.time_ns));
    rows
}

fn causes(range: &TimeRange) -> Vec<SumRow> {
    let of = |(cause, time_ns): (Cause, i64)| SumRow {
        class: Some(cause.as_str()),
        ..row(cause.words(), None, time_ns)
    };
    let mut rows: Vec<SumRow> = range.used.idle.causes().map(of).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.time_ns));
    rows
}

fn gpus_busy(profile: &Profile, range: &TimeRange) -> Vec<SumRow> {
    let of = |(device, time): &(DeviceId, GpuTime)| {
        row(format!("GPU {}", profile.device_number(*device)), None, time.busy_ns)
    };
    range.gpus.iter().map(of).collect()
}

fn named(sums: &[RangeSum<String>]) -> Vec<SumRow> {
    sums.iter().map(|sum| row(sum.name.clone(), Some(sum.count), sum.time_ns)).collect()
}

fn ops(profile: &Profile, range: &TimeRange) -> Vec<SumRow> {
    let of = |sum: &RangeSum<Option<OpId>>| match sum.name {
        Some(op) => {
            let id = Some(profile.op_id(op).to_owned());
            SumRow { id, ..row(profile.op_name(op), Some(sum.count), sum.time_ns) }
        }
        None => row("no op", Some(sum.count), sum.time_ns),
    };
    range.ops.iter().map(of).collect()
}

fn threads(profile: &Profile, range: &TimeRange) -> Vec<SumRow> {
    let capture = &profile.capture;
    let of = |sum: &RangeSum<Maybe<ThreadId>>| {
        let thread = sum.name.some().map(|thread| capture.threads[thread.index()]);
        let name = thread.map_or_else(
            || "unknown thread".to_owned(),
            |thread| {
                let name = thread.name.some().map_or("thread", |name| capture.strings.get(name));
                format!("{name} {} of process {}", thread.tid(), thread.pid())
            },
        );
        row(name, Some(sum.count), sum.time_ns)
    };
    range.threads.iter().map(of).collect()
}

/// The rows, and one for those that are too many.
fn shortened(mut rows: Vec<SumRow>) -> Vec<SumRow> {
    if rows.len() > MOST_ROWS {
        let others = rows.split_off(MOST_ROWS - 1);
        let count = others.iter().filter_map(|row| row.count).reduce(|a, b| a + b);
        let time_ns = others.iter().map(|row| row.time_ns).sum();
        rows.push(row(format!("{} others", others.len()), count, time_ns));
    }
    rows
}
