//! Columns of table `kernels` about how a kernel was launched and how it fills its GPU.

use super::table::{Column, Unit};
use crate::base::time::Ns;
use crate::figures::profile::{KernelLaunch, Profile};

/// What a block takes.
pub(super) fn resources() -> [Column<KernelLaunch>; 2] {
    [
        Column::int(
            "registers_per_thread",
            "Registers per Thread",
            Unit::None,
            "Registers of a thread; empty if unknown.",
            |p, row| p.capture.launch_config(row.kernel).registers.into(),
        ),
        Column::int(
            "shared_bytes",
            "Shared Memory",
            Unit::Bytes,
            "Static and dynamic shared memory of a block; empty if unknown.",
            |p, row| p.capture.launch_config(row.kernel).shared_bytes().into(),
        ),
    ]
}

/// How a kernel was launched.
pub(super) fn launch() -> [Column<KernelLaunch>; 3] {
    [
        Column::int(
            "launch_latency_ns",
            "Launch Latency",
            Unit::Nanoseconds,
            "From the start of the API call to the start of the kernel; empty without a call or if the kernel starts before it.",
            |p, row| p.launch_of(row.kernel).and_then(|launch| launch.latency_ns).into(),
        ),
        Column::int(
            "queue_ns",
            "Queue Time",
            Unit::Nanoseconds,
            "From the end of the API call to the start of the kernel; empty without a call or if the kernel starts before its \
             end.",
            |p, row| p.launch_of(row.kernel).and_then(|launch| launch.queue_ns).into(),
        ),
        Column::int(
            "start_delay_ns",
            "Start Delay",
            Unit::Nanoseconds,
            "What launching alone cost; empty without an API call.",
            |p, row| p.start_delay_ns(row.kernel).into(),
        ),
    ]
}

pub(super) fn fill() -> [Column<KernelLaunch>; 6] {
    [
        Column::int(
            "blocks_per_sm",
            "Blocks per SM",
            Unit::None,
            "Blocks that fit a multiprocessor at a time; 0 of a kernel that could not run, empty if unknown.",
            |p, row| p.launch_fill(row.kernel).occupancy.map(|occupancy| occupancy.blocks_per_sm).into(),
        ),
        Column::float(
            "occupancy_percent",
            "Occupancy",
            Unit::Percent,
            "Warps that fit a multiprocessor at a time, of the most that it could hold; empty if unknown.",
            |p, row| p.launch_fill(row.kernel).occupancy.map(|occupancy| occupancy.percent()).into(),
        ),
        Column::text(
            "limited_by",
            "Limited by",
            "What limits the occupancy: `warps`, `registers`, `shared`, `blocks`.",
            |p, row| {
                let occupancy = p.launch_fill(row.kernel).occupancy;
                occupancy.map(|occupancy| occupancy.limited_by.words_on(p.capture.recorder.vendor)).into()
            },
        ),
        Column::float(
            "waves",
            "Waves",
            Unit::None,
            "Rounds in which the GPU works off the blocks; empty if unknown.",
            |p, row| p.launch_fill(row.kernel).waves.map(|waves| waves.waves).into(),
        ),
        Column::int(
            "tail_loss_ns",
            "Tail Loss at Most",
            Unit::Nanoseconds,
            "Time that belongs to empty places of the last round, rounded down; blocks that share an SM run faster beside fewer \
             others, so that less is lost; empty if unknown.",
            |p, row| {
                p.launch_fill(row.kernel).waves.map(|waves| waves.tail.of_duration(duration(p, row))).into()
            },
        ),
        Column::int(
            "underfill_loss_ns",
            "Underfill Loss",
            Unit::Nanoseconds,
            "Time lost because there are fewer blocks than multiprocessors, rounded down; empty if unknown.",
            |p, row| {
                p.launch_fill(row.kernel)
                    .waves
                    .map(|waves| waves.underfill.of_duration(duration(p, row)))
                    .into()
            },
        ),
    ]
}

fn duration(profile: &Profile, row: &KernelLaunch) -> Ns {
    profile.capture.work.span[row.kernel].length()
}

pub(super) fn attribution() -> Column<KernelLaunch> {
    Column::text(
        "attribution",
        "Attribution",
        "How the kernel finds its range: `own`, `by_time`, `none` or `no_call`.",
        |p, row| p.attribution(row.kernel).as_str().into(),
    )
}
