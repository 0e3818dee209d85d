//! Tables of counters: rows that hold all that their cells say, so that they are made of a profile, or of logs without a capture.

use super::layout::Layout;
use super::table::{CellKind, Header, Table, Unit, Value};
use crate::base::time::Ns;
use crate::figures::measured::MeasuredFigures;

/// A column: its header and how to read it from a row.
pub(crate) struct MeasuredColumn<R: 'static> {
    header: Header<'static>,
    value: for<'a> fn(&'a R) -> Value<'a>,
}

impl<R> MeasuredColumn<R> {
    pub(super) const fn new(
        kind: CellKind,
        (key, title): (&'static str, &'static str),
        unit: Unit,
        doc: &'static str,
        value: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self { header: Header { key, title, unit, kind, doc }, value }
    }

    pub(super) const fn int(
        names: (&'static str, &'static str),
        unit: Unit,
        doc: &'static str,
        value: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self::new(CellKind::Int, names, unit, doc, value)
    }

    pub(super) const fn float(
        names: (&'static str, &'static str),
        unit: Unit,
        doc: &'static str,
        value: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self::new(CellKind::Float, names, unit, doc, value)
    }

    pub(super) const fn text(
        names: (&'static str, &'static str),
        doc: &'static str,
        value: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self::new(CellKind::Text, names, Unit::None, doc, value)
    }

    pub(super) const fn answer(
        names: (&'static str, &'static str),
        doc: &'static str,
        value: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self::new(CellKind::Answer, names, Unit::None, doc, value)
    }
}

/// All that is known of such a table without data.
pub(crate) struct MeasuredDeclaration<R: 'static> {
    pub(crate) key: &'static str,
    pub(crate) title: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) columns: fn() -> &'static [MeasuredColumn<R>],
    pub(crate) layout: Layout,
}

impl<R> MeasuredDeclaration<R> {
    pub(crate) fn headers(&self) -> Vec<&'static Header<'static>> {
        (self.columns)().iter().map(|column| &column.header).collect()
    }

    pub(crate) fn with(&'static self, rows: Vec<R>, origin_ns: Ns) -> MeasuredTable<R> {
        MeasuredTable { declaration: self, title: self.title, columns: (self.columns)(), rows, origin_ns }
    }
}

/// A table of counters.
pub(crate) struct MeasuredTable<R: 'static> {
    declaration: &'static MeasuredDeclaration<R>,
    title: &'static str,
    columns: &'static [MeasuredColumn<R>],
    rows: Vec<R>,
    origin_ns: Ns,
}

impl<R> MeasuredTable<R> {
    /// The table with another title.
    pub(super) fn titled(self, title: &'static str) -> Self {
        Self { title, ..self }
    }
}

impl<R: Send + Sync> Table for MeasuredTable<R> {
    fn key(&self) -> &str {
        self.declaration.key
    }

    fn title(&self) -> &str {
        self.title
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn header(&self, column: usize) -> Header<'_> {
        self.columns[column].header
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        (self.columns[column].value)(&self.rows[row])
    }

    fn layout(&self) -> &Layout {
        &self.declaration.layout
    }

    fn origin_ns(&self) -> Ns {
        self.origin_ns
    }
}

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
pub(super) fn limits<R: WithMeasured>() -> [MeasuredColumn<R>; 5] {
    [
        MeasuredColumn::float(
            ("intensity", "Intensity"),
            Unit::FlopPerByte,
            "Operations per byte of DRAM; empty if no byte moved.",
            |row: &R| figure!(row, intensity),
        ),
        MeasuredColumn::float(
            ("tflop_per_s", "Achieved"),
            Unit::TeraflopPerSecond,
            "Operations as they were counted over time in the capture.",
            |row: &R| figure!(row, tflop_per_s),
        ),
        MeasuredColumn::float(
            ("gb_per_s", "DRAM Rate"),
            Unit::GigabytesPerSecond,
            "Bytes of DRAM as they were counted over time in the capture.",
            |row: &R| figure!(row, gb_per_s),
        ),
        MeasuredColumn::text(
            ("bound", "Bound"),
            "`memory`, `compute`, `balanced`, `latency` or `small_grid`, from the use of memory and SMs.",
            |row: &R| row.measured().and_then(|figures| figures.bound).map(|bound| bound.as_str()).into(),
        ),
        MeasuredColumn::float(
            ("roof_percent", "Of Roof"),
            Unit::Percent,
            "Share of the nearer roof: bytes over bandwidth, or operations over the peaks of their precisions.",
            |row: &R| figure!(row, roof_percent),
        ),
    ]
}

/// Use of SMs, memory and occupancy.
pub(super) fn shares<R: WithMeasured>() -> [MeasuredColumn<R>; 6] {
    [
        MeasuredColumn::float(
            ("dram_percent", "DRAM"),
            Unit::Percent,
            "Use of DRAM, of its peak.",
            |row: &R| figure!(row, dram_percent),
        ),
        MeasuredColumn::float(
            ("sm_percent", "SM"),
            Unit::Percent,
            "Use of the SMs, of their peak.",
            |row: &R| figure!(row, sm_percent),
        ),
        MeasuredColumn::float(
            ("memory_percent", "Memory"),
            Unit::Percent,
            "Use of caches and memory, of the peak of the busiest.",
            |row: &R| figure!(row, memory_percent),
        ),
        MeasuredColumn::float(
            ("achieved_occupancy_percent", "Achieved Occupancy"),
            Unit::Percent,
            "Warps that were active, of those that an SM can hold.",
            |row: &R| figure!(row, achieved_occupancy_percent),
        ),
        MeasuredColumn::float(
            ("theoretical_occupancy_percent", "Theoretical Occupancy"),
            Unit::Percent,
            "Warps that the kernel lets an SM hold, as `ncu` says.",
            |row: &R| figure!(row, theoretical_occupancy_percent),
        ),
        MeasuredColumn::float(("waves", "Waves"), Unit::None, "Waves of blocks on an SM.", |row: &R| {
            figure!(row, waves)
        }),
    ]
}

/// Use of Tensor Cores, memory accesses and stalls.
pub(super) fn details<R: WithMeasured>() -> [MeasuredColumn<R>; 8] {
    [
        MeasuredColumn::float(
            ("tensor_active_percent", "Tensor Pipe"),
            Unit::Percent,
            "Use of the pipe of Tensor Cores while its SM was active.",
            |row: &R| figure!(row, tensor_active_percent),
        ),
        MeasuredColumn::float(
            ("sectors_per_request_ld", "Sectors per Load"),
            Unit::None,
            "Sectors of 32 bytes for each load of a warp from global memory.",
            |row: &R| figure!(row, sectors_per_request_ld),
        ),
        MeasuredColumn::float(
            ("sectors_per_request_st", "Sectors per Store"),
            Unit::None,
            "Sectors of 32 bytes for each store of a warp to global memory.",
            |row: &R| figure!(row, sectors_per_request_st),
        ),
        MeasuredColumn::float(
            ("sector_use_percent_ld", "Load Use"),
            Unit::Percent,
            "Bytes of the loaded sectors that threads asked for.",
            |row: &R| figure!(row, sector_use_percent_ld),
        ),
        MeasuredColumn::float(
            ("sector_use_percent_st", "Store Use"),
            Unit::Percent,
            "Bytes of the stored sectors that threads wrote.",
            |row: &R| figure!(row, sector_use_percent_st),
        ),
        MeasuredColumn::text(
            ("top_stall", "Top Stall"),
            "What warps waited for longest, as `ncu` names it.",
            |row: &R| figure!(row, top_stall),
        ),
        MeasuredColumn::float(
            ("top_stall_percent", "Stalled"),
            Unit::Percent,
            "Share of that in the time between two instructions of a warp.",
            |row: &R| figure!(row, top_stall_percent),
        ),
        MeasuredColumn::float(
            ("spread_percent", "Spread"),
            Unit::Percent,
            "Largest less smallest over the mean, of FLOP or bytes of the launches that are taken as one.",
            |row: &R| figure!(row, spread_percent),
        ),
    ]
}
