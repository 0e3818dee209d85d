//! Copies and memsets by kind, memory of the host and mode of the call.

use super::range_at::RangeAt;
use super::steps::per_second;
use crate::base::ids::{ApiCallId, StrId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::{Call, Classified};
use crate::capture::names::ApiClass;
use std::collections::{BTreeMap, BTreeSet};

/// Where a copy went from and to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CopyKind {
    /// From the host to a GPU.
    HtoD,
    /// From a GPU to the host.
    DtoH,
    /// From the host to an array.
    HtoA,
    /// From an array to the host.
    AtoH,
    /// From an array to an array.
    AtoA,
    /// From an array to a GPU.
    AtoD,
    /// From a GPU to an array.
    DtoA,
    /// Inside a GPU.
    DtoD,
    /// Inside the host.
    HtoH,
    /// Between two GPUs.
    PtoP,
    /// A migration of unified memory from the host to a GPU.
    UnifiedHtoD,
    /// A migration of unified memory from a GPU to the host.
    UnifiedDtoH,
    /// A migration of unified memory between GPUs.
    UnifiedDtoD,
    /// CUPTI says a kind that has no name.
    Unknown,
    /// No copy: memory was filled.
    Memset,
}

impl CopyKind {
    const ALL: [Self; 15] = [
        Self::HtoD,
        Self::DtoH,
        Self::HtoA,
        Self::AtoH,
        Self::AtoA,
        Self::AtoD,
        Self::DtoA,
        Self::DtoD,
        Self::HtoH,
        Self::PtoP,
        Self::UnifiedHtoD,
        Self::UnifiedDtoH,
        Self::UnifiedDtoD,
        Self::Unknown,
        Self::Memset,
    ];

    /// By CUPTI's number.
    #[must_use]
    pub fn of(cupti: u8) -> Self {
        let named = usize::from(cupti).checked_sub(1).filter(|&at| at < 13);
        named.map_or(Self::Unknown, |at| Self::ALL[at])
    }

    /// Whether it is a migration of unified memory.
    #[must_use]
    pub fn is_migration(self) -> bool {
        matches!(self, Self::UnifiedHtoD | Self::UnifiedDtoH | Self::UnifiedDtoD)
    }

    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        const WORDS: [&str; 15] = [
            "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "UM_HtoD",
            "UM_DtoH", "UM_DtoD", "unknown", "memset",
        ];
        WORDS[self as usize]
    }
}

/// The memory at the host's side of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostMemory {
    /// The copy has no side at the host.
    None,
    /// The driver copies it to pinned memory first, while the call waits.
    Pageable,
    /// The GPU reads and writes it by itself.
    Pinned,
    /// Memory of a GPU.
    Device,
    /// An array.
    Array,
    /// Unified memory.
    Managed,
    /// The export does not say.
    Unknown,
}

impl HostMemory {
    const ALL: [Self; 7] =
        [Self::None, Self::Pageable, Self::Pinned, Self::Device, Self::Array, Self::Managed, Self::Unknown];

    /// By CUPTI's number.
    #[must_use]
    pub fn of(cupti: u8) -> Self {
        match cupti {
            0 => Self::Pageable,
            1 => Self::Pinned,
            2 | 5 => Self::Device,
            3 => Self::Array,
            4 | 6 => Self::Managed,
            _ => Self::Unknown,
        }
    }

    /// The word for tables; empty for [`Self::None`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Pageable => "pageable",
            Self::Pinned => "pinned",
            Self::Device => "device",
            Self::Array => "array",
            Self::Managed => "managed",
            Self::Unknown => "unknown",
        }
    }
}

/// Whether the call that copies may return before the copy is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CopyMode {
    /// The copy has no API call.
    None,
    /// The call waits for the copy.
    Sync,
    /// The call may return before, or a launch made the copy.
    Async,
}

impl CopyMode {
    const ALL: [Self; 3] = [Self::None, Self::Sync, Self::Async];

    /// The word for tables; empty for [`Self::None`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Sync => "sync",
            Self::Async => "async",
        }
    }
}

/// Copies or memsets of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyGroup {
    /// Where from and to.
    pub kind: CopyKind,
    /// Memory of the host's side.
    pub host_memory: HostMemory,
    /// Mode of the call.
    pub mode: CopyMode,
    /// Number.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
    /// Plain sum of their lengths on the GPU.
    pub gpu_time_ns: Ns,
    /// Plain sum of the lengths of their calls, once per copy.
    pub api_time_ns: Ns,
}

impl CopyGroup {
    /// Bytes per nanosecond, which is 10⁹ bytes per second; `None` if they took no time.
    #[must_use]
    pub(crate) fn gb_per_second(&self) -> Option<f64> {
        per_second(self.bytes, self.gpu_time_ns).map(|bytes| bytes / 1e9)
    }
}

/// A copy or a memset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// The piece of GPU work.
    pub(crate) work: WorkId,
    /// Where from and to.
    pub(crate) kind: CopyKind,
    /// Memory of the host's side.
    pub(crate) host_memory: HostMemory,
    /// Mode of the call.
    pub(crate) mode: CopyMode,
}

/// The copies and memsets that start in a range and are meant, given by their rows.
pub(crate) fn transfers(
    classified: &Classified<'_>,
    range: Span,
    is_meant: impl Fn(usize) -> bool,
) -> impl Iterator<Item = Transfer> {
    let activity = classified.activity();
    let all = activity.starting_in(activity.kernels.len()..activity.work.len(), range);
    all.filter(move |&item| is_meant(item)).map(move |item| {
        let (kind, host_memory) = kind_and_memory(classified, item);
        let mode = mode(classified, classified.call_row(item));
        Transfer { work: WorkId::new(item), kind, host_memory, mode }
    })
}

/// The copies and memsets that start in a range and `is_meant`, whole, by kind, memory and mode in the order of their
/// declarations. A copy is given by its row.
#[must_use]
pub fn copies(classified: &Classified<'_>, range: Span, is_meant: impl Fn(usize) -> bool) -> Vec<CopyGroup> {
    let activity = classified.activity();
    let mut groups: Vec<CopyGroup> = Vec::new();
    for kind in CopyKind::ALL {
        for host_memory in HostMemory::ALL {
            let of_mode = |mode| CopyGroup {
                kind,
                host_memory,
                mode,
                count: 0,
                bytes: 0,
                gpu_time_ns: 0,
                api_time_ns: 0,
            };
            groups.extend(CopyMode::ALL.map(of_mode));
        }
    }
    for Transfer { work, kind, host_memory, mode } in transfers(classified, range, is_meant) {
        let item = work.index();
        let span = activity.work.span[item];
        let at = (kind as usize * HostMemory::ALL.len() + host_memory as usize) * CopyMode::ALL.len();
        let group = &mut groups[at + mode as usize];
        group.count += 1;
        group.bytes = group.bytes.saturating_add(
            activity.transfers.bytes.get(item - activity.kernels.len()).copied().unwrap_or(0),
        );
        group.gpu_time_ns = group.gpu_time_ns.saturating_add(span.length());
        let api_time_ns = classified.call_of(item).map_or(0, |call| call.span.length());
        group.api_time_ns = group.api_time_ns.saturating_add(api_time_ns);
    }
    groups.retain(|group| group.count > 0);
    groups
}

/// Copies of one kind and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EqualCopies {
    /// Where from and to.
    pub kind: CopyKind,
    /// Bytes of each.
    pub bytes: u64,
    /// Number.
    pub count: u64,
    /// Plain sum of their lengths on the GPU.
    pub gpu_time_ns: Ns,
    /// Plain sum of the lengths of their calls, once per copy.
    pub api_time_ns: Ns,
}

/// The copies of at most some bytes that start in a range and `is_meant`, whole, by kind and size in ascending order. A copy is
/// given by its row.
#[must_use]
pub(crate) fn equal_copies(
    classified: &Classified<'_>,
    range: Span,
    most_bytes: u64,
    is_meant: impl Fn(usize) -> bool,
) -> Vec<EqualCopies> {
    let activity = classified.activity();
    let mut groups: BTreeMap<(CopyKind, u64), EqualCopies> = BTreeMap::new();
    for item in activity.starting_in(activity.kernels.len()..activity.work.len(), range) {
        let bytes = activity.transfers.bytes.get(item - activity.kernels.len()).copied().unwrap_or(0);
        let (kind, _) = kind_and_memory(classified, item);
        if bytes > most_bytes || kind == CopyKind::Memset || !is_meant(item) {
            continue;
        }
        let none = EqualCopies { kind, bytes, count: 0, gpu_time_ns: 0, api_time_ns: 0 };
        let group = groups.entry((kind, bytes)).or_insert(none);
        group.count += 1;
        group.gpu_time_ns = group.gpu_time_ns.saturating_add(activity.work.span[item].length());
        let api_time_ns = classified.call_of(item).map_or(0, |call| call.span.length());
        group.api_time_ns = group.api_time_ns.saturating_add(api_time_ns);
    }
    groups.into_values().collect()
}

/// Copies of a kind that start in a range: plain sum of their lengths on the GPU, by the text of the innermost range of the program
/// that is open on the thread of their call and is no op of PyTorch; none outside all ranges.
#[must_use]
pub(crate) fn copies_by_range(
    classified: &Classified<'_>,
    range: Span,
    kind: CopyKind,
) -> BTreeMap<StrId, Ns> {
    let activity = classified.activity();
    // An op of PyTorch that copies, such as `aten::copy_`, says no more than the copy itself.
    let all = activity.starting_in(activity.kernels.len()..activity.work.len(), range);
    let of_kind = all.filter(|&item| kind_and_memory(classified, item).0 == kind);
    let copies: Vec<(usize, Option<Call>)> = of_kind.map(|item| (item, classified.call_of(item))).collect();
    let asked = copies.iter().filter_map(|(_, call)| call.map(|call| (call.thread, call.span.start)));
    let mut ranges = RangeAt::new(classified, |text| !text.starts_with("aten::"), asked);
    let mut sums: BTreeMap<StrId, Ns> = BTreeMap::new();
    for (item, call) in copies {
        let text = call.map_or(StrId::NONE, |call| ranges.text(call.thread, call.span.start));
        let sum = sums.entry(text).or_default();
        *sum = sum.saturating_add(activity.work.span[item].length());
    }
    sums
}

/// How copies from or to pageable memory use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageableUse {
    /// Bytes of all of them.
    pub(crate) bytes: u64,
    /// Bytes of the copies of whose kind and size there are several, with a kernel between the first and the last: they may use
    /// the same memory. The parameters of a model are copied one after the other, and some have equal sizes.
    pub(crate) repeated_bytes: u64,
    /// Number of processes that make these copies; 1 if no call is known.
    pub(crate) processes: usize,
}

/// How the copies from or to pageable memory use it that are meant and start in a range.
#[must_use]
pub(crate) fn pageable_use(
    classified: &Classified<'_>,
    range: Span,
    is_meant: impl Fn(usize) -> bool,
) -> PageableUse {
    let activity = classified.activity();
    let mut copies: BTreeMap<(CopyKind, u64), (u64, Span)> = BTreeMap::new();
    let mut processes = BTreeSet::new();
    for item in activity.starting_in(activity.kernels.len()..activity.work.len(), range) {
        let (kind, memory) = kind_and_memory(classified, item);
        if memory == HostMemory::Pageable && is_meant(item) {
            let bytes = activity.transfers.bytes.get(item - activity.kernels.len()).copied().unwrap_or(0);
            let start = activity.work.span[item].start;
            let (count, reach) = copies.entry((kind, bytes)).or_insert((0, Span::new(start, start)));
            *count += 1;
            *reach = Span::new(reach.start.min(start), reach.end.max(start));
            processes.extend(classified.call_of(item).and_then(|call| classified.process(call.thread)));
        }
    }
    let runs_between = |reach: Span| activity.starting_in(0..activity.kernels.len(), reach).next().is_some();
    let mut used = PageableUse { bytes: 0, repeated_bytes: 0, processes: processes.len().max(1) };
    for ((_, bytes), (count, reach)) in copies {
        let bytes = bytes.saturating_mul(count);
        used.bytes = used.bytes.saturating_add(bytes);
        if runs_between(reach) {
            used.repeated_bytes = used.repeated_bytes.saturating_add(bytes);
        }
    }
    used
}

pub(super) fn kind_and_memory(classified: &Classified<'_>, item: usize) -> (CopyKind, HostMemory) {
    let activity = classified.activity();
    let copy = item - activity.kernels.len();
    if copy >= activity.copies.len() {
        return (CopyKind::Memset, HostMemory::None);
    }
    let kind = activity.copies.kind.get(copy).map_or(CopyKind::Unknown, |&kind| CopyKind::of(kind));
    let side = match kind {
        CopyKind::HtoD | CopyKind::HtoA => &activity.copies.source_memory,
        CopyKind::DtoH | CopyKind::AtoH => &activity.copies.target_memory,
        _ => return (kind, HostMemory::None),
    };
    (kind, side.get(copy).map_or(HostMemory::Unknown, |&memory| HostMemory::of(memory)))
}

fn mode(classified: &Classified<'_>, call: Option<ApiCallId>) -> CopyMode {
    match call.map(|call| classified.function(call)) {
        None => CopyMode::None,
        Some(function) if function.is_async || function.class == ApiClass::Launch => CopyMode::Async,
        Some(_) => CopyMode::Sync,
    }
}
