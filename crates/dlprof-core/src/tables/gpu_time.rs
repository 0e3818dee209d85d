//! Table `gpu_time`: what each GPU did in each aggregated iteration, used or not.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::place::{self, InWindow, OnDevice};
use super::table::{Column, Unit};
use crate::base::ids::DeviceId;
use crate::figures::activity::GpuTime;
use crate::figures::profile::{DeviceWindow, Profile};
use std::sync::LazyLock;

/// Columns of table `gpu_time`.
static COLUMNS: LazyLock<Vec<Column<DeviceWindow>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<DeviceWindow>> = vec![place::window_iteration(), place::device_id()];
    columns.extend(busy());
    columns.extend(idle());
    columns.extend(gaps());
    let is_length = |column: &Column<DeviceWindow>| column.header.key == "length_ns";
    let place = 2;
    columns
        .iter_mut()
        .skip(place)
        .filter(|column| !is_length(column))
        .for_each(|column| *column = column.of_gpu());
    columns
});

/// Table `gpu_time`.
pub static TABLE: Declaration<DeviceWindow> = Declaration {
    key: "gpu_time",
    title: "GPU Time",
    doc: "A row per aggregated iteration and GPU: busy, exposed and idle time. Where there are more than 100,000 such pairs and \
        more than four for each piece of GPU work, iterations before the first work of a GPU and after its last are left out.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["iteration", "device_id", "busy_ns", "idle_ns"],
        second: &[
            "compute_ns",
            "communication_ns",
            "exposed_communication_ns",
            "copy_ns",
            "exposed_copy_ns",
            "length_ns",
            "longest_gap_ns",
            "gaps",
        ],
        order: &["iteration", "device_id"],
        parts: &[
            ("compute_ns", "computing"),
            ("exposed_communication_ns", "communication, exposed"),
            ("exposed_copy_ns", "copies, exposed"),
        ],
        views: &[(
            "gpu_time",
            &[
                "iteration",
                "busy_ns",
                "device_id",
                "idle_ns",
                "compute_ns",
                "communication_ns",
                "exposed_communication_ns",
                "copy_ns",
                "exposed_copy_ns",
                "gaps",
                "longest_gap_ns",
            ],
        )],
        ..Layout::PLAIN
    },
};

/// Table `gpu_time` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<DeviceWindow> {
    let rows = TABLE.with(profile, profile.device_windows());
    rows.where_gpu_is_known(|p, row| {
        p.knows_gpu_work_in(p.iteration_of_window(row.window)) && p.knows_work_of(row.device)
    })
}

impl InWindow for DeviceWindow {
    fn window(&self) -> usize {
        self.window
    }
}

impl OnDevice for DeviceWindow {
    fn device(&self) -> DeviceId {
        self.device
    }
}

fn time(profile: &Profile, row: &DeviceWindow) -> GpuTime {
    profile.gpu_times().at(row.device.index(), row.window)
}

macro_rules! ns {
    ($key:literal, $title:literal, $doc:literal, |$time:ident| $value:expr) => {
        Column::int($key, $title, Unit::Nanoseconds, $doc, |profile, row: &DeviceWindow| {
            let $time = time(profile, row);
            $value.into()
        })
    };
}

fn busy() -> [Column<DeviceWindow>; 8] {
    [
        ns!("length_ns", "Length", "Length of the iteration.", |time| time.length_ns),
        ns!("busy_ns", "Busy", "Time covered by any kernel, copy or memset.", |time| time.busy_ns),
        ns!("idle_ns", "Idle", "Time without any.", |time| time.idle_ns()),
        ns!(
            "compute_ns",
            "Compute",
            "Time covered by kernels that do not exchange data between GPUs; whole graph launches are among them.",
            |time| time.compute_ns
        ),
        ns!(
            "communication_ns",
            "Communication",
            "Time covered by kernels that exchange data between GPUs.",
            |time| time.communication_ns
        ),
        ns!("copy_ns", "Copy", "Time covered by copies and memsets.", |time| time.copy_ns),
        ns!(
            "exposed_communication_ns",
            "Exposed Communication",
            "Communication while no other kernel ran.",
            |time| time.exposed_communication_ns
        ),
        ns!("exposed_copy_ns", "Exposed Copy", "Copies and memsets while no kernel ran.", |time| {
            time.exposed_copy_ns
        }),
    ]
}

fn idle() -> [Column<DeviceWindow>; 5] {
    [
        ns!(
            "drained_by_sync_ns",
            "Drained by Sync",
            "Idle time after the start of a wait for the GPU that ended before the next launch began.",
            |time| time.idle.drained_by_sync_ns
        ),
        ns!(
            "sync_cost_ns",
            "Sync Cost",
            "Of the time drained by waits, what waiting and launching again took.",
            |time| time.idle.sync_cost_ns
        ),
        ns!(
            "sync_cost_short_gaps_ns",
            "Sync Cost in Short Gaps",
            "Of the cost of waits, what lies in gaps shorter than 1 ms.",
            |time| time.idle.sync_cost_short_gaps_ns
        ),
        ns!(
            "cpu_in_short_gaps_ns",
            "CPU in Short Gaps",
            "Idle time in gaps shorter than 1 ms in which the host launched or was on its way to it.",
            |time| time.idle.cpu_in_short_gaps_ns
        ),
        ns!("cpu_in_long_gaps_ns", "CPU in Long Gaps", "The same in longer gaps.", |time| {
            time.idle.cpu_in_long_gaps_ns
        }),
    ]
}

fn gaps() -> [Column<DeviceWindow>; 2] {
    [
        Column::int(
            "gaps",
            "Gaps",
            Unit::None,
            "Gaps between the first and the last work of the GPU that reach into the iteration.",
            |profile, row| time(profile, row).idle.gaps.into(),
        ),
        ns!("longest_gap_ns", "Longest Gap", "The longest part of a gap inside the iteration.", |time| {
            time.idle.longest_gap_ns
        }),
    ]
}
