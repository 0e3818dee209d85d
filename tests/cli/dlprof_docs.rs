//! `docs/from-dlprof.md`: every line of its tables runs, every option of `dlprof` is there.

use crate::run::{run, sample, temporary_folder};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/from-dlprof.md");
    std::fs::read_to_string(path).expect("the page")
}

/// The rows of the tables: what DLProf takes, and what is typed here.
fn rows(page: &str) -> Vec<(String, String)> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")).map(|row| row.split(" | "));
    let row =
        |mut cells: std::str::Split<'_, &str>| Some((cells.next()?.to_owned(), cells.next()?.to_owned()));
    cells.filter_map(row).filter(|(_, here)| is_line(here)).collect()
}

/// Whether a cell is a line to type and nothing else.
fn is_line(cell: &str) -> bool {
    cell.starts_with("`dlprof-agg ") && cell.ends_with('`') && cell.matches('`').count() == 2
}

/// Writes the report that it is asked for; its export is the sample.
const NSYS: &str = r#"#!/bin/sh
if [ "$1" = export ]; then
    while [ $# -gt 0 ]; do [ "$1" = --output ] && out=$2; shift; done
    [ -z "$out" ] || cp "$SAMPLE" "$out"
    exit
fi
for word; do case "$word" in --output=*) echo report > "${word#--output=}.nsys-rep" ;; esac; done
"#;

fn machine() -> tempfile::TempDir {
    let folder = temporary_folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::copy(sample(), at("nsys_profile.sqlite")).expect("a copy");
    let written = run("export -q --key-node /module/train_step -o", &[&at("dlprof_dldb.sqlite"), &sample()]);
    assert_eq!(written.code, 0, "{written:?}");
    std::fs::create_dir(at("bin")).expect("a folder");
    for (name, text) in [("nsys", NSYS), ("python", "#!/bin/sh\n")] {
        let program = at("bin").join(name);
        std::fs::write(&program, text).expect("a script");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    folder
}

/// A shell that runs a line.
fn shell(line: &str, folder: &Path) -> Command {
    let mut shell = Command::new("sh");
    let typed = line.replace("dlprof-agg", env!("CARGO_BIN_EXE_dlprof-agg"));
    shell.arg("-c").arg(typed).current_dir(folder);
    shell.env("PATH", format!("{}:/usr/bin:/bin", folder.join("bin").display()));
    shell.env("SAMPLE", sample().canonicalize().expect("the sample"));
    shell.env("XDG_CACHE_HOME", folder.join("cache")).env("XDG_CONFIG_HOME", folder);
    shell
}

#[test]
fn every_line_of_the_tables_runs() {
    let rows = rows(&page());
    assert!(rows.len() > 35, "{} lines", rows.len());
    for (_, here) in rows {
        let line = here.trim_matches('`');
        let machine = machine();
        if line.starts_with("dlprof-agg view") && !line.ends_with("-h") {
            views(line, machine.path());
            continue;
        }
        let output = shell(line, machine.path()).output().expect("a shell");
        assert!(output.status.success(), "{line}: {output:?}");
        assert!(!output.stdout.is_empty(), "{line} prints nothing");
    }
}

/// The server says where it is; then it is ended.
fn views(line: &str, folder: &Path) {
    let mut shell = shell(&format!("exec {line}"), folder);
    let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a shell");
    let printed = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let address = printed.map_while(Result::ok).find(|line| line.contains("http://"));
    child.kill().expect("the server runs");
    child.wait().expect("the server ends");
    assert!(address.is_some(), "{line}");
}

/// All options of `dlprof` 0.13 to 1.8 and of its viewer.
#[test]
fn every_option_of_dlprof_is_on_the_page() {
    let page = page();
    for option in [
        "--help",
        "-h",
        "--version",
        "-V",
        "--force",
        "-f",
        "--verbosity",
        "-v",
        "--mode",
        "--nsys_database",
        "--database",
        "--nsys_base_name",
        "--nsys_opts",
        "--delay",
        "-y",
        "--duration",
        "-d",
        "--key_node",
        "--key_op",
        "--iter_start",
        "--iter_stop",
        "--output_path",
        "--profile_name",
        "--reports",
        "--formats",
        "--domains",
        "--dump_model_data",
        "--tb_dir",
        "--suppress_tb_files",
        "-b",
        "--graphdef",
        "dlprofviewer -b",
        "dlprofviewer -p",
    ] {
        let ends =
            |rest: &str| !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
        let is_there = page.match_indices(option).any(|(at, _)| ends(&page[at + option.len()..]));
        assert!(is_there, "`{option}` is missing");
    }
    for report in
        ["summary", "detail", "kernel", "iteration", "tensor", "op_type", "group_op", "expert_systems"]
    {
        assert!(page.contains(report), "{report} is missing");
    }
}

/// Options that change nothing are taken, and say so.
#[test]
fn options_without_effect_say_so() {
    let said = |words: &str| {
        let shown = run(words, &[&sample()]);
        assert_eq!(shown.code, 0, "{words}: {shown:?}");
        shown.stderr
    };
    for option in
        ["--tb_dir=x", "--dump_model_data=true", "--dump_model_data", "--graphdef=auto", "--domains=a,b"]
    {
        let name = option.split('=').next().unwrap_or_default();
        assert!(said(option).contains(&format!("`{name}` has no effect: ")), "{option}: {}", said(option));
    }
    for option in ["--suppress_tb_files=true", "-b=true", "--dump_model_data=false", "--verbosity=normal"] {
        assert!(!said(option).contains("has no effect"), "{option}: {}", said(option));
    }
    assert_eq!(said("--verbosity=quiet"), "");
    assert!(
        said("--verbosity diagnostic").contains("read and correlate"),
        "{}",
        said("--verbosity=diagnostic")
    );
    let wrong = run("--verbosity=loud", &[&sample()]);
    assert!(
        wrong.code == 2 && wrong.stderr.contains("quiet, minimal, normal, detailed, diagnostic"),
        "{wrong:?}"
    );
}

/// `dlprof python train.py`, typed as before.
#[test]
fn a_program_without_the_command_profile_is_explained() {
    let machine = machine();
    for (line, advice) in [
        ("dlprof-agg python train.py --epochs 3", "dlprof-agg profile -- python train.py --epochs 3"),
        (
            "dlprof-agg --mode=pytorch --nsys_opts='-t cuda' python train.py",
            "dlprof-agg profile --mode=pytorch '--nsys_opts=-t cuda' -- python train.py",
        ),
    ] {
        let output = shell(line, machine.path()).output().expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.starts_with("error: `python` is a program, not a capture\n"), "{errors}");
        let plain = |text: &str| text.replace(['\'', '"'], "");
        assert!(plain(&errors).contains(&plain(advice)), "{errors}");
    }
}
