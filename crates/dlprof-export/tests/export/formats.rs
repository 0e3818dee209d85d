//! Every table in every format, written, read back with another library, and compared cell by cell.

use calamine::{Data, Reader, Xlsx, open_workbook_from_rs};
use dlprof_core::{
    Capture, CellKind, Definition, Header, Judged, KeyNodeChoice, RangeChoice, ReadOptions, TABLES, Table,
    Unit, Value,
};
use dlprof_export::{
    ExportContent, ExportOutput, ExportPlan, ExportSource, FORMATS, Format, Inputs, Overwrite, ReportOptions,
    ReportTables, TimeUnit, Together, json_schema, write_json_document, write_table,
};
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};

/// Names that break careless writers.
fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        "plain",
        "comma, semicolon; tab\there",
        "a \"quoted\" name, and 'more'",
        "two\nlines\r\nthree",
        "<b>&amp;</b> | pipe ` tick * star _ low [x]",
        "=1+1",
        "Größe 中文 🚀 עברית",
        " spaces around ",
        "\u{1}control\u{7f}",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push("long ".repeat(2_000));
    names
}

/// An export with names as ranges, and a GPU whose memory no float holds exactly.
pub(crate) fn odd_export(folder: &Path, names: &[String]) -> PathBuf {
    const THREAD: i64 = 0x0001_0000_0100_0001;
    let file = folder.join("odd.sqlite");
    let database = Connection::open(&file).expect("a database");
    database
        .execute_batch(
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
             INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'kernel, \"quoted\"');
             CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid);
             CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
             CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL
                 (start, end, deviceId, globalPid, correlationId, shortName, demangledName);
             CREATE TABLE TARGET_INFO_GPU (id, name, computeMajor, computeMinor, totalMemory);
             INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU', 9, 0, 1152921504606846977);",
        )
        .expect("SQL");
    for (id, name) in (1..).zip(names) {
        let start = id * 100;
        let row = params![start, start + 50, name, THREAD];
        database.execute("INSERT INTO NVTX_EVENTS VALUES (?1, ?2, 59, ?3, ?4)", row).expect("a row");
        let call = params![start + 1, start + 9, THREAD, id];
        database
            .execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, ?3, ?4, 1)", call)
            .expect("a row");
        let kernel = params![start + 9, start + 40, THREAD & !0xFF_FFFF, id];
        let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, 0, ?3, ?4, 2, 2)";
        database.execute(sql, kernel).expect("a row");
    }
    file
}

/// The profile of a capture, with the key node found and all iterations aggregated.
pub(crate) fn profile_of(capture: &Capture) -> Judged {
    let index = capture.index(&KeyNodeChoice::Find).expect("the finder asks for nothing impossible");
    index.profile(&RangeChoice::default()).expect("all iterations exist").into()
}

/// Runs a check on the tables of the sample and of the odd capture.
pub(crate) fn for_each_profile(check: impl Fn(&Judged, &[Box<dyn Table + '_>])) {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample.sqlite");
    let sample = Capture::read(&sample, &ReadOptions::default()).expect("a capture");
    let odd = odd_export(folder.path(), &names());
    let odd = Capture::read(&odd, &ReadOptions::default()).expect("a capture");
    for capture in [sample, odd] {
        let profile = profile_of(&capture);
        let tables: Vec<Box<dyn Table + '_>> = TABLES.iter().map(|table| (table.build)(&profile)).collect();
        check(&profile, &tables);
    }
}

fn written(table: &dyn Table, format: Format) -> String {
    let mut bytes = Vec::new();
    write_table(table, format, &mut bytes).expect("memory takes everything");
    String::from_utf8(bytes).expect("UTF-8")
}

/// A cell as CSV and TSV have it.
fn as_text(value: &Value<'_>) -> String {
    match value {
        Value::Null => String::new(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Text(text) => text.to_string(),
    }
}

#[test]
fn csv_and_tsv() {
    for_each_profile(|_, tables| {
        for (table, (format, delimiter)) in
            tables.iter().flat_map(|table| [(table, (Format::Csv, b',')), (table, (Format::Tsv, b'\t'))])
        {
            let text = written(table.as_ref(), format);
            let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
            let keys: Vec<&str> = (0..table.columns()).map(|column| table.header(column).key).collect();
            assert_eq!(reader.headers().expect("a header"), keys);
            let records: Vec<csv::StringRecord> =
                reader.records().collect::<Result<_, _>>().expect("records");
            assert_eq!(records.len(), table.rows(), "{}", table.key());
            for (row, record) in records.iter().enumerate() {
                for (column, cell) in record.iter().enumerate() {
                    assert_eq!(cell, as_text(&table.value(row, column)), "{} {row} {column}", table.key());
                }
            }
        }
    });
}

/// Rows in the order in which Parquet and Arrow have them.
fn by_time(table: &dyn Table) -> Vec<usize> {
    let time = (0..table.columns()).find(|&column| table.header(column).key == "gpu_start_ns");
    let mut rows: Vec<usize> = (0..table.rows()).collect();
    if let Some(time) = time {
        rows.sort_by_key(|&row| match table.value(row, time) {
            Value::Int(start) => start,
            other => panic!("{other:?}"),
        });
    }
    rows
}

#[test]
fn parquet_by_rows() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    for_each_profile(|_, tables| {
        for table in tables {
            let mut bytes = Vec::new();
            write_table(table.as_ref(), Format::Parquet, &mut bytes).expect("memory takes everything");
            let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a Parquet file");
            let rows: Vec<_> =
                reader.get_row_iter(None).expect("rows").collect::<Result<_, _>>().expect("rows");
            assert_eq!(rows.len(), table.rows(), "{}", table.key());
            for (row, record) in by_time(table.as_ref()).into_iter().zip(rows) {
                for (column, (key, field)) in record.get_column_iter().enumerate() {
                    assert_eq!(key, table.header(column).key);
                    let is_equal = match (table.value(row, column), field) {
                        (Value::Null, Field::Null) => true,
                        (Value::Int(number), Field::Long(cell)) => number == *cell,
                        (Value::Float(number), Field::Double(cell)) => number.to_bits() == cell.to_bits(),
                        (Value::Flag(flag), Field::Bool(cell)) => flag == *cell,
                        (Value::Text(text), Field::Str(cell)) => text == cell.as_str(),
                        _ => false,
                    };
                    assert!(is_equal, "{} {row} {column}: {field:?}", table.key());
                }
            }
        }
    });
}

#[test]
fn arrow_has_types_units_and_meanings() {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int32Type, Int64Type};
    for_each_profile(|_, tables| {
        for table in tables {
            let mut bytes = Vec::new();
            write_table(table.as_ref(), Format::Arrow, &mut bytes).expect("memory takes everything");
            let reader =
                arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(bytes), None).expect("Arrow");
            let schema = reader.schema();
            let batches: Vec<_> = reader.collect::<Result<_, _>>().expect("batches");
            assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), table.rows());
            for column in 0..table.columns() {
                let (header, field) = (table.header(column), schema.field(column));
                assert_eq!(
                    (field.name().as_str(), field.metadata()["description"].as_str()),
                    (header.key, header.doc)
                );
                assert_eq!(field.metadata()["unit"] == "ns", header.unit == Unit::Nanoseconds);
                for (at, row) in by_time(table.as_ref()).into_iter().enumerate() {
                    let array = batches[0].column(column);
                    let is_equal = match table.value(row, column) {
                        Value::Null => array.is_null(at),
                        Value::Int(number) => array.as_primitive::<Int64Type>().value(at) == number,
                        Value::Float(number) => {
                            array.as_primitive::<Float64Type>().value(at).to_bits() == number.to_bits()
                        }
                        Value::Flag(flag) => array.as_boolean().value(at) == flag,
                        Value::Text(text) => {
                            let texts = array.as_dictionary::<Int32Type>();
                            let place = usize::try_from(texts.keys().value(at)).expect("a position");
                            texts.values().as_string::<i32>().value(place) == text
                        }
                    };
                    assert!(is_equal, "{} {row} {column}", table.key());
                }
            }
        }
    });
}

fn assert_object(table: &dyn Table, row: usize, object: &serde_json::Value) {
    let object = object.as_object().expect("an object");
    assert_eq!(object.len(), table.columns());
    for column in 0..table.columns() {
        let cell = &object[table.header(column).key];
        let is_equal = match table.value(row, column) {
            Value::Null => cell.is_null(),
            Value::Int(number) => cell.as_i64() == Some(number),
            Value::Float(number) => cell.as_f64().is_some_and(|cell| cell.to_bits() == number.to_bits()),
            Value::Flag(flag) => cell.as_bool() == Some(flag),
            Value::Text(text) if table.header(column).kind == CellKind::Json => {
                serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value == *cell)
            }
            Value::Text(text) => cell.as_str() == Some(text.as_ref()),
        };
        assert!(is_equal, "{} {row} {column}: {cell}", table.key());
    }
}

#[test]
fn json_and_ndjson() {
    for_each_profile(|_, tables| {
        for table in tables {
            let array: serde_json::Value =
                serde_json::from_str(&written(table.as_ref(), Format::Json)).expect("JSON");
            let array = array.as_array().expect("an array");
            let text = written(table.as_ref(), Format::Ndjson);
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!((array.len(), lines.len()), (table.rows(), table.rows()), "{}", table.key());
            for row in 0..table.rows() {
                assert_object(table.as_ref(), row, &array[row]);
                assert_object(table.as_ref(), row, &serde_json::from_str(lines[row]).expect("JSON"));
            }
        }
    });
}

#[test]
fn markdown_keeps_its_columns() {
    for_each_profile(|_, tables| {
        for table in tables {
            let text = written(table.as_ref(), Format::Markdown);
            assert_eq!(text.lines().count(), table.rows() + 2, "{}", table.key());
            for line in text.lines() {
                let bars = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
                assert_eq!(bars, table.columns() + 1, "{line}");
            }
        }
    });
}

/// More rows than an Excel table is made of.
struct Long;

impl Table for Long {
    fn key(&self) -> &'static str {
        "long"
    }

    fn title(&self) -> &'static str {
        "Long"
    }

    fn columns(&self) -> usize {
        2
    }

    fn header(&self, column: usize) -> Header<'_> {
        const NUMBER: Header<'static> = Header {
            key: "t_ns",
            title: "Time",
            unit: Unit::Nanoseconds,
            kind: CellKind::Int,
            doc: "A time.",
        };
        const NAME: Header<'static> =
            Header { key: "name", title: "Name", unit: Unit::None, kind: CellKind::Text, doc: "A name." };
        if column == 0 { NUMBER } else { NAME }
    }

    fn rows(&self) -> usize {
        100_001
    }

    fn origin_ns(&self) -> i64 {
        0
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        match column {
            0 => Value::Int(i64::try_from(row).expect("few rows")),
            _ => format!("kernel <{}>", row % 7).into(),
        }
    }
}

#[test]
fn long_sheets_are_streamed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.xlsx");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample.sqlite");
    let capture = Capture::read(&sample, &ReadOptions::default()).expect("a capture");
    let profile = profile_of(&capture);
    dlprof_export::write_workbook(&profile, "run", &[Box::new(Long)], TimeUnit::Ns, &path)
        .expect("a workbook");
    let bytes = std::fs::read(&path).expect("the file");
    let mut book: Xlsx<_> = open_workbook_from_rs(std::io::Cursor::new(bytes)).expect("a workbook");
    let sheet = book.worksheet_range("Long").expect("a sheet");
    assert_eq!(sheet.height(), Long.rows() + 1);
    assert_eq!(sheet.get_value((0, 0)), Some(&Data::String("Time (ns)".into())));
    for row in 0..Long.rows() {
        let line = u32::try_from(row + 1).expect("few rows");
        for column in [0, 1] {
            let cell = sheet.get_value((line, column)).unwrap_or(&Data::Empty);
            assert_cell(&Long.value(row, column as usize), cell, "long");
        }
    }
}

pub(crate) fn assert_cell(value: &Value<'_>, cell: &Data, table: &str) {
    #[expect(clippy::cast_precision_loss, reason = "below 2^53 it is exact")]
    let is_equal = match (value, cell) {
        (Value::Null, Data::Empty) => true,
        (Value::Int(number), Data::Float(cell)) if number.abs() <= 1 << 53 => {
            (*number as f64).to_bits() == cell.to_bits()
        }
        (Value::Int(number), Data::String(cell)) => cell == &number.to_string(),
        (Value::Float(number), Data::Float(cell)) => (number - cell).abs() <= number.abs() * 1e-12,
        (Value::Flag(flag), Data::Bool(cell)) => flag == cell,
        (Value::Text(text), Data::Empty) => text.is_empty(),
        // XML turns every line end into a line feed.
        (Value::Text(text), Data::String(cell)) => {
            text.replace("\r\n", "\n") == cell.replace("_x000D_\n", "\n").replace("\r\n", "\n")
        }
        _ => false,
    };
    assert!(is_equal, "{table}: {value:?} became {cell:?}");
}

#[test]
fn document_fits_its_schema() {
    let published = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/export.schema.json");
    let published = std::fs::read_to_string(published).expect("the published schema");
    assert!(
        published.trim() == format!("{:#}", json_schema()),
        "`dlprof-agg export --schema` writes another"
    );
    for_each_profile(|profile, tables| {
        let mut bytes = Vec::new();
        let source = ExportSource::of(profile);
        write_json_document(profile, "run", tables, &source, &mut bytes).expect("memory takes everything");
        let document: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_fits(&document, &json_schema(), "document");
    });
}

/// The part of JSON Schema that ours uses.
fn assert_fits(value: &serde_json::Value, schema: &serde_json::Value, at: &str) {
    let name = match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "boolean",
        serde_json::Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
    };
    let fits = |wanted: &serde_json::Value| wanted == name || (wanted == "number" && name == "integer");
    match &schema["type"] {
        serde_json::Value::Array(types) => assert!(types.iter().any(fits), "{at}: {name}"),
        serde_json::Value::Null => {}
        wanted => assert!(fits(wanted), "{at}: {name}"),
    }
    if let Some(wanted) = schema.get("const") {
        assert_eq!(value, wanted, "{at}");
    }
    for key in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(key.as_str().expect("a key")).is_some(), "{at} lacks {key}");
    }
    for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(key) {
            assert_fits(value, schema, &format!("{at}.{key}"));
        }
    }
    for item in value.as_array().into_iter().flatten() {
        assert_fits(item, &schema["items"], &format!("{at}[]"));
    }
}

#[test]
fn plans_check_before_and_write_whole_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample.sqlite");
    let capture = Capture::read(&sample, &ReadOptions::default()).expect("a capture");
    let profile = profile_of(&capture);
    let tables: Vec<&'static Definition> = TABLES.iter().take(3).collect();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let outputs = [
        ExportOutput { path: path("tables"), content: ExportContent::Folder(Format::Csv) },
        ExportOutput { path: path("profile.json"), content: ExportContent::Together(Together::Document) },
        ExportOutput { path: path("profile.xlsx"), content: ExportContent::Together(Together::Workbook) },
        ExportOutput { path: path("profile.pdf"), content: ExportContent::Together(Together::Pdf) },
        ExportOutput { path: path("profile.html"), content: ExportContent::Together(Together::Html) },
    ];
    let report =
        ReportOptions { tables: ReportTables::Usual, most_rows: None, time_unit: TimeUnit::Auto, font: None };
    let plan = ExportPlan {
        tables: &tables,
        outputs: &outputs,
        report,
        profile_name: "run",
        csv_safe: false,
        per_iteration: false,
        overwrite: Overwrite::Refuse,
        inputs: &Inputs::default(),
        database: None,
        on_rows: None,
    };
    plan.check().expect("nothing is there");
    let written = plan.write(&profile).expect("files");
    assert_eq!(written.len(), 8);
    assert!(written.iter().all(|file| file.path.is_file() && file.missing_characters.is_empty()));
    assert!(plan.check().is_err(), "files are there now");
    let left: Vec<_> = std::fs::read_dir(path("tables")).expect("the folder").collect();
    assert_eq!(left.len(), 4, "three tables, their source, and nothing temporary");
}

#[test]
fn the_page_on_formats_has_the_list_of_formats() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md"));
    let page = page.expect("docs/formats.md");
    let rows = page.lines().skip_while(|line| !line.starts_with("| --- ")).skip(1);
    let rows = rows.take_while(|line| line.starts_with("| "));
    let yes = |is_so: bool| if is_so { "yes" } else { "" };
    let expected = FORMATS.iter().map(|format| {
        let also = format.other_names.join(", ");
        let table = yes(format.table.is_some());
        let together = yes(format.together.is_some_and(Together::has_tables));
        let cells = [format.ending, &also, table, together, yes(format.is_text), format.doc];
        format!("| {} |", cells.join(" | "))
    });
    let expected: Vec<String> = expected.collect();
    assert_eq!(rows.collect::<Vec<_>>(), expected, "the table should be:\n{}", expected.join("\n"));
}
