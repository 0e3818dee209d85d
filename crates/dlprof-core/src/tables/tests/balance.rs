//! The same time and the same launches in every table that splits them.

use super::{column, kernels, profile};
use crate::tables::{
    Table, Value, groups, iteration_ops, kernel_names, kernel_summaries, kernel_totals, op_types, ops,
};

/// The sum of a column of whole numbers.
fn sum(table: &dyn Table, key: &str) -> i64 {
    let column = column(table, key);
    let number = |row| match table.value(row, column) {
        Value::Int(number) => number,
        other => panic!("{}.{key}: {other:?}", table.key()),
    };
    (0..table.rows()).map(number).sum()
}

#[test]
fn kernels_take_the_same_time_in_every_table() {
    let profile = profile();
    let drawn = 40 + 10 + 5 + 30 + 20;
    assert_eq!(sum(&kernels(), "gpu_time_ns"), drawn);
    assert_eq!(sum(&kernel_summaries::build(&profile), "gpu_time_ns"), drawn);
    assert_eq!(sum(&kernel_names::build(&profile), "gpu_time_ns"), drawn);
    assert_eq!(sum(&ops::build(&profile), "kernel_gpu_time_ns"), drawn);
    assert_eq!(sum(&iteration_ops::build(&profile), "kernel_gpu_time_ns"), drawn);
}

#[test]
fn launches_are_the_same_in_every_table() {
    let profile = profile();
    assert_eq!(kernels().rows(), 5);
    assert_eq!(sum(&kernel_summaries::build(&profile), "kernel_calls"), 5);
    assert_eq!(sum(&kernel_names::build(&profile), "calls"), 5);
    assert_eq!(sum(&ops::build(&profile), "kernel_calls"), 5);
    assert_eq!(sum(&iteration_ops::build(&profile), "kernel_calls"), 5);
}

#[test]
fn ops_op_types_and_groups_split_the_same_time() {
    let profile = profile();
    let (ops, types) = (ops::build(&profile), op_types::build(&profile));
    for key in ["gpu_time_ns", "cpu_time_ns", "calls"] {
        assert_eq!(sum(&ops, key), sum(&types, key), "{key}");
    }
    let groups = groups::build(&profile);
    assert!(sum(&groups, "gpu_time_ns") >= sum(&ops, "gpu_time_ns"), "an op is in all of its groups");
}

#[test]
fn kernel_details_hold_all_and_its_parts() {
    let profile = profile();
    let table = kernel_totals::build(&profile);
    let drawn = 105;
    let time = column(&table, "gpu_time_ns");
    assert!((0..table.rows()).any(|row| table.value(row, time) == Value::Int(drawn)), "all kernels");
    assert_eq!(sum(&table, "gpu_time_ns"), 2 * drawn, "the parts, and all of them");
}
