//! Table `ncu_match`: which launches of logs were joined to which kernels, and how surely.

use super::layout::Layout;
use super::measured_table::{Column, MeasuredDeclaration, MeasuredTable, Origin};
use super::table::{Unit, Value};
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use std::sync::{Arc, LazyLock};

/// Launches of a log with one name and size.
pub(crate) struct Row {
    file: Arc<str>,
    kernel_name: Arc<str>,
    grid: String,
    block: String,
    device: Option<i64>,
    log_launches: u64,
    launches: u64,
    level: &'static str,
    gpu_time_ns: Ns,
}

/// A size for people: three sides, or a total.
pub(super) fn size(sides: Option<[u64; 3]>, total: Option<u64>) -> String {
    match (sides, total) {
        (Some([x, y, z]), _) => format!("{x}x{y}x{z}"),
        (None, Some(total)) => total.to_string(),
        (None, None) => String::new(),
    }
}

/// A text; unknown if empty.
pub(super) fn known(text: &str) -> Value<'_> {
    Some(text).filter(|text| !text.is_empty()).into()
}

/// Columns of table `ncu_match`.
static COLUMNS: LazyLock<Vec<Column<Row>>> = LazyLock::new(|| {
    vec![
        Column::text("file", "Log", "The log.", |_, row: &Row| (&*row.file).into()),
        Column::text("kernel_name", "Kernel Name", "The name as the log spells it.", |_, row| {
            (&*row.kernel_name).into()
        }),
        Column::text("grid", "Grid", "Blocks along x, y and z, or their number.", |_, row| known(&row.grid)),
        Column::text("block", "Block", "Threads of a block along x, y and z, or their number.", |_, row| {
            known(&row.block)
        }),
        Column::int("device_id", "Device ID", Unit::None, "The device in the log.", |_, row| {
            row.device.into()
        }),
        Column::int("log_launches", "In the Log", Unit::None, "Launches in the log.", |_, row| {
            row.log_launches.into()
        }),
        Column::int(
            "launches",
            "In the Capture",
            Unit::None,
            "Launches of this name and size in the whole capture.",
            |_, row| row.launches.into(),
        ),
        Column::text(
            "level",
            "Level",
            "How surely they are the same: `launch`, `summary`, `signature`, `base`, `name` or `none`.",
            |_, row| row.level.into(),
        ),
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "Time of these launches in the whole capture.",
            |_, row| row.gpu_time_ns.into(),
        ),
    ]
});

/// Table `ncu_match`.
pub(crate) static TABLE: MeasuredDeclaration<Row> = MeasuredDeclaration {
    key: "ncu_match",
    title: "Joined Counters",
    doc: "A row per name and size of kernels in the logs of Nsight Compute (`--ncu`), with the launches that the capture has of it.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["kernel_name", "level", "log_launches", "launches", "gpu_time_ns"],
        second: &["grid", "block", "file"],
        order: &["-gpu_time_ns", "kernel_name", "grid", "block"],
        ..Layout::PLAIN
    },
};

/// Table `ncu_match` of a profile.
pub(crate) fn build(profile: &Profile) -> MeasuredTable<Row> {
    let capture = &profile.capture;
    let logs = capture.counters.iter().flat_map(|counters| &counters.logs);
    let rows = logs.flat_map(|joined| {
        joined.signatures.iter().map(|signature| Row {
            file: joined.log.file.clone(),
            kernel_name: signature.kernel_name.clone(),
            grid: size(signature.grid, signature.blocks),
            block: size(signature.block, signature.threads),
            device: signature.device,
            log_launches: signature.log_launches,
            launches: u64::try_from(signature.kernels.len()).unwrap_or(u64::MAX),
            level: signature.level.as_str(),
            gpu_time_ns: signature.kernels.iter().map(|kernel| capture.work.span[*kernel].length()).sum(),
        })
    });
    TABLE.with(&Origin(profile.window().start), rows.collect())
}
