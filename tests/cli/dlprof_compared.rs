//! DLProf databases, nsys exports and baselines beside each other.

use crate::run::{database, run, sample, temporary_folder};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn file_of(words: &str, input: &Path, output: &Path) -> PathBuf {
    let written = run(&format!("{words} -q -o"), &[output, input]);
    assert_eq!(written.code, 0, "{written:?}");
    output.to_owned()
}

/// The key node of the sample; DLProf would find none by itself.
const STEPS: &str = "--key-node /module/train_step";

/// An export, its database, and a baseline of each, with a key node.
fn four_forms(folder: &Path, export: &Path, key_node: &str) -> [PathBuf; 4] {
    let at = |name: &str| folder.join(name);
    let database = file_of(&format!("export --force {key_node}"), export, &at("dlprof_dldb.sqlite"));
    let of_export = file_of(&format!("baseline --force {key_node}"), export, &at("export.json"));
    let of_database = file_of("baseline --force", &database, &at("database.json"));
    [export.to_owned(), database, of_export, of_database]
}

fn compared(base: &Path, new: &Path, key_node: &str) -> Value {
    let compared = run(&format!("compare --format json {key_node}"), &[base, new]);
    assert_eq!(compared.code, 0, "{base:?} {new:?}: {compared:?}");
    serde_json::from_str(&compared.stdout).expect("JSON")
}

/// Words that only a difference has.
fn differences(comparison: &Value) -> Vec<String> {
    let rows = ["metrics", "ops", "op_types", "groups", "kernels"].into_iter().flat_map(|list| {
        let rows = comparison[list].as_array().unwrap_or_else(|| panic!("no list `{list}`: {comparison}"));
        rows.iter().map(move |row| (list, row))
    });
    let differs =
        |row: &Value| ["more", "less", "new", "vanished"].contains(&row["trend"].as_str().unwrap_or(""));
    let rows = rows.filter(|(_, row)| differs(row)).map(|(list, row)| format!("{list} {}", row["key"]));
    let findings = comparison["findings"]["changes"].as_array().expect("findings are compared");
    let changed = findings
        .iter()
        .filter(|change| ["new", "gone", "worse"].contains(&change["state"].as_str().unwrap_or("")));
    rows.chain(changed.map(|change| format!("finding {}", change["id"]))).collect()
}

/// Only what a database does not have differs, and that is said.
#[test]
fn every_pair_of_inputs_is_compared() {
    let folder = temporary_folder();
    let forms = four_forms(folder.path(), &sample(), STEPS);
    for (base, base_form) in forms.iter().enumerate() {
        for (new, new_form) in forms.iter().enumerate() {
            let comparison = compared(base_form, new_form, STEPS);
            assert_eq!(differences(&comparison), Vec::<String>::new(), "{base_form:?} {new_form:?}");
            let warnings = comparison["warnings"].to_string();
            let is_database = |form: usize| form % 2 == 1;
            let which = match (is_database(base), is_database(new)) {
                (true, false) => Some("the baseline is from a DLProf database, which has no streams"),
                (false, true) => Some("the new run is from a DLProf database, which has no streams"),
                _ => None,
            };
            assert!(which.is_none_or(|which| warnings.contains(which)), "{warnings}");
            assert_eq!(which.is_some(), warnings.contains("DLProf database"), "{warnings}");
            let judged = run(&format!("gate -q {STEPS} --baseline"), &[base_form, new_form]);
            assert_eq!(judged.code, 0, "{base_form:?} {new_form:?}: {judged:?}");
        }
    }
}

/// Frameworks whose ops have equal names, and captures in which another thread launches the work.
#[test]
fn a_database_has_the_ops_and_times_of_its_export() {
    let folder = temporary_folder();
    let made = |at: usize, options: &str| {
        let file = folder.path().join(format!("made-{at}.sqlite"));
        dlprof_generate::write_export(&file, options).expect("an export");
        file
    };
    let styles = [
        ("--style markers --kernels 400", STEPS),
        ("--style emit-nvtx --kernels 400", "--key-node /step"),
        ("--style ranges --kernels 400", "--key-node /step"),
    ];
    let files = styles.into_iter().enumerate().map(|(at, (options, key_node))| (made(at, options), key_node));
    for (export, key_node) in files.chain([(database(folder.path(), "cuda-graph.sql"), "--key-node=")]) {
        let [export, database, ..] = four_forms(folder.path(), &export, key_node);
        for (base, new) in [(&export, &database), (&database, &export)] {
            assert_eq!(differences(&compared(base, new, key_node)), Vec::<String>::new(), "{export:?}");
        }
    }
}

/// Kernel launches have no names in a database, but are launches; registers are unknown, so occupancy is.
#[test]
fn figures_of_a_database_are_those_of_its_export_or_unknown() {
    let folder = temporary_folder();
    let [export, database, ..] = four_forms(folder.path(), &sample(), STEPS);
    let calls =
        run("show api_calls --format csv --columns api_function,call_class,thread_class", &[&database]);
    assert!(calls.stdout.contains("kernel launch,launch,main"), "{calls:?}");
    let launches = |file: &Path| {
        let shown = run(
            &format!(
                "show steps {STEPS} --iter-start 3 --iter-stop 5 --format csv --columns launch_calls,launch_call_ns"
            ),
            &[file],
        );
        assert_eq!(shown.code, 0, "{shown:?}");
        shown.stdout
    };
    assert_eq!(launches(&export), launches(&database));
    let columns = "occupancy_percent,limited_by,waves,tail_loss_ns";
    let filled =
        |file: &Path| run(&format!("show kernel_names --format csv --columns {columns}"), &[file]).stdout;
    assert!(filled(&export).lines().skip(1).any(|row| row != ",,,"), "{}", filled(&export));
    assert!(filled(&database).lines().skip(1).all(|row| row == ",,,"), "{}", filled(&database));
    let rules = run("rules --format json", &[&database]).stdout;
    assert!(
        rules.contains("a DLProf database does not have the registers and shared memory of kernels"),
        "{rules}"
    );
    let dashboard = run("", &[&database]).stdout;
    assert!(dashboard.contains("DLProf database 1.8.0"), "{dashboard}");
}

#[test]
fn baselines_of_databases_have_a_history() {
    let folder = temporary_folder();
    let [_, database, ..] = four_forms(folder.path(), &sample(), STEPS);
    let history = folder.path().join("history");
    std::fs::create_dir(&history).expect("a folder");
    for day in 1..=3 {
        file_of("baseline", &database, &history.join(format!("day-{day}.json")));
    }
    let judged = run("gate -q --history", &[&history, &database]);
    assert_eq!(judged.code, 0, "{judged:?}");
    let shown = run("history", &[&history, &database]);
    assert!(shown.code == 0 && shown.stdout.contains("dlprof_dldb"), "{shown:?}");
}

#[test]
fn a_file_of_tables_is_no_baseline() {
    let folder = temporary_folder();
    let tables = file_of("export", &sample(), &folder.path().join("tables.json"));
    let refused = run("compare", &[&tables, &sample()]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert_eq!(refused.stderr.matches("error: ").count(), 1, "{refused:?}");
    assert!(refused.stderr.contains("tables.json"), "{refused:?}");
}
