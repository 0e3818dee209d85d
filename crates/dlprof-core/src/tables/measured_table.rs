//! Tables of counters: rows that hold all that their cells say, so that they are made of a profile, or of logs without a capture.

use super::declaration::{Declaration, RowTable};
use super::table::{self, Source, Unit, Value};
use crate::base::time::Ns;
use crate::figures::measured::MeasuredFigures;

/// The time that a table of counters counts from. Its rows hold all else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin(pub(crate) Ns);

impl Source for Origin {
    fn origin_ns(&self) -> Ns {
        self.0
    }
}

/// A column, which is read from a row alone.
pub(super) type Column<R> = table::Column<R, Origin>;
/// A table as it is declared.
pub(crate) type MeasuredDeclaration<R> = Declaration<R, Origin>;
/// A table of counters.
pub(crate) type MeasuredTable<R> = RowTable<R, Origin>;

/// An amount that is a whole number in the mean, as such.
pub(super) fn amount(amount: Option<f64>) -> Value<'static> {
    amount.map(|amount| crate::base::ratios::whole(amount.max(0.0))).into()
}

/// A row with figures that were measured.
pub(super) trait WithMeasured: 'static {
    fn measured(&self) -> Option<&MeasuredFigures>;
}

/// Reads a figure of a row.
macro_rules! figure {
    ($row:ident, $figure:ident) => {
        $row.measured().and_then(|figures| figures.$figure.clone()).into()
    };
}

/// What limits, and how near to the roofs.
pub(super) fn limits<R: WithMeasured>() -> [Column<R>; 5] {
    [
        Column::float(
            "intensity",
            "Intensity",
            Unit::FlopPerByte,
            "Operations per byte of DRAM; empty if no byte moved.",
            |_, row: &R| figure!(row, intensity),
        ),
        Column::float(
            "tflop_per_s",
            "Achieved",
            Unit::TeraflopPerSecond,
            "Operations as they were counted over time in the capture.",
            |_, row: &R| figure!(row, tflop_per_s),
        ),
        Column::float(
            "gb_per_s",
            "DRAM Rate",
            Unit::GigabytesPerSecond,
            "Bytes of DRAM as they were counted over time in the capture.",
            |_, row: &R| figure!(row, gb_per_s),
        ),
        Column::text(
            "bound",
            "Bound",
            "`memory`, `compute`, `balanced`, `latency` or `small_grid`, from the use of memory and SMs.",
            |_, row: &R| row.measured().and_then(|figures| figures.bound).map(|bound| bound.as_str()).into(),
        ),
        Column::float(
            "roof_percent",
            "Of Roof",
            Unit::Percent,
            "Share of the nearer roof: bytes over bandwidth, or operations over the peaks of their precisions.",
            |_, row: &R| figure!(row, roof_percent),
        ),
    ]
}

/// Use of SMs, memory and occupancy.
pub(super) fn shares<R: WithMeasured>() -> [Column<R>; 6] {
    [
        Column::float("dram_percent", "DRAM", Unit::Percent, "Use of DRAM, of its peak.", |_, row: &R| {
            figure!(row, dram_percent)
        }),
        Column::float("sm_percent", "SM", Unit::Percent, "Use of the SMs, of their peak.", |_, row: &R| {
            figure!(row, sm_percent)
        }),
        Column::float(
            "memory_percent",
            "Memory",
            Unit::Percent,
            "Use of caches and memory, of the peak of the busiest.",
            |_, row: &R| figure!(row, memory_percent),
        ),
        Column::float(
            "achieved_occupancy_percent",
            "Achieved Occupancy",
            Unit::Percent,
            "Warps that were active, of those that an SM can hold.",
            |_, row: &R| figure!(row, achieved_occupancy_percent),
        ),
        Column::float(
            "theoretical_occupancy_percent",
            "Theoretical Occupancy",
            Unit::Percent,
            "Warps that the kernel lets an SM hold, as `ncu` says.",
            |_, row: &R| figure!(row, theoretical_occupancy_percent),
        ),
        Column::float("waves", "Waves", Unit::None, "Waves of blocks on an SM.", |_, row: &R| {
            figure!(row, waves)
        }),
    ]
}

/// Use of Tensor Cores, memory accesses and stalls.
pub(super) fn details<R: WithMeasured>() -> [Column<R>; 8] {
    [
        Column::float(
            "tensor_active_percent",
            "Tensor Pipe",
            Unit::Percent,
            "Use of the pipe of Tensor Cores while its SM was active.",
            |_, row: &R| figure!(row, tensor_active_percent),
        ),
        Column::float(
            "sectors_per_request_ld",
            "Sectors per Load",
            Unit::None,
            "Sectors of 32 bytes for each load of a warp from global memory.",
            |_, row: &R| figure!(row, sectors_per_request_ld),
        ),
        Column::float(
            "sectors_per_request_st",
            "Sectors per Store",
            Unit::None,
            "Sectors of 32 bytes for each store of a warp to global memory.",
            |_, row: &R| figure!(row, sectors_per_request_st),
        ),
        Column::float(
            "sector_use_percent_ld",
            "Load Use",
            Unit::Percent,
            "Bytes of the loaded sectors that threads asked for.",
            |_, row: &R| figure!(row, sector_use_percent_ld),
        ),
        Column::float(
            "sector_use_percent_st",
            "Store Use",
            Unit::Percent,
            "Bytes of the stored sectors that threads wrote.",
            |_, row: &R| figure!(row, sector_use_percent_st),
        ),
        Column::text(
            "top_stall",
            "Top Stall",
            "What warps waited for longest, as `ncu` names it.",
            |_, row: &R| figure!(row, top_stall),
        ),
        Column::float(
            "top_stall_percent",
            "Stalled",
            Unit::Percent,
            "Share of that in the time between two instructions of a warp.",
            |_, row: &R| figure!(row, top_stall_percent),
        ),
        Column::float(
            "spread_percent",
            "Spread",
            Unit::Percent,
            "Largest less smallest over the mean, of FLOP or bytes of the launches that are taken as one.",
            |_, row: &R| figure!(row, spread_percent),
        ),
    ]
}
