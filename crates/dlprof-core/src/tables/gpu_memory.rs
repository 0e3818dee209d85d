//! Table `gpu_memory`: memory in use by aggregated iteration and GPU.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::place::{self, InWindow, OnDevice};
use super::table::{Column, Unit};
use crate::base::ids::DeviceId;
use crate::figures::gpu_memory::GpuMemory;
use crate::figures::profile::Profile;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Columns of table `gpu_memory`.
static COLUMNS: LazyLock<Vec<Column<MemoryRow>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<MemoryRow>> = vec![place::window_iteration(), place::device_id()];
    columns.extend(in_use());
    columns.extend(changes());
    columns
});

/// Table `gpu_memory`.
pub(crate) static TABLE: Declaration<MemoryRow> = Declaration {
    key: "gpu_memory",
    title: "GPU Memory",
    doc: "A row per aggregated iteration and GPU with recorded allocations.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["iteration", "device_id", "peak_bytes"],
        second: &[
            "end_bytes",
            "growth_bytes",
            "peak_percent",
            "mean_bytes",
            "allocations",
            "frees",
            "allocated_bytes",
        ],
        order: &["iteration", "device_id"],
        ..Layout::PLAIN
    },
};

/// Table `gpu_memory` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<MemoryRow> {
    TABLE.with(profile, rows(profile.gpu_memory()))
}

/// Memory in use during an iteration, and what it grew by since the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryRow {
    memory: GpuMemory,
    /// None in the first aggregated iteration.
    growth_bytes: Option<i64>,
}

fn rows(memory: Vec<GpuMemory>) -> Vec<MemoryRow> {
    let mut ends: BTreeMap<DeviceId, i64> = BTreeMap::new();
    let row = |memory: GpuMemory| {
        let first = ends.get(&memory.device).copied();
        ends.entry(memory.device).or_insert(memory.end_bytes);
        MemoryRow { memory, growth_bytes: first.map(|first| memory.end_bytes.saturating_sub(first)) }
    };
    memory.into_iter().map(row).collect()
}

impl InWindow for MemoryRow {
    fn window(&self) -> usize {
        self.memory.window
    }
}

impl OnDevice for MemoryRow {
    fn device(&self) -> DeviceId {
        self.memory.device
    }
}

fn in_use() -> [Column<MemoryRow>; 5] {
    [
        Column::int(
            "peak_bytes",
            "Peak",
            Unit::Bytes,
            "Most memory in use at a time; what was allocated before the capture is unknown and counts as none.",
            |_, row| row.memory.peak_bytes.into(),
        ),
        Column::float(
            "peak_percent",
            "Peak Share",
            Unit::Percent,
            "The peak, of the memory of the GPU; empty if that is unknown.",
            |p, row| p.memory_peak_percent(&row.memory).into(),
        ),
        Column::float(
            "mean_bytes",
            "Mean",
            Unit::Bytes,
            "Memory in use, averaged over the time of the iteration.",
            |_, row| row.memory.mean_bytes.into(),
        ),
        Column::int(
            "end_bytes",
            "End",
            Unit::Bytes,
            "Memory in use at the end of the iteration.",
            |_, row| row.memory.end_bytes.into(),
        ),
        Column::int(
            "growth_bytes",
            "Growth",
            Unit::Bytes,
            "`end_bytes` less that of the first aggregated iteration on the same GPU: what memory grew by since; empty in the first.",
            |_, row| row.growth_bytes.into(),
        ),
    ]
}

fn changes() -> [Column<MemoryRow>; 3] {
    [
        Column::int("allocations", "Allocations", Unit::None, "Number of allocations.", |_, row| {
            row.memory.allocations.into()
        }),
        Column::int("frees", "Frees", Unit::None, "Number of times that memory was given back.", |_, row| {
            row.memory.frees.into()
        }),
        Column::int("allocated_bytes", "Allocated", Unit::Bytes, "Bytes of the allocations.", |_, row| {
            row.memory.allocated_bytes.into()
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::rows;
    use crate::base::ids::DeviceId;
    use crate::figures::gpu_memory::GpuMemory;

    #[test]
    fn growth_counts_from_the_first_iteration_of_each_gpu() {
        let of = |window, device, end_bytes| GpuMemory {
            window,
            device: DeviceId::new(device),
            peak_bytes: end_bytes,
            mean_bytes: None,
            end_bytes,
            allocations: 0,
            frees: 0,
            allocated_bytes: 0,
        };
        let memory = [of(0, 0, 100), of(0, 1, 7), of(1, 0, 130), of(1, 1, 7), of(2, 0, 90)];
        let growth: Vec<_> = rows(memory.to_vec()).iter().map(|row| row.growth_bytes).collect();
        assert_eq!(growth, [None, None, Some(30), Some(0), Some(-10)]);
    }
}
