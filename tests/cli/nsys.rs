//! Nsight Systems reports as input, with a script in place of `nsys`.

use crate::run::{Run, command, sample, temporary_folder};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A folder with a report, a place for kept files, and a folder for programs.
struct Machine {
    folder: tempfile::TempDir,
}

/// What the script does after it has noted its arguments.
const WORKS: &str = r#"printf 'Processing events: [===   50%%]\r' ; cp "$SAMPLE" "$out""#;
const FAILS: &str = r#"echo half > "$out"; echo 'Importer error: the report is damaged' >&2; exit 3"#;
const WRITES_NOTHING: &str = "exit 0";
const IS_KILLED: &str = r#"echo half > "$out"; kill -9 $$"#;
const IS_SLOW: &str = r#"echo 'Processing [==  42%]'; sleep 2; cp "$SAMPLE" "$out""#;

impl Machine {
    fn new() -> Self {
        let machine = Self { folder: temporary_folder() };
        std::fs::create_dir(machine.at("bin")).expect("a folder");
        std::fs::write(machine.at("run.nsys-rep"), "a report").expect("a file");
        machine
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a program `nsys` on PATH. `help` is what `nsys export --help` prints.
    fn install(&self, help: &str, work: &str) -> PathBuf {
        let script = format!(
            "#!/bin/sh\nif [ \"$2\" = --help ]; then echo '{help}'; exit 0; fi\necho \"$@\" >> '{log}'\n\
             while [ $# -gt 0 ]; do if [ \"$1\" = --output ]; then out=$2; fi; shift; done\n\
             SAMPLE='{sample}'\n{work}\n",
            log = self.at("log").display(),
            sample = sample().canonicalize().expect("the sample").display(),
        );
        let program = self.at("bin/nsys");
        std::fs::write(&program, script).expect("a script");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("permissions");
        program
    }

    /// How often a report was exported, with which arguments.
    fn log(&self) -> Vec<String> {
        std::fs::read_to_string(self.at("log")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn run(&self, words: &str) -> Run {
        self.run_on(words, &self.at("run.nsys-rep"))
    }

    fn run_on(&self, words: &str, file: &Path) -> Run {
        let path = format!("{}:/usr/bin:/bin", self.at("bin").display());
        let mut command = command(&self.at("cache"), words, &[file]);
        let Output { status, stdout, stderr } =
            command.env("PATH", path).output().expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Run { code: status.code().expect("a code"), stdout: text(stdout), stderr: text(stderr) }
    }

    /// The kept exports; nothing else may be there.
    fn kept(&self) -> usize {
        let folders = std::fs::read_dir(self.at("cache/dlprof-agg/exports")).into_iter().flatten().flatten();
        let names: Vec<String> = folders.map(|one| one.file_name().to_string_lossy().into_owned()).collect();
        assert!(!names.iter().any(|name| name.starts_with("writing-")), "{names:?}");
        names.len()
    }
}

#[test]
fn a_report_is_exported_once_with_the_tables_that_are_used() {
    let machine = Machine::new();
    machine.install("--tables=<pattern> --include-blobs=<bool>", WORKS);
    let first = machine.run("show ops --format csv");
    let expected = crate::run::run("show ops --format csv", &[&sample()]);
    assert_eq!((first.code, first.stdout.as_str()), (0, expected.stdout.as_str()), "{first:?}");
    assert_eq!(first.stderr, expected.stderr, "no progress where there is no terminal");
    let log = machine.log();
    assert_eq!(log.len(), 1, "{log:?}");
    for part in [
        "export --type sqlite",
        "--force-overwrite true",
        "--tables=StringIds,",
        "NVTX_EVENTS",
        "ENUM_CUDA_MEMCPY_OPER",
        // Communicators of NCCL are payloads of ranges.
        "NVTX_PAYLOAD_SCHEMA_ENTRIES",
        "--include-blobs=true",
        "run.nsys-rep",
    ] {
        assert!(log[0].contains(part), "{part} in {log:?}");
    }
    // Every command, and whatever it is asked for, takes the kept export.
    for words in ["", "check", "export -o /dev/null --force --format csv --tables ops", "rules", "stats"] {
        let again = machine.run(words);
        assert!(again.code == 0 || words.starts_with("export"), "{words}: {again:?}");
    }
    let report = machine.at("run.nsys-rep");
    let path = report.display().to_string();
    assert_eq!(machine.run(&format!("compare {path}")).code, 0);
    assert_eq!((machine.log().len(), machine.kept()), (1, 1));
    let list = machine.run_on("cache list", Path::new("-q"));
    assert!(list.stdout.contains("1 exports of reports") && list.stdout.contains(&path), "{list:?}");
    // A report that has changed is exported again, in the place of the old one.
    std::fs::write(&report, "another report").expect("a file");
    assert_eq!(machine.run("check").code, 0);
    assert_eq!((machine.log().len(), machine.kept()), (2, 1));
    assert!(machine.run_on("cache clear", Path::new("-q")).stdout.contains("1 exports"));
    assert_eq!(machine.kept(), 0);
}

#[test]
fn older_nsys_exports_all_tables_and_qdrep_is_a_report() {
    let machine = Machine::new();
    let program = machine.install("--type", WORKS);
    let report = machine.at("old run.qdrep");
    std::fs::write(&report, "a report").expect("a file");
    let elsewhere = machine.at("bin/another-nsys");
    std::fs::rename(program, &elsewhere).expect("another name");
    let run = machine.run_on(&format!("--no-cache --nsys {} check", elsewhere.display()), &report);
    assert_eq!(run.code, 0, "{run:?}");
    let log = machine.log();
    assert!(!log[0].contains("--tables") && !log[0].contains("--include-blobs"), "{log:?}");
    assert!(!machine.at("cache").exists(), "nothing is kept with --no-cache");
    let missing = machine.run("--nsys no-such-program check");
    assert_eq!(missing.code, 2, "{missing:?}");
    assert!(missing.stderr.contains("there is no program `no-such-program`"), "{missing:?}");
}

#[test]
fn without_nsys_the_error_says_the_command() {
    let machine = Machine::new();
    let file = machine.at("run.nsys-rep");
    let run = machine.run("");
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{run:?}");
    assert!(run.stderr.contains("there is no `nsys` on PATH"), "{run:?}");
    let export = file.with_extension("sqlite");
    let line = format!("`nsys export --type sqlite --output {} {}`", export.display(), file.display());
    assert!(run.stderr.contains(&line), "{run:?}");
    std::fs::copy(sample(), &export).expect("a copy");
    let beside = machine.run("");
    assert!(beside.stderr.contains(&format!("or give `{}`", export.display())), "{beside:?}");
}

#[test]
fn a_failed_export_is_explained_and_leaves_nothing() {
    let machine = Machine::new();
    for (work, parts) in [
        (FAILS, ["failed with exit code 3", "Importer error: the report is damaged"]),
        (WRITES_NOTHING, ["wrote no file", "try it by hand"]),
        (IS_KILLED, ["was ended by a signal", "try it by hand"]),
    ] {
        machine.install("--tables", work);
        for words in ["", "--no-cache"] {
            let run = machine.run(words);
            assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{run:?}");
            assert!(parts.iter().all(|part| run.stderr.contains(part)), "{parts:?} in {run:?}");
            assert_eq!(machine.kept(), 0);
        }
    }
    machine.install("--tables", WORKS);
    assert_eq!(machine.run("").code, 0);
}

#[test]
fn reports_that_are_not_there() {
    let machine = Machine::new();
    machine.install("--tables", WORKS);
    let missing = machine.run_on("", &machine.at("rum.nsys-rep"));
    assert_eq!(missing.code, 3, "{missing:?}");
    assert!(
        missing.stderr.contains("does not exist") && missing.stderr.contains("run.nsys-rep`?"),
        "{missing:?}"
    );
    std::fs::write(machine.at("empty.nsys-rep"), "").expect("a file");
    let empty = machine.run_on("", &machine.at("empty.nsys-rep"));
    assert!(empty.code == 3 && empty.stderr.contains("is empty"), "{empty:?}");
    assert!(machine.log().is_empty(), "{:?}", machine.log());
}

/// `script` runs a command on a terminal; its output has what the terminal shows.
#[test]
fn a_terminal_shows_how_far_the_export_is() {
    let machine = Machine::new();
    machine.install("--tables", IS_SLOW);
    let program = env!("CARGO_BIN_EXE_dlprof-agg");
    let on_terminal = |words: &str| {
        let line = format!("{program} {words} show ops --top 1 {}", machine.at("run.nsys-rep").display());
        let mut script = std::process::Command::new("script");
        script
            .args(["-qec", &line, "/dev/null"])
            .env("XDG_CACHE_HOME", machine.at(words))
            .env("TERM", "xterm");
        script.env("PATH", format!("{}:/usr/bin:/bin", machine.at("bin").display()));
        script.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Ok(shown) = on_terminal("-v") else {
        return crate::inputs::say("SKIPPED: there is no program `script`");
    };
    assert!(shown.contains("exporting run.nsys-rep with nsys") && shown.contains("42 %"), "{shown:?}");
    let silent = on_terminal("--no-progress").expect("the program starts");
    assert!(!silent.contains("exporting"), "{silent:?}");
}
