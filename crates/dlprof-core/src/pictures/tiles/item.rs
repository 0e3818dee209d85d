//! An item of a lane: what is said of it when it is selected, and the items that belong to it.

use super::lanes::CaptureLanes;
use crate::base::ids::{ApiCallId, OpCallId, WorkId};
use crate::base::time::{Ns, Span};
use crate::figures::profile::Profile;
use crate::pictures::timeline::{LaneItemClass, LaneKind, gpu_item, host_item};
use serde::Serialize;

/// Most items that are listed as launched by a call.
const MOST_LAUNCHED: usize = 50;

/// Where an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ItemPlace {
    /// The lane.
    pub lane: usize,
    /// The row of the lane.
    pub row: usize,
    /// The place in the row.
    pub item: usize,
}

/// An item with its name and time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LaneItem {
    /// Where it is.
    #[serde(flatten)]
    pub place: ItemPlace,
    /// Its name; empty for idle time.
    pub name: String,
    /// Its class; of idle time none.
    pub class: Option<LaneItemClass>,
    /// Its start, in nanoseconds from the start of the capture.
    pub start_ns: Ns,
    /// Its length.
    pub length_ns: Ns,
}

/// An item with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemDetails {
    /// The item.
    #[serde(flatten)]
    pub item: LaneItem,
    /// ID and name of the op that it is, or that launched it.
    pub op: Option<(String, String)>,
    /// Of GPU work: the API call that launched it, in whatever iteration that is.
    pub launch: Option<LaneItem>,
    /// Of an API call: the work that it launched; at most 50 pieces.
    pub launched: Vec<LaneItem>,
    /// Of idle time: the work that ended it.
    pub ended_by: Option<LaneItem>,
    /// Of a kernel that exchanges data between GPUs: those of the same name on other GPUs that share time with it.
    pub partners: Vec<LaneItem>,
    /// Of a CPU sample: the functions, the innermost first.
    pub stack: Vec<String>,
}

impl Profile {
    /// What belongs to an item; `None` if there is no such item.
    #[must_use]
    pub fn lane_item(&self, lanes: &CaptureLanes, place: ItemPlace) -> Option<ItemDetails> {
        let (kind, row) = lanes.item(place)?;
        let item = lanes.described(self, place)?;
        let mut details = ItemDetails {
            item,
            op: None,
            launch: None,
            launched: Vec::new(),
            ended_by: None,
            partners: Vec::new(),
            stack: Vec::new(),
        };
        let call_of_op = |call: OpCallId| {
            let op = self.index.calls.op[call];
            (self.op_id(op).to_owned(), self.op_name(op).to_owned())
        };
        match kind {
            LaneKind::Stream => {
                let work = WorkId::new(row);
                let call = lanes.launch_of(work);
                details.op =
                    call.and_then(|call| self.capture.call_roles.op_call[call].some()).map(call_of_op);
                details.launch = call.and_then(|call| lanes.api_call(self, call));
                details.partners = lanes.partners(self, &details.item);
            }
            LaneKind::ApiCalls => {
                let call = ApiCallId::new(row);
                let op_call = self.capture.call_roles.op_call[call].some();
                details.op = op_call.map(call_of_op);
                details.launched = lanes.launched_by(self, call, op_call);
            }
            LaneKind::Idle => details.ended_by = lanes.work(self, WorkId::new(row)),
            LaneKind::Ops => details.op = Some(call_of_op(OpCallId::new(row))),
            LaneKind::Samples => details.stack = self.stack_of(row),
            _ => {}
        }
        Some(details)
    }

    fn stack_of(&self, sample: usize) -> Vec<String> {
        let host = &self.capture.host;
        let offsets = &host.stack_offsets.offset[..];
        let frames = offsets.get(sample..sample + 2).map_or(0..0, |ends| ends[0] as usize..ends[1] as usize);
        let symbols = host.stack_frames.symbol[..].get(frames).unwrap_or_default();
        symbols.iter().map(|&symbol| self.capture.strings.get(symbol).to_owned()).collect()
    }
}

impl CaptureLanes {
    /// The kind of an item, and its row in the table of that kind.
    fn item(&self, place: ItemPlace) -> Option<(LaneKind, usize)> {
        let lane = self.lanes.get(place.lane)?;
        let item = *lane.rows.get(place.row)?.items.get(place.item)?;
        Some((lane.kind, item as usize))
    }

    /// Name and time of an item.
    pub(super) fn described(&self, profile: &Profile, place: ItemPlace) -> Option<LaneItem> {
        let (kind, row) = self.item(place)?;
        let lane = &self.lanes[place.lane];
        let span = lane.span(&self.capture, &lane.rows[place.row], place.item);
        let (name, class) = match kind {
            LaneKind::Idle => ("", None),
            LaneKind::Stream => told(gpu_item(profile, WorkId::new(row))),
            kind => told(host_item(profile, kind, lane.of, row)),
        };
        let name = name.to_owned();
        Some(LaneItem { place, name, class, start_ns: span.start, length_ns: span.length() })
    }

    /// The item that a row of a table is.
    fn of_row(
        &self,
        profile: &Profile,
        kind: LaneKind,
        of: usize,
        row: usize,
        span: Span,
    ) -> Option<LaneItem> {
        let lane = self.lanes.iter().position(|lane| lane.kind == kind && lane.of == of)?;
        let rows = &self.lanes[lane].rows;
        let time = |at: &super::row::Row, item: usize| self.lanes[lane].span(&self.capture, at, item);
        let place = rows.iter().enumerate().find_map(|(number, items)| {
            let mut near =
                items.touching(Span::new(span.start, span.start.saturating_add(1)), |at| time(items, at));
            near.find(|&at| items.items[at] as usize == row).map(|item| ItemPlace { lane, row: number, item })
        })?;
        self.described(profile, place)
    }

    fn work(&self, profile: &Profile, work: WorkId) -> Option<LaneItem> {
        let facts = &self.capture.work;
        let stream = facts.stream[work];
        self.of_row(profile, LaneKind::Stream, stream.index(), work.index(), facts.span[work])
    }

    fn api_call(&self, profile: &Profile, call: ApiCallId) -> Option<LaneItem> {
        let calls = &self.capture.api_calls;
        let thread = calls.thread[call].some()?;
        self.of_row(profile, LaneKind::ApiCalls, thread.index(), call.index(), calls.span[call])
    }

    /// The API call that launched a piece of work.
    fn launch_of(&self, work: WorkId) -> Option<ApiCallId> {
        let call = self.capture.launches.api[work].some()?;
        Some(self.capture.repeated_calls.counted(call))
    }

    fn launched_by(&self, profile: &Profile, call: ApiCallId, op_call: Option<OpCallId>) -> Vec<LaneItem> {
        let of_op = op_call.map_or(&[][..], |op_call| self.capture.work_by_call.get(op_call.index()));
        let launched = of_op.iter().filter(|&&work| self.launch_of(work) == Some(call)).take(MOST_LAUNCHED);
        launched.filter_map(|&work| self.work(profile, work)).collect()
    }

    /// The kernels on other GPUs that exchange data with one: those of its name that share time with it.
    fn partners(&self, profile: &Profile, item: &LaneItem) -> Vec<LaneItem> {
        if item.class != Some(LaneItemClass::Communication) {
            return Vec::new();
        }
        let window = Span::new(item.start_ns, item.start_ns.saturating_add(item.length_ns));
        let own_gpu = self.lanes[item.place.lane].owner.device_id();
        let mut partners = Vec::new();
        for (at, lane) in self.lanes.iter().enumerate() {
            if lane.kind != LaneKind::Stream || lane.owner.device_id() == own_gpu {
                continue;
            }
            for (number, row) in lane.rows.iter().enumerate() {
                let near = row.touching(window, |item| lane.span(&self.capture, row, item));
                let places = near.take(MOST_LAUNCHED).map(|item| ItemPlace { lane: at, row: number, item });
                let described = places.filter_map(|place| self.described(profile, place));
                partners
                    .extend(described.filter(|other| other.name == item.name && other.class == item.class));
            }
        }
        partners
    }
}

fn told((name, class): (&str, LaneItemClass)) -> (&str, Option<LaneItemClass>) {
    (name, Some(class))
}
