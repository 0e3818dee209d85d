//! Table `gpus`: one row per GPU.

use super::shared::{self, WithResources};
use super::table::{Column, RowTable, Unit};
use crate::aggregate::Profile;
use crate::aggregate::{DeviceStats, Resources};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `gpus`.
pub static COLUMNS: LazyLock<Vec<Column<DeviceStats>>> = LazyLock::new(|| {
    let mut columns = vec![
        Column::int(
            "device_id",
            "Device ID",
            Unit::None,
            "Number of the GPU on the machine.",
            |p, row: &DeviceStats| p.trace.devices[row.device.index()].device_id.into(),
        ),
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
    ];
    columns.extend(shared::resources());
    columns
});

/// Table `gpus`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, DeviceStats> {
    let rows = Cow::Borrowed(profile.devices.as_slice());
    RowTable { key: "gpus", title: "GPUs", columns: &COLUMNS, profile, rows }
}

impl WithResources for DeviceStats {
    fn resources(&self, _: &Profile<'_>) -> Resources {
        self.resources
    }
}
