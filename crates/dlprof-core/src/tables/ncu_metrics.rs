//! Table `ncu_metrics`: every metric of every launch in logs of which all metrics were kept.

use super::layout::Layout;
use super::measured_table::{Column, MeasuredDeclaration, MeasuredTable, Origin};
use super::ncu_match::known;
use super::table::Unit;
use crate::figures::profile::Profile;
use crate::read::ncu::{NcuLaunch, NcuLog, NcuMetric};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// A metric of a launch: a number, or one of the texts that come after the numbers.
pub(crate) struct Row {
    log: Arc<NcuLog>,
    launch: usize,
    place: usize,
}

impl Row {
    fn launch(&self) -> &NcuLaunch {
        &self.log.launches[self.launch]
    }

    fn metric(&self) -> Option<&NcuMetric> {
        self.launch().metrics.get(self.place)
    }

    fn text(&self) -> Option<&(Arc<str>, Arc<str>)> {
        let launch = self.launch();
        launch.texts.get(self.place.checked_sub(launch.metrics.len())?)
    }

    fn name(&self) -> &str {
        let of_text = || self.text().map_or("", |(name, _)| name);
        self.metric().map_or_else(of_text, |metric| &metric.name)
    }

    /// The smallest value of a summary, or the largest.
    fn extent(&self, side: usize) -> Option<f64> {
        self.metric().and_then(|metric| metric.extent?[side])
    }
}

/// The parts of a value as `ncu` writes them, with numbers in base units.
fn parts(metric: &NcuMetric) -> Option<String> {
    let mut text = String::new();
    for (key, value) in &metric.instances {
        let between = if text.is_empty() { "" } else { "; " };
        let _ = write!(text, "{between}{key}: {value}");
    }
    (!text.is_empty()).then_some(text)
}

/// Columns of table `ncu_metrics`.
static COLUMNS: LazyLock<Vec<Column<Row>>> = LazyLock::new(|| {
    vec![
        Column::text("file", "Log", "The log.", |_, row: &Row| (&*row.log.file).into()),
        Column::int("block_number", "Table", Unit::None, "Which table of the log, from 0.", |_, row| {
            row.launch().block_number.into()
        }),
        Column::int(
            "id",
            "ID",
            Unit::None,
            "Number of the launch in the table; empty in summaries.",
            |_, row| row.launch().id.into(),
        ),
        Column::text("kernel_name", "Kernel Name", "The name as the log spells it.", |_, row| {
            (&*row.launch().kernel_name).into()
        }),
        Column::text(
            "metric",
            "Metric",
            "The name of the metric; section and label where only these are known.",
            |_, row| row.name().into(),
        ),
        Column::float(
            "value",
            "Value",
            Unit::None,
            "The value in the base unit; empty if the log has none.",
            |_, row| row.metric().and_then(|metric| metric.value).into(),
        ),
        Column::text("base_unit", "Base Unit", "`ns`, `byte`, `cycle/s` and the like.", |_, row| {
            known(row.metric().map_or("", |metric| &metric.unit))
        }),
        Column::float("minimum", "Minimum", Unit::None, "The smallest value of a summary.", |_, row| {
            row.extent(0).into()
        }),
        Column::float("maximum", "Maximum", Unit::None, "The largest value of a summary.", |_, row| {
            row.extent(1).into()
        }),
        Column::text(
            "parts",
            "Parts",
            "Parts of the value by key, such as instructions by opcode.",
            |_, row| row.metric().and_then(parts).into(),
        ),
        Column::text("text", "Text", "What the log says of metrics that are no numbers.", |_, row| {
            row.text().map(|(_, text)| &**text).into()
        }),
    ]
});

/// Table `ncu_metrics`.
pub(crate) static TABLE: MeasuredDeclaration<Row> = MeasuredDeclaration {
    key: "ncu_metrics",
    title: "All Metrics",
    doc: "A row per metric of a launch, or of a row of a summary, in logs of Nsight Compute (`ncu LOG --all-metrics`).",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["metric", "value", "base_unit", "id"],
        second: &["kernel_name", "minimum", "maximum", "text", "parts", "file"],
        ..Layout::PLAIN
    },
};

/// Table `ncu_metrics` of the logs of a profile: empty, because only metrics that figures need are kept beside captures.
pub(crate) fn build(profile: &Profile) -> MeasuredTable<Row> {
    let logs = profile.capture.counters.iter().flat_map(|counters| &counters.logs);
    of_logs(&logs.map(|joined| Arc::clone(&joined.log)).collect::<Vec<_>>())
}

/// Table `ncu_metrics` of logs without a capture.
pub(crate) fn of_logs(logs: &[Arc<NcuLog>]) -> MeasuredTable<Row> {
    let of_launch = |log: &Arc<NcuLog>, launch: usize| {
        let log = Arc::clone(log);
        let of = &log.launches[launch];
        let count = of.metrics.len() + of.texts.len();
        (0..count).map(move |place| Row { log: Arc::clone(&log), launch, place })
    };
    let rows =
        logs.iter().flat_map(|log| (0..log.launches.len()).flat_map(move |launch| of_launch(log, launch)));
    TABLE.with(&Origin(0), rows.collect())
}
