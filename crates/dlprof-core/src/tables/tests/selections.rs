use super::{Numbers, keys};
use crate::tables::{Selection, View};
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
}
