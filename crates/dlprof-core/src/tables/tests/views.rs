use super::{Numbers, cells, column, kernels, keys, profile};
use crate::tables::{Rows, Selection, SelectionError, Table, View, columns_for_people, ops};
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn a_view_of_a_table_is_the_table() {
    let table = kernels();
    let view = View::of(&table);
    assert_eq!((view.key(), view.title(), view.origin_ns()), (table.key(), table.title(), table.origin_ns()));
    assert_eq!((view.columns(), view.rows()), (table.columns(), table.rows()));
    assert_eq!(view.layout(), table.layout());
    for column in 0..table.columns() {
        assert_eq!(view.header(column), table.header(column));
        for row in 0..table.rows() {
            assert_eq!(view.value(row, column), table.value(row, column));
        }
    }
}

#[test]
fn columns_are_those_asked_for_in_the_order_asked_for() {
    let table = kernels();
    let columns = keys(&["gpu_time_ns", "Kernel Name"]);
    let view = View::new(&table, &Selection { columns: &columns, ..Selection::default() }).expect("a view");
    assert_eq!(view.columns(), 2);
    assert_eq!([view.header(0).key, view.header(1).key], ["gpu_time_ns", "kernel_name"]);
    assert_eq!(cells(&view, "kernel_name"), ["gemm", "gemm", "gemm", "relu", "scale"]);
    assert_eq!(cells(&view, "gpu_time_ns"), ["40", "10", "30", "5", "20"]);
}

#[test]
fn columns_may_be_chosen_by_position() {
    let table = kernels();
    let time = column(&table, "gpu_time_ns");
    let view = View::of(&table).with_columns(vec![time, time]);
    assert_eq!(view.value(3, 0), view.value(3, 1));
    assert_eq!(view.value(3, 0), table.value(3, time));
}

#[test]
fn rows_are_those_for_which_every_condition_holds() {
    let table = kernels();
    let conditions = keys(&["kernel_name = gemm", "gpu_time_ns > 10"]);
    let selection = Selection { conditions: &conditions, ..Selection::default() };
    let view = View::new(&table, &selection).expect("a view");
    assert_eq!(cells(&view, "gpu_time_ns"), ["40", "30"]);
    assert_eq!(view.row_numbers().iter().collect::<Vec<_>>(), [0, 2]);
    assert_eq!(view.columns(), table.columns(), "conditions choose no columns");
}

#[test]
fn rows_are_sorted_by_columns_that_are_not_shown() {
    let table = kernels();
    let (columns, sort) = (keys(&["gpu_time_ns"]), keys(&["kernel_name", "-gpu_time_ns"]));
    let selection = Selection { columns: &columns, sort: &sort, ..Selection::default() };
    let view = View::new(&table, &selection).expect("a view");
    assert_eq!(cells(&view, "gpu_time_ns"), ["40", "30", "10", "5", "20"]);
}

#[test]
fn the_number_of_rows_is_limited_after_sorting_and_choosing() {
    let table = kernels();
    let (sort, conditions) = (keys(&["-gpu_time_ns"]), keys(&["kernel_name != gemm"]));
    let times = |sort, conditions, top| {
        let selection = Selection { sort, conditions, top, ..Selection::default() };
        cells(&View::new(&table, &selection).expect("a view"), "gpu_time_ns")
    };
    assert_eq!(times(&[], &[], Some(2)), ["40", "10"]);
    assert_eq!(times(&sort, &[], Some(2)), ["40", "30"]);
    assert_eq!(times(&[], &conditions, Some(1)), ["5"]);
    assert_eq!(times(&sort, &conditions, Some(1)), ["20"]);
    assert_eq!(times(&sort, &conditions, Some(9)), ["20", "5"]);
    assert!(times(&sort, &[], Some(0)).is_empty());
}

#[test]
fn a_page_is_a_part_of_the_rows_in_their_order() {
    let table = kernels();
    let sort = keys(&["gpu_time_ns"]);
    let sorted = View::new(&table, &Selection { sort: &sort, ..Selection::default() }).expect("a view");
    assert_eq!(cells(&sorted.clone().page(1, 2), "gpu_time_ns"), ["10", "20"]);
    assert_eq!(cells(&sorted.clone().page(3, 9), "gpu_time_ns"), ["30", "40"]);
    assert_eq!(sorted.page(5, 1).rows(), 0);
}

#[test]
fn rows_that_were_found_before_are_sorted_and_limited() {
    let table = kernels();
    let sort = keys(&["-gpu_time_ns"]);
    let selection = Selection { sort: &sort, top: Some(2), ..Selection::default() };
    let found = View::of(&table).with_rows(Rows::these([1, 3, 4].into_iter()));
    let view = found.select(&selection).expect("a view");
    assert_eq!(cells(&view, "gpu_time_ns"), ["20", "10"]);
    assert_eq!(view.row_numbers().iter().collect::<Vec<_>>(), [4, 1], "numbers of the table");
}

#[test]
fn a_selection_without_columns_keeps_those_of_the_view() {
    let table = kernels();
    let view = View::of(&table).with_columns(vec![column(&table, "gpu_time_ns")]);
    let conditions = keys(&["kernel_name = relu"]);
    let selection = Selection { conditions: &conditions, ..Selection::default() };
    let view = view.select(&selection).expect("a view");
    assert_eq!((view.columns(), view.rows()), (1, 1));
    assert_eq!(cells(&view, "gpu_time_ns"), ["5"]);
}

#[test]
fn a_view_can_be_seen_through_another() {
    let table = kernels();
    let sort = keys(&["gpu_time_ns"]);
    let inner = View::new(&table, &Selection { sort: &sort, ..Selection::default() }).expect("a view");
    let conditions = keys(&["kernel_name = gemm"]);
    let selection = Selection { conditions: &conditions, ..Selection::default() };
    let outer = View::new(&inner, &selection).expect("a view");
    assert_eq!(cells(&outer, "gpu_time_ns"), ["10", "30", "40"], "in the order of the inner view");
}

#[test]
fn each_row_is_counted_when_its_first_cell_is_read() {
    let table = kernels();
    let read = AtomicUsize::new(0);
    let count = || {
        read.fetch_add(1, Ordering::Relaxed);
    };
    let columns = vec![column(&table, "gpu_time_ns"), column(&table, "kernel_name")];
    let view = View::of(&table).with_columns(columns).on_row(Some(&count));
    for row in 0..view.rows() {
        view.value(row, 1);
    }
    assert_eq!(read.load(Ordering::Relaxed), 0, "no first cell was read");
    for row in 0..view.rows() {
        view.value(row, 0);
    }
    assert_eq!(read.load(Ordering::Relaxed), view.rows());
    view.page(0, 2).value(1, 0);
    assert_eq!(read.load(Ordering::Relaxed), 6, "a page is counted too");
}

#[test]
fn what_does_not_exist_cannot_be_selected() {
    let table = kernels();
    let names = keys(&["gpu_tiem_ns"]);
    let none = Selection::default();
    for selection in
        [Selection { columns: &names, ..none }, Selection { sort: &names, ..Selection::default() }]
    {
        let Err(SelectionError::Column(error)) = View::new(&table, &selection).map(drop) else {
            panic!("a column that does not exist");
        };
        assert_eq!(error.near[0], "gpu_time_ns");
    }
    let conditions = keys(&["gpu_time_ns > soon"]);
    let error = View::new(&table, &Selection { conditions: &conditions, ..Selection::default() }).map(drop);
    assert!(matches!(error, Err(SelectionError::Condition { .. })), "{error:?}");
}

#[test]
fn people_see_every_column_once_with_the_main_ones_first() {
    let profile = profile();
    let table = ops::build(&profile);
    let mut columns = columns_for_people(&table);
    let first: Vec<&str> = columns.iter().map(|&column| table.header(column).key).take(3).collect();
    assert_eq!(first, table.layout().first);
    columns.sort_unstable();
    assert_eq!(columns, (0..table.columns()).collect::<Vec<_>>());
}

#[test]
fn missing_cells_come_last_in_either_direction() {
    let table = Numbers(vec![None, Some(3), None, Some(-1)]);
    for (sort, expected) in [("number_ns", ["-1", "3", "-", "-"]), ("-number_ns", ["3", "-1", "-", "-"])] {
        let sort = keys(&[sort]);
        let view = View::new(&table, &Selection { sort: &sort, ..Selection::default() }).expect("a view");
        assert_eq!(cells(&view, "number_ns"), expected);
        assert_eq!(view.row_numbers().iter().skip(2).collect::<Vec<_>>(), [0, 2], "as in the table");
    }
}
