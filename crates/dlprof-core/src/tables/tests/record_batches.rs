use super::{Numbers, kernels, profile};
use crate::tables::{CellKind, RecordBatches, Table, TextForm, View, cell, ops};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

const FORMS: [TextForm; 3] = [TextForm::Plain, TextForm::Dictionaries, TextForm::SharedDictionaries];

fn batches(table: &dyn Table, texts: TextForm) -> Vec<RecordBatch> {
    table.record_batches(texts).collect::<Result<_, _>>().expect("batches")
}

/// All cells of a table are those of its batches.
fn check(table: &dyn Table, texts: TextForm) {
    let batches = batches(table, texts);
    let mut first = 0;
    for batch in &batches {
        for row in 0..batch.num_rows() {
            for column in 0..table.columns() {
                let written = cell(batch.column(column), row);
                assert_eq!(written, table.value(first + row, column), "{texts:?} {column} {row}");
            }
        }
        first += batch.num_rows();
    }
    assert_eq!(first, table.rows());
}

#[test]
fn batches_have_the_cells_of_the_table() {
    let profile = profile();
    for texts in FORMS {
        check(&kernels(), texts);
        check(&ops::build(&profile), texts);
        check(&Numbers(vec![Some(3), None, Some(-8), Some(3)]), texts);
    }
}

#[test]
fn many_rows_are_several_batches() {
    let count = RecordBatches::ROWS + 3;
    let numbers = (0..).take(count).map(|number| (number % 5 != 0).then_some(number)).collect();
    let table = Numbers(numbers);
    for texts in FORMS {
        let rows: Vec<usize> = batches(&table, texts).iter().map(RecordBatch::num_rows).collect();
        assert_eq!(rows, [RecordBatches::ROWS, 3]);
        check(&table, texts);
    }
}

#[test]
fn dictionaries_are_in_order_of_first_use_and_shared_if_asked_for() {
    let numbers = (0..).take(RecordBatches::ROWS).map(|row| Some(if row == 0 { 5 } else { 1 }));
    let table = Numbers(numbers.chain([Some(4)]).collect());
    let texts = |form| -> Vec<Vec<String>> {
        let of = |batch: &RecordBatch| {
            let dictionary = batch.column(3).as_dictionary::<Int32Type>();
            let texts = dictionary.values().as_string::<i32>();
            texts.iter().map(|text| text.expect("a text").to_owned()).collect()
        };
        batches(&table, form).iter().map(of).collect()
    };
    let all = ["digit 5", "digit 1", "digit 4"];
    assert_eq!(texts(TextForm::SharedDictionaries), [all, all]);
    assert_eq!(texts(TextForm::Dictionaries), [&all[..2], &all[2..]]);
}

#[test]
fn fields_say_title_unit_and_meaning() {
    let table = kernels();
    let table: &dyn Table = &table;
    let schema = table.record_batches(TextForm::Plain).schema();
    assert_eq!(schema.metadata()["title"], "Kernels");
    assert_eq!(schema.fields().len(), table.columns());
    for (column, field) in schema.fields().iter().enumerate() {
        let header = table.header(column);
        assert_eq!(field.name(), header.key);
        assert_eq!(field.metadata()["title"], header.title);
        assert_eq!(field.metadata()["unit"], header.unit.symbol());
        assert_eq!(field.metadata()["description"], header.doc);
        let expected = match header.kind {
            CellKind::Int => DataType::Int64,
            CellKind::Float => DataType::Float64,
            CellKind::Flag => DataType::Boolean,
            CellKind::Text | CellKind::Answer | CellKind::Json => DataType::Utf8,
        };
        assert_eq!(*field.data_type(), expected);
        assert!(field.is_nullable());
    }
}

#[test]
fn a_view_has_batches_of_its_own_rows_and_columns() {
    let table = Numbers((0..9).map(Some).collect());
    let view = View::of(&table).with_columns(vec![3, 0]).page(4, 2);
    let batches = batches(&view, TextForm::Dictionaries);
    assert_eq!((batches.len(), batches[0].num_columns(), batches[0].num_rows()), (1, 2, 2));
    check(&view, TextForm::Dictionaries);
}

#[test]
fn no_rows_are_no_batches_and_no_columns_are_rows_without_cells() {
    assert!(batches(&Numbers(Vec::new()), TextForm::SharedDictionaries).is_empty());
    let table = Numbers(vec![Some(1); 5]);
    let view = View::of(&table).with_columns(Vec::new());
    let batches = batches(&view, TextForm::Dictionaries);
    assert_eq!((batches[0].num_columns(), batches[0].num_rows()), (0, 5));
    assert!(batches[0].columns().iter().all(|column| column.is_empty()));
}
