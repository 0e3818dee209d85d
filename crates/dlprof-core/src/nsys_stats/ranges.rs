//! NVTX ranges as nsys sees them: whole names with their domain, and an end for those that were still open.

use super::form::NsysForm;
use super::source::Source;
use super::table::NsysCell;
use crate::base::ids::StrId;
use crate::base::time::{Ns, Span};
use crate::read::facts::global_ids::process_of;
use crate::read::facts::{NO_END, NO_THREAD, NvtxEvents};
use rustc_hash::FxHashMap;

/// How a range was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Style {
    PushPop,
    StartEnd,
}

impl Style {
    /// The style of an event, if it is a range.
    fn of(kind: u8) -> Option<Self> {
        match kind {
            59 | 70 => Some(Self::PushPop),
            60 | 71 => Some(Self::StartEnd),
            _ => None,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::PushPop => "PushPop",
            Self::StartEnd => "StartEnd",
        }
    }
}

/// The number of the event that creates a domain.
const DOMAIN_CREATE: u8 = 75;

/// A name of ranges: its place among [`Ranges::names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NameId(pub(super) u32);

/// A range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub(super) start: Ns,
    /// [`NO_END`] if the range was open and no event of the table has an end.
    pub(super) end_or_none: Ns,
    /// Global id of the thread; [`NO_THREAD`] if the export does not say.
    pub(super) thread: i64,
    pub(super) name: Option<NameId>,
    pub(super) style: Style,
    pub(super) row_id: i64,
    /// Whether it names a thread on which it ended.
    pub(super) ends_elsewhere: bool,
}

impl Range {
    /// End; none if the range was open and no event of the table has an end.
    pub(super) fn end(&self) -> Option<Ns> {
        Some(self.end_or_none).filter(|&end| end != NO_END)
    }

    /// Length; none if the range has no end.
    pub(super) fn length(&self) -> Option<Ns> {
        self.end().map(|end| end - self.start)
    }
}

/// Whose latest time is the end of ranges that were still open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenEnd {
    /// That of all events of the table.
    AllEvents,
    /// That of ranges of both styles.
    Ranges,
    /// That of push/pop ranges.
    PushPop,
}

/// Ranges in file order, and their names.
pub(super) struct Ranges<'a> {
    pub(super) list: Vec<Range>,
    names: Names<'a>,
}

impl<'a> Ranges<'a> {
    /// The ranges that count; their names have the domain before them if `with_domains`.
    pub(super) fn new(source: Source<'a>, form: NsysForm, open_end: OpenEnd, with_domains: bool) -> Self {
        let events = &source.records.nvtx;
        let latest = latest(source, events, open_end);
        let domains = if with_domains { Domains::new(source, events, form) } else { Domains::default() };
        let mut names =
            Names { source, by_text: Vec::new(), texts: Vec::new(), places: FxHashMap::default() };
        let mut list = Vec::new();
        for row in rows(source, events) {
            let Some(style) = Style::of(events.kind[..][row]) else { continue };
            let own_end = Some(events.end[..][row]).filter(|&end| end != NO_END);
            let mut range = Range {
                start: events.start[..][row],
                end_or_none: own_end.or(latest).unwrap_or(NO_END),
                thread: events.thread[..][row],
                name: None,
                style,
                row_id: events.row_id[..][row],
                ends_elsewhere: events.ends_elsewhere[..][row],
            };
            let text = events.text[..][row];
            let domains = domains.of(range.thread, events.domain[..][row]);
            for &domain in domains {
                range.name = names.with_domain(domain, text);
                list.push(range);
            }
            if domains.is_empty() {
                range.name = names.plain(text);
                list.push(range);
            }
        }
        Self { list, names }
    }

    /// The text of a name.
    pub(super) fn name(&self, name: NameId) -> &str {
        &self.names.texts[name.0 as usize]
    }

    /// The cell of a name, which may be absent.
    pub(super) fn cell(&self, name: Option<NameId>) -> NsysCell<'a> {
        name.map_or(NsysCell::Absent, |name| NsysCell::Text(self.names.texts[name.0 as usize].clone()))
    }

    /// Number of names.
    pub(super) fn names(&self) -> usize {
        self.names.texts.len()
    }

    /// By name: its place in byte order.
    pub(super) fn name_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..u32::try_from(self.names()).unwrap_or(u32::MAX)).collect();
        order.sort_unstable_by_key(|&name| self.name(NameId(name)));
        let mut places = vec![0; order.len()];
        for (place, name) in (0..).zip(order) {
            places[name as usize] = place;
        }
        places
    }
}

/// Places of ranges by thread, in order; threads in order of appearance.
pub(super) fn by_thread(ranges: &[Range], counts: impl Fn(&Range) -> bool) -> Vec<(i64, Vec<u32>)> {
    let mut threads: FxHashMap<i64, usize> = FxHashMap::default();
    let mut lists: Vec<(i64, Vec<u32>)> = Vec::new();
    // Neighbours are mostly of one thread.
    let mut last = (NO_THREAD, usize::MAX);
    for (place, range) in (0..).zip(ranges).filter(|(_, range)| counts(range)) {
        if last.0 != range.thread || last.1 == usize::MAX {
            let list = *threads.entry(range.thread).or_insert(lists.len());
            if list == lists.len() {
                lists.push((range.thread, Vec::new()));
            }
            last = (range.thread, list);
        }
        lists[last.1].1.push(place);
    }
    lists
}

/// The events that count.
fn rows<'a>(source: Source<'a>, events: &'a NvtxEvents) -> impl Iterator<Item = usize> + 'a {
    (0..events.start.len()).filter(move |&row| {
        source.window.is_all() || {
            let (start, end) = (events.start[..][row], events.end[..][row]);
            let end = if end == NO_END { start } else { end };
            let thread = Some(events.thread[..][row]).filter(|&thread| thread != NO_THREAD);
            source.window.has_thread(Span { start, end }, thread)
        }
    })
}

/// The latest time of some events; none if none of them has an end.
fn latest(source: Source<'_>, events: &NvtxEvents, of: OpenEnd) -> Option<Ns> {
    let counts = |row: usize| match of {
        OpenEnd::AllEvents => true,
        OpenEnd::Ranges => Style::of(events.kind[..][row]).is_some(),
        OpenEnd::PushPop => Style::of(events.kind[..][row]) == Some(Style::PushPop),
    };
    let (mut last_start, mut last_end) = (Ns::MIN, NO_END);
    for row in rows(source, events).filter(|&row| counts(row)) {
        last_start = last_start.max(events.start[..][row]);
        last_end = last_end.max(events.end[..][row]);
    }
    (last_end != NO_END).then(|| last_end.max(last_start))
}

/// Names of domains.
#[derive(Default)]
struct Domains {
    /// By process and number: a name for each event that created it.
    names: FxHashMap<(i64, i64), Vec<StrId>>,
    /// nsys 2020 does not look at the process.
    any_process: bool,
}

impl Domains {
    /// The domains whose creation counts.
    fn new(source: Source<'_>, events: &NvtxEvents, form: NsysForm) -> Self {
        let mut domains = Self { names: FxHashMap::default(), any_process: form == NsysForm::V2020 };
        for row in rows(source, events) {
            if events.kind[..][row] == DOMAIN_CREATE {
                let key = domains.key(events.thread[..][row], events.domain[..][row]);
                domains.names.entry(key).or_default().push(events.text[..][row]);
            }
        }
        domains
    }

    fn key(&self, global_tid: i64, domain: i64) -> (i64, i64) {
        (if self.any_process { 0 } else { process_of(global_tid) }, domain)
    }

    fn of(&self, global_tid: i64, domain: i64) -> &[StrId] {
        if self.names.is_empty() {
            return &[];
        }
        self.names.get(&self.key(global_tid, domain)).map_or(&[], Vec::as_slice)
    }
}

/// Distinct names.
struct Names<'a> {
    source: Source<'a>,
    /// By text: the name that it is by itself.
    by_text: Vec<u32>,
    texts: Vec<std::borrow::Cow<'a, str>>,
    /// Names with a colon: a text may look like another text with its domain.
    places: FxHashMap<String, NameId>,
}

impl<'a> Names<'a> {
    /// The name that a text is by itself; an event without a text has none.
    fn plain(&mut self, text: StrId) -> Option<NameId> {
        const UNKNOWN: u32 = u32::MAX;
        let position = text.position()?;
        if self.by_text.is_empty() {
            self.by_text = vec![UNKNOWN; self.source.capture.strings.len()];
        }
        if self.by_text[position] == UNKNOWN {
            let words = self.source.capture.strings.get(text);
            let name =
                if words.contains(':') { self.with_colon(words.to_owned()) } else { self.add(words.into()) };
            self.by_text[position] = name.0;
        }
        Some(NameId(self.by_text[position]))
    }

    /// A text in a domain.
    fn with_domain(&mut self, domain: StrId, text: StrId) -> Option<NameId> {
        let words = self.source.text(text)?;
        match self.source.text(domain) {
            Some(domain) => Some(self.with_colon(format!("{domain}:{words}"))),
            None => self.plain(text),
        }
    }

    fn with_colon(&mut self, words: String) -> NameId {
        if let Some(&known) = self.places.get(&words) {
            return known;
        }
        let name = self.add(words.clone().into());
        self.places.insert(words, name);
        name
    }

    fn add(&mut self, words: std::borrow::Cow<'a, str>) -> NameId {
        self.texts.push(words);
        NameId(u32::try_from(self.texts.len() - 1).unwrap_or(u32::MAX))
    }
}
