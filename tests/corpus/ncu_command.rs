//! The command for Nsight Compute is that of an independent program, on every capture.

use crate::windows::files;
use dlprof_core::{
    Capture, DefaultRange, Judged, KernelKind, KeyNodeChoice, LaunchesToMeasure, Profile, RangeChoice,
    ReadOptions,
};
use dlprof_export::ncu_command;
use dlprof_generate::corpus::folder;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Prints the command that the program makes of a file.
const PROGRAM: &str = "import sys; sys.path.insert(0, sys.argv[1]); import ncu_command; print(ncu_command.command(sys.argv[2])['command'])";

#[test]
fn the_command_is_that_of_an_independent_program() {
    let Some(corpus) = folder() else { return };
    let programs = corpus.with_file_name("bin").join("ncu");
    if Command::new("python3").arg("--version").output().is_err() || !programs.is_dir() {
        let words = "SKIPPED: the command for ncu (python3 or the program is not there)";
        return writeln!(std::io::stderr(), "{words}").expect("standard error");
    }
    let rows = tempfile::tempdir().expect("a folder");
    let (mut compared, mut several, mut exchanging) = (0, 0, 0);
    for file in files(&corpus).into_iter().chain(traces(&corpus)) {
        let Ok(capture) = Capture::read(&file, &ReadOptions::default()) else { continue };
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        let all = RangeChoice { otherwise: DefaultRange::All, ..RangeChoice::default() };
        let profile: Judged = index.profile(&all).expect("a profile").into();
        let Ok(found) = ncu_command(&profile) else { continue };
        let launches = profile.launches_to_measure().expect("launches");
        // The program knows neither ranges that run twice nor algorithms that are tried.
        if launches.second_run_of.is_some() || launches.without_tried || launches.in_graphs_percent > 0.0 {
            continue;
        }
        let path = rows.path().join("kernels.csv");
        write_launches(&profile, &launches, &path);
        let output = Command::new("python3").arg("-c").arg(PROGRAM).arg(&programs).arg(&path).output();
        let output = output.expect("python3");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let expected = String::from_utf8(output.stdout).expect("text");
        let expected = expected.trim_end().strip_suffix("PROGRAM").expect("the end of the command");
        // The program knows one process.
        let line = found.line().replace("run.%p.ncu.csv", "run.ncu.csv");
        several += u32::from(launches.processes > 1);
        exchanging += u32::from(launches.left_out_percent > 0.0);
        // Of a return type with a comparison in it, the program takes the type for the function.
        if expected.contains("|enable_if") || expected.contains("(enable_if") {
            continue;
        }
        // It takes the dots of a name that nsys cut for a part of the name.
        if expected.contains(r"\.\.\.") {
            continue;
        }
        assert!(line.starts_with(expected), "{}:\n{line}\n{expected}", file.display());
        compared += 1;
    }
    assert!(
        compared > 30 && several > 0 && exchanging > 3,
        "{compared} captures, {several} of several processes, {exchanging} with collectives"
    );
}

fn traces(corpus: &Path) -> Vec<std::path::PathBuf> {
    let folder = std::fs::read_dir(corpus.join("kineto")).expect("a folder");
    let mut files: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.to_string_lossy().contains("/nv-") && path.is_file());
    files.sort();
    files
}

/// The launches that may be measured as the program reads them. It knows no states of iterations and takes the second of three: so
/// the chosen one is 1, earlier ones are 0, and later ones are 3, of which there is always one that took no time. It knows no
/// processes either: those of others than the counted one come after all, where their time counts and their order does not.
fn write_launches(profile: &Profile, found: &LaunchesToMeasure, path: &Path) {
    let (chosen, name) = (found.iteration, &found.names[0]);
    let mut writer = csv::Writer::from_path(path).expect("a file");
    let titles = ["long_kernel_name", "graph", "iteration", "api_start_ns", "gpu_start_ns", "gpu_time_ns"];
    writer.write_record(titles).expect("a row");
    let capture = &profile.capture;
    let mut last = 0;
    let mut of_others = Vec::new();
    for launch in profile.kernel_launches().iter() {
        let kind = profile.judge_kernel(launch.kernel).kind;
        if kind == KernelKind::Communication {
            continue;
        }
        let span = capture.work.span[launch.kernel];
        let api = launch.api.some().map(|api| capture.api_calls.span[api].start);
        last = last.max(span.start).max(api.unwrap_or(0));
        let iteration = match chosen.map(|chosen| launch.iteration.cmp(&chosen)) {
            None | Some(std::cmp::Ordering::Less) => "0",
            Some(std::cmp::Ordering::Equal) => "1",
            Some(std::cmp::Ordering::Greater) => "3",
        };
        let record = [
            capture.strings.get(capture.kernels.long_name[launch.kernel]),
            capture.kernels.graph[launch.kernel].as_str(),
            iteration,
            &api.map(|api| api.to_string()).unwrap_or_default(),
            &span.start.to_string(),
            &span.length().to_string(),
        ];
        if capture.work.process[launch.kernel] == found.process {
            writer.write_record(record).expect("a row");
        } else {
            of_others.push(record.map(ToOwned::to_owned));
        }
    }
    let behind = (last + 1).to_string();
    for [long_name, graph, _, _, _, time] in of_others {
        let record = [&*long_name, &*graph, "3", &*behind, &*behind, &*time];
        writer.write_record(record).expect("a row");
    }
    if chosen.is_some() {
        writer.write_record([name.as_str(), "", "3", &*behind, &*behind, "0"]).expect("a row");
    }
    writer.flush().expect("a file");
}
