use super::*;
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::KeyNodeChoice;
use crate::tests::drawn::Drawn;

/// Three steps of 100 ns; the second has a second kernel, and its first one takes longer.
///
/// ```text
/// step   │   a   │   a a b │   a   │
/// ```
fn profile() -> Profile {
    let mut drawn = Drawn::new();
    drawn.range("step", 0..100).launch(10..14, "a", 20..60);
    drawn.range("step", 100..300).launch(110..114, "a", 120..190).launch(200..204, "b", 210..240);
    drawn.range("step", 300..400).launch(310..314, "a", 320..360);
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".to_owned())).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile")
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn what_one_iteration_has_and_the_other_has_not() {
    let compared = compare_ranges(&profile(), 1..=1, 2..=2).expect("two ranges");
    assert!(near(compared.base.mean_ns, 100.0) && near(compared.new.mean_ns, 200.0), "{compared:?}");
    assert!(near(compared.change_ns(), 100.0));
    let kernels = compared.rows(RangeSubject::Kernels);
    let names: Vec<&str> = kernels.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["a", "b"], "equal changes in order of name");
    let b = &kernels[1];
    assert_eq!((b.base_calls, b.new_calls), (Some(0.0), Some(1.0)));
    assert!(near(b.base_ns, 0.0) && near(b.new_ns, 30.0) && near(b.change_ns, 30.0), "{b:?}");
    let launches = &compared.rows(RangeSubject::ApiCalls)[0];
    assert_eq!((launches.base_calls, launches.new_calls), (Some(1.0), Some(2.0)));
}

#[test]
fn classes_add_up_to_the_change_of_the_length() {
    let compared = compare_ranges(&profile(), 1..=1, 2..=2).expect("two ranges");
    let classes = compared.rows(RangeSubject::Classes);
    assert_eq!(classes.len(), 7);
    assert!(near(classes.iter().map(|row| row.change_ns).sum(), compared.change_ns()), "{classes:?}");
    assert!(compared.main_class().is_some_and(|class| class.change_ns > 0.0));
}

#[test]
fn amounts_are_per_iteration_and_the_order_of_the_ranges_is_the_sign() {
    let there = compare_ranges(&profile(), 1..=1, 2..=3).expect("two ranges");
    let back = compare_ranges(&profile(), 2..=3, 1..=1).expect("two ranges");
    assert_eq!((there.new.iterations, there.new.mean_ns), (2, 150.0));
    let a = |compared: &RangeComparison| {
        compared.rows(RangeSubject::Kernels).iter().find(|row| row.name == "a").cloned().expect("kernel a")
    };
    assert_eq!(a(&there).new_calls, Some(1.0));
    assert!(near(a(&there).new_ns, 55.0) && near(a(&there).change_ns, -a(&back).change_ns));
    let same = compare_ranges(&profile(), 2..=2, 2..=2).expect("two ranges");
    assert!(same.lists.iter().flat_map(|list| &list.rows).all(|row| near(row.change_ns, 0.0)), "{same:?}");
}

/// In the fifth step a call takes 2 ms longer, for which its GPU waits.
#[test]
fn what_held_an_iteration_up_is_the_call_on_its_critical_path() {
    const MS: Ns = 1_000_000;
    let mut drawn = Drawn::new();
    let mut start = 100 * MS;
    for step in 0..8 {
        let made = if step == 4 { 3 * MS } else { MS };
        let launched = start + made;
        drawn.range("step", start..launched + 8 * MS - 1);
        drawn.api_call("cudaStreamGetPriority", start + 1_000..launched, NO_CORRELATION);
        drawn.launch(launched + 1_000..launched + 10_000, "gemm", launched + 12_000..launched + 6 * MS);
        drawn.api_call("cudaDeviceSynchronize", launched + 20_000..launched + 6 * MS + 2_000, NO_CORRELATION);
        start = launched + 8 * MS;
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let profile = index.profile(&RangeChoice::default()).expect("a profile");
    let comparison = compare_ranges(&profile, 4..=4, 5..=5).expect("both are there");
    let cause = comparison.main_cause().expect("a call");
    assert_eq!(cause.name, "host calls: cudaStreamGetPriority");
    assert!(near(cause.change_ns / 1e6, 2.0), "{cause:?}");
}

#[test]
fn ranges_are_checked() {
    let profile = profile();
    assert!(matches!(compare_ranges(&profile, 1..=1, 9..=9), Err(Error::RangeOutOfBounds { .. })));
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = compare_ranges(&profile, 3..=1, 1..=1);
    assert!(matches!(reversed, Err(Error::ReversedRange { .. })));
}

#[test]
fn the_slowest_iteration_is_compared_with_the_one_in_the_middle() {
    assert_eq!(
        usual_pair(&profile()).map(|(base, new)| (*base.start() != *new.start(), *new.start())),
        Some((true, 2))
    );
}
