//! Table `gpus`: one row per GPU.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared::{self, WithResources};
use super::table::{Column, Unit};
use crate::figures::profile::{DeviceStats, Profile};
use crate::steps::index::Resources;
use std::sync::LazyLock;

/// Columns of table `gpus`.
static COLUMNS: LazyLock<Vec<Column<DeviceStats>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<DeviceStats>> = vec![
        Column::int(
            "device_id",
            "Device ID",
            Unit::None,
            "Number of the GPU on the machine.",
            |p, row: &DeviceStats| p.capture.devices[row.device.index()].device_id.into(),
        ),
        Column::text("gpu_name", "Name", "Product name; empty if unknown.", |p, row| {
            p.capture.devices[row.device.index()].name.as_deref().into()
        }),
        Column::text("compute_capability", "Compute Capability", "Major and minor number.", |p, row| {
            p.capture.devices[row.device.index()]
                .compute_capability
                .map(|(major, minor)| format!("{major}.{minor}"))
                .into()
        }),
        Column::int("sm_count", "SM Count", Unit::None, "Streaming multiprocessors.", |p, row| {
            p.capture.devices[row.device.index()].sm_count.into()
        }),
        Column::int("memory_bytes", "Memory", Unit::Bytes, "Size of its memory.", |p, row| {
            p.capture.devices[row.device.index()].memory_bytes.into()
        }),
        Column::float(
            "gpu_utilization_percent",
            "GPU Utilization",
            Unit::Percent,
            "Share of the wall clock with a kernel running; empty without kernel records, and of GPUs that may be those of processes \
             whose records are missing.",
            |p: &Profile, row: &DeviceStats| {
                p.summary.gpu_utilization_percent.map(|_| row.utilization_percent).into()
            },
        )
        .of_gpu(),
    ];
    columns.extend(peaks());
    columns.extend(shared::resources());
    columns
});

/// Clock, bandwidth and peaks.
fn peaks() -> [Column<DeviceStats>; 6] {
    macro_rules! peak {
        ($field:ident, $key:literal, $title:literal, $doc:literal) => {
            Column::float($key, $title, Unit::TeraflopPerSecond, $doc, |p, row: &DeviceStats| {
                p.device_figure(row.device).peaks.$field.into()
            })
        };
    }
    [
        Column::int(
            "clock_hz",
            "Clock",
            Unit::Hertz,
            "Clock of the multiprocessors, as the capture has it; empty if unknown.",
            |p, row: &DeviceStats| p.device_facts(row.device).clock_hz.into(),
        ),
        Column::int(
            "memory_bandwidth",
            "Memory Bandwidth",
            Unit::BytesPerSecond,
            "Bandwidth of its memory, as the capture has it; empty if unknown.",
            |p, row| p.device_facts(row.device).memory_bandwidth.into(),
        ),
        peak!(fp32, "peak_fp32", "Peak FP32", "Most that the vector units can do in FP32; empty if unknown."),
        peak!(
            tf32,
            "peak_tf32",
            "Peak TF32",
            "Most that Tensor Cores can do in TF32; empty without such units."
        ),
        peak!(fp16, "peak_fp16", "Peak FP16", "Most that Tensor Cores can do in FP16; empty if unknown."),
        Column::text(
            "peak_source",
            "Source of Peaks",
            "`export` if the peaks follow from the capture, `table` if from the table of GPUs, else `none`.",
            |p, row| p.device_figure(row.device).peak_source.as_str().into(),
        ),
    ]
}

/// Table `gpus`.
pub(crate) static TABLE: Declaration<DeviceStats> = Declaration {
    key: "gpus",
    title: "GPUs",
    doc: "A row per GPU.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["device_id", "gpu_name", "gpu_utilization_percent"],
        second: &[
            "memory_bytes",
            "sm_count",
            "compute_capability",
            "clock_hz",
            "memory_bandwidth",
            "peak_fp32",
            "peak_tf32",
            "peak_fp16",
        ],
        report: &[
            "device_id",
            "gpu_name",
            "compute_capability",
            "sm_count",
            "memory_bytes",
            "gpu_utilization_percent",
            "tc_kernel_ns",
            "non_tc_kernel_ns",
            "memory_ns",
        ],
        sums: &[
            "tc_kernel_ns",
            "non_tc_kernel_ns",
            "memory_ns",
            "dataloader_ns",
            "io_ns",
            "cpu_ns",
            "other_ns",
        ],
        views: &[(
            "gpus",
            &[
                "device_id",
                "gpu_utilization_percent",
                "gpu_name",
                "compute_capability",
                "sm_count",
                "memory_bytes",
                "tc_kernel_ns",
                "non_tc_kernel_ns",
                "memory_ns",
                "clock_hz",
                "memory_bandwidth",
                "peak_fp32",
                "peak_tf32",
                "peak_fp16",
            ],
        )],
        ..Layout::PLAIN
    },
};

/// Table `gpus` of a profile.
#[must_use]
pub fn build(profile: &Profile) -> RowTable<DeviceStats> {
    TABLE.of(profile, |p| &p.devices).where_gpu_is_known(|p, row| p.knows_work_of(row.device))
}

impl WithResources for DeviceStats {
    fn resources(&self, _: &Profile) -> Resources {
        self.resources
    }
}
