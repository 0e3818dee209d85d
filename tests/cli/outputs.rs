//! No output is ever an input, whatever name it has; links stay; standard output and pipes work as outputs.

use crate::run::{Run, command, run, run_with_cache, sample, temporary_folder};
use dlprof_export::FORMATS;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A folder with a capture and a baseline of it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: temporary_folder() };
        fs::copy(sample(), place.at("run.sqlite")).expect("a copy");
        let made = place.run("baseline run.sqlite -o base.json");
        assert_eq!(made.code, 0, "{made:?}");
        fs::create_dir(place.at("sub")).expect("a folder");
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs words in the folder, so that names in them are names there.
    fn run(&self, words: &str) -> Run {
        self.run_with(words, &[])
    }

    fn run_with(&self, words: &str, paths: &[&Path]) -> Run {
        let output = self.command(words).args(paths).output().expect("the program starts");
        Run {
            code: output.status.code().expect("the program ends by itself"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    fn command(&self, words: &str) -> std::process::Command {
        let mut command = command(&self.at("cache"), words, &[]);
        command.current_dir(self.folder.path()).env("TMPDIR", self.folder.path());
        command
    }

    fn names(&self) -> Vec<String> {
        names(self.folder.path())
    }
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Everything that writes a file on a user's word: the words before the name of the file, its name, and the file that must stay.
fn writers() -> Vec<(String, String, &'static str)> {
    let mut writers: Vec<(String, String, &str)> = Vec::new();
    for format in FORMATS {
        let table = if format.table.is_some() { " --tables ops" } else { "" };
        let name = if format.ending == "tfevents" { "run.tfevents" } else { "output" };
        writers.push((
            format!("export run.sqlite -f{table} --format {} -o", format.ending),
            name.into(),
            "run.sqlite",
        ));
    }
    for ending in ["csv", "tsv", "json", "ndjson", "md", "parquet", "arrow"] {
        let name = format!("answer.{ending}");
        // The query comes last: see `write`.
        writers.push(("query run.sqlite -f -o".into(), name, "run.sqlite"));
        if ending == "json" {
            continue;
        }
        let name = format!("tables/ops.{ending}");
        writers.push((
            format!("export run.sqlite -f --tables ops --format {ending} -o tables/ --"),
            name,
            "run.sqlite",
        ));
    }
    writers.push((
        "export run.sqlite -f --tables ops -o tables/ --".into(),
        "tables/export.json".into(),
        "run.sqlite",
    ));
    for ending in ["txt", "json", "md", "xml", "sarif"] {
        let name = format!("report.{ending}");
        writers.push(("rules run.sqlite -f -o".into(), name.clone(), "run.sqlite"));
        writers.push(("gate run.sqlite --baseline base.json -f -o".into(), name.clone(), "run.sqlite"));
        writers.push(("gate run.sqlite --baseline base.json -f -o".into(), name, "base.json"));
    }
    writers.push(("baseline run.sqlite -f -o".into(), "new.json".into(), "run.sqlite"));
    writers.push(("baseline base.json -f -o".into(), "new.json".into(), "base.json"));
    for ending in ["csv", "json"] {
        writers.push((
            format!("reports run.sqlite --reports kernel --formats {ending} --force --output-path tables --"),
            format!("tables/dlprof_kernel.{ending}"),
            "run.sqlite",
        ));
    }
    writers.push((
        "stats run.sqlite --force-overwrite=true -r cuda_gpu_kern_sum -f csv -o out --".into(),
        "out_cuda_gpu_kern_sum.csv".into(),
        "run.sqlite",
    ));
    writers
}

/// Runs a writer whose output has a name.
fn write(place: &Place, words: &str, name: &str) -> Run {
    let mut words: Vec<&str> = words.split(' ').collect();
    if words.last() == Some(&"--") {
        words.pop();
    } else {
        words.push(name);
    }
    let mut command = place.command(&words.join(" "));
    if words[0] == "query" {
        command.arg("select count(*) from ops");
    }
    let output = command.output().expect("the program starts");
    Run {
        code: output.status.code().expect("the program ends by itself"),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn assert_refused(place: &Place, run: &Run, input: &str, before: &[u8], what: &str) {
    assert_eq!(run.code, 2, "{what}: {run:?}");
    assert!(run.stderr.contains("this command reads it"), "{what}: {run:?}");
    assert!(fs::read(place.at(input)).expect("the input") == before, "{what}: the input has changed");
}

#[test]
fn no_writer_writes_over_an_input() {
    let place = Place::new();
    fs::create_dir(place.at("tables")).expect("a folder");
    for (words, name, input) in writers() {
        let before = fs::read(place.at(input)).expect("the input");
        let output = place.at(&name);
        for is_hard in [false, true] {
            if is_hard {
                fs::hard_link(place.at(input), &output).expect("a link");
            } else {
                symlink(place.at(input), &output).expect("a link");
            }
            let what = format!("{words} {name}, a {} link", if is_hard { "hard" } else { "symbolic" });
            assert_refused(&place, &write(&place, &words, &name), input, &before, &what);
            assert_eq!(output.is_symlink(), !is_hard, "{what}");
            fs::remove_file(&output).expect("removed");
        }
    }
    assert_eq!(names(&place.at("tables")), [""; 0]);
    assert_eq!(place.names(), ["base.json", "run.sqlite", "sub", "tables"], "nothing temporary");
}

#[test]
fn no_name_of_an_input_hides_it() {
    let place = Place::new();
    let before = fs::read(place.at("run.sqlite")).expect("the input");
    let absolute = place.at("run.sqlite").to_string_lossy().into_owned();
    let names = ["run.sqlite", "./run.sqlite", "sub/../run.sqlite", &absolute];
    for name in names {
        for force in ["", "-f "] {
            for words in [
                format!("export run.sqlite {force}-o {name}"),
                format!("export run.sqlite {force}--format json -o {name}"),
                format!("baseline run.sqlite {force}-o {name}"),
            ] {
                assert_refused(&place, &place.run(&words), "run.sqlite", &before, &words);
            }
        }
    }
}

#[test]
fn settings_policies_and_all_other_inputs_stay() {
    let place = Place::new();
    fs::create_dir(place.at("history")).expect("a folder");
    fs::copy(place.at("base.json"), place.at("history/1.json")).expect("a copy");
    fs::create_dir_all(place.at("cache/dlprof-agg")).expect("a folder");
    fs::write(place.at("gate.toml"), "[metrics.iteration-time]\nbudget-percent = 5\n").expect("a policy");
    fs::write(place.at("dlprof-agg.toml"), "").expect("settings");
    fs::write(place.at("own.toml"), "").expect("settings");
    fs::write(place.at("cache/dlprof-agg/config.toml"), "").expect("settings");
    fs::write(place.at("run.sqlite-shm"), "shared").expect("a file");
    let before = |name: &str| fs::read(place.at(name)).expect("an input");
    let gate = "gate run.sqlite --baseline base.json --policy gate.toml --history history -f -o";
    for (words, input) in [
        (gate, "gate.toml"),
        (gate, "history/1.json"),
        (gate, "dlprof-agg.toml"),
        ("export run.sqlite -f --config own.toml --format json -o", "own.toml"),
        ("rules run.sqlite -f -o", "dlprof-agg.toml"),
        ("rules run.sqlite -f -o", "run.sqlite-shm"),
        ("baseline run.sqlite -f -o", "cache/dlprof-agg/config.toml"),
        ("demo -f -o", "cache/dlprof-agg/config.toml"),
        ("demo --config own.toml -f -o", "own.toml"),
    ] {
        let bytes = before(input);
        symlink(place.at(input), place.at("out.json")).expect("a link");
        let words = format!("{words} out.json");
        assert_refused(&place, &place.run(&words), input, &bytes, &words);
        fs::remove_file(place.at("out.json")).expect("removed");
    }
    // A file that SQLite would take for changes of the capture.
    let run = place.run("baseline run.sqlite -f -o run.sqlite-wal");
    assert_eq!((run.code, place.at("run.sqlite-wal").exists()), (2, false), "{run:?}");
}

#[test]
fn what_is_kept_stays() {
    let place = Place::new();
    let file = place.at("train.sqlite");
    dlprof_generate::write_export(&file, "--style markers --kernels 30000").expect("an export");
    assert_eq!(place.run("show summary train.sqlite").code, 0);
    let kept = place.at("cache/dlprof-agg");
    let folder = fs::read_dir(&kept).expect("the cache").flatten().find(|entry| entry.path().is_dir());
    let folder = folder.expect("a kept capture").path();
    let name = names(&folder).into_iter().find(|name| name.ends_with(".arrow")).expect("a table");
    fs::hard_link(folder.join(&name), place.at("out.arrow")).expect("a link");
    symlink(folder.join("new.csv"), place.at("out.csv")).expect("a link");
    for output in ["out.arrow", "out.csv"] {
        let run = place.run(&format!("export train.sqlite -f --tables ops -o {output}"));
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("is for kept captures alone"), "{run:?}");
    }
}

/// `stats --sqlite` makes the export of a report: never over the report.
#[test]
fn an_export_of_a_report_is_not_the_report() {
    let place = Place::new();
    fs::write(place.at("run.nsys-rep"), "report").expect("a report");
    fs::hard_link(place.at("run.nsys-rep"), place.at("made.sqlite")).expect("a link");
    let words = "stats run.nsys-rep --sqlite made.sqlite --force-export=true";
    assert_refused(&place, &place.run(words), "run.nsys-rep", b"report", words);
}

#[test]
fn every_writer_writes_through_links() {
    for (words, name, _) in writers() {
        let place = Place::new();
        fs::create_dir(place.at("tables")).expect("a folder");
        for old in [Some("old"), None] {
            let real = place.at("sub/real");
            drop(fs::remove_file(&real));
            if let Some(old) = old {
                fs::write(&real, old).expect("a file");
            }
            drop(fs::remove_file(place.at(&name)));
            symlink(&real, place.at(&name)).expect("a link");
            let run = write(&place, &words, &name);
            let what = format!("{words} {name}: {run:?}");
            assert!([0, 6].contains(&run.code), "{what}");
            assert!(place.at(&name).is_symlink(), "{what}");
            let written = fs::read(&real).expect(&what);
            assert!(!written.is_empty() && written != b"old", "{what}");
            assert_eq!(names(&place.at("sub")), ["real"], "{what}");
        }
    }
}

#[test]
fn links_that_lead_nowhere_are_said() {
    let place = Place::new();
    symlink("none/out.csv", place.at("out.csv")).expect("a link");
    symlink("self.csv", place.at("self.csv")).expect("a link");
    for (name, part) in [("out.csv", "there is no folder `none`"), ("self.csv", "cannot write `self.csv`")] {
        let run = place.run(&format!("export run.sqlite -f --tables ops -o {name}"));
        assert_eq!(run.code, 4, "{run:?}");
        assert!(run.stderr.contains(part), "{run:?}");
        assert!(place.at(name).is_symlink());
    }
}

/// Standard output given as a path has what a file would have, and nothing else.
#[test]
fn standard_output_is_an_output() {
    let place = Place::new();
    for ending in ["csv", "json", "xlsx", "sqlite", "html"] {
        let tables = if ending == "csv" { " --tables ops" } else { "" };
        let words = format!("export run.sqlite{tables} --format {ending} -o");
        let file = place.run(&format!("{words} out"));
        assert_eq!((file.code, file.stdout.as_str()), (0, "out\n"), "{file:?}");
        let expected = fs::read(place.at("out")).expect("the file");
        fs::remove_file(place.at("out")).expect("removed");
        for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            let output = place.command(&format!("{words} {path}")).output().expect("the program starts");
            assert!(output.status.success(), "{words} {path}: {output:?}");
            assert!(output.stdout == expected, "{words} {path}: another output");
        }
        // A file that the shell has opened is added to, not replaced.
        fs::write(place.at("opened"), "first\n").expect("a file");
        let opened = fs::File::options().append(true).open(place.at("opened")).expect("a file");
        let status = place.command(&format!("{words} /dev/stdout")).stdout(opened).status();
        assert!(status.expect("the program starts").success());
        let opened = fs::read(place.at("opened")).expect("the file");
        assert!(opened == [b"first\n".as_slice(), &expected].concat(), "{words}: another file");
    }
    let refused = place.run("export run.sqlite --format csv -o /dev/stdout");
    assert_eq!(refused.code, 2, "many tables are no stream: {refused:?}");
    let full = place.run("export run.sqlite --tables ops --format csv -o /dev/full");
    assert_eq!(full.code, 4, "{full:?}");
    assert!(full.stderr.contains("No space left"), "{full:?}");
    assert_eq!(place.names(), ["base.json", "opened", "run.sqlite", "sub"]);
}

#[test]
fn a_pipe_is_an_output() {
    let place = Place::new();
    let made = std::process::Command::new("mkfifo").arg(place.at("ops.csv")).status();
    assert!(made.expect("mkfifo").success());
    let expected = place.run("show ops run.sqlite --format csv").stdout;
    let pipe = place.at("ops.csv");
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).expect("what is written"));
    let run = place.run("export run.sqlite --tables ops -o ops.csv");
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
    assert_eq!(reader.join().expect("the reader"), expected);
    // A reader that goes away has read what it wanted.
    let pipe = place.at("ops.csv");
    let reader = std::thread::spawn(move || drop(fs::File::open(pipe)));
    let run = place.run("export run.sqlite --tables kernels -o ops.csv");
    assert_eq!(run.code, 0, "{run:?}");
    reader.join().expect("the reader");
}

#[test]
fn two_names_of_one_file_are_one_output() {
    let place = Place::new();
    symlink("sub/a.json", place.at("b.json")).expect("a link");
    for words in
        ["export run.sqlite -f -o sub/a.json -o b.json", "rules run.sqlite -f -o sub/a.json -o b.json"]
    {
        let run = place.run(words);
        assert_eq!(run.code, 4, "{run:?}");
        assert!(run.stderr.contains("two outputs have the same path"), "{run:?}");
    }
}

#[test]
fn inputs_of_other_runs_may_be_written() {
    let cache = temporary_folder();
    let file = cache.path().join("other.sqlite");
    fs::copy(sample(), &file).expect("a copy");
    let made = run_with_cache(cache.path(), "export -q -f --format sqlite -o", &[&file, &sample()]);
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(run("check", &[&file]).code, 0);
}

#[test]
fn texts_like_formulas_are_made_safe_in_files_too() {
    let folder = temporary_folder();
    let file = folder.path().join("run.sqlite");
    fs::copy(sample(), &file).expect("a copy");
    let renamed = "UPDATE StringIds SET value = '=cmd()' || value WHERE id IN \
                   (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL)";
    let database = rusqlite::Connection::open(&file).expect("the copy");
    assert!(database.execute(renamed, []).expect("new names") > 0);
    drop(database);
    for (words, ending, begins) in [
        ("", "csv", "=cmd()"),
        ("--csv-safe", "csv", "'=cmd()"),
        ("--csv-safe", "tsv", "'=cmd()"),
        ("--csv-safe", "json", "=cmd()"),
    ] {
        let out = folder.path().join(format!("out.{ending}"));
        let one = run(&format!("export {words} --tables kernel_names -q -f -o {}", out.display()), &[&file]);
        assert_eq!(one.code, 0, "{one:?}");
        let mut files = vec![out];
        if ending != "json" {
            let parts = folder.path().join("parts");
            let all =
                run(&format!("export {words} --format {ending} -q -f -o {}/", parts.display()), &[&file]);
            assert_eq!(all.code, 0, "{all:?}");
            files.push(parts.join(format!("kernel_names.{ending}")));
        }
        for written in files {
            let text = fs::read_to_string(written).expect("a file");
            let found = text.matches("=cmd()").count();
            assert!(found > 0, "{words} {ending}");
            let expected = if begins.starts_with('\'') { found } else { 0 };
            assert_eq!(text.matches("'=cmd()").count(), expected, "{words} {ending}");
        }
    }
}

/// Browsers make copies and pages safe themselves, by the same beginnings.
#[test]
fn the_page_knows_the_same_formulas() {
    let at = |path: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../dlprof-export").join(path);
    let page = fs::read_to_string(at("assets/page/export.js")).expect("the page");
    assert!(page.contains(r"/^[=+\-@\t\r]/"), "the beginnings of the page");
    let program = fs::read_to_string(at("src/formats/safe_texts.rs")).expect("the program");
    assert!(program.contains(r"['=', '+', '-', '@', '\t', '\r']"), "the beginnings of the program");
}

/// Six exports into one new folder: one of them is there whole, and the others say why theirs is not.
#[test]
fn runs_that_write_one_folder_do_not_mix() {
    let folder = temporary_folder();
    for _ in 0..2 {
        let start = |_| {
            let words = format!("export -f -q --no-cache -o {}/", folder.path().join("t").display());
            let mut own = command(&folder.path().join("cache"), &words, &[&sample()]);
            own.stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("a run")
        };
        let runs: Vec<_> = (0..6).map(start).collect();
        let ended: Vec<_> = runs.into_iter().map(|run| run.wait_with_output().expect("an end")).collect();
        assert!(ended.iter().any(|run| run.status.success()));
        for run in ended.iter().filter(|run| !run.status.success()) {
            let said = String::from_utf8_lossy(&run.stderr);
            assert_eq!(run.status.code(), Some(4), "{said}");
            assert!(said.contains("another program has made this folder meanwhile"), "{said}");
        }
        let alone = folder.path().join("alone");
        let expected = run(&format!("export -q -f -o {}/", alone.display()), &[&sample()]);
        assert_eq!(expected.code, 0, "{expected:?}");
        assert_eq!(names(&folder.path().join("t")), names(&alone));
        fs::remove_dir_all(folder.path().join("t")).expect("removed");
    }
    assert!(names(folder.path()).iter().all(|name| !name.contains(".tmp")), "{:?}", names(folder.path()));
}
