//! Table `gpu_allocations`: allocations of the whole capture by GPU and kind of memory.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::place::{self, OnDevice};
use super::table::{Column, Unit};
use crate::base::ids::DeviceId;
use crate::figures::gpu_memory::memory_kind_name;
use crate::figures::profile::{KindAllocations, Profile};
use std::sync::LazyLock;

/// Columns of table `gpu_allocations`.
static COLUMNS: LazyLock<Vec<Column<KindAllocations>>> = LazyLock::new(|| {
    vec![
        place::device_id(),
        Column::text(
            "memory_kind",
            "Kind",
            "Kind of memory, such as `device`, `managed` or, on the host, `pinned`.",
            |_, row: &KindAllocations| memory_kind_name(row.kind).into(),
        ),
        Column::int("allocations", "Allocations", Unit::None, "Number of allocations.", |_, row| {
            row.total.allocations.into()
        }),
        Column::int("allocated_bytes", "Allocated", Unit::Bytes, "Bytes of the allocations.", |_, row| {
            row.total.allocated_bytes.into()
        }),
        Column::int("frees", "Frees", Unit::None, "Number of times that memory was given back.", |_, row| {
            row.total.frees.into()
        }),
        Column::int("freed_bytes", "Freed", Unit::Bytes, "Bytes that were given back.", |_, row| {
            row.total.freed_bytes.into()
        }),
    ]
});

/// Table `gpu_allocations`.
pub(crate) static TABLE: Declaration<KindAllocations> = Declaration {
    key: "gpu_allocations",
    title: "GPU Allocations",
    doc: "A row per GPU and kind of memory, over the whole capture.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["device_id", "memory_kind", "allocated_bytes"],
        second: &["allocations", "freed_bytes", "frees"],
        ..Layout::PLAIN
    },
};

/// Table `gpu_allocations` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<KindAllocations> {
    TABLE.with(profile, profile.allocations())
}

impl OnDevice for KindAllocations {
    fn device(&self) -> DeviceId {
        self.device
    }
}
