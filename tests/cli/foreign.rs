//! Foreign readers of what is written for other tools: see `tests/foreign/README.md`.

use crate::inputs::say;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The variable that names the folder with the installed readers. If it is set, a reader that is missing fails its test.
const VARIABLE: &str = "DLPROF_FOREIGN_READERS";

/// A script ends with this code if it lacks a package.
const NOT_INSTALLED: i32 = 77;

fn folder() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).map(PathBuf::from)
}

fn skip(reader: &str) {
    assert!(folder().is_none(), "{VARIABLE} is set, but {reader} does not run");
    say(format_args!("SKIPPED: checks by {reader}, which is not installed (tests/foreign/install.sh)"));
}

/// What a program that was installed does; `None` if it is not.
pub(crate) fn program(name: &str, with_arguments: &dyn Fn(&mut Command) -> &mut Command) -> Option<Output> {
    let place = folder().map_or_else(|| name.into(), |folder| folder.join("bin").join(name));
    let output = with_arguments(&mut Command::new(place)).output().ok();
    if output.is_none() {
        skip(name);
    }
    output
}

/// What a script of `tests/foreign` does with some files; `None` if Python or a package that it needs is not installed.
pub(crate) fn script(name: &str, paths: &[&Path]) -> Option<Output> {
    let python = folder().map_or_else(|| "python3".into(), |folder| folder.join("bin/python"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign").join(name);
    let output = Command::new(python).arg(script).args(paths).output().ok();
    let output = output.filter(|output| output.status.code() != Some(NOT_INSTALLED));
    if output.is_none() {
        skip(name);
    }
    output
}

/// What a script prints about files that it accepts; `None` if it cannot run here.
pub(crate) fn accepted(name: &str, paths: &[&Path]) -> Option<String> {
    let output = script(name, paths)?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {paths:?}: {said}");
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

/// What an example of `examples/fleet` says of a lake; `None`, and a line that says so, where its engine is not installed.
pub(crate) fn engine(package: &str, lake: &Path) -> Option<String> {
    let python = folder().map_or_else(|| "python3".into(), |folder| folder.join("bin/python"));
    let runs = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    let has_java = package != "pyspark" || runs(Command::new("java").arg("-version"));
    if !has_java || !runs(Command::new(&python).args(["-c", &format!("import {package}")])) {
        say(format_args!("SKIPPED: {package} on a lake, which is not installed (tests/foreign/install.sh)"));
        return None;
    }
    let name = package.trim_start_matches("py");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/fleet/with_{name}.py"));
    let output = Command::new(python).arg(script).arg(lake).output().expect("Python");
    assert!(output.status.success(), "{package}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}
