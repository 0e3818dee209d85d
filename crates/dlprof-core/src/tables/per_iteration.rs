//! A table whose sums over the aggregated iterations are divided by how often the step runs in them.
//!
//! [`PerIteration`] has other figures under the same names, so that columns are chosen, ordered and compared by the names that they
//! always have. [`name_means`] is the last step: what is shown says that it is per iteration, in titles for people, as in `GPU Time per
//! Iteration`, and for data in keys too, as in `gpu_time_per_iteration_ns`.

use super::layout::Layout;
use super::renamed::Renamed;
use super::table::{CellKind, Header, Table, Unit, Value};
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use std::ops::Range;
use std::sync::Arc;

/// A table with means per iteration in the place of sums.
pub struct PerIteration {
    table: Arc<dyn Table>,
    passes: f64,
    /// Without sums: means cannot be divided again.
    layout: Layout,
    is_mean: Vec<bool>,
}

impl PerIteration {
    /// The table with its sums divided by a number of passes; 0 counts as 1.
    #[must_use]
    pub fn of(table: Arc<dyn Table>, passes: u32) -> Self {
        let layout = *table.layout();
        let is_mean = |column| layout.sums.contains(&table.header(column).key);
        Self {
            is_mean: (0..table.columns()).map(is_mean).collect(),
            passes: f64::from(passes.max(1)),
            layout: Layout { sums: &[], means: layout.sums, ..layout },
            table,
        }
    }
}

impl Table for PerIteration {
    fn key(&self) -> &str {
        self.table.key()
    }

    fn title(&self) -> &str {
        self.table.title()
    }

    fn columns(&self) -> usize {
        self.table.columns()
    }

    fn header(&self, column: usize) -> Header<'_> {
        let header = self.table.header(column);
        if self.is_mean[column] { Header { kind: CellKind::Float, ..header } } else { header }
    }

    fn rows(&self) -> usize {
        self.table.rows()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        match self.table.value(row, column) {
            Value::Int(sum) if self.is_mean[column] => Value::Float(to_f64(sum) / self.passes),
            value => value,
        }
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn origin_ns(&self) -> Ns {
        self.table.origin_ns()
    }

    fn prepare(&self) {
        self.table.prepare();
    }

    fn parts_by_largest(&self, column: usize) -> Option<Vec<(Range<usize>, i64)>> {
        // Their limits are of sums.
        (!self.is_mean[column]).then(|| self.table.parts_by_largest(column)).flatten()
    }
}

/// Where it is said that a column is per iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeansNamedIn {
    /// In titles: for people, who see columns by their keys in a layout.
    Titles,
    /// In keys too: for data, which has no titles.
    Keys,
}

/// A table that says of its means that they are per iteration.
#[must_use]
pub fn name_means<T: Table>(table: T, place: MeansNamedIn) -> Renamed<T> {
    let words = |column| {
        let Header { key, title, unit, doc, .. } = table.header(column);
        let key_for = match place {
            MeansNamedIn::Titles => key.to_owned(),
            MeansNamedIn::Keys => said(key, unit),
        };
        let words = [key_for, format!("{title} per Iteration"), format!("Per iteration: {doc}")];
        table.layout().means.contains(&key).then_some(words)
    };
    Renamed { title: None, headers: (0..table.columns()).map(words).collect(), table }
}

/// The key of a mean per iteration: the unit stays at its end.
fn said(key: &str, unit: Unit) -> String {
    match key.strip_suffix(unit.suffix()).map(|name| name.trim_end_matches('_')) {
        Some(name) if unit != Unit::None => {
            let name = if name.is_empty() { String::new() } else { format!("{name}_") };
            format!("{name}per_iteration_{}", unit.suffix().trim_start_matches('_'))
        }
        _ => format!("{key}_per_iteration"),
    }
}

#[cfg(test)]
mod tests {
    use super::{MeansNamedIn, PerIteration, name_means, said};
    use crate::advice::tables::TABLES;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tables::{CellKind, Selection, Table, Unit, Value, View};
    use crate::tests::drawn::Drawn;
    use std::sync::Arc;

    /// Two launches of 1 µs each.
    fn table(key: &str) -> Arc<dyn Table> {
        let mut drawn = Drawn::new();
        drawn.launch(0..1_000, "saxpy", 2_000..3_000).launch(4_000..5_000, "saxpy", 6_000..7_000);
        let definition = TABLES.iter().find(|table| table.key == key).expect("a table");
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("one iteration");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        (definition.build)(&profile.into()).into()
    }

    #[test]
    fn sums_are_divided_and_say_so() {
        let means: Arc<dyn Table> = Arc::new(PerIteration::of(table("kernel_names"), 4));
        let chosen = Selection {
            columns: &["gpu_time_ns".into(), "max_gpu_time_ns".into(), "calls".into()],
            conditions: &["gpu_time < 1us".into()],
            ..Selection::default()
        };
        let data = name_means(View::shared(means).select(&chosen).expect("columns"), MeansNamedIn::Keys);
        let header = |column| data.header(column);
        assert_eq!(data.rows(), 1, "conditions are about what is shown");
        assert_eq!((header(0).key, header(0).title), ("gpu_time_per_iteration_ns", "GPU Time per Iteration"));
        assert_eq!((header(1).key, header(1).kind), ("max_gpu_time_ns", CellKind::Int));
        assert_eq!(header(2).key, "calls_per_iteration");
        assert_eq!(
            [0, 1, 2].map(|column| data.value(0, column)),
            [Value::Float(500.0), Value::Int(1_000), Value::Float(0.5)]
        );
        assert!(data.layout().sums.is_empty(), "means are no sums");
    }

    #[test]
    fn a_key_keeps_its_unit() {
        let of = |key: &str| said(key, Unit::of_key(key));
        assert_eq!(of("time_ns"), "time_per_iteration_ns");
        assert_eq!(of("bytes"), "per_iteration_bytes");
        assert_eq!(of("dram_bytes"), "dram_per_iteration_bytes");
        assert_eq!(of("launches"), "launches_per_iteration");
        for table in TABLES {
            for key in table.layout.sums {
                assert_eq!(Unit::of_key(&of(key)), Unit::of_key(key), "{key}");
            }
        }
    }
}
