//! A tile: what some lanes show of a part of the time.

use super::counters::TileCounter;
use super::lanes::{CaptureLane, CaptureLanes};
use super::row::{Piece, Row};
use crate::base::ids::{DeviceId, WorkId};
use crate::base::time::{Ns, Span};
use crate::figures::activity::{LONG_GAP_NS, LongGaps};
use crate::figures::profile::Profile;
use crate::pictures::timeline::{
    Draft, Gaps, LaneItemClass, LaneKind, LaneOwner, Names, gpu_item, host_item,
};
use indexmap::IndexSet;
use rayon::prelude::*;
use serde::Serialize;

/// Bins of a tile.
const BINS: Ns = 512;

/// Most rows of lanes in a tile: what is beyond is left to another request.
const MOST_ROWS: usize = 32;

/// Which part of the time a tile has: that of a number, counted from time 0, among those of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileAddress {
    /// A bin has two to this power nanoseconds.
    pub level: u32,
    /// The tile.
    pub number: i64,
}

/// What some lanes show of a part of the time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tile {
    /// Where it begins, in nanoseconds from the start of the capture.
    pub start_ns: Ns,
    /// How long it is.
    pub length_ns: Ns,
    /// How long a bin is.
    pub bin_ns: Ns,
    /// What the rows of the lanes show, in order of lane and row. Rows with nothing are left out.
    pub rows: Vec<TileRow>,
    /// What the counters show.
    pub counters: Vec<TileCounter>,
    /// The texts that items refer to, each once.
    pub names: Vec<String>,
    /// The classes that items refer to, each once.
    pub classes: Vec<LaneItemClass>,
    /// The first of the wanted lanes that did not fit; none if all did.
    pub next: Option<usize>,
}

/// What a row shows: one list per property, of equal length, in order of start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TileRow {
    /// The lane.
    pub lane: usize,
    /// The row of the lane.
    pub row: usize,
    /// The start of the item, or of the first of several, in nanoseconds from the start of the tile; negative if before it.
    pub start_ns: Vec<Ns>,
    /// The length of the item, or the sum of those of several.
    pub length_ns: Vec<Ns>,
    /// How many items it stands for; empty if one each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub count: Vec<u32>,
    /// The place of the item in its row; of several that of the longest, as name and class.
    pub item: Vec<u32>,
    /// Names: places in [`Tile::names`].
    pub name: Vec<u32>,
    /// Classes: places in [`Tile::classes`].
    pub class: Vec<u32>,
}

impl TileAddress {
    /// The time of the tile, and the width of its bins; `None` if it is beyond all time.
    #[must_use]
    pub fn span(self) -> Option<(Span, Ns)> {
        let bin: Ns = 1_i64.checked_shl(self.level).filter(|&bin| bin > 0)?;
        let length = bin.checked_mul(BINS)?;
        let start = length.checked_mul(self.number)?;
        Some((Span::new(start, start.checked_add(length)?), bin))
    }
}

impl Profile {
    /// What some lanes of the capture show of a part of the time; `None` if there is no such part. The lanes are those of the
    /// profile's capture. Unknown lanes are left out.
    #[must_use]
    pub fn tile(&self, lanes: &CaptureLanes, address: TileAddress, wanted: &[usize]) -> Option<Tile> {
        let (span, bin_ns) = address.span()?;
        let mut wanted: Vec<usize> =
            wanted.iter().copied().filter(|&at| at < lanes.lanes.len() + lanes.counters.len()).collect();
        wanted.dedup();
        let mut rows = 0;
        let fit = wanted.iter().position(|&at| {
            rows += lanes.lanes.get(at).map_or(1, |lane| lane.rows.len());
            rows > MOST_ROWS
        });
        let next = fit.filter(|&fit| fit > 0).map(|fit| wanted[fit]);
        wanted.truncate(fit.map_or(wanted.len(), |fit| fit.max(1)));
        // Not on a worker thread: all of them might wait for figures that need a worker thread.
        let has_idle_time =
            wanted.iter().any(|&at| lanes.lanes.get(at).is_some_and(|lane| lane.kind == LaneKind::Idle));
        let long_gaps = has_idle_time.then(|| self.long_gaps());
        let part = Part { span, bin_ns, wanted, next };
        Some(self.capture.pool.install(|| tile(self, lanes, long_gaps, part)))
    }
}

/// What a tile is asked for.
struct Part {
    span: Span,
    bin_ns: Ns,
    wanted: Vec<usize>,
    next: Option<usize>,
}

/// A row of a lane with the pieces that a tile shows of it.
struct Shown<'a> {
    lane: &'a CaptureLane,
    at: (usize, usize),
    row: &'a Row,
    pieces: Vec<Piece>,
}

fn tile(profile: &Profile, lanes: &CaptureLanes, long_gaps: Option<&LongGaps>, part: Part) -> Tile {
    let (capture, Part { span, bin_ns, wanted, next }) = (&lanes.capture, part);
    let rows: Vec<(usize, usize)> = wanted
        .iter()
        .flat_map(|&at| {
            let rows = lanes.lanes.get(at).map_or(0, |lane| lane.rows.len());
            (0..rows).map(move |row| (at, row))
        })
        .collect();
    let shown = |&at: &(usize, usize)| {
        let lane = &lanes.lanes[at.0];
        let row = &lane.rows[at.1];
        let pieces = row.pieces(span, bin_ns, |item| lane.span(capture, row, item));
        Shown { lane, at, row, pieces }
    };
    let shown: Vec<Shown<'_>> = rows.par_iter().map(shown).filter(|shown| !shown.pieces.is_empty()).collect();
    let counter = |&at: &usize| {
        let counter = lanes.counters.get(at.checked_sub(lanes.lanes.len())?)?;
        Some(counter.tile(capture, at, span, bin_ns))
    };
    let counters = wanted.par_iter().filter_map(counter).collect();
    let idle = ShortGaps::new(profile, &shown, bin_ns);
    let (mut names, mut classes) = (Names::default(), IndexSet::new());
    let mut rows = Vec::with_capacity(shown.len());
    for shown in &shown {
        let mut told = Told { profile, long_gaps, idle: &idle, names: &mut names, classes: &mut classes };
        rows.push(told.row(shown, span.start, bin_ns));
    }
    Tile {
        start_ns: span.start,
        length_ns: span.length(),
        bin_ns,
        rows,
        counters,
        names: names.into_texts(),
        classes: classes.into_iter().collect(),
        next,
    }
}

/// What is said of pieces besides their times.
struct Told<'a> {
    profile: &'a Profile,
    long_gaps: Option<&'a LongGaps>,
    idle: &'a ShortGaps,
    names: &'a mut Names,
    classes: &'a mut IndexSet<LaneItemClass>,
}

impl Told<'_> {
    fn row(&mut self, shown: &Shown<'_>, start: Ns, bin_ns: Ns) -> TileRow {
        let pieces = &shown.pieces;
        let mut row = TileRow {
            lane: shown.at.0,
            row: shown.at.1,
            start_ns: pieces.iter().map(|piece| piece.start - start).collect(),
            length_ns: pieces.iter().map(|piece| piece.length_ns).collect(),
            count: pieces.iter().map(|piece| piece.count).collect(),
            item: pieces.iter().map(|piece| piece.at).collect(),
            name: Vec::with_capacity(pieces.len()),
            class: Vec::with_capacity(pieces.len()),
        };
        if pieces.iter().all(|piece| piece.count == 1) {
            row.count.clear();
        }
        for piece in pieces {
            let (name, class) = self.piece(shown, piece, bin_ns);
            row.name.push(name);
            row.class.push(u32::try_from(self.classes.insert_full(class).0).unwrap_or(u32::MAX));
        }
        row
    }

    fn piece(&mut self, shown: &Shown<'_>, piece: &Piece, bin_ns: Ns) -> (u32, LaneItemClass) {
        let item = shown.row.items[piece.at as usize] as usize;
        let lane = shown.lane;
        match lane.kind {
            LaneKind::Idle => self.idle_time(lane, piece, bin_ns),
            LaneKind::Stream => {
                let (name, class) = gpu_item(self.profile, WorkId::new(item));
                (self.names.place(name), class)
            }
            kind => {
                let (name, class) = host_item(self.profile, kind, lane.of, item);
                (self.names.place(name), class)
            }
        }
    }

    fn idle_time(&mut self, lane: &CaptureLane, piece: &Piece, bin_ns: Ns) -> (u32, LaneItemClass) {
        let device = DeviceId::new(lane.of);
        if piece.length_ns < bin_ns || piece.count > 1 {
            return (self.names.place(""), LaneItemClass::Gap);
        }
        if let Some((name, class)) = self.idle.get(device, piece.start) {
            return (self.names.place(name), *class);
        }
        let Some(gaps) = self.long_gaps else { return (self.names.place(""), LaneItemClass::Gap) };
        let first = gaps.span.partition_point(|gap| gap.start < piece.start);
        let mut same = (first..gaps.span.len()).take_while(|&at| gaps.span[..][at].start == piece.start);
        match same.find(|&at| gaps.device[..][at] == device) {
            Some(at) => {
                let cause = gaps.cause[..][at];
                (self.names.place(cause.words()), LaneItemClass::Idle(cause))
            }
            None => (self.names.place(""), LaneItemClass::Gap),
        }
    }
}

/// The causes of gaps that are too short for the list of long ones, found for those of a tile that are shown one by one. There
/// are such gaps only where bins are short, so that the tile is.
#[derive(Default)]
struct ShortGaps {
    causes: std::collections::BTreeMap<(DeviceId, Ns), (String, LaneItemClass)>,
}

impl ShortGaps {
    fn new(profile: &Profile, shown: &[Shown<'_>], bin_ns: Ns) -> Self {
        let is_short =
            |piece: &&Piece| piece.count == 1 && piece.length_ns >= bin_ns && piece.length_ns < LONG_GAP_NS;
        let draft = |shown: &Shown<'_>| {
            let LaneOwner::Gpu { .. } = shown.lane.owner else { return None };
            let spans: Vec<Span> = shown
                .pieces
                .iter()
                .filter(is_short)
                .map(|piece| Span::new(piece.start, piece.start + piece.length_ns))
                .collect();
            let (kind, owner, of) = (LaneKind::Idle, shown.lane.owner.clone(), shown.lane.of);
            (!spans.is_empty()).then(|| Draft {
                kind,
                owner,
                of,
                rows: Vec::new(),
                spans,
                depths: Vec::new(),
            })
        };
        let drafts: Vec<Draft> = shown.iter().filter_map(draft).collect();
        if drafts.is_empty() {
            return Self::default();
        }
        let gaps = Gaps::new(profile, &drafts);
        let (mut names, mut found) = (Names::default(), Vec::new());
        for draft in &drafts {
            let starts = draft.spans.iter().map(|span| (DeviceId::new(draft.of), span.start));
            found.extend(starts.zip(gaps.items(profile, draft, &mut names)));
        }
        let names = names.into_texts();
        let text = |at: u32| names.get(at as usize).cloned().unwrap_or_default();
        Self { causes: found.into_iter().map(|(at, item)| (at, (text(item.name), item.class))).collect() }
    }

    fn get(&self, device: DeviceId, start: Ns) -> Option<&(String, LaneItemClass)> {
        self.causes.get(&(device, start))
    }
}
