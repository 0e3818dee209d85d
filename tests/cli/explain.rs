use crate::run::run;

#[test]
fn names_are_explained() {
    let found = run("explain occupancy", &[]);
    assert_eq!(found.code, 0);
    assert!(found.stdout.starts_with("occupancy (term)\n  Warps that fit"), "{}", found.stdout);
    assert!(
        found.stdout.contains("\n  formula  blocks per SM") && found.stdout.contains("\n  unit     percent")
    );
    let column = run("explain ops.gpu-time-ns", &[]);
    assert!(column.stdout.contains("column of") && column.stdout.contains("unit     nanoseconds"));
    let both = run("explain launch turnaround", &[]).stdout;
    assert!(
        both.contains("launch (cause of idle time)") && both.contains("launch (API call class)"),
        "{both}"
    );
    assert!(both.contains("turnaround (cause"), "{both}");
}

#[test]
fn misspelt_names_are_met_with_suggestions() {
    let found = run("explain occupency", &[]);
    assert_eq!((found.code, found.stdout.as_str()), (2, ""));
    assert!(found.stderr.contains("`occupency` is not a name that `explain` knows"), "{}", found.stderr);
    assert!(found.stderr.contains("did you mean `occupancy`"), "{}", found.stderr);
    assert!(run("explain qqqqqqq", &[]).stderr.contains("without a name lists all names"));
}

#[test]
fn all_names_are_listed() {
    let list = run("explain", &[]).stdout;
    assert!(list.starts_with("term:\n") && list.contains("cause of idle time:\n  unused, edge, "), "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
}

#[test]
fn rules_and_columns_of_jobs_are_explained() {
    let rule = run("explain slow_link", &[]);
    assert_eq!(rule.code, 0, "{}", rule.stderr);
    assert!(rule.stdout.starts_with("slow_link (job rule)\n"), "{}", rule.stdout);
    for column in ["lag_ns", "own_ns", "caused_wait_ns", "speed_percent", "wait_p2p_ns"] {
        let found = run(&format!("explain {column}"), &[]);
        assert!(found.stdout.contains(&format!("{column} (job column of ")), "{column}: {}", found.stderr);
    }
}
