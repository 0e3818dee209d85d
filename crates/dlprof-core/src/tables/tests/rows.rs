use crate::tables::Rows;

fn numbers(rows: &Rows) -> Vec<usize> {
    rows.iter().collect()
}

#[test]
fn all_rows_are_those_of_the_table_and_hold_nothing() {
    let rows = Rows::all(4);
    assert_eq!(numbers(&rows), [0, 1, 2, 3]);
    assert_eq!((rows.len(), rows.held(), rows.is_empty()), (4, 0, false));
    assert!(Rows::all(0).is_empty());
}

#[test]
fn chosen_rows_keep_their_order() {
    let rows = Rows::these([5, 0, 3].into_iter());
    assert_eq!(numbers(&rows), [5, 0, 3]);
    assert_eq!((rows.get(0), rows.get(2), rows.held()), (5, 3, 3));
}

#[test]
fn a_page_of_a_page_counts_from_its_start() {
    for (rows, page, second) in [
        (Rows::all(10), vec![2, 3, 4, 5, 6], vec![4, 5]),
        (Rows::these((0..10).rev()), vec![7, 6, 5, 4, 3], vec![5, 4]),
    ] {
        let first = rows.page(2, 5);
        assert_eq!(numbers(&first), page);
        assert_eq!(first.get(1), page[1]);
        assert_eq!(numbers(&first.page(2, 2)), second);
    }
}

#[test]
fn a_page_ends_where_the_rows_end() {
    assert_eq!(numbers(&Rows::all(3).page(1, usize::MAX)), [1, 2]);
    assert_eq!(numbers(&Rows::these([4, 5, 6].into_iter()).page(2, 9)), [6]);
    assert!(Rows::all(3).page(3, 1).is_empty());
    assert!(Rows::all(3).page(99, 1).is_empty());
    assert!(Rows::these([1, 2].into_iter()).page(usize::MAX, usize::MAX).is_empty());
    assert!(Rows::all(3).page(1, 0).is_empty());
}
