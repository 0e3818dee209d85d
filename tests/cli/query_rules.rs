//! Own rules in SQL, as a user writes them.

use crate::run::{Run, run, sample, temporary_folder};

const RULE: &str = r#"
[[rule]]
id = "convolutions"
title = "Convolutions take {percent:.1f} % of GPU time in {calls} calls"
query = """
select 100.0 * sum(case when op_type = 'conv2d' then gpu_time_ns else 0 end) / sum(gpu_time_ns) as percent,
       sum(calls) as calls from ops"""
when = "percent > 5 and calls is not null"
evidence = "select op_id, gpu_time_ns from ops where op_type = 'conv2d' order by gpu_time_ns desc limit 2"
saving = "select sum(gpu_time_ns) * 0.5 as saving_ns from ops where op_type = 'conv2d'"
advice = "Use a larger batch."
"#;

fn with_rule(words: &str, rule: &str) -> Run {
    let folder = temporary_folder();
    let settings = folder.path().join("settings.toml");
    std::fs::write(&settings, rule).expect("a file");
    run(&format!("{words} --config"), &[&settings, &sample()])
}

#[test]
fn own_rules_are_queries() {
    let run = with_rule("show findings --format ndjson", RULE);
    assert_eq!(run.code, 0, "{run:?}");
    let found = run.stdout.lines().find(|line| line.contains("convolutions")).expect("the finding");
    let found: serde_json::Value = serde_json::from_str(found).expect("JSON");
    let problem = found["problem"].as_str().expect("a text");
    assert!(problem.starts_with("Convolutions take ") && problem.ends_with(" calls"), "{found}");
    assert!(found["saving_ns"].as_i64().is_some_and(|ns| ns > 0), "{found}");
    let evidence = found["evidence"].to_string();
    assert!(evidence.contains("\"key\":\"op_id\",\"table\":\"ops\",\"value\":\"CONV2D_"), "{found}");
    let silent = with_rule("rules --fail-on warning", &RULE.replace("percent > 5", "percent > 101"));
    assert!(!silent.stdout.contains("Convolutions take 1"), "{silent:?}");
    let run = with_rule(
        "rules -v",
        "[[rule]]\nid = 'counters'\ntitle = 'none'\nadvice = 'a'\nwhen = 'n = 0'\n\
         query = 'select count(*) as n from gpu_metrics'\n",
    );
    assert!(run.stderr.contains("was not judged: table `gpu_metrics` has no rows"), "{run:?}");
}

#[test]
fn mistakes_in_queries_of_rules_have_a_place() {
    for (from, to, message) in [
        (
            "from ops\"\"\"",
            "from opps\"\"\"",
            "line 5, column 9: `query` of rule `convolutions`: there is no table `opps`",
        ),
        (
            "from ops\"\"\"",
            "from ops group by op_id\"\"\"",
            "line 5, column 9: `query` of rule `convolutions` gives ",
        ),
        (
            "percent > 5",
            "percnt > 5",
            "line 8, column 8: `when` of rule `convolutions`, character 1: there is no `percnt`",
        ),
        (
            "percent > 5",
            "percent > 'a'",
            "line 8, column 8: `when` of rule `convolutions`, character 1: the number",
        ),
        ("{calls}", "{call}", "line 4, column 9: `title` of rule `convolutions`, character"),
        (
            "saving_ns",
            "saved_ns",
            "line 10, column 10: `saving` of rule `convolutions` has the columns saved_ns",
        ),
        ("select op_id", "select op_idd", "line 9, column 12: `evidence` of rule `convolutions`: "),
    ] {
        let run = with_rule("rules", &RULE.replace(from, to));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{to}: {run:?}");
        assert!(run.stderr.contains(message), "{to}: {run:?}");
    }
}
