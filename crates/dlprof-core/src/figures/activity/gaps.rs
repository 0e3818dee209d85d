//! Gaps between the items of each GPU, and what ended them.
//!
//! ```text
//! stream 1   ├ A ┤        ├ C ┤
//! stream 2     ├ B ┤      ├ D ┤
//! gap              ├──────┤         ended by C or D, whichever's call started first
//! ```
//!
//! Items of zero length cut no gap, but they come before others on their stream. In a trace of torch.profiler the time before the
//! first item of a GPU is a gap, too, if the call of that item was recorded: it was launched while the GPU idled. Before an item
//! without a call nothing is known.

use super::gap_items::GapItems;
use crate::base::groups::Grouped;
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::{Call, Classified};
use crate::capture::classified::order::{Row, row};

/// A time without any item between the first and the last item of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) device: usize,
    pub(super) span: Span,
    /// The item that ends it.
    pub(super) ended_by: usize,
    /// The item just before that one on its stream.
    pub(super) before: Option<usize>,
}

/// Finds gaps while items come by in order.
#[derive(Debug)]
pub(super) struct GapFinder<'a> {
    classified: &'a Classified<'a>,
    devices: Vec<Device>,
    /// By stream: its latest item.
    latest: Vec<Option<Row>>,
}

#[derive(Debug, Clone, Default)]
struct Device {
    /// From the first start to the latest end of items that last; from the begin of its first gap where that comes before.
    busy: Option<Span>,
    /// A gap whose end was met, and the order of what ended it: further items may start at the same time.
    ending: Option<(Gap, (bool, Ns))>,
}

impl<'a> GapFinder<'a> {
    pub(super) fn new(classified: &'a Classified<'a>) -> Self {
        let activity = &classified.activity;
        Self {
            classified,
            devices: vec![Device::default(); activity.devices.len()],
            latest: vec![None; activity.streams.len()],
        }
    }

    /// The same, where only items near a span are to come.
    pub(super) fn near(classified: &'a Classified<'a>, span: Span, near: &GapItems) -> Self {
        let mut finder = Self::new(classified);
        for (device, has_earlier) in finder.devices.iter_mut().zip(&near.has_earlier) {
            device.busy = has_earlier.then_some(Span::new(span.start, span.start));
        }
        finder
    }

    /// Takes the next item; returns the gap of its GPU that is complete now. Gaps of a GPU come in order of time.
    #[inline]
    pub(super) fn add(&mut self, item: usize) -> Option<Gap> {
        let activity = &self.classified.activity;
        let (span, at) = (activity.work.span[item], activity.work.device[item].index());
        let before = self.latest[activity.work.stream[item].index()].replace(row(item));
        if span.is_empty() {
            return None;
        }
        let device = &mut self.devices[at];
        if device.busy.is_none() {
            let begin =
                self.classified.activity.idle_from.filter(|_| self.classified.call_row(item).is_some());
            let begin = begin.filter(|&begin| begin < span.start);
            device.busy = Some(begin.map_or(span, |begin| Span::new(begin, begin)));
        }
        let Some(busy) = &mut device.busy else { return None };
        let ends_gap = span.start > busy.end;
        let idle = Span::new(busy.end, span.start);
        busy.end = span.end.max(busy.end);
        let gap = Gap { device: at, span: idle, ended_by: item, before: before.map(|row| row as usize) };
        if ends_gap {
            let order = self.classified.launch_order(item);
            return device.ending.replace((gap, order)).map(|(gap, _)| gap);
        }
        let (ending, order) = device.ending.as_mut()?;
        if ending.span.end < span.start {
            return device.ending.take().map(|(gap, _)| gap);
        }
        let own = self.classified.launch_order(item);
        if own < *order {
            *order = own;
            *ending = Gap { span: ending.span, ..gap };
        }
        None
    }

    /// The gaps that were still open for further items.
    pub(super) fn rest(&mut self) -> Vec<Gap> {
        self.devices.iter_mut().filter_map(|device| device.ending.take()).map(|(gap, _)| gap).collect()
    }

    /// By GPU: from the first start to the last end of items that last, the gap before the first of them included if there is one.
    pub(super) fn busy(&self) -> impl Iterator<Item = Option<Span>> + '_ {
        self.devices.iter().map(|device| device.busy)
    }
}

/// Whether a span holds so little of the work that it is faster to look at this alone.
pub(crate) fn is_small_part(classified: &Classified<'_>, span: Span) -> bool {
    let activity = &classified.activity;
    activity.most_starting_in(span) < activity.work.len() / 2
}

/// Calls `put` with the gaps that reach into a span, those of a GPU in order of time, and perhaps with others: where the span is a
/// small part of the capture, the work of other times is not looked at.
pub(super) fn each_gap(
    classified: &Classified<'_>,
    span: Span,
    is_small_part: bool,
    mut put: impl FnMut(&Gap),
) {
    let near = is_small_part.then(|| GapItems::new(&classified.activity, span));
    let mut gaps = match &near {
        Some(near) => GapFinder::near(classified, span, near),
        None => GapFinder::new(classified),
    };
    let mut add = |item| gaps.add(item).iter().for_each(&mut put);
    match &near {
        Some(near) => near.rows.iter().for_each(|&item| add(item)),
        None => classified.items_in_order().for_each(add),
    }
    gaps.rest().iter().for_each(put);
}

impl Classified<'_> {
    /// Items that start together: the one whose call starts first ends the gap, items without call come last.
    fn launch_order(&self, item: usize) -> (bool, Ns) {
        self.call_of(item).map_or((true, 0), |call| (false, call.span.start))
    }

    /// What kept a gap from ending before.
    pub(super) fn reason(&self, gap: &Gap, ordering: &mut Ordering<'_>) -> Reason {
        let Some(call) = self.call_of(gap.ended_by) else { return Reason::NoCall };
        if call.span.end <= gap.span.start {
            return Reason::Queued(self.queued(gap, call, ordering));
        }
        let since =
            || gap.before.and_then(|before| self.call_of(before)).map_or(Ns::MIN, |call| call.span.start);
        let is_ordered = ordering.latest_before(call).is_some_and(|order| order > since());
        let waited_for = match is_ordered {
            _ if self.waits_for_earlier_work(gap) => WaitedFor::EarlierWork,
            true => WaitedFor::Ordered,
            false => WaitedFor::Nothing,
        };
        Reason::Issued { call, waited_for }
    }

    /// Whether the item that ends a gap may have waited for work that was started before the recording: a trace of torch.profiler
    /// begins while the program runs, and does not say what a stream waits for before its first item.
    fn waits_for_earlier_work(&self, gap: &Gap) -> bool {
        self.activity.idle_from.is_some() && gap.before.is_none()
    }

    fn queued(&self, gap: &Gap, call: Call, ordering: &mut Ordering<'_>) -> Queued {
        if gap.span.length() <= self.settings.thresholds.turnaround_ns {
            return Queued::Turnaround;
        }
        if self.waits_for_earlier_work(gap) {
            return Queued::EarlierWork;
        }
        let activity = &self.activity;
        let before = gap.before.filter(|&before| activity.work.span[before].end == gap.span.start);
        let Some(last) = before.and_then(|before| self.call_of(before)) else { return Queued::Dependency };
        let is_ordered = ordering.latest_before(call).is_some_and(|order| order > last.span.start);
        if is_ordered || activity.is_in_graph(gap.ended_by) { Queued::Dependency } else { Queued::Stall }
    }
}

/// What kept a gap from ending before.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reason {
    /// The item that ended it has no API call.
    NoCall,
    /// That item had been launched before the gap began.
    Queued(Queued),
    /// It was launched during the gap.
    Issued {
        /// The launching call.
        call: Call,
        /// What held it back once it was submitted.
        waited_for: WaitedFor,
    },
}

/// What holds back an item that was submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitedFor {
    /// The thread had made the stream wait for something else.
    Ordered,
    /// Work that was started before the recording, perhaps.
    EarlierWork,
    /// Nothing that the capture shows.
    Nothing,
}

/// Why a queued item did not start at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queued {
    Turnaround,
    Dependency,
    /// It may have waited for work that was started before the recording.
    EarlierWork,
    Stall,
}

/// The calls that make a stream wait for something besides its own work.
#[derive(Debug)]
pub(super) struct Ordering<'a> {
    /// By thread: their starts.
    starts: &'a Grouped<Ns>,
    /// By thread: where the last question ended.
    hints: Vec<usize>,
}

impl<'a> Ordering<'a> {
    pub(super) fn new(classified: &Classified<'a>) -> Self {
        let starts = classified.ordering_starts();
        Self { hints: vec![0; starts.len()], starts }
    }

    /// The start of the last such call that its thread made before a call.
    fn latest_before(&mut self, call: Call) -> Option<Ns> {
        let thread = call.thread.some()?.index();
        let (hint, starts) = (&mut self.hints[thread], self.starts.get(thread));
        *hint = partition_near(starts, *hint, |&start| start < call.span.start);
        starts[..*hint].last().copied()
    }
}
