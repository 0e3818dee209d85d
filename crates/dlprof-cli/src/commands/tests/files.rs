//! Commands that write files: `export`, `reports`, `cache`.

use super::super::export::{self, Export};
use super::super::reports::{self, Reports};
use super::super::{cache, show};
use crate::console::recorded;
use crate::exit::Failure;
use crate::generated::{capture_file, folder};
use crate::opening::CaptureFile;
use dlprof_core::Cache;
use dlprof_export::{DlprofReport, DlprofReportFormat, ExportOutput, Inputs, Overwrite};
use std::path::{Path, PathBuf};

/// An export of the tables `ops` and `iterations`.
fn export_of(file: CaptureFile, outputs: &[&Path]) -> Export {
    let tables = ["ops", "iterations"].map(|name| show::find(name).expect("a table")).to_vec();
    let output = |path: &&Path| ExportOutput::new(path, None, tables.len()).expect("an output");
    Export {
        file,
        is_choice: true,
        outputs: outputs.iter().map(output).collect(),
        tables,
        most_rows: None,
        font: None,
        csv_safe: false,
        per_iteration: false,
        overwrite: Overwrite::Refuse,
        inputs: Inputs::default(),
    }
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_export_writes_what_is_asked_for_and_nothing_over() {
    let folder = folder();
    let (tables, json) = (folder.path().join("tables/"), folder.path().join("run.json"));
    let export = || export_of(capture_file(folder.path()), &[&folder.path().join("tables/"), &json]);
    let (done, said) = recorded(|| export::run(export()));
    done.expect("an export");
    let files = names(&tables);
    assert!(
        ["iterations.csv", "ops.csv"].iter().all(|&name| files.iter().any(|file| file == name)),
        "{files:?}"
    );
    let written: Vec<&str> = said.out.lines().collect();
    assert!(written.iter().any(|path| path.ends_with("tables/ops.csv")), "{written:?}");
    assert!(written.contains(&json.display().to_string().as_str()), "{written:?}");
    let text = std::fs::read_to_string(&json).expect("a file");
    let tables: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(tables["profile_name"], "run", "it is named after the file");

    assert!(matches!(export::run(export()), Err(Failure::Export(_))));
    export::run(Export { overwrite: Overwrite::Replace, ..export() }).expect("the files are replaced");
}

#[test]
fn files_for_other_tools_have_no_chosen_tables() {
    let folder = folder();
    for (name, about) in [("run.folded", "another tool"), ("dlprof.sqlite", "DLProf database")] {
        let path = folder.path().join(name);
        let Err(failure) = export::run(export_of(capture_file(folder.path()), &[&path])) else {
            panic!("{name} holds no chosen tables");
        };
        assert!(matches!(&failure, Failure::Usage { message, .. } if message.contains(about)), "{failure:?}");
        assert!(!path.exists());
        let all = Export { is_choice: false, ..export_of(capture_file(folder.path()), &[&path]) };
        recorded(|| export::run(all)).0.expect("a file");
        assert!(path.metadata().is_ok_and(|file| file.len() > 0), "{name}");
    }
}

#[test]
fn the_schema_is_printed_without_a_capture() {
    let (done, said) = recorded(export::schema);
    done.expect("a schema");
    assert!(serde_json::from_str::<serde_json::Value>(&said.out).is_ok());
}

fn reports_to(folder: &Path, name: Option<&str>) -> Reports {
    let mut file = capture_file(folder);
    file.settings.profile_name = name.map(str::to_owned);
    Reports {
        file,
        reports: vec![DlprofReport::Summary, DlprofReport::Kernel],
        formats: vec![DlprofReportFormat::Csv, DlprofReportFormat::Json],
        folder: folder.join("reports"),
        overwrite: Overwrite::Refuse,
        inputs: Inputs::default(),
    }
}

#[test]
fn reports_are_named_after_the_profile() {
    let folder = folder();
    let (done, said) = recorded(|| reports::run(reports_to(folder.path(), Some("mine"))));
    done.expect("reports");
    let files = names(&folder.path().join("reports"));
    assert_eq!((files.len(), said.out.lines().count()), (4, 4), "{files:?}");
    assert!(files.iter().all(|name| name.starts_with("mine_")), "{files:?}");
    let (done, _) = recorded(|| reports::run(reports_to(folder.path(), None)));
    done.expect("reports of another name");
    assert!(names(&folder.path().join("reports")).iter().any(|name| name.starts_with("dlprof_")));
    for wrong in ["", "a/b", "a\nb"] {
        match reports::run(reports_to(folder.path(), Some(wrong))) {
            Err(Failure::Usage { message, .. }) => {
                assert!(message.contains("cannot be the start"), "{message}")
            }
            other => panic!("{wrong:?}: {other:?}"),
        }
    }
}

#[test]
fn what_is_kept_is_listed_and_removed() {
    let folder = folder();
    let kept = Cache::new(folder.path().join("kept"), Cache::LIMIT_BYTES).keeping_from(0);
    let printed = |work: &dyn Fn() -> Result<(), Failure>| {
        let (done, said) = recorded(work);
        done.expect("a list");
        said.out
    };
    let list = || printed(&|| cache::list(&kept));
    assert!(list().starts_with("0 captures in "), "{}", list());
    let mut file = capture_file(folder.path());
    file.settings.cache = Some(kept.clone());
    file.open().expect("a profile");
    let text = list();
    assert!(text.starts_with("1 captures in ") && text.contains("run.sqlite\n"), "{text}");
    assert!(text.contains(" of at most 8.0 GiB\n") && text.contains("just now"), "{text}");
    std::fs::remove_file(&file.path).expect("the capture");
    assert!(list().contains("(the export was changed or moved)"), "{}", list());
    let removed = printed(&|| cache::clear(&kept));
    assert!(removed.starts_with("Removed 1 captures from "), "{removed}");
    assert!(list().starts_with("0 captures in "), "{}", list());
    assert!(printed(&cache::none).starts_with("No captures are kept"));
}

#[test]
fn a_kept_capture_gives_the_same_tables() {
    let folder = folder();
    let tables = |name: &str, cache: Option<&Cache>| {
        let output = folder.path().join(name);
        let mut file = capture_file(folder.path());
        file.settings.cache = cache.cloned();
        let (done, _) = recorded(|| export::run(export_of(file, &[&output])));
        done.expect("an export");
        ["ops.csv", "iterations.csv"].map(|table| std::fs::read(output.join(table)).expect("a table"))
    };
    let kept = Cache::new(folder.path().join("kept"), Cache::LIMIT_BYTES).keeping_from(0);
    let without = tables("without/", None);
    assert_eq!(tables("first/", Some(&kept)), without);
    // The generator writes the same bytes anew, so that only time and inode differ.
    assert_eq!(tables("second/", Some(&kept)), without);
    assert_eq!(kept.entries().expect("the cache").len(), 1);
    assert_eq!(PathBuf::from(kept.folder()), folder.path().join("kept"));
}
