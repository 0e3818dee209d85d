//! Table `gpus`: one row per GPU.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::DeviceStats;
use crate::aggregate::Profile;
use std::borrow::Cow;

/// Columns of table `gpus`.
pub static COLUMNS: &[Column<DeviceStats>] = &[
    Column::int("device_id", "Device ID", Unit::None, "Number of the GPU on the machine.", |p, row| {
        p.trace.devices[row.device.index()].device_id.into()
    }),
    Column::text("gpu_name", "Name", "Product name; empty if unknown.", |p, row| {
        p.trace.devices[row.device.index()].name.as_deref().into()
    }),
    Column::text("compute_capability", "Compute Capability", "Major and minor number.", |p, row| {
        p.trace.devices[row.device.index()]
            .compute_capability
            .map(|(major, minor)| format!("{major}.{minor}"))
            .into()
    }),
    Column::int("sm_count", "SM Count", Unit::None, "Streaming multiprocessors.", |p, row| {
        p.trace.devices[row.device.index()].sm_count.into()
    }),
    Column::int("memory_bytes", "Memory", Unit::Bytes, "Size of its memory.", |p, row| {
        p.trace.devices[row.device.index()].memory_bytes.into()
    }),
    Column::float(
        "gpu_utilization_percent",
        "GPU Utilization",
        Unit::Percent,
        "Share of the wall clock with a kernel running.",
        |_, row| row.utilization_percent.into(),
    ),
    Column::int(
        "tc_kernel_ns",
        "TC Kernels",
        Unit::Nanoseconds,
        "Time with a kernel running that uses Tensor Cores.",
        |_, row| row.resources.tc_kernel_ns.into(),
    ),
    Column::int(
        "non_tc_kernel_ns",
        "Non-TC Kernels",
        Unit::Nanoseconds,
        "Time with another kernel running.",
        |_, row| row.resources.non_tc_kernel_ns.into(),
    ),
    Column::int(
        "memory_ns",
        "Memory",
        Unit::Nanoseconds,
        "Time with only copies or memsets running.",
        |_, row| row.resources.memory_ns.into(),
    ),
    Column::int(
        "dataloader_ns",
        "Dataloader",
        Unit::Nanoseconds,
        "Time without GPU work in the data loader.",
        |_, row| row.resources.dataloader_ns.into(),
    ),
    Column::int("io_ns", "I/O", Unit::Nanoseconds, "Time in I/O.", |_, row| row.resources.io_ns.into()),
    Column::int("cpu_ns", "CPU", Unit::Nanoseconds, "Time without GPU work in an op.", |_, row| {
        row.resources.cpu_ns.into()
    }),
    Column::int("other_ns", "Other", Unit::Nanoseconds, "The rest.", |_, row| row.resources.other_ns.into()),
];

/// Table `gpus`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, DeviceStats> {
    let rows = Cow::Borrowed(profile.devices.as_slice());
    RowTable { key: "gpus", title: "GPUs", columns: COLUMNS, profile, rows }
}
