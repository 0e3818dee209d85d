//! Table `gpu_memory`: memory in use by aggregated iteration and GPU.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::place::{self, InWindow, OnDevice};
use super::table::{Column, Unit};
use crate::base::ids::DeviceId;
use crate::figures::gpu_memory::GpuMemory;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `gpu_memory`.
static COLUMNS: LazyLock<Vec<Column<GpuMemory>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<GpuMemory>> = vec![place::window_iteration(), place::device_id()];
    columns.extend(in_use());
    columns.extend(changes());
    columns
});

/// Table `gpu_memory`.
pub(crate) static TABLE: Declaration<GpuMemory> = Declaration {
    key: "gpu_memory",
    title: "GPU Memory",
    doc: "A row per aggregated iteration and GPU with recorded allocations.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["iteration", "device_id", "peak_bytes"],
        second: &["peak_percent", "mean_bytes", "end_bytes", "allocations", "frees", "allocated_bytes"],
        order: &["iteration", "device_id"],
        ..Layout::PLAIN
    },
};

/// Table `gpu_memory` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<GpuMemory> {
    TABLE.with(profile, profile.gpu_memory())
}

impl InWindow for GpuMemory {
    fn window(&self) -> usize {
        self.window
    }
}

impl OnDevice for GpuMemory {
    fn device(&self) -> DeviceId {
        self.device
    }
}

fn in_use() -> [Column<GpuMemory>; 4] {
    [
        Column::int(
            "peak_bytes",
            "Peak",
            Unit::Bytes,
            "Most memory in use at a time; what was allocated before the capture is unknown and counts as none.",
            |_, row| row.peak_bytes.into(),
        ),
        Column::float(
            "peak_percent",
            "Peak Share",
            Unit::Percent,
            "The peak, of the memory of the GPU; empty if that is unknown.",
            |p, row| p.memory_peak_percent(row).into(),
        ),
        Column::float(
            "mean_bytes",
            "Mean",
            Unit::Bytes,
            "Memory in use, averaged over the time of the iteration.",
            |_, row| row.mean_bytes.into(),
        ),
        Column::int(
            "end_bytes",
            "End",
            Unit::Bytes,
            "Memory in use at the end of the iteration.",
            |_, row| row.end_bytes.into(),
        ),
    ]
}

fn changes() -> [Column<GpuMemory>; 3] {
    [
        Column::int("allocations", "Allocations", Unit::None, "Number of allocations.", |_, row| {
            row.allocations.into()
        }),
        Column::int("frees", "Frees", Unit::None, "Number of times that memory was given back.", |_, row| {
            row.frees.into()
        }),
        Column::int("allocated_bytes", "Allocated", Unit::Bytes, "Bytes of the allocations.", |_, row| {
            row.allocated_bytes.into()
        }),
    ]
}
