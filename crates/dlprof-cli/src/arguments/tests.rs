//! What command lines mean: the values that commands are called with.

use super::{Asked, Cli, Command, command_line, show, stats};
use crate::commands::compare::Sides;
use crate::commands::show::{Printed, Show};
use crate::commands::stats::RowFilter;
use crate::commands::view::Shown;
use crate::exit::Failure;
use crate::generated::folder;
use crate::settings::iteration_pair::IterationPair;
use clap::FromArgMatches;
use dlprof_core::{DefaultRange, FigureRules, KeyNodeChoice, NsysForm, Severity};
use dlprof_export::{DashboardDetails, DlprofReport, DlprofReportFormat, Format, Overwrite};
use std::path::{Path, PathBuf};

/// A command line as clap reads it; `config` names an empty settings file, so that no file of the user counts.
fn cli(words: &[&str], config: &Path) -> Cli {
    let config = format!("--config={}", config.display());
    let words = ["dlprof-agg", config.as_str()].into_iter().chain(words.iter().copied());
    let matches = command_line::command().try_get_matches_from(words).expect("a command line");
    Cli::from_arg_matches(&matches).expect("a command line")
}

/// Calls `test` with a reader of command lines.
fn with_lines(test: impl FnOnce(&dyn Fn(&[&str]) -> Cli, &Path)) {
    let folder = folder();
    let config = folder.path().join("empty.toml");
    std::fs::write(&config, "").expect("a settings file");
    test(&|words| cli(words, &config), folder.path());
}

/// What `show` asks for.
fn rows_of(cli: Cli) -> Result<Box<Show>, Failure> {
    let Some(Command::Show(show)) = cli.command else { panic!("`show`") };
    match show.asked()? {
        show::Asked::Rows(rows) => Ok(rows),
        _ => panic!("rows"),
    }
}

/// The message of a failure about use.
fn usage<T>(asked: Result<T, Failure>) -> String {
    match asked.err().expect("a failure") {
        Failure::Usage { message, .. } => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_alone_is_a_dashboard() {
    with_lines(|line, _| {
        let Ok(Asked::Dashboard(asked)) = line(&["a.sqlite"]).asked() else { panic!("a dashboard") };
        assert_eq!(asked.file.path, PathBuf::from("a.sqlite"));
        assert_eq!((asked.details, asked.fail_on), (DashboardDetails::Best, None));
        assert_eq!(asked.file.settings.asked.range.otherwise, DefaultRange::Auto);
        let Ok(Asked::Dashboard(asked)) =
            line(&["--details", "--fail-on", "warning", "--database", "b.sqlite"]).asked()
        else {
            panic!("a dashboard")
        };
        assert_eq!(asked.file.path, PathBuf::from("b.sqlite"));
        assert_eq!((asked.details, asked.fail_on), (DashboardDetails::All, Some(Severity::Warning)));
        assert_eq!(usage(line(&["--details"]).asked()), "no FILE given");
    });
}

#[test]
fn old_command_lines_ask_for_reports() {
    with_lines(|line, _| {
        let words = ["--reports", "kernel,summary,kernel", "--formats", "json", "--key_op=", "a.sqlite"];
        let Ok(Asked::Reports(asked)) = line(&words).asked() else { panic!("reports") };
        assert_eq!(asked.reports, [DlprofReport::Summary, DlprofReport::Kernel]);
        assert_eq!(asked.formats, [DlprofReportFormat::Json]);
        assert_eq!((asked.folder, asked.overwrite), (PathBuf::from("."), Overwrite::Refuse));
        assert_eq!(asked.file.settings.asked.key_node, KeyNodeChoice::None);
        assert_eq!(asked.file.settings.asked.range.otherwise, DefaultRange::All);
        assert_eq!(asked.file.settings.asked.range.rules, FigureRules::Ours, "`reports` asks for DLProf's");
        let Ok(Asked::Reports(asked)) = line(&["--reports=all", "--force", "a.sqlite"]).asked() else {
            panic!("reports")
        };
        assert_eq!((asked.reports.len(), asked.overwrite), (DlprofReport::ALL.len(), Overwrite::Replace));
        assert_eq!(asked.formats, [DlprofReportFormat::Csv]);
        assert_eq!(usage(line(&["--reports=odd", "a.sqlite"]).asked()), "there is no report `odd`");
        assert_eq!(
            usage(line(&["--formats=odd", "a.sqlite"]).asked()),
            "reports cannot be written in format `odd`"
        );
    });
}

#[test]
fn the_table_and_the_file_of_show_may_change_places() {
    with_lines(|line, _| {
        for words in [["show", "ops", "a.sqlite"], ["show", "a.sqlite", "ops"]] {
            let asked = rows_of(line(&words)).expect("rows");
            assert_eq!((asked.table.key, asked.file.path), ("ops", PathBuf::from("a.sqlite")));
        }
        let words =
            ["show", "idle-totals", "a.sqlite", "--sort", "-time_ns,cause", "--columns=all", "--format=csv"];
        let asked = rows_of(line(&words)).expect("rows");
        assert_eq!((asked.table.key, asked.format), ("idle_totals", Printed::As(Format::Csv)));
        let shown = &asked.shown;
        assert_eq!((shown.sort.join(" "), shown.columns.join(" ")), ("-time_ns cause".into(), "all".into()));
        assert_eq!(usage(rows_of(line(&["show", "opps", "a.sqlite"]))), "there is no table `opps`");
        assert_eq!(usage(rows_of(line(&["show", "ops"]))), "no FILE given");
    });
}

#[test]
fn show_list_describes_one_table_or_all() {
    with_lines(|line, folder| {
        let file = folder.join("empty.toml").display().to_string();
        let listed = |words: &[&str]| {
            let Some(Command::Show(show)) = line(words).command else { panic!("`show`") };
            match show.asked() {
                Ok(show::Asked::List(table, _)) => table.map(|table| table.key),
                _ => panic!("a list"),
            }
        };
        assert_eq!(listed(&["show", "--list"]), None);
        assert_eq!(listed(&["show", "--list", "ops"]), Some("ops"));
        assert_eq!(listed(&["show", "--list", &file]), None);
        assert_eq!(listed(&["show", "--list", &file, "ops"]), Some("ops"));
    });
}

#[test]
fn options_of_an_analysis_become_settings() {
    with_lines(|line, _| {
        let words = [
            "--iter-start=3",
            "--iter_stop=5",
            "check",
            "--mode=tensorflow1",
            "--clock=gpu",
            "--batch-size=32",
            "--key-node=step",
            "--memory=2M",
            "--no-cache",
            "-q",
            "a.sqlite",
        ];
        let Some(Command::Check { analysis, .. }) = line(&words).command else { panic!("`check`") };
        let settings = analysis.capture().expect("settings").settings;
        let range = settings.asked.range;
        assert_eq!((range.iter_start, range.iter_stop, range.batch_size), (Some(3), Some(5), Some(32)));
        assert_eq!(settings.asked.key_node, KeyNodeChoice::Named("step".into()));
        assert_eq!(settings.memory_bytes(), 2 << 20);
        assert!(settings.cache.is_none() && !settings.shows_progress);
        let Some(Command::Check { analysis, .. }) =
            line(&["check", "--iter-start=6", "--iter-stop=5", "a"]).command
        else {
            panic!("`check`")
        };
        assert!(matches!(analysis.capture(), Err(Failure::Analysis(_))));
    });
}

#[test]
fn two_runs_or_two_ranges_are_compared() {
    with_lines(|line, _| {
        let sides = |words: &[&str]| {
            let Some(Command::Compare(compare)) = line(words).command else { panic!("`compare`") };
            compare.asked().map(|asked| (asked.sides, asked.settings.asked.range.otherwise))
        };
        let runs = Sides::Runs { base: "a".into(), new: "b".into() };
        assert_eq!(sides(&["compare", "a", "b"]).expect("runs"), (runs, DefaultRange::All));
        let ranges = Sides::Ranges { file: "a".into(), pair: IterationPair::Ranges(1..=2, 3..=4) };
        let words = ["compare", "a", "--iterations", "1-2,3-4"];
        assert_eq!(sides(&words).expect("ranges"), (ranges, DefaultRange::Auto));
        assert_eq!(usage(sides(&["compare", "a"])), "no second run given");
    });
}

#[test]
fn runs_and_baselines_come_in_the_order_given() {
    with_lines(|line, folder| {
        let output = folder.join("base.json").display().to_string();
        let Some(Command::Baseline(baseline)) = line(&["baseline", "a", "b", "c", "-o", &output]).command
        else {
            panic!("`baseline`")
        };
        let asked = baseline.asked().expect("a baseline");
        assert_eq!(asked.runs, ["a", "b", "c"].map(PathBuf::from));
        assert_eq!(asked.target.path(), Path::new(&output));
        let Some(Command::History(history)) = line(&["history", "a", "b"]).command else {
            panic!("`history`")
        };
        assert_eq!(history.asked().expect("a history").paths, ["a", "b"].map(PathBuf::from));
        let words = ["gate", "new", "--baseline", "a", "-b", "b", "--history", "h"];
        let Some(Command::Gate(gate)) = line(&words).command else { panic!("`gate`") };
        let asked = gate.asked().expect("a gate");
        assert_eq!((asked.new, asked.baseline), ("new".into(), ["a", "b"].map(PathBuf::from).to_vec()));
        assert_eq!(asked.settings.asked.range.otherwise, DefaultRange::All);
    });
}

#[test]
fn no_output_replaces_what_is_read() {
    with_lines(|line, folder| {
        let file = folder.join("run.sqlite");
        std::fs::write(&file, "").expect("a file");
        let file = file.display().to_string();
        let words = ["baseline", &file, "-f", "-o", &file];
        let Some(Command::Baseline(baseline)) = line(&words).command else { panic!("`baseline`") };
        assert!(matches!(baseline.asked(), Err(Failure::Export(_))));
        let config = folder.join("empty.toml").display().to_string();
        let Some(Command::Demo(demo)) = line(&["demo", "-f", "-o", &config]).command else {
            panic!("`demo`")
        };
        let options = line(&["a"]).analysis.options;
        assert!(matches!(demo.asked(&options), Err(Failure::Export(_))));
    });
}

#[test]
fn an_export_has_tables_in_the_order_of_the_list() {
    with_lines(|line, folder| {
        let at = |name: &str| folder.join(name).display().to_string();
        let asked = |words: &[&str]| {
            let Some(Command::Export(export)) = line(words).command else { panic!("`export`") };
            export.asked()
        };
        let (csv, folder) = (at("a.csv"), at("tables/"));
        let export =
            asked(&["export", "a", "--tables", "kernels,ops,kernels", "-o", &folder]).expect("an export");
        let keys: Vec<&str> = export.tables.iter().map(|table| table.key).collect();
        assert!(export.is_choice && keys.len() == 2 && keys.contains(&"ops"), "{keys:?}");
        let all = asked(&["export", "a", "-o", &folder]).expect("an export");
        assert!(!all.is_choice && all.tables.len() > 20);
        let order = |key: &str| all.tables.iter().position(|table| table.key == key);
        assert!(keys.is_sorted_by_key(|key| order(key)));
        assert!(asked(&["export", "a", "-o", &csv]).is_err(), "a CSV file holds one table");
        asked(&["export", "a", "-o", &csv, "--tables=ops"]).expect("one table");
        let font = at("no.ttf");
        let message = usage(asked(&["export", "a", "-o", &folder, "--font", &font]));
        assert!(message.starts_with("cannot read font"), "{message}");
    });
}

#[test]
fn the_last_word_of_a_query_is_sql() {
    with_lines(|line, folder| {
        let asked = |words: &[&str]| {
            let Some(Command::Query(query)) = line(words).command else { panic!("`query`") };
            query.asked()
        };
        let query = asked(&["query", "a", "b", "select 1"]).expect("a query");
        let paths: Vec<PathBuf> = query.files.into_iter().map(|file| file.path).collect();
        assert_eq!((paths, query.sql.as_str()), (["a", "b"].map(PathBuf::from).to_vec(), "select 1"));
        assert!(query.output.is_none());
        let file = folder.join("empty.toml").display().to_string();
        assert_eq!(usage(asked(&["query", &file])), "no SQL given");
        assert_eq!(usage(asked(&["query", "select 1"])), "no FILE given");
        assert!(asked(&["query", "a", "select 1", "-o", "answer.odd"]).is_err());
    });
}

#[test]
fn reports_of_nsys_have_a_filter_and_a_version() {
    with_lines(|line, _| {
        let asked = |words: &[&str]| {
            let Some(Command::Stats(stats)) = line(words).command else { panic!("`stats`") };
            stats.asked()
        };
        let words = ["stats", "a", "-r", "x,y", "--like=2020.4", "--filter-time", "1s/", "--timeunit=ms"];
        let Ok(stats::Asked::Reports(reports)) = asked(&words) else { panic!("reports") };
        assert_eq!((reports.reports.join(" "), reports.form), ("x y".into(), NsysForm::V2020));
        let RowFilter::Time(window) = reports.filter else { panic!("a time") };
        assert_eq!((window.start, window.end), ((1_000_000_000, "1s".into()), (i64::MAX, String::new())));
        let Ok(stats::Asked::Reports(reports)) = asked(&["stats", "a", "--filter-nvtx", "step@d/3"]) else {
            panic!("reports")
        };
        assert_eq!(reports.filter, RowFilter::Range("step@d/3".into()));
        assert!(matches!(asked(&["stats", "--help-formats"]), Ok(stats::Asked::ListOfFormats)));
        assert!(matches!(
            asked(&["stats", "--help-reports", "--like=none"]),
            Ok(stats::Asked::ListOfReports(NsysForm::Right))
        ));
        assert!(usage(asked(&["stats", "a", "--report-dir=d"])).starts_with("`--report-dir` names scripts"));
        assert!(usage(asked(&["stats", "a", "--from=1s"])).starts_with("`stats` prints the reports"));
        assert!(
            usage(asked(&["stats", "a.sqlite", "--sqlite=b"]))
                .starts_with("`--sqlite` needs a `.nsys-rep` report")
        );
    });
}

#[test]
fn a_program_is_profiled_with_its_own_options() {
    with_lines(|line, folder| {
        let name = folder.join("run.nsys-rep").display().to_string();
        let asked = |words: &[&str]| {
            let Some(Command::Profile(profile)) = line(words).command else { panic!("`profile`") };
            profile.asked()
        };
        let words = ["profile", "-o", &name, "--nsys-opts=-x 'a b'", "--delay=3", "true"];
        let profiling = asked(&words).expect("a program").profiling;
        assert_eq!(profiling.output, folder.join("run"));
        assert_eq!((profiling.further, profiling.delay), (vec!["-x".into(), "a b".into()], Some(3)));
        assert_eq!(profiling.program[0], "true");
        assert!(usage(asked(&["profile", "--nsys-opts='x", "true"])).contains("a quote that does not end"));
        std::fs::write(&name, "").expect("a report");
        assert!(matches!(asked(&["profile", "-o", &name, "true"]), Err(Failure::Export(_))));
        asked(&["profile", "-f", "-o", &name, "true"]).expect("a report may be replaced");
    });
}

#[test]
fn a_server_holds_the_captures_that_are_named() {
    with_lines(|line, _| {
        let Some(Command::View(view)) = line(&["view", "a", "b", "-p", "0", "--open"]).command else {
            panic!("`view`")
        };
        let asked = view.asked().expect("a server");
        assert!(matches!(&asked.shown, Shown::Captures(files) if files.len() == 2));
        assert_eq!((asked.bind.as_str(), asked.port), ("localhost", 0));
        assert!(asked.opens_browser);
    });
}

#[test]
fn a_rule_report_checks_its_files_first() {
    with_lines(|line, folder| {
        let asked = |words: &[&str]| {
            let Some(Command::Rules(rules)) = line(words).command else { panic!("`rules`") };
            rules.asked()
        };
        let rules = asked(&["rules"]).expect("a list");
        assert!(rules.file.is_none() && rules.fail_on.is_none());
        let odd = folder.join("report.odd").display().to_string();
        assert!(usage(asked(&["rules", "a", "-o", &odd])).ends_with("names no format"));
        let rules = asked(&["rules", "--database", "a", "--fail-on=error"]).expect("a report");
        assert_eq!((rules.file, rules.fail_on), (Some("a".into()), Some(Severity::Error)));
    });
}
