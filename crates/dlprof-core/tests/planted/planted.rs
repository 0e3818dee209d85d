//! Generates planted captures and compares rows with their truth.

use dlprof_core::{Activity, ActivitySettings, Capture, Classified, Ns, ReadOptions, Span};
use dlprof_generate::write_export;
use serde_json::{Map, Value};

/// Captures of all that can be planted: together, apart, and in other amounts.
pub(crate) const ALL: [&str; 9] = [
    "--plant all --gpus 2",
    "--plant all --schema 2022 --iterations 3",
    "--plant ahead --iterations 6",
    "--plant unknown=3000000 --plant sync=1500000 --plant launch=2000000 --plant host-issue=5000000 --iterations 5",
    "--plant loose --plant overlap=100001 --plant idle-gpu --gpus 3",
    "--plant copies=12000 --plant edge",
    "--plant slow-launch --plant stall --plant dependency=12000 --iterations 1",
    "--plant host --plant io --plant input-wait --gpus 3 --iterations 9",
    "--plant no-api-call --plant data-loading=2000000 --plant memory --plant metrics --plant kernels --plant unused-gpu",
];

/// A capture and what is true of it.
pub(crate) struct Planted {
    /// How it was made.
    pub(crate) arguments: &'static str,
    /// The capture as the library reads it.
    pub(crate) capture: Capture,
    truth: Value,
}

impl Planted {
    /// Generates and reads each capture of [`ALL`].
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        ALL.into_iter().map(Self::new)
    }

    /// Generates and reads a capture.
    pub(crate) fn new(arguments: &'static str) -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let file = folder.path().join("planted.sqlite");
        write_export(&file, arguments).expect("an export");
        let truth = std::fs::read_to_string(file.with_extension("truth.json")).expect("a truth");
        let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
        Self { arguments, capture, truth: serde_json::from_str(&truth).expect("JSON") }
    }

    /// The planted iterations.
    pub(crate) fn windows(&self) -> Vec<Span> {
        let time = |row: &Value, key: &str| row[key].as_i64().expect("a time");
        let window = |row: &Value| Span::new(time(row, "start_ns"), time(row, "stop_ns"));
        self.rows("iterations").iter().map(window).collect()
    }

    /// Where the planted iterations begin on the CPU.
    pub(crate) fn cpu_starts(&self) -> Vec<Ns> {
        self.rows("iterations").iter().map(|row| row["cpu_start_ns"].as_i64().expect("a time")).collect()
    }

    /// Whether iterations are windows on the GPU, so that calls do not belong to them by time.
    pub(crate) fn is_on_gpu_clock(&self) -> bool {
        self.truth["clock"] == "gpu"
    }

    /// Calls `check` with the capture as the figures want it.
    pub(crate) fn with(&self, check: impl FnOnce(&Classified<'_>)) {
        let settings = ActivitySettings::default();
        check(&Classified::new(self.activity(), &settings));
    }

    /// The facts that the figures are made of.
    pub(crate) fn activity(&self) -> Activity<'_> {
        Activity::of(&self.capture)
    }

    fn rows(&self, table: &str) -> &[Value] {
        self.truth[table].as_array().unwrap_or_else(|| panic!("{table} is a list"))
    }

    /// The planted row of a table with a value in a column.
    pub(crate) fn row_with(&self, table: &str, column: &str, value: &Value) -> &Value {
        let mut rows = self.rows(table).iter();
        rows.find(|row| row[column] == *value).unwrap_or_else(|| panic!("no {column} {value}"))
    }

    /// Compares the rows of a table with the planted ones, whatever their order. Of the planted columns those count that the
    /// rows have, of rows without a single row all.
    #[track_caller]
    pub(crate) fn compare(&self, table: &str, found: Vec<Value>) {
        let columns = found.first().and_then(Value::as_object).cloned().unwrap_or_default();
        let expected = sorted(self.rows(table).iter().map(|row| only(row, &columns)));
        assert_eq!(sorted(found.into_iter()), expected, "table `{table}` of `{}`", self.arguments);
    }

    /// Compares a row with the planted one.
    #[track_caller]
    pub(crate) fn compare_row(&self, table: &str, found: &Value) {
        let columns = found.as_object().expect("a row");
        assert_eq!(found, &only(&self.truth[table], columns), "`{table}` of `{}`", self.arguments);
    }
}

/// The columns of a row that another row has; a column that the planted row lacks is an error.
fn only(row: &Value, columns: &Map<String, Value>) -> Value {
    let cell =
        |key: &String| (key.clone(), row.get(key).unwrap_or_else(|| panic!("no column {key}")).clone());
    columns.keys().map(cell).collect()
}

/// Rows as texts, in order.
fn sorted(rows: impl Iterator<Item = Value>) -> Vec<String> {
    let mut rows: Vec<String> = rows.map(|row| row.to_string()).collect();
    rows.sort();
    rows
}

/// A number as JSON has it.
pub(crate) fn json_ns(ns: Option<Ns>) -> Value {
    ns.map_or(Value::Null, Value::from)
}
