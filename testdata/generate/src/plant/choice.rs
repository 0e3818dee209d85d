//! What to plant: the values of `--plant`.

use crate::trace::Ns;
use serde::Serialize;

/// Something that a planted capture holds in known amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Planted {
    /// Idle time of a cause.
    Idle(IdleCause),
    /// A compute kernel, a communication kernel and a copy, each of which covers a part of the next.
    Overlap,
    /// Copies and memsets of all usual kinds.
    Copies,
    /// Launches of a thread without ranges while the main thread waits inside one.
    Loose,
    /// CPU samples, scheduling and a call of the operating system while the GPU waits.
    Host,
    /// Allocations and frees of memory.
    Memory,
    /// Samples of the counters of GPUs.
    Metrics,
    /// Kernels of known occupancy, waves and losses.
    Kernels,
    /// One GPU more, which works only at the start and at the end.
    IdleGpu,
    /// One GPU more, which never works.
    UnusedGpu,
    /// Launches far ahead of the GPU; planted alone.
    Ahead,
}

/// A cause of idle time that can be planted by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IdleCause {
    /// Queued items follow each other.
    Turnaround,
    /// A launch is in flight.
    Launch,
    /// A launch that takes longer than launching does.
    SlowLaunch,
    /// A call that waits for the GPU.
    Sync,
    /// A call that copies.
    Copy,
    /// A call that allocates.
    Allocation,
    /// A call that loads code.
    Setup,
    /// Another call.
    Api,
    /// A range that loads data.
    DataLoading,
    /// An MPI call or a range of NCCL.
    Communication,
    /// A long wait outside ops.
    InputWait,
    /// Reading outside ops.
    Io,
    /// Sleeping.
    OsCall,
    /// Another range.
    HostRange,
    /// Nothing, between two calls that follow each other soon.
    HostIssue,
    /// An item that waits for an event.
    Dependency,
    /// An item that could start and does not.
    Stall,
    /// Work of the profiler.
    Profiler,
    /// Nothing that the capture shows.
    Unknown,
    /// An item without API call.
    NoApiCall,
    /// Before the first and after the last item.
    Edge,
}

/// All that can be planted: its name, what it is, and the amount if none is given; 0 of what has no amount.
const CHOICES: [(&str, Planted, Ns); 31] = [
    ("turnaround", Planted::Idle(IdleCause::Turnaround), 24_000),
    ("launch", Planted::Idle(IdleCause::Launch), 60_000),
    ("slow-launch", Planted::Idle(IdleCause::SlowLaunch), 150_000),
    ("sync", Planted::Idle(IdleCause::Sync), 90_000),
    ("copy", Planted::Idle(IdleCause::Copy), 70_000),
    ("allocation", Planted::Idle(IdleCause::Allocation), 110_000),
    ("setup", Planted::Idle(IdleCause::Setup), 130_000),
    ("api", Planted::Idle(IdleCause::Api), 30_000),
    ("data-loading", Planted::Idle(IdleCause::DataLoading), 300_000),
    ("communication", Planted::Idle(IdleCause::Communication), 140_000),
    ("input-wait", Planted::Idle(IdleCause::InputWait), 250_000),
    ("io", Planted::Idle(IdleCause::Io), 80_000),
    ("os-call", Planted::Idle(IdleCause::OsCall), 75_000),
    ("host-range", Planted::Idle(IdleCause::HostRange), 65_000),
    ("host-issue", Planted::Idle(IdleCause::HostIssue), 55_000),
    ("dependency", Planted::Idle(IdleCause::Dependency), 45_000),
    ("stall", Planted::Idle(IdleCause::Stall), 85_000),
    ("profiler", Planted::Idle(IdleCause::Profiler), 95_000),
    ("unknown", Planted::Idle(IdleCause::Unknown), 105_000),
    ("no-api-call", Planted::Idle(IdleCause::NoApiCall), 35_000),
    ("edge", Planted::Idle(IdleCause::Edge), 115_000),
    ("overlap", Planted::Overlap, 40_000),
    ("copies", Planted::Copies, 1 << 20),
    ("loose", Planted::Loose, 50_000),
    ("host", Planted::Host, 400_000),
    ("memory", Planted::Memory, 1 << 24),
    ("metrics", Planted::Metrics, 0),
    ("kernels", Planted::Kernels, 60_000),
    ("idle-gpu", Planted::IdleGpu, 50_000),
    ("unused-gpu", Planted::UnusedGpu, 0),
    ("ahead", Planted::Ahead, 40_000),
];

/// One planted thing and its amount.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Plant {
    /// What.
    pub(crate) what: Planted,
    /// The amount; nanoseconds unless the thing has another unit.
    pub(crate) value: Ns,
}

/// The planted things that one value of `--plant` asks for.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct PlantChoice(pub(crate) Vec<Plant>);

/// Reads `NAME` or `NAME=VALUE`.
pub(crate) fn plant_choice(text: &str) -> Result<PlantChoice, String> {
    if text == "all" {
        let together = CHOICES.iter().filter(|(_, what, _)| *what != Planted::Ahead);
        return Ok(PlantChoice(together.map(|&(_, what, value)| Plant { what, value }).collect()));
    }
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let Some(&(_, what, default)) = CHOICES.iter().find(|(known, _, _)| *known == name) else {
        let names: Vec<&str> = CHOICES.iter().map(|(name, _, _)| *name).collect();
        return Err(format!("`{name}` cannot be planted; known are all, {}", names.join(", ")));
    };
    let value = match value.map(str::parse::<Ns>) {
        None => default,
        Some(_) if default == 0 => return Err(format!("`{name}` has no amount")),
        Some(Ok(value)) if (LEAST..=MOST).contains(&value) => value,
        Some(_) => return Err(format!("expected a number from {LEAST} to {MOST}")),
    };
    Ok(PlantChoice(vec![Plant { what, value }]))
}

/// The least amount.
const LEAST: Ns = 12_000;
/// The largest amount.
const MOST: Ns = 1_000_000_000;
