//! One figure for one thing: kernels in tables, findings, on the dashboard, in the viewer and in flame graphs, on every real
//! capture.

use dlprof_core::{
    ActivitySettings, Capture, DefaultRange, Document, Index, Judged, KernelKind, KeyNodeChoice, Measure,
    NamePattern, ProfileSettings, Question, RangeChoice, ReadOptions, Selection, Table as _, Value, View,
    definition,
};
use dlprof_export::{FlameKey, FlameNode, TimeUnit, flame_graph, overview};
use dlprof_generate::corpus::corpus;
use std::collections::BTreeMap;

/// Launches and plain sum of durations.
type Sum = (u64, i64);

/// Sums by name.
type Sums = BTreeMap<String, Sum>;

/// The ranges that are looked at: the default, everything, and the second half.
fn ranges(index: &Index) -> Vec<RangeChoice> {
    let total = index.iterations.total();
    let of = |otherwise| RangeChoice { otherwise, ..RangeChoice::default() };
    let half = RangeChoice { iter_start: Some(total / 2), ..of(DefaultRange::Auto) };
    vec![of(DefaultRange::Auto), of(DefaultRange::All), half]
}

/// Every profile of every capture that can be read, with the settings that a function makes of the usual profile.
fn each_profile(settings: impl Fn(&Judged) -> Option<ProfileSettings>, mut check: impl FnMut(&str, &Judged)) {
    for path in corpus() {
        let Ok(capture) = Capture::read(&path, &ReadOptions::default()) else { continue };
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        for range in ranges(&index) {
            let usual = Judged::from(index.profile(&range).expect("a profile"));
            let Some(settings) = settings(&usual) else { continue };
            let profile = Judged::from(index.profile_with(&range, &settings).expect("a profile"));
            check(&format!("{} {range:?}", path.display()), &profile);
        }
    }
}

fn add(sums: &mut Sums, name: &str, (launches, time_ns): Sum) {
    let sum = sums.entry(name.to_owned()).or_default();
    *sum = (sum.0 + launches, sum.1 + time_ns);
}

/// The cells of two columns of a view, summed up; by the text of another.
fn sums_of(view: &View<'_>, [name, launches, time]: [&str; 3]) -> Sums {
    let place = |key: &str| (0..view.columns()).find(|&at| view.header(at).key == key).expect("a column");
    let [name, launches, time] = [name, launches, time].map(place);
    let number = |row, column| match view.value(row, column) {
        Value::Int(number) => number,
        _ => panic!("no number in row {row}"),
    };
    let mut sums = Sums::new();
    for row in 0..view.rows() {
        let Value::Text(text) = view.value(row, name) else { panic!("no name in row {row}") };
        add(&mut sums, &text, (number(row, launches).cast_unsigned(), number(row, time)));
    }
    sums
}

/// A table as `show` lists it, summed up by a column.
fn shown(profile: &Judged, table: &str, conditions: &[String], columns: [&str; 3]) -> Sums {
    let table = (definition(table).expect("a table").build)(profile);
    let selection = Selection { conditions, ..Selection::default() };
    sums_of(&View::new(table.as_ref(), &selection).expect("a view"), columns)
}

/// The leaves of a flame graph by name, those of some classes.
fn leaves(node: &FlameNode, classes: &[&str], sums: &mut Sums) {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if classes.contains(&node.class) {
            add(sums, &node.name, (node.launches, node.time_ns));
        }
        open.extend(&node.children);
    }
}

const KERNELS: [&str; 4] = ["tc", "matrix", "kernel", "comm"];

fn total(sums: &Sums) -> Sum {
    sums.values().fold((0, 0), |(launches, time), sum| (launches + sum.0, time + sum.1))
}

/// Kernels by short name, as the sums by demangled name have them.
fn by_short_name(profile: &Judged, is_wanted: impl Fn(KernelKind) -> bool) -> Sums {
    let mut sums = Sums::new();
    let kernels = &profile.capture.kernels;
    for row in profile.kernel_names().iter().filter(|row| is_wanted(profile.kernel_kind(row))) {
        let short_name = profile.capture.strings.get(kernels.short_name[row.example]);
        add(&mut sums, short_name, (row.calls, row.gpu_time_ns));
    }
    sums
}

#[expect(clippy::cast_precision_loss, reason = "sums of tests are small")]
fn is_near(shown: f64, whole: u64, parts: f64) -> bool {
    (shown * parts - whole as f64).abs() <= 1e-9 * (whole as f64).max(1.0)
}

#[test]
fn kernels_have_one_figure_everywhere() {
    each_profile(
        |_| Some(ProfileSettings::default()),
        |case, profile| {
            let names = shown(profile, "kernel_names", &[], ["long_kernel_name", "calls", "gpu_time_ns"]);
            let all = total(&names);
            let totals = &profile.kernel_totals;
            let kernels =
                (totals.tc.launches + totals.non_tc.launches, totals.tc.gpu_ns + totals.non_tc.gpu_ns);
            assert_eq!(all, kernels, "{case}: totals");
            let summaries = ["kernel_name", "kernel_calls", "gpu_time_ns"];
            let summaries = shown(profile, "kernel_summaries", &[], summaries);
            assert_eq!(total(&summaries), all, "{case}: kernels by op");
            // Kernels of one short name may have several long ones, and seldom the other way round.
            let short = by_short_name(profile, |_| true);
            for key in FlameKey::ALL {
                let mut flames = Sums::new();
                leaves(&flame_graph(profile, key), &KERNELS, &mut flames);
                assert_eq!(flames, summaries, "{case}: flame graph by {}", key.as_str());
            }
            assert_eq!(total(&short), all, "{case}: short names");
            let mut of_ops = Sums::new();
            for row in profile.kernels_by_op() {
                add(&mut of_ops, profile.capture.strings.get(row.name), (row.launches, row.gpu_ns));
            }
            assert_eq!(of_ops, names, "{case}: kernels of ops by demangled name");
            let range = profile.iterations.range();
            let of_iterations =
                profile.iteration_stats.iter().filter(|stats| range.contains(&stats.iteration));
            let of_iterations = of_iterations.fold((0, 0), |(launches, time), stats| {
                (launches + stats.kernels.launches, time + stats.kernels.gpu_ns)
            });
            assert_eq!(of_iterations, all, "{case}: kernels of iterations");
            dashboard_agrees(case, profile, &names);
        },
    );
}

fn dashboard_agrees(case: &str, profile: &Judged, names: &Sums) {
    let overview = overview(profile, TimeUnit::Auto);
    let Some(kernels) = overview.kernels else { return };
    let parts = f64::from(overview.basis.divisor);
    let all = total(names);
    assert!(is_near(kernels.total_ns, all.1.cast_unsigned(), parts), "{case}: dashboard, {all:?}");
    assert!(is_near(kernels.launches, all.0, parts), "{case}: dashboard, {all:?}");
    for row in &kernels.rows {
        let (launches, time_ns) = names[&row.long_name];
        assert!(is_near(row.ns, time_ns.cast_unsigned(), parts), "{case}: dashboard, {}", row.long_name);
        assert!(is_near(row.calls, launches, parts), "{case}: dashboard, {}", row.long_name);
    }
    let kinds: f64 = kernels.kinds.iter().map(|kind| kind.ns).sum();
    assert!(is_near(kinds, all.1.cast_unsigned(), parts), "{case}: kinds of the dashboard");
}

/// The profile that the command of a finding makes.
fn profile_of_command(profile: &Judged, question: &Question) -> Judged {
    let iterations = question.iterations.as_ref();
    let range = RangeChoice {
        iter_start: iterations.map(|range| *range.start()),
        iter_stop: iterations.map(|range| *range.end()),
        otherwise: DefaultRange::Auto,
        ..RangeChoice::default()
    };
    profile.index.profile(&range).expect("a profile").into()
}

#[test]
fn findings_count_the_kernels_that_their_evidence_lists() {
    each_profile(
        |_| Some(ProfileSettings::default()),
        |case, profile| {
            for finding in profile.findings() {
                let of_kernels = finding.show.as_ref().filter(|question| question.table == "kernel_names");
                let Some(question) = of_kernels else { continue };
                let listed = profile_of_command(profile, question);
                let columns = ["long_kernel_name", "calls", "gpu_time_ns"];
                let all = shown(&listed, "kernel_names", &[], columns);
                let conditions: Vec<String> = question.condition.clone().into_iter().collect();
                let found = match finding.evidence.as_slice() {
                    [one] => all[&one.value],
                    _ => total(&shown(&listed, "kernel_names", &conditions, columns)),
                };
                let case = format!("{case}: {} {:?}", finding.id, question);
                let tried = finding.figures.iter().find_map(|(name, measure)| match measure {
                    Measure::Count(launches) if name == "tried_launches" => Some(*launches),
                    _ => None,
                });
                for (name, measure) in &finding.figures {
                    match (finding.id.as_ref(), name.as_ref(), measure, tried) {
                        // The table lists algorithms that are tried as well, which this finding leaves out.
                        ("kernel_hotspot", "launches", Measure::Count(own), Some(tried)) => {
                            assert!(*own <= found.0 && found.0 <= own + tried, "{case}");
                        }
                        ("kernel_hotspot", _, _, Some(_)) => {}
                        ("kernel_hotspot" | "layout_transposes", "launches", Measure::Count(launches), _) => {
                            assert_eq!(*launches, found.0, "{case}");
                        }
                        ("kernel_hotspot", "kernel_time_percent", Measure::Number(share), _)
                        | ("layout_transposes", "with_tried_percent", Measure::Number(share), _) => {
                            #[expect(clippy::cast_precision_loss, reason = "sums of tests are small")]
                            let expected = 100.0 * found.1 as f64 / total(&all).1 as f64;
                            assert!((share - expected).abs() < 1e-6, "{case}: {share} {expected}");
                        }
                        _ => {}
                    }
                }
            }
        },
    );
}

/// The kernel with most time is an exchange, says the user: so it is everywhere.
#[test]
fn what_a_user_calls_communication_is_communication_everywhere() {
    let settings = |profile: &Judged| {
        let top = profile.kernel_names().first()?;
        let short_name = profile.capture.strings.get(profile.capture.kernels.short_name[top.example]);
        let communication = vec![NamePattern::new(short_name).expect("a pattern")];
        let activity = ActivitySettings { communication, ..ActivitySettings::default() };
        Some(ProfileSettings { activity, ..ProfileSettings::default() })
    };
    each_profile(settings, |case, profile| {
        let is_exchange = |kind: KernelKind| kind == KernelKind::Communication;
        let expected = total(&by_short_name(profile, is_exchange));
        assert!(expected.0 > 0, "{case}");
        for key in FlameKey::ALL {
            let mut found = Sums::new();
            leaves(&flame_graph(profile, key), &["comm"], &mut found);
            assert_eq!(total(&found), expected, "{case}: flame graph by {}", key.as_str());
        }
        let kinds = profile.kernel_kinds(profile.kernel_names());
        let of_kind =
            kinds.iter().find(|kind| is_exchange(kind.kind)).map(|kind| (kind.calls, kind.gpu_time_ns));
        assert_eq!(of_kind, Some(expected), "{case}: kinds");
        let mut by_work = (0, 0);
        for row in
            profile.work_by_name().rows.iter().filter(|row| profile.iterations.is_aggregated(row.iteration))
        {
            if row.is_communication {
                by_work = (by_work.0 + row.launches, by_work.1 + row.gpu_ns);
            }
        }
        assert_eq!(by_work, expected, "{case}: work by name");
    });
}

/// What `compare` says of a finding per iteration is what the dashboard says of it, also where an iteration holds several passes.
#[test]
fn savings_of_runs_are_those_of_dashboards() {
    let mut compared = 0;
    let settings = |_: &Judged| Some(ProfileSettings::default());
    each_profile(settings, |case, profile| {
        let run = &Document::of(profile).runs[0];
        let is_of_all = run.iterations.used + run.iterations.left_out.get("unsplit").unwrap_or(&0)
            == profile.iterations.aggregated();
        let Some(found) = run.findings.as_ref().filter(|_| is_of_all) else { return };
        for row in overview(profile, TimeUnit::Auto).findings {
            let saving = row.saving.as_ref().and_then(|saving| saving.expected_ns.or(saving.at_most_ns));
            let kept = found.found.iter().find(|one| one.id == row.id).and_then(|one| one.saving);
            if let (Some(shown), Some(kept)) = (saving, kept) {
                assert!(
                    (shown - kept.ns).abs() <= shown.abs() * 1e-6 + 1.0,
                    "{case} {}: {shown}, {}",
                    row.id,
                    kept.ns
                );
                compared += 1;
            }
        }
    });
    assert!(compared > 0 || corpus().is_empty());
}
