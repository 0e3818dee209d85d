//! `profile`, with a script in place of `nsys` that notes its arguments, runs the program, and hands over a prepared export.

use crate::run::{command, sample, temporary_folder};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// As `nsys profile` does it: the program is what comes after the options, its exit code is returned, and the report is written
/// whatever became of it.
const NSYS: &str = r#"#!/bin/sh
if [ "$1" = export ]; then
    [ "$2" = --help ] && exit 0
    while [ $# -gt 0 ]; do [ "$1" = --output ] && out=$2; shift; done
    cp "$SAMPLE" "$out"
    exit
fi
echo "$@" >> "$LOG"
shift
while [ $# -gt 0 ]; do
    case "$1" in
        --output=*) out=${1#--output=} ;;
        -*) ;;
        *) break ;;
    esac
    shift
done
trap : TERM HUP USR1
rm -f "$LOG.go"
# The program starts when signals reach it.
(until [ -e "$LOG.go" ]; do sleep 0.01; done; exec "$@") &
program=$!
for signal in TERM HUP USR1; do trap "kill -$signal $program" $signal; done
: > "$LOG.go"
wait $program; code=$?
# A signal ends the wait, not the program.
while kill -0 $program 2>/dev/null; do wait $program; code=$?; done
[ -n "$NO_REPORT" ] || echo report > "$out.nsys-rep"
exit $code
"#;

/// As `ncu` does it: runs the program, and writes a log where it is told to, with the number of a process for `%p`. The log has a
/// launch of each kernel that the filter names, which is what `--kernel-name` is given.
const NCU: &str = r#"#!/bin/sh
echo "ncu $*" >> "$LOG"
while [ $# -gt 0 ]; do
    case "$1" in
        --kernel-name) names=$2; shift 2 ;;
        --log-file) out=$2; shift 2; break ;;
        *) shift ;;
    esac
done
[ -n "$NCU_FAILS" ] && exit 9
out=$(printf %s "$out" | sed 's/%p/4242/')
name=$(printf %s "$names" | sed 's/^regex:^(//; s/[|)].*//')
{
    echo '==PROF== Connected to process 1'
    echo '"ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum"'
    echo '"","","ns","byte","byte"'
    [ -n "$NO_ROWS" ] || echo "\"0\",\"$name\",\"1000\",\"4096\",\"1024\""
} > "$out"
exec "$@"
"#;

struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { folder: temporary_folder() };
        let program = machine.at("bin/nsys");
        std::fs::create_dir(machine.at("bin")).expect("a folder");
        std::fs::write(&program, NSYS).expect("a script");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("permissions");
        machine
    }

    /// The same with `ncu`.
    fn with_ncu() -> Self {
        let machine = Self::new();
        let program = machine.at("bin/ncu");
        std::fs::write(&program, NCU).expect("a script");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("permissions");
        machine
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = command(&self.at("cache"), "profile", &[]);
        let path = format!("{}:/usr/bin:/bin", self.at("bin").display());
        command.args(words).current_dir(self.folder.path()).env("PATH", path);
        command.env("LOG", self.at("log")).env("SAMPLE", sample().canonicalize().expect("the sample"));
        command
    }

    fn run(&self, words: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } = self.command(words).output().expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (status.code().expect("a code"), text(stdout), text(stderr))
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.at("log")).unwrap_or_default()
    }
}

#[test]
fn a_program_is_profiled_and_its_dashboard_is_shown() {
    let machine = Machine::new();
    let script = "echo epoch 1; echo a warning >&2; echo epoch 2";
    let (code, stdout, stderr) = machine.run(&["--", "sh", "-c", script]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.starts_with("epoch 1\nepoch 2\n"), "{stdout}");
    assert!(stdout.contains("Where a step goes"), "{stdout}");
    assert!(stderr.contains("\na warning\n"), "{stderr}");
    assert!(stderr.starts_with("running `nsys profile"), "{stderr}");
    assert!(stderr.contains("the report is `nsys_profile.nsys-rep`"), "{stderr}");
    assert!(machine.at("nsys_profile.nsys-rep").is_file());
    let log = machine.log();
    assert!(
        log.starts_with(
            "profile --trace=cuda,nvtx,osrt --sample=none --output=nsys_profile --force-overwrite=false sh -c"
        ),
        "{log}"
    );
    // A second run keeps the first report.
    let (code, _, stderr) = machine.run(&["true"]);
    assert_eq!((code, machine.at("nsys_profile_2.nsys-rep").is_file()), (0, true), "{stderr}");
}

#[test]
fn the_report_is_never_an_input() {
    let machine = Machine::new();
    for name in ["train.py", "own.toml"] {
        std::fs::write(machine.at(name), "").expect("a file");
        for ending in ["nsys-rep", "qdrep"] {
            for is_hard in [false, true] {
                let report = machine.at(&format!("run.{ending}"));
                if is_hard {
                    std::fs::hard_link(machine.at(name), &report).expect("a link");
                } else {
                    std::os::unix::fs::symlink(name, &report).expect("a link");
                }
                let (code, _, stderr) =
                    machine.run(&["-f", "-o", "run", "--config", "own.toml", "cat", "train.py"]);
                assert!(
                    code == 2 && stderr.contains("this command reads it"),
                    "{name}, {ending}: {code}, {stderr}"
                );
                assert_eq!(
                    (machine.log(), std::fs::read(machine.at(name)).expect("a file")),
                    (String::new(), vec![])
                );
                std::fs::remove_file(report).expect("removed");
            }
        }
    }
    let (code, _, stderr) = machine.run(&["-o", "no-folder/run", "true"]);
    assert!(code == 4 && stderr.contains("no-folder"), "{code}, {stderr}");
    assert_eq!(machine.log(), "", "said before the program runs");
}

#[test]
fn options_reach_nsys_and_the_analysis() {
    let machine = Machine::new();
    let words = [
        "--delay",
        "5",
        "--duration=60",
        "--capture-range",
        "--memory-usage",
        "--nsys-opts",
        "--stats=false '--env-var=A=b c'",
        "--nsys_opts=--trace=cuda",
        "--iter-start",
        "15",
        "--iter-stop",
        "58",
        "-o",
        "run1.nsys-rep",
        "echo",
        "--delay=7",
    ];
    let (code, stdout, stderr) = machine.run(&words);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.starts_with("--delay=7\n") && stdout.contains("iterations 15 to 58"), "{stdout}");
    let expected = "--output=run1 --force-overwrite=false --delay=5 --duration=60 --capture-range=cudaProfilerApi \
                    --capture-range-end=stop --cuda-memory-usage=true --stats=false --env-var=A=b c --trace=cuda echo --delay=7\n";
    assert!(machine.log().ends_with(expected), "{}", machine.log());
    // What exists is not replaced, unless the user says so.
    let (code, stdout, stderr) = machine.run(&["-o", "run1", "echo", "ran"]);
    assert_eq!((code, stdout.as_str()), (4, ""), "{stderr}");
    assert!(stderr.contains("run1.nsys-rep"), "{stderr}");
    assert_eq!(machine.run(&["--force", "-q", "-o", "run1", "echo", "ran"]).0, 0);
    assert!(machine.log().contains("--force-overwrite=true"), "{}", machine.log());
    let (code, _, stderr) = machine.run(&["--nsys-opts", "--stats='true", "echo"]);
    assert!(code == 2 && stderr.contains("a quote that does not end"), "{stderr}");
}

#[test]
fn the_exit_code_is_that_of_the_program() {
    let machine = Machine::new();
    let (code, stdout, stderr) = machine.run(&["--", "sh", "-c", "exit 7"]);
    assert_eq!(code, 7, "{stderr}");
    assert!(stderr.contains("ended with exit code 7") && stdout.contains("Where a step goes"), "{stderr}");
    // Killed by a signal.
    let (code, stdout, stderr) = machine.run(&["--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(code, 137, "{stderr}");
    assert!(stdout.contains("Where a step goes"), "{stdout}");
    // Nothing was captured.
    let failed = machine.command(&["sh", "-c", "exit 3"]).env("NO_REPORT", "1").output().expect("it starts");
    let stderr = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert_eq!(failed.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("ended with exit code 3 and wrote no report"), "{stderr}");
    let nothing = machine.command(&["true"]).env("NO_REPORT", "1").output().expect("it starts");
    assert_eq!(nothing.status.code(), Some(3), "the input is missing");
}

/// Whether a shell can trap a signal. It cannot if the signal was ignored when the tests began, as under `nohup`.
fn can_be_trapped(signal: &str) -> bool {
    let script = format!("trap 'exit 0' {signal}; kill -{signal} $$; exit 1");
    Command::new("sh").args(["-c", &script]).status().is_ok_and(|status| status.success())
}

#[test]
fn signals_reach_the_program() {
    let machine = Machine::new();
    for (signal, name) in [("TERM", "terminated"), ("HUP", "left alone"), ("USR1", "asked to save")] {
        if !can_be_trapped(signal) {
            drop(writeln!(std::io::stderr(), "SKIPPED: SIG{signal} is ignored here"));
            continue;
        }
        let script = format!("trap 'echo {name}; exit 5' {signal}; echo ready; while :; do sleep 0.05; done");
        let mut child = machine
            .command(&["--", "sh", "-c", &script])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n");
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.expect("kill starts").success());
        let mut rest = String::new();
        out.read_to_string(&mut rest).expect("text");
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(5), "{rest}");
        assert!(rest.starts_with(&format!("{name}\n")) && rest.contains("Where a step goes"), "{rest}");
    }
}

#[test]
fn without_nsys_both_commands_are_named() {
    let machine = Machine::new();
    std::fs::remove_file(machine.at("bin/nsys")).expect("the script");
    let (code, stdout, stderr) = machine.run(&["--", "python", "train it.py"]);
    assert_eq!((code, stdout.as_str()), (3, ""), "{stderr}");
    assert!(stderr.contains("there is no `nsys` on PATH to profile with"), "{stderr}");
    for part in [
        "nsys profile '--trace=cuda,nvtx,osrt' '--sample=none' '--output=nsys_profile'",
        "python 'train it.py'`",
        "`nsys export --type sqlite --output nsys_profile.sqlite nsys_profile.nsys-rep`",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    let (code, _, stderr) = machine.run(&["--nsys", "/no/such/nsys", "true"]);
    assert!(code == 2 && stderr.contains("there is no program `/no/such/nsys`"), "{stderr}");
    assert_eq!(machine.run(&[]).0, 2, "a program is needed");
}

#[test]
fn kernels_are_measured_in_a_second_run() {
    let machine = Machine::with_ncu();
    let (code, stdout, stderr) = machine.run(&["--ncu", "-o", "run", "sh", "-c", "echo ran >> ran"]);
    assert_eq!(code, 0, "{stderr}");
    let log = machine.log();
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[0].starts_with("profile ") && lines[1].starts_with("ncu --target-processes all"), "{log}");
    assert!(lines[1].contains(" --log-file run.ncu.csv sh -c"), "{log}");
    assert_eq!(std::fs::read_to_string(machine.at("ran")).expect("both ran"), "ran\nran\n");
    assert!(machine.at("run.ncu.csv").is_file());
    assert!(stderr.contains("the log is `run.ncu.csv`"), "{stderr}");
    assert!(stdout.contains("Counters cover "), "{stdout}");
}

#[test]
fn without_ncu_nothing_runs() {
    let machine = Machine::new();
    let (code, _, stderr) = machine.run(&["--ncu", "-o", "run", "true"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("there is no `ncu` on PATH"), "{stderr}");
    assert_eq!(machine.log(), "");
}

#[test]
fn a_log_that_exists_is_not_overwritten() {
    let machine = Machine::with_ncu();
    std::fs::write(machine.at("run.ncu.csv"), "mine").expect("a file");
    let (code, _, stderr) = machine.run(&["--ncu", "-o", "run", "true"]);
    assert_ne!(code, 0, "{stderr}");
    assert_eq!(machine.log(), "");
    assert_eq!(std::fs::read_to_string(machine.at("run.ncu.csv")).expect("a file"), "mine");
}

/// The sample, whose launches are those of two processes in turn.
fn two_processes(machine: &Machine) -> PathBuf {
    let file = machine.at("two.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    let sql = "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + 0x1000000 WHERE correlationId % 2 = 1;
               UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = globalPid + 0x1000000 WHERE correlationId % 2 = 1;";
    rusqlite::Connection::open(&file).and_then(|database| database.execute_batch(sql)).expect("SQL");
    file
}

fn ends(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("a code"), text(output.stdout), text(output.stderr))
}

#[test]
fn a_log_of_an_earlier_run_is_not_joined() {
    let machine = Machine::with_ncu();
    let words = ["--ncu", "-f", "-o", "run", "true"];
    assert_eq!(machine.run(&words).0, 0);
    let log = std::fs::read(machine.at("run.ncu.csv")).expect("a log");
    let (code, stdout, stderr) =
        ends(machine.command(&words).env("NCU_FAILS", "1").output().expect("the program starts"));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("`ncu` ended with exit code 9 and wrote no log"), "{stderr}");
    assert!(!stderr.contains("the log is") && !stdout.contains("Counters"), "{stdout}{stderr}");
    assert_eq!(std::fs::read(machine.at("run.ncu.csv")).expect("kept"), log);
    // The same log, written anew, is joined.
    let (_, stdout, stderr) = machine.run(&words);
    assert!(stderr.contains("the log is `run.ncu.csv`") && stdout.contains("Counters cover "), "{stderr}");
}

#[test]
fn each_process_writes_a_log_and_only_these_are_joined() {
    let machine = Machine::with_ncu();
    let file = two_processes(&machine);
    std::fs::write(machine.at("run.999.ncu.csv"), "mine").expect("a file");
    let run = |words: &[&str]| ends(machine.command(words).env("SAMPLE", &file).output().expect("it starts"));
    let (code, _, stderr) = run(&["--ncu", "-o", "run", "true"]);
    assert!(code == 4 && stderr.contains("run.999.ncu.csv"), "{code}, {stderr}");
    assert_eq!(machine.log(), "", "said before the program runs");
    let (code, _, stderr) = run(&["--ncu", "-f", "-o", "run", "true"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(machine.log().contains(" --log-file run.%p.ncu.csv true"), "{}", machine.log());
    assert!(stderr.contains("the log is `run.4242.ncu.csv`"), "{stderr}");
    assert!(!stderr.contains("run.999.ncu.csv"), "{stderr}");
}

#[test]
fn what_begins_behind_the_start_of_the_program_is_not_measured() {
    let machine = Machine::with_ncu();
    for words in [&["--ncu", "--delay", "30", "true"][..], &["--ncu", "--nsys-opts=-y 30", "true"]] {
        let (code, _, stderr) = machine.run(words);
        assert!(code == 2 && stderr.contains("--capture-range"), "{code}, {stderr}");
    }
    assert_eq!(machine.log(), "");
    assert_eq!(machine.run(&["--delay", "30", "true"]).0, 0, "without `--ncu` it may");
    let (code, _, stderr) = machine.run(&["--ncu", "--duration", "60", "-o", "run", "true"]);
    assert!(code == 0 && stderr.contains("runs to its end, not for 60 s"), "{code}, {stderr}");
}
