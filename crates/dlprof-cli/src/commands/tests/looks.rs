//! Commands that print what is in a capture: the dashboard, `check`, `show`, `query`, `rules`, `explain`, `demo`.

use super::super::dashboard::{self, Dashboard, DashboardFormat};
use super::super::query::{self, Query};
use super::super::report_files::{CiFormat, Pages, ReportFiles};
use super::super::row_choice::Rows;
use super::super::rules::{self, Rules};
use super::super::show::{self, ColumnsAndOrder, Printed, Show};
use super::super::{check, demo, explain};
use crate::console::pager::Paging;
use crate::console::{Verbosity, recorded};
use crate::exit::{self, Failure};
use crate::generated::{capture, capture_file, folder, settings};
use crate::opening::CaptureFile;
use dlprof_core::Severity;
use dlprof_export::{DashboardDetails, Format, Inputs, Overwrite, Target};
use std::path::Path;
use std::time::Duration;

fn show_of(file: CaptureFile, table: &str) -> Show {
    Show {
        file,
        table: show::find(table).expect("a table"),
        shown: ColumnsAndOrder::default(),
        rows: Rows::default(),
        conditions: Vec::new(),
        per_iteration: false,
        is_wide: true,
        format: Printed::As(Format::Csv),
        paging: Paging::default(),
    }
}

/// The lines that `show` prints.
fn lines(show: &Show) -> Vec<String> {
    let (done, said) = recorded(|| show::run(show));
    done.expect("rows");
    said.out.lines().map(str::to_owned).collect()
}

/// The message and the hint of a failure about use or about data.
fn said_by<T>(result: Result<T, Failure>) -> (String, String) {
    match result.err().expect("a failure") {
        Failure::Usage { message, hint } | Failure::Request { message, hint } => {
            (message, hint.unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_dashboard_has_its_forms_and_an_exit_code() {
    let folder = folder();
    let dashboard = |format, fail_on| {
        let asked =
            Dashboard { file: capture_file(folder.path()), details: DashboardDetails::Best, format, fail_on };
        let (code, said) = recorded(|| dashboard::run(&asked));
        (code.expect("a dashboard"), said.out)
    };
    let (code, text) = dashboard(DashboardFormat::Text, None);
    assert!(code == exit::DONE && text.contains("run.sqlite") && !text.contains('\u{1b}'), "{text}");
    let (_, json) = dashboard(DashboardFormat::Json, None);
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    let (_, markdown) = dashboard(DashboardFormat::Markdown, None);
    assert!(markdown.lines().any(|line| line.starts_with("| ")), "{markdown}");
    // A loop of 8 short iterations always has something to say.
    assert_eq!(dashboard(DashboardFormat::Text, Some(Severity::Note)).0, exit::FAILED);
}

#[test]
fn check_says_what_a_capture_holds() {
    let folder = folder();
    let (done, said) = recorded(|| check::run(&capture_file(folder.path())));
    done.expect("a check");
    assert!(said.out.contains("run.sqlite") && said.out.contains("kernels"), "{}", said.out);
}

#[test]
fn a_table_is_sorted_cut_and_chosen() {
    let folder = folder();
    let all = lines(&show_of(capture_file(folder.path()), "ops"));
    assert!(all.len() > 4 && all[0].starts_with("op_id,"), "{all:?}");
    let asked = Show {
        shown: ColumnsAndOrder {
            columns: vec!["op_id".into(), "GPU Time".into()],
            sort: vec!["-gpu_time_ns".into()],
            top: Some(3),
        },
        ..show_of(capture_file(folder.path()), "ops")
    };
    let first = lines(&asked);
    assert_eq!((first.len(), first[0].as_str()), (4, "op_id,gpu_time_ns"));
    let times: Vec<u64> = first[1..]
        .iter()
        .map(|line| line.rsplit(',').next().and_then(|cell| cell.parse().ok()).expect("a time"))
        .collect();
    assert!(times.is_sorted_by(|a, b| a >= b) && times[0] > 0, "{times:?}");
}

#[test]
fn data_of_a_whole_table_keeps_its_order_and_texts_for_people_do_not() {
    let folder = folder();
    let rows = |format, top| {
        let columns = vec!["op_id".into(), "gpu_time_ns".into()];
        let shown = ColumnsAndOrder { columns, top, ..ColumnsAndOrder::default() };
        lines(&Show { format, shown, ..show_of(capture_file(folder.path()), "ops") })
    };
    let (in_order, first) =
        (rows(Printed::As(Format::Csv), None), rows(Printed::As(Format::Csv), Some(usize::MAX)));
    assert_eq!(in_order.len(), first.len());
    assert_ne!(in_order, first, "the first rows are those that people see first");
    assert_ne!(rows(Printed::Table, None), in_order);
}

#[test]
fn rows_of_one_iteration_and_one_op() {
    let folder = folder();
    let of = |table, rows| {
        let asked = Show { rows, ..show_of(capture_file(folder.path()), table) };
        recorded(|| show::run(&asked))
    };
    let count = |table, rows| {
        let (done, said) = of(table, rows);
        done.expect("rows");
        said.out.lines().count() - 1
    };
    let all = count("iteration_ops", Rows::default());
    let third = count("iteration_ops", Rows { iteration: Some(3), op: None });
    assert!(third > 0 && third < all, "{third} of {all}");
    let ids_of = |table, rows| {
        let shown = ColumnsAndOrder { columns: vec!["op_id".into()], ..ColumnsAndOrder::default() };
        lines(&Show { rows, shown, ..show_of(capture_file(folder.path()), table) }).split_off(1)
    };
    let id = ids_of("ops", Rows::default()).pop().expect("an op");
    for (table, iteration) in [("ops", None), ("iteration_ops", Some(3))] {
        let ids = ids_of(table, Rows { iteration, op: Some(id.clone()) });
        assert!(!ids.is_empty() && ids.iter().all(|one| *one == id), "{table}: {ids:?}, not {id}");
    }

    let failed = |table, iteration, op: Option<&str>| {
        said_by(of(table, Rows { iteration, op: op.map(str::to_owned) }).0)
    };
    let (message, hint) = failed("ops", Some(3), None);
    assert_eq!(message, "`--iteration` does not fit table `ops`: it has no column `iteration`");
    assert!(hint.contains("iteration_ops"), "{hint}");
    let (message, _) = failed("iterations", Some(99), None);
    assert_eq!(message, "there is no iteration 99: the capture has iterations 0 to 8");
    let (message, hint) = failed("ops", None, Some("no such op"));
    assert_eq!(message, "no aggregated op has the ID or name `no such op`");
    assert!(hint.ends_with("`dlprof-agg show ops FILE` lists the ops"), "{hint}");
}

#[test]
fn conditions_choose_rows_and_mistakes_in_them_are_marked() {
    let folder = folder();
    let with = |conditions: &[&str]| {
        let conditions = conditions.iter().map(|&text| text.to_owned()).collect();
        recorded(|| show::run(&Show { conditions, ..show_of(capture_file(folder.path()), "ops") }))
    };
    let (done, said) = with(&["gpu_time_ns >= 0", "gpu_time_ns < 0"]);
    done.expect("no rows");
    assert_eq!(said.out.lines().count(), 1);
    assert_eq!(
        said.aside, "warning: the conditions are true for no row; texts are case-sensitive\n",
        "and nothing else"
    );
    let (message, hint) = said_by(with(&["gpu_tine_ns > 1"]).0);
    assert!(message.contains("gpu_tine_ns > 1\n") && message.ends_with('^'), "{message}");
    assert_eq!(hint, "`dlprof-agg show --list ops` describes the columns");
    let (message, hint) = said_by(show::find("opps"));
    assert_eq!(message, "there is no table `opps`");
    assert!(hint.starts_with("did you mean `ops`"), "{hint}");
}

#[test]
fn tables_are_described() {
    let described = |table| {
        let (done, said) = recorded(|| show::list(table, &Paging::default()));
        done.expect("a list");
        said.out
    };
    let ops = show::find("ops").expect("ops");
    let (one, all) = (described(Some(ops)), described(None));
    assert!(all.lines().any(|line| line.starts_with("ops")) && !all.contains("gpu_time_ns"), "{all}");
    assert!(ops.headers().iter().all(|header| one.contains(header.key)), "{one}");
}

#[test]
fn a_query_is_answered_over_one_or_several_captures() {
    let folder = folder();
    let files = |names: &[&str]| -> Vec<CaptureFile> {
        let file = |name: &&str| CaptureFile::new(capture(folder.path(), name, ""), settings());
        names.iter().map(file).collect()
    };
    let ask = |names: &[&str], sql: &str| {
        let asked = Query {
            files: files(names),
            sql: sql.into(),
            output: None,
            format: Printed::As(Format::Csv),
            time_limit: Duration::from_secs(60),
        };
        recorded(|| query::run(&asked))
    };
    let shown = CaptureFile::new(capture(folder.path(), "a.sqlite", ""), settings());
    let rows = lines(&show_of(shown, "iterations")).len() - 1;
    let (done, said) = ask(&["a.sqlite"], "select count(*) as n from iterations");
    done.expect("an answer");
    assert_eq!(said.out, format!("n\n{rows}\n"));
    let (done, said) =
        ask(&["a.sqlite", "b.sqlite"], "select profile, count(*) as n from iterations group by profile");
    done.expect("an answer");
    assert_eq!(said.out, format!("profile,n\na,{rows}\nb,{rows}\n"));
    let (message, _) = said_by(ask(&["a.sqlite"], "select no_such_column from ops").0);
    assert!(message.contains("no_such_column"), "{message}");
}

#[test]
fn a_query_writes_a_file_and_captures_have_names_of_their_own() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("other")).expect("a folder");
    let same = ["run.sqlite", "other/run.sqlite"].map(|name| capture(folder.path(), name, ""));
    let output = folder.path().join("answer.csv");
    let target = Target::new(&output, Overwrite::Refuse, &Inputs::default()).expect("a target");
    let asked = Query {
        files: same.iter().map(|path| CaptureFile::new(path.clone(), settings())).collect(),
        sql: "select distinct profile from iterations order by profile".into(),
        output: Some((target, Format::Csv)),
        format: Printed::Table,
        time_limit: Duration::from_secs(60),
    };
    let (done, said) = recorded(|| query::run(&asked));
    done.expect("an answer");
    assert_eq!(said.out, format!("{}\n", output.display()));
    let answer = std::fs::read_to_string(&output).expect("the answer");
    let mut names = same.map(|path| path.display().to_string());
    names.sort();
    assert_eq!(answer, format!("profile\n{}\n{}\n", names[0], names[1]));

    let mut named = asked;
    named.files.iter_mut().for_each(|file| file.settings.profile_name = Some("mine".into()));
    let (message, _) = said_by(query::run(&named));
    assert_eq!(message, "`--profile-name mine` names one capture, but 2 are given");
}

#[test]
fn rules_are_listed_and_judge_a_capture() {
    let folder = folder();
    let rules = |file: Option<&Path>, fail_on, format| {
        let files =
            ReportFiles::check(&[], Pages::None, Overwrite::Refuse, &Inputs::default()).expect("no files");
        let file = file.map(Path::to_owned);
        recorded(|| rules::run(Rules { file, settings: settings(), fail_on, format, files }))
    };
    let (code, said) = rules(None, None, CiFormat::Text);
    assert!(code.expect("a list") == exit::DONE && said.out.contains("input_bound"), "{}", said.out);
    let (message, _) = said_by(rules(None, None, CiFormat::Sarif).0);
    assert_eq!(message, "no FILE given, so that there are no findings");
    said_by(rules(None, Some(Severity::Note), CiFormat::Text).0);

    let file = capture(folder.path(), "run.sqlite", "");
    let (code, said) = rules(Some(&file), Some(Severity::Note), CiFormat::Sarif);
    assert_eq!(code.expect("a report"), exit::FAILED);
    assert!(said.out.contains("\"2.1.0\""), "{}", said.out);
}

#[test]
fn names_are_explained() {
    let text = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        recorded(|| explain::run(&names))
    };
    let (done, said) = text(&["gpu_idle_ns", "input_bound"]);
    done.expect("two names");
    assert!(said.out.contains("gpu_idle_ns (") && said.out.contains("input_bound ("), "{}", said.out);
    assert!(said.out.lines().all(|line| line.chars().count() <= 100), "{}", said.out);
    let (done, said) = text(&[]);
    done.expect("a list");
    assert!(said.out.contains("occupancy"), "{}", said.out);
    let (message, hint) = said_by(text(&["gpu_idel_ns"]).0);
    assert_eq!(message, "`gpu_idel_ns` is not a name that `explain` knows");
    assert!(hint.contains("gpu_idle_ns"), "{hint}");
}

#[test]
fn the_demo_needs_no_capture_and_writes_one() {
    let folder = folder();
    let (done, said) = recorded(demo::show);
    done.expect("a dashboard");
    assert!(said.out.contains("dlprof-agg demo -o sample.sqlite"), "{}", said.out);
    let path = folder.path().join("sample.sqlite");
    let target = Target::new(&path, Overwrite::Refuse, &Inputs::default()).expect("a target");
    let (done, said) = recorded(|| demo::write(&target));
    done.expect("a file");
    assert_eq!(said.out, format!("dlprof-agg --iter-start 15 --iter-stop 58 {}\n", path.display()));
    let quiet = crate::settings::Settings { verbosity: Verbosity::Quiet, ..settings() };
    CaptureFile::new(path, quiet).open().expect("the sample is a capture");
}

#[cfg(feature = "view")]
#[test]
fn too_many_captures_are_not_viewed() {
    use super::super::view::{self, Shown, View};
    let file = |number| CaptureFile::new(format!("{number}.sqlite").into(), settings());
    let files = (0..9).map(file).collect();
    let asked = View {
        shown: Shown::Captures(files),
        bind: "localhost".into(),
        port: 0,
        allowed_hosts: Vec::new(),
        csv_safe: false,
        opens_browser: false,
    };
    let (message, hint) = said_by(view::run(&asked));
    assert_eq!(message, "9 captures are given; at most 8 can be viewed at a time");
    assert!(hint.contains("`query`"), "{hint}");
}
