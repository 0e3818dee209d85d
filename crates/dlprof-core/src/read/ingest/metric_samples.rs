//! Table `GPU_METRICS`: samples of the counters of GPUs.

use super::TableSource;
use super::columns::columns;
use super::keys::KeyColumn;
use super::row::Row;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::Ns;
use crate::columns::Buffer;

pub(super) const TABLE: &str = "GPU_METRICS";

columns! {
    TIMESTAMP "timestamp";
    TYPE_ID "typeId";
    METRIC_ID "metricId";
    VALUE "value";
}

/// The table as read.
pub(super) struct RawMetricSamples {
    pub(super) time: Buffer<Ns>,
    /// The GPU's id in `TARGET_INFO_GPU`.
    pub(super) gpu: KeyColumn<i64>,
    pub(super) metric: Buffer<i64>,
    pub(super) value: Buffer<i64>,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawMetricSamples, Error> {
    let rows = source.rows(TABLE)?;
    let init = || RawMetricSamples {
        time: source.memory.buffer(rows),
        gpu: KeyColumn::with_capacity(source.memory, rows),
        metric: source.memory.buffer(rows),
        value: source.memory.buffer(rows),
        diagnostics: Diagnostics::default(),
    };
    source.fold(TABLE, COLUMNS, init, RawMetricSamples::push)
}

impl RawMetricSamples {
    fn push(&mut self, row: &Row<'_>) {
        let diagnostics = &mut self.diagnostics;
        let (metric, value) = (row.int(METRIC_ID, diagnostics), row.int(VALUE, diagnostics));
        let (Some(metric), Some(value)) = (metric, value) else { return };
        let Some(time) = row.start(TIMESTAMP, diagnostics) else { return };
        self.time.push(time);
        // The lowest byte of the type is the GPU.
        self.gpu.push(row.int(TYPE_ID, diagnostics).map(|type_id| type_id & 0xFF));
        self.metric.push(metric);
        self.value.push(value);
    }
}
