//! Table `engine_modules`: kernel time of inference servers by module of the model.

use super::declaration::{Declaration, RowTable};
use super::engine_steps::lane;
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::ids::ThreadId;
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use crate::serving::ModuleTime;
use std::sync::LazyLock;

/// A module of a lane.
#[derive(Debug, Clone)]
pub(crate) struct EngineModuleRow {
    thread: ThreadId,
    kernel_ns: Ns,
    module: ModuleTime,
}

static COLUMNS: LazyLock<Vec<Column<EngineModuleRow>>> = LazyLock::new(|| {
    vec![
        lane(|p, row: &EngineModuleRow| p.capture.thread_in_words(row.thread).into()),
        Column::text(
            "module",
            "Module",
            "Its name, with `*` for the number of the layer; Python frames by class, below those around them.",
            |_, row| row.module.name.as_str().into(),
        ),
        Column::int(
            "kernel_gpu_time_ns",
            "Kernel GPU Time",
            Unit::Nanoseconds,
            "Plain sum of the durations of its kernels.",
            |_, row| row.module.total_ns.into(),
        ),
        Column::float(
            "kernel_time_percent",
            "Kernel Time %",
            Unit::Percent,
            "Of the time of all kernels of the steps.",
            |_, row| percent(row.module.total_ns, row.kernel_ns).into(),
        ),
        Column::int("kernel_calls", "Total Kernels", Unit::None, "Kernels.", |_, row| {
            row.module.kernels.into()
        }),
        Column::int(
            "layers",
            "Layers",
            Unit::None,
            "Layers with kernels; 0 where the name has no number.",
            |_, row| row.module.layers.into(),
        ),
        Column::int(
            "smallest_layer",
            "Smallest Layer",
            Unit::None,
            "The number of the layer with least kernel time.",
            |_, row| row.module.smallest.map(|layer| layer.layer).into(),
        ),
        Column::int(
            "smallest_layer_ns",
            "Smallest Layer Time",
            Unit::Nanoseconds,
            "The kernel time of that layer.",
            |_, row| row.module.smallest.map(|layer| layer.total_ns).into(),
        ),
        Column::int(
            "largest_layer",
            "Largest Layer",
            Unit::None,
            "The number of the layer with most kernel time.",
            |_, row| row.module.largest.map(|layer| layer.layer).into(),
        ),
        Column::int(
            "largest_layer_ns",
            "Largest Layer Time",
            Unit::Nanoseconds,
            "The kernel time of that layer.",
            |_, row| row.module.largest.map(|layer| layer.total_ns).into(),
        ),
        Column::int(
            "median_layer_ns",
            "Median Layer Time",
            Unit::Nanoseconds,
            "The median kernel time of the layers.",
            |_, row| (row.module.layers > 0).then_some(row.module.median_ns).into(),
        ),
    ]
});

/// Table `engine_modules`.
pub(crate) static TABLE: Declaration<EngineModuleRow> = Declaration {
    key: "engine_modules",
    title: "Engine Modules",
    doc: "A row per module of the model of an inference server, with its layers as one: the time of the kernels that it launched in \
          steps, over the whole capture. Kernels without a module have no row.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["module", "kernel_gpu_time_ns", "kernel_time_percent"],
        second: &["layers", "largest_layer", "largest_layer_ns", "median_layer_ns"],
        order: &["lane", "-kernel_gpu_time_ns", "module"],
        ..Layout::PLAIN
    },
};

/// Table `engine_modules` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<EngineModuleRow> {
    let rows = profile.serving().lanes.iter().flat_map(|lane| {
        let of_lane = |module: &ModuleTime| EngineModuleRow {
            thread: lane.thread,
            kernel_ns: lane.modules.kernel_ns,
            module: module.clone(),
        };
        lane.modules.rows.iter().map(of_lane)
    });
    TABLE.with(profile, rows.collect())
}
