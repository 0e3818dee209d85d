//! The viewer in a real browser. `cases.mjs` says what must hold; this makes the captures, asks the command line for the
//! same figures, and runs the cases with node and Chromium. Without one of them the test says loudly that it is skipped.
//!
//! `DLPROF_BROWSER_TESTS=required` makes a missing browser a failure; `DLPROF_BROWSER_CAPTURES=FILE:FILE` adds captures.

mod conditions;
mod counters;

use dlprof_generate::{JobPlan, write_job};
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Where the browser may be.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

#[test]
fn the_viewer_holds_what_it_promises_in_a_browser() -> Result<(), Box<dyn Error>> {
    let browser = BROWSERS.into_iter().find(|name| runs(name));
    let (Some(browser), true) = (browser, runs("node")) else {
        let is_required = std::env::var("DLPROF_BROWSER_TESTS").is_ok_and(|value| value == "required");
        assert!(!is_required, "the browser tests need Chromium and node");
        // Not by `eprintln!`, which nobody sees of a test that passes.
        writeln!(std::io::stderr(), "SKIPPED: the browser tests (Chromium or node is not installed)")?;
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let mut captures = vec![("sample".to_owned(), sample())];
    captures.push(("hostile".to_owned(), hostile(folder.path())?));
    captures.push(("gpus".to_owned(), generated(folder.path())?));
    captures.push(("nokernels".to_owned(), without_kernels(folder.path())?));
    // The same capture with counters beside it.
    captures.push(("counters".to_owned(), captures[1].1.clone()));
    let log = counters::write_log(&captures[1].1, &folder.path().join("hostile.ncu.csv"))?;
    let with_log = [Path::new("--ncu"), &log];
    match server_capture() {
        Some(path) => captures.push(("server".to_owned(), path)),
        None => {
            writeln!(std::io::stderr(), "SKIPPED: pages of a server (the shared corpus is not there)")?;
        }
    }
    let further = std::env::var_os("DLPROF_BROWSER_CAPTURES").unwrap_or_default();
    for path in std::env::split_paths(&further).filter(|path| path.is_file()) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        captures.push((name, path));
    }
    let mut arguments = Vec::new();
    let mut servers = Vec::new();
    for (name, path) in &captures {
        let at = |ending: &str| folder.path().join(format!("{name}.{ending}"));
        let (page, document, overview) = (at("html"), at("json"), at("overview.json"));
        let beside: &[&Path] = if name == "counters" { &with_log } else { &[] };
        for target in [&page, &document] {
            write(
                &["export", "--no-cache", "-q", "-o"],
                &[&[target.as_path(), path], beside].concat(),
                None,
            )?;
        }
        write(
            &["--format", "json", "--no-cache", "-q"],
            &[&[path.as_path()], beside].concat(),
            Some(&overview),
        )?;
        let said = format!("{},{}", document.display(), overview.display());
        arguments.push(format!("{name}=file://{},{said}", page.display()));
        // The same pages from the local server, where the program has one; other captures show all that differs there.
        if has_server() && !["sample", "nokernels", "server"].contains(&name.as_str()) {
            let (server, address) = serve(&[&[path.as_path()], beside].concat())?;
            servers.push(server);
            arguments.push(format!("{name}-served={address},{said}"));
        }
    }
    if has_server() {
        let (base, new) = (&captures[2].1, &slower(folder.path())?);
        let (comparison, page) =
            (folder.path().join("comparison.json"), folder.path().join("comparison.html"));
        write(&["compare", "--format", "json", "-q", "-o"], &[&page, base, new], Some(&comparison))?;
        let (server, address) = serve(&[base, new])?;
        servers.push(server);
        let at = |ending: &str| folder.path().join(format!("gpus.{ending}")).display().to_string();
        let said = format!("{},{},{}", at("json"), at("overview.json"), comparison.display());
        arguments.push(format!("two={address},{said}"));
        arguments.push(format!("two-file=file://{},{said}", page.display()));
    }
    for ranks in [2, 8, 64, 1024] {
        let (server, given) = job(folder.path(), ranks)?;
        servers.extend(server);
        arguments.extend(given);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/run.mjs");
    let done = Command::new("node").arg(script).arg(browser).args(arguments).status();
    for server in &mut servers {
        server.kill()?;
        server.wait()?;
    }
    let done = done?;
    assert!(done.success(), "browser tests failed; they are listed above");
    Ok(())
}

/// A capture of an inference server with prompts between tokens; none where the shared corpus is not there.
fn server_capture() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus/serving/synth/vllm_mixed_chunked.sqlite");
    path.is_file().then_some(path)
}

/// A job of so many ranks, one of them slow, on nodes with a name that a browser would run: its page, and for a small one also
/// that of the server.
fn job(folder: &Path, ranks: i64) -> Result<(Option<Child>, Vec<String>), Box<dyn Error>> {
    let name = format!("job{ranks}");
    let captures = folder.join(&name);
    std::fs::create_dir(&captures)?;
    let plan = JobPlan {
        ranks,
        steps: 6,
        slow: Some((ranks / 2, 150)),
        node: "<img src=x onerror=\"window.broken=1\">",
        ..JobPlan::default()
    };
    write_job(&captures, &plan)?;
    let at = |ending: &str| folder.join(format!("{name}.{ending}"));
    let (page, document, overview) = (at("html"), at("json"), at("overview.json"));
    write(&["export", "--no-cache", "-q", "-o"], &[&page, Path::new("-o"), &document, &captures], None)?;
    write(&["ranks", "--format", "json", "--no-cache", "-q"], &[&captures], Some(&overview))?;
    assert!(std::fs::metadata(&page)?.len() < 2_000_000, "the page of {ranks} ranks is larger than 2 MB");
    let said = format!("{},{}", document.display(), overview.display());
    let mut given = vec![format!("{name}=file://{},{said}", page.display())];
    let server = if has_server() && ranks == 8 { Some(serve(&[&captures])?) } else { None };
    if let Some((_, address)) = &server {
        given.push(format!("{name}-served={address},{said}"));
    }
    Ok((server.map(|(server, _)| server), given))
}

fn runs(program: &str) -> bool {
    let output = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    output.is_ok_and(|status| status.success())
}

/// Whether the program was built with the server.
fn has_server() -> bool {
    let help = Command::new(env!("CARGO_BIN_EXE_dlprof-agg")).arg("--help").output();
    help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("\n  view "))
}

/// Runs the program; what it prints goes into a file.
fn write(words: &[&str], paths: &[&Path], target: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let output = Command::new(env!("CARGO_BIN_EXE_dlprof-agg")).args(words).args(paths).output()?;
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?} {paths:?}: {error}");
    if let Some(target) = target {
        std::fs::write(target, output.stdout)?;
    }
    Ok(())
}

/// A server for captures, and its address, which is the first line that it prints.
fn serve(paths: &[&Path]) -> Result<(Child, String), Box<dyn Error>> {
    let mut server = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"))
        .args(["view", "--no-cache", "-p", "18200"])
        .args(paths)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    Ok((server, line.trim().to_owned()))
}

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample.sqlite")
}

/// Two processes on two GPUs and a hundred iterations.
fn generated(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let path = folder.join("gpus.sqlite");
    let options = format!(
        "--truth {} --iterations 100 --gpus 2 --processes 2 --layers 2 --max-launches 2 --backward=true",
        folder.join("gpus.truth.json").display()
    );
    dlprof_generate::write_export(&path, &options)?;
    Ok(path)
}

/// The sample, as if kernels had not been traced.
fn without_kernels(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let path = folder.join("nokernels.sqlite");
    std::fs::copy(sample(), &path)?;
    rusqlite::Connection::open(&path)?.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL", [])?;
    Ok(path)
}

/// As `generated`, with more launches and fewer iterations.
fn slower(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let path = folder.join("slower.sqlite");
    let options = format!(
        "--truth {} --iterations 60 --gpus 2 --processes 2 --layers 2 --max-launches 3 --backward=true",
        folder.join("slower.truth.json").display()
    );
    dlprof_generate::write_export(&path, &options)?;
    Ok(path)
}

/// Names that a browser would run if they became markup, in every place where a capture has names.
fn hostile(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let path = folder.join("hostile.sqlite");
    let options = format!(
        "--truth {} --iterations 6 --layers 1 --texts interned",
        folder.join("hostile.truth.json").display()
    );
    dlprof_generate::write_export(&path, &options)?;
    let name = "<img src=x onerror=\"window.broken=1\"></script><script>window.broken=1</script> 'q' & \u{202E}\u{1b}[31m";
    let database = rusqlite::Connection::open(&path)?;
    database.execute(
        "UPDATE StringIds SET value = ?1 || value WHERE id IN (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL UNION \
         SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL)",
        [name],
    )?;
    database.execute_batch(
        "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
         INSERT INTO GPU_METRICS SELECT start, 0, 4, correlationId % 90 FROM CUPTI_ACTIVITY_KIND_KERNEL;
         CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName TEXT)",
    )?;
    database.execute("INSERT INTO TARGET_INFO_GPU_METRICS VALUES (0, 0, 'GPU Metrics', 4, ?1)", [name])?;
    Ok(path)
}
