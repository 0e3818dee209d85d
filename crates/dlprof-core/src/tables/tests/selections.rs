use super::{Numbers, cells, keys};
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tables::{Selection, View, kernels};
use crate::tests::drawn::Drawn;
use proptest::prelude::*;

/// The rows in the order of two columns, by sorting all of them.
fn sorted(numbers: &[Option<i64>], is_descending: bool) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..numbers.len()).collect();
    rows.sort_by_key(|&row| {
        let number = numbers[row].map(|number| if is_descending { -number } else { number });
        // By odd or even first; without a number last.
        (number.is_none(), number.map(|number| number % 2 != 0), number, row)
    });
    rows
}

proptest! {
    /// More rows than are held at a time, many of them equal.
    #[test]
    fn the_first_rows_are_those_of_sorting_all(
        numbers in prop::collection::vec(prop::option::weighted(0.9, -40_i64..40), 0..4000),
        top in prop::option::of(0_usize..3000),
        is_descending: bool,
    ) {
        let sort = keys(&["is_odd", if is_descending { "-number_ns" } else { "number_ns" }]);
        let mut expected = sorted(&numbers, is_descending);
        expected.truncate(top.unwrap_or(usize::MAX));
        let table = Numbers(numbers);
        let selection = Selection { sort: &sort, top, ..Selection::default() };
        let view = View::new(&table, &selection).expect("a view");
        prop_assert_eq!(view.row_numbers().iter().collect::<Vec<_>>(), expected);
    }

    /// Parts without any of them are not looked at.
    #[test]
    fn the_largest_rows_are_those_of_sorting_all(
        numbers in prop::collection::vec(prop::option::weighted(0.9, -40_i64..40), 0..1000),
        top in 0_usize..300,
    ) {
        let mut expected: Vec<usize> = (0..numbers.len()).collect();
        expected.sort_by_key(|&row| (numbers[row].is_none(), numbers[row].map(|number| -number), row));
        expected.truncate(top);
        let (table, sort) = (Numbers(numbers), keys(&["-number_ns"]));
        let selection = Selection { sort: &sort, top: Some(top), ..Selection::default() };
        let view = View::new(&table, &selection).expect("a view");
        prop_assert_eq!(view.row_numbers().iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn the_longest_kernels_of_any_range_are_found() {
    let mut drawn = Drawn::new();
    for step in 0..200 {
        let at = 100 * step;
        drawn
            .range("step", at..at + 100)
            .range("forward", at + 1..at + 60)
            .range("backward", at + 60..at + 99);
        drawn.launch(at + 2..at + 3, "gemm", at + 10..at + 11 + 7 * step % 31);
        drawn.launch(at + 62..at + 63, "relu", at + 70..at + 71 + 5 * step % 23);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".to_owned())).expect("an index");
    let (sort, most) = (keys(&["-gpu_time_ns", "gpu_start_ns"]), 9);
    for (start, stop) in [(1, 200), (7, 7), (3, 90), (51, 140), (150, 200)] {
        let profile = index.profile(&RangeChoice::from(start..=stop)).expect("a profile");
        let table = kernels::build(&profile);
        let first =
            |top| View::new(&table, &Selection { sort: &sort, top, ..Selection::default() }).expect("a view");
        let [found, all] = [Some(most), None].map(|top| cells(&first(top), "gpu_start_ns"));
        assert_eq!(found[..], all[..most.min(all.len())], "{start} to {stop}");
    }
}
