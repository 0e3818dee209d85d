//! Planes of GPUs: their work.

use super::plane::{About, ById, Event, OpStats, Plane};
use super::wire::Malformed;
use crate::base::ids::StrId;
use crate::read::draft::{Draft, Lane, NO_KEY, NOBODY, UNKNOWN_SIZE, WorkRow};
use crate::read::facts::{Device, LaunchConfig, Vendor, WorkKind};
use crate::read::recent::{Recent, quick_hash};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

/// What work says of the op that it is of, by correlation id.
pub(super) struct OpsOfCalls<'a> {
    known: IndexSet<OpStats<'a>, FxBuildHasher>,
    recent: Recent<1024>,
    by_correlation: ById<u32>,
}

impl<'a> OpsOfCalls<'a> {
    pub(super) fn new() -> Self {
        Self { known: IndexSet::default(), recent: Recent::new(), by_correlation: ById::default() }
    }

    /// The place of an op among the known ones.
    pub(super) fn place(&mut self, says: OpStats<'a>) -> u32 {
        let [op, name] = [says.op, says.name].map(|text| quick_hash(text.unwrap_or_default()));
        let hash = op ^ name.rotate_left(1);
        let is_it = |place| self.known.get_index(place) == Some(&says);
        self.recent.find(hash, is_it).unwrap_or_else(|| {
            let place = u32::try_from(self.known.insert_full(says).0).unwrap_or(NOBODY);
            self.recent.remember(hash, place);
            place
        })
    }

    /// The first work of a call counts.
    fn add(&mut self, correlation: i64, says: OpStats<'a>) {
        let place = self.place(says);
        if self.by_correlation.get(correlation).is_none() {
            self.by_correlation.insert(correlation, place);
        }
    }

    pub(super) fn of_call(&self, correlation: i64) -> Option<u32> {
        self.by_correlation.get(correlation).copied()
    }

    pub(super) fn get(&self, place: u32) -> OpStats<'a> {
        self.known.get_index(place as usize).copied().unwrap_or_default()
    }
}

/// The number of the GPU that a plane is about; none of other planes.
pub(super) fn number(plane: &str) -> Option<i64> {
    plane.strip_prefix("/device:GPU:")?.parse().ok().filter(|number| *number >= 0)
}

/// Reads the work of a GPU. Returns who makes it, if the plane says that.
pub(super) fn read<'a>(
    plane: &Plane<'a>,
    number: i64,
    process: i64,
    draft: &mut Draft<'_>,
    ops: &mut OpsOfCalls<'a>,
) -> Result<Option<Vendor>, Malformed> {
    let vendor = match plane.about.vendor {
        Some(b"Nvidia" | b"NVIDIA") => Some(Vendor::Nvidia),
        Some(b"AMD") => Some(Vendor::Amd),
        Some(_) => Some(Vendor::Other),
        None => None,
    };
    let device = draft.device((0, number), || describe(&plane.about, number, vendor));
    let mut known =
        Known { vendor, names: ById::default(), details: IndexMap::default(), recent: Recent::new() };
    for line in plane.lines()? {
        let is_overhead = line.name.contains("overhead");
        let lane = draft.lane(Lane { process, device, stream: line.id, queue: NO_KEY });
        plane.each(&line, |event| match is_overhead {
            true => {
                let name = draft.name(event.name);
                draft.push_overhead(event.span, NOBODY, name);
            }
            false => {
                let (of_op, correlation) = (event.stats.of_op, event.stats.correlation);
                if let Some(correlation) = correlation.filter(|_| of_op.op.is_some()) {
                    ops.add(correlation, of_op);
                }
                let row = known.work(&event, WorkRow::new(kind(&event), event.span, lane), draft);
                draft.push_work(row);
            }
        })?;
    }
    Ok(vendor)
}

/// What was found out about names and texts of a plane, which many events share.
struct Known<'a> {
    vendor: Option<Vendor>,
    /// Of kernels, by the number of the name.
    names: ById<StrId>,
    details: IndexMap<&'a [u8], Details, FxBuildHasher>,
    recent: Recent<1024>,
}

/// What a text about work says.
#[derive(Clone, Copy)]
struct Details {
    config: u32,
    bytes: u64,
}

impl<'a> Known<'a> {
    fn work(&mut self, event: &Event<'a, '_>, row: WorkRow, draft: &mut Draft<'_>) -> WorkRow {
        let stats = &event.stats;
        let is_kernel = row.kind == WorkKind::Kernel;
        let details = self.details(stats.kernel.or(stats.copy).or(stats.memset).unwrap_or_default(), draft);
        WorkRow {
            call: stats.correlation.unwrap_or(NO_KEY),
            name: if is_kernel { self.name(event, draft) } else { StrId::NONE },
            config: if stats.kernel.is_some() { details.config } else { NOBODY },
            bytes: details.bytes,
            copy_kind: if row.kind == WorkKind::Copy { copy_kind(event.name) } else { 0 },
            is_of_graph: stats.is_of_graph,
            ..row
        }
    }

    fn name(&mut self, event: &Event<'a, '_>, draft: &mut Draft<'_>) -> StrId {
        if let Some(&name) = self.names.get(event.id) {
            return name;
        }
        let name = draft.name(event.name.strip_suffix(".kd").unwrap_or(event.name));
        self.names.insert(event.id, name);
        name
    }

    fn details(&mut self, text: &'a [u8], draft: &mut Draft<'_>) -> Details {
        let hash = quick_hash(text);
        let at = |place| self.details.get_index(place);
        let is_it = |place| at(place).is_some_and(|(known, _)| *known == text);
        if let Some((_, &details)) = self.recent.find(hash, is_it).and_then(|place| at(place as usize)) {
            return details;
        }
        let entry = self.details.entry(text);
        self.recent.remember(hash, u32::try_from(entry.index()).unwrap_or(NOBODY));
        *entry.or_insert_with(|| {
            let says = String::from_utf8_lossy(text);
            let value = |key: &str| {
                says.split_whitespace().find_map(|part| part.strip_prefix(key)?.strip_prefix(':'))
            };
            let number = |key: &str| value(key).and_then(|value| value.parse::<i64>().ok());
            let bytes = number("size").or_else(|| number("num_bytes"));
            Details {
                config: draft.config(launch(value, number, self.vendor)),
                bytes: bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(UNKNOWN_SIZE),
            }
        })
    }
}

fn describe(stats: &About<'_>, number: i64, vendor: Option<Vendor>) -> Device {
    let positive = |value: Option<i64>| value.filter(|&value| value > 0);
    let capability = positive(stats.major).zip(stats.minor);
    // XLA gives the architecture of AMD's GPUs as if it was a compute capability.
    let architecture = match (vendor, capability) {
        (Some(Vendor::Amd), Some((9, 4))) => Some("gfx942".to_owned()),
        (Some(Vendor::Amd), Some((9, 5))) => Some("gfx950".to_owned()),
        (Some(Vendor::Amd), Some((major, minor))) => Some(format!("gfx{major}{minor}")),
        _ => None,
    };
    Device {
        device_id: number,
        name: architecture.clone(),
        architecture,
        compute_capability: capability.filter(|_| vendor == Some(Vendor::Nvidia)),
        sm_count: positive(stats.cores),
        memory_bytes: positive(stats.memory),
        clock_hz: positive(stats.clock).map(|khz| khz.saturating_mul(1000)),
        memory_bandwidth: positive(stats.bandwidth),
        ..Device::default()
    }
}

/// What a piece of work is.
fn kind(event: &Event<'_, '_>) -> WorkKind {
    let begins = |starts: &[&str]| {
        let begin =
            |start: &&str| event.name.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
        starts.iter().any(begin)
    };
    if event.stats.kernel.is_some() {
        WorkKind::Kernel
    } else if event.stats.copy.is_some() || begins(&["memcpy", "copyhost", "copydevice"]) {
        WorkKind::Copy
    } else if event.stats.memset.is_some()
        || begins(&["memset"])
        || event.name.to_ascii_lowercase().contains("fillbuffer")
    {
        WorkKind::Memset
    } else {
        WorkKind::Kernel
    }
}

/// CUPTI's number of the direction that the name of a copy says.
fn copy_kind(name: &str) -> u8 {
    let directions = [
        ("H2D", 1),
        ("HostToDevice", 1),
        ("D2H", 2),
        ("DeviceToHost", 2),
        ("D2D", 8),
        ("DeviceToDevice", 8),
        ("P2P", 10),
        ("HostToHost", 9),
    ];
    directions.iter().find(|(part, _)| name.contains(part)).map_or(0, |&(_, kind)| kind)
}

fn launch<'t>(
    value: impl Fn(&str) -> Option<&'t str>,
    number: impl Fn(&str) -> Option<i64>,
    vendor: Option<Vendor>,
) -> LaunchConfig {
    let three = |key: &str| {
        let mut parts = value(key).unwrap_or("1").split(',').map(|part| part.parse().unwrap_or(1));
        std::array::from_fn(|_| parts.next().unwrap_or(1))
    };
    // Older profiles of AMD's GPUs have numbers there that mean nothing.
    let is_told = vendor == Some(Vendor::Nvidia);
    LaunchConfig {
        grid: three("grid"),
        block: three("block"),
        registers: number("regs").filter(|_| is_told),
        static_shared_bytes: number("static_shared").filter(|_| is_told),
        dynamic_shared_bytes: number("dynamic_shared").filter(|_| is_told).or_else(|| number("group_mem")),
        multiprocessors: None,
    }
}
