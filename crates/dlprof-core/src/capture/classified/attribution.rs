//! Which range each GPU item belongs to: one on the thread that made its call or, by time, one on a thread that waits.
//!
//! ```text
//! main thread       ├─ backward ───────────────────┤     no API call: it waits
//! autograd thread      │k1  │k2     │k3     │k4          no ranges
//! k1 … k4 belong to `backward`, by time
//! ```

use super::Activity;
use super::classified::{Call, Classified};
use super::innermost::InnermostRanges;
use super::order::{Row, row};
use super::waiting_ranges::WaitingThreads;
use crate::base::groups::Grouped;
use crate::base::ids::{ApiCallId, StrId, ThreadId};
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::capture::WorkZones;
use crate::columns::PerText;

/// How an item finds its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attribution {
    /// A user range is open on the thread of its call when the call starts.
    Own,
    /// None is, but another thread of the process waits in one.
    ByTime(AttributedRange),
    /// Neither.
    None,
    /// The item has no API call.
    NoCall,
}

impl Attribution {
    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::ByTime(_) => "by_time",
            Self::None => "none",
            Self::NoCall => "no_call",
        }
    }
}

/// A range: its thread, and its row among the ranges of the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttributedRange {
    /// The thread.
    pub thread: ThreadId,
    /// The row.
    pub row: u32,
}

/// How each item finds its range, in four bytes per item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributions {
    /// By item: one of the three numbers below, or a row among the ranges of all threads.
    items: Vec<Row>,
    /// By thread: its first row among the ranges of all threads.
    first_rows: Vec<Row>,
}

const OWN: Row = Row::MAX;
const NONE: Row = Row::MAX - 1;
const NO_CALL: Row = Row::MAX - 2;

impl Attributions {
    /// How an item finds its range.
    ///
    /// # Panics
    /// If there is no such item.
    #[must_use]
    pub fn get(&self, item: usize) -> Attribution {
        match self.items[item] {
            OWN => Attribution::Own,
            NONE => Attribution::None,
            NO_CALL => Attribution::NoCall,
            at => {
                let thread = self.first_rows.partition_point(|&first| first <= at) - 1;
                let row = at - self.first_rows[thread];
                Attribution::ByTime(AttributedRange { thread: ThreadId::new(thread), row })
            }
        }
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// How each GPU item of the capture finds its range.
#[must_use]
pub fn attributions(classified: &Classified<'_>) -> Attributions {
    let activity = classified.activity();
    let mut first_rows = Vec::with_capacity(activity.ranges.by_thread.len());
    let mut next = 0;
    for ranges in &activity.ranges.by_thread {
        first_rows.push(row(next));
        next += ranges.span.len();
    }
    let mut own: Vec<OwnRanges> =
        (0..activity.ranges.by_thread.len()).map(|_| OwnRanges::default()).collect();
    let mut loose = LooseWork::new(classified);
    let items = (0..activity.work.len()).map(|item| {
        let Some(call) = classified.call_of(item) else { return NO_CALL };
        let thread = call.thread.some();
        if thread.is_some_and(|thread| own[thread.index()].is_open(classified, thread, call.span.start)) {
            return OWN;
        }
        loose.find(call).map_or(NONE, |range| first_rows[range.thread.index()] + range.row)
    });
    Attributions { items: items.collect(), first_rows }
}

/// Whether a user range is open on the thread of a call when the call starts. `zones` are those of the ranges of each thread.
pub(crate) fn is_own(activity: &Activity<'_>, zones: &[WorkZones], call: ApiCallId) -> bool {
    let calls = &activity.api_calls;
    calls.thread[call].some().is_some_and(|thread| is_open(activity, zones, thread, calls.span[call].start))
}

/// Whether no thread of the process of a call has a user range open when the call starts, so that its work joins none by time.
pub(crate) fn joins_none(activity: &Activity<'_>, zones: &[WorkZones], call: ApiCallId) -> bool {
    let start = activity.api_calls.span[call].start;
    let process_of = |thread: ThreadId| activity.threads[thread.index()].process;
    let Some(thread) = activity.api_calls.thread[call].some() else { return true };
    let process = process_of(thread);
    let mut threads = (0..activity.ranges.by_thread.len()).map(ThreadId::new);
    !threads.any(|other| process_of(other) == process && is_open(activity, zones, other, start))
}

/// Whether a thread has a user range open at a time; both ends of ranges count.
fn is_open(activity: &Activity<'_>, zones: &[WorkZones], thread: ThreadId, time: Ns) -> bool {
    let (ranges, zones) = (activity.ranges.by_thread.get(thread.index()), zones.get(thread.index()));
    let Some((ranges, zones)) = ranges.zip(zones) else { return false };
    let spans = &ranges.span[..];
    let mut near = zones.near_open(0..spans.len(), time.saturating_add(1), time.saturating_sub(1)).flatten();
    near.any(|row| {
        let label = activity.ranges.texts[ranges.text[..][row].index()];
        label.domain.is_none() && spans[row].start <= time && time <= spans[row].end
    })
}

/// For API calls, in any order: the thread of the range that their work joins by time; none of calls on a thread with a user
/// range open, and of calls for which no thread waits.
#[must_use]
pub(crate) fn waiting_threads(
    classified: &Classified<'_>,
    calls: impl Iterator<Item = ApiCallId>,
) -> Vec<Option<ThreadId>> {
    let columns = &classified.activity().api_calls;
    let mut own: Vec<OwnRanges> = (0..classified.threads()).map(|_| OwnRanges::default()).collect();
    let mut loose = LooseWork::new(classified);
    let find = |id: ApiCallId| {
        let call = Call { span: columns.span[id.index()], thread: columns.thread[id.index()] };
        let thread = call.thread.some();
        let is_own =
            thread.is_some_and(|thread| own[thread.index()].is_open(classified, thread, call.span.start));
        if is_own { None } else { loose.find(call).map(|range| range.thread) }
    };
    calls.map(find).collect()
}

/// When a thread has a user range open; both ends of ranges count. It is computed at the first question.
#[derive(Debug, Default)]
struct OwnRanges {
    covered: Option<Vec<Span>>,
    hint: usize,
}

impl OwnRanges {
    fn is_open(&mut self, classified: &Classified<'_>, thread: ThreadId, time: Ns) -> bool {
        let covered = self.covered.get_or_insert_with(|| classified.in_user_ranges(thread));
        self.hint = partition_near(covered, self.hint, |span| span.end <= time);
        covered.get(self.hint).is_some_and(|span| span.start <= time)
    }
}

/// Finds ranges for calls on threads without any. What it needs of other threads is computed at the first question.
#[derive(Debug)]
struct LooseWork<'a> {
    classified: &'a Classified<'a>,
    threads: Grouped<ThreadId>,
    /// By process.
    waiting: Vec<Option<WaitingThreads>>,
    /// By thread.
    innermost: Vec<Option<InnermostRanges>>,
    /// By thread: plain sum of the lengths of the items that its calls launched.
    launched_ns: Option<Vec<Ns>>,
}

impl<'a> LooseWork<'a> {
    fn new(classified: &'a Classified<'a>) -> Self {
        Self {
            classified,
            threads: classified.threads_by_process(),
            waiting: std::iter::repeat_with(|| None).take(classified.activity().processes.len()).collect(),
            innermost: std::iter::repeat_with(|| None).take(classified.threads()).collect(),
            launched_ns: None,
        }
    }

    fn find(&mut self, call: Call) -> Option<AttributedRange> {
        let process = self.classified.process(call.thread)?;
        let launched = self.launched_ns.get_or_insert_with(|| launched_ns(self.classified));
        let threads = self.threads.get(process.index());
        let waiting = self.waiting[process.index()]
            .get_or_insert_with(|| WaitingThreads::new(self.classified, threads, launched));
        // The call's own thread is none of them: it is in a call.
        let thread = waiting.find(call.span.start)?;
        let innermost = self.innermost[thread.index()]
            .get_or_insert_with(|| InnermostRanges::of_thread(self.classified, thread));
        Some(AttributedRange { thread, row: innermost.find(call.span.start)? })
    }
}

fn launched_ns(classified: &Classified<'_>) -> Vec<Ns> {
    let mut launched: Vec<Ns> = vec![0; classified.threads()];
    for (item, span) in classified.activity().work.span.iter().enumerate() {
        let thread = classified.call_of(item).and_then(|call| call.thread.some());
        if let Some(thread) = thread {
            let sum = &mut launched[thread.index()];
            *sum = sum.saturating_add(span.length());
        }
    }
    launched
}

/// Items that find their range in one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributionTotal {
    /// One of the items' attributions; of those by time, to a range with this text.
    pub attribution: Attribution,
    /// Text of the range; none but for [`Attribution::ByTime`].
    pub text: StrId,
    /// Number of items.
    pub items: u64,
    /// Plain sum of their lengths.
    pub gpu_time_ns: Ns,
}

/// Items of the capture by attribution and by text of the range: own, none and no call where they have items, then texts in order
/// of time, most first.
#[must_use]
pub fn attribution_totals(classified: &Classified<'_>, attributions: &Attributions) -> Vec<AttributionTotal> {
    let activity = classified.activity();
    let total = |attribution| AttributionTotal { attribution, text: StrId::NONE, items: 0, gpu_time_ns: 0 };
    let mut totals = vec![total(Attribution::Own), total(Attribution::None), total(Attribution::NoCall)];
    // By text of the pool: where its total is.
    let mut places = PerText::new(activity.strings.len(), None);
    for (item, span) in activity.work.span.iter().enumerate() {
        let attribution = attributions.get(item);
        let place = match attribution {
            Attribution::Own => 0,
            Attribution::None => 1,
            Attribution::NoCall => 2,
            Attribution::ByTime(range) => {
                let label = activity.ranges.by_thread[range.thread.index()].text[range.row as usize];
                let text = activity.ranges.texts[label.index()].text;
                *places[text].get_or_insert_with(|| {
                    totals.push(AttributionTotal { text, ..total(attribution) });
                    totals.len() - 1
                })
            }
        };
        totals[place].items += 1;
        totals[place].gpu_time_ns = totals[place].gpu_time_ns.saturating_add(span.length());
    }
    totals[3..].sort_by_key(|total| (-total.gpu_time_ns, activity.strings.get(total.text)));
    totals.retain(|total| total.items > 0);
    totals
}
