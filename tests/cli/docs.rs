//! Pages of `docs/` that list what the source declares, so that they cannot go stale.

use crate::run::{run, sample};
use dlprof_core::limits::{LIMITS, Limit};
use dlprof_core::{DiagnosticCode, hint_in};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All Rust sources of the crates.
fn sources() -> Vec<String> {
    let mut folders = vec![root().join("crates")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).expect("a source")).collect()
}

/// The text literals directly after a mark in the source, with their escapes resolved.
fn literals_behind(mark: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for source in sources() {
        for (at, _) in source.match_indices(mark) {
            let rest = source[at + mark.len()..].trim_start();
            let Some(literal) = rest.strip_prefix('"') else { continue };
            let mut text = String::new();
            let mut letters = literal.chars().peekable();
            while let Some(letter) = letters.next() {
                match letter {
                    '"' => break,
                    '\\' => match letters.next() {
                        Some('\n') => while letters.next_if(|letter| letter.is_whitespace()).is_some() {},
                        Some(escaped) => text.push(escaped),
                        None => break,
                    },
                    letter => text.push(letter),
                }
            }
            found.insert(text);
        }
    }
    found
}

/// A message as the page has it: `…` for what differs, no backticks.
fn skeleton(message: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for letter in message.replace("{{", "{").replace("}}", "}").chars() {
        match letter {
            '{' => {
                depth += 1;
                if !text.ends_with('…') {
                    text.push('…');
                }
            }
            '}' => depth -= 1,
            '`' => {}
            letter if depth == 0 => text.push(letter),
            _ => {}
        }
    }
    text
}

/// The first cells of all rows of the tables of a page, without backticks.
fn first_cells(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    rows.filter_map(|row| row.split(" | ").next()).map(|cell| cell.replace('`', "")).collect()
}

#[test]
fn every_error_is_explained() {
    let page = page("troubleshooting.md");
    let explained = first_cells(&page);
    let messages = literals_behind("#[error(");
    assert!(messages.len() > 40, "the messages are not where this test looks for them");
    let has_words = |text: &String| text.chars().any(char::is_alphabetic);
    let skeletons: BTreeSet<String> =
        messages.iter().map(|message| skeleton(message)).filter(has_words).collect();
    let missing: Vec<&String> = skeletons.difference(&explained).collect();
    assert!(missing.is_empty(), "docs/troubleshooting.md explains no such messages: {missing:#?}");
}

#[test]
fn every_kind_of_unread_file_is_listed() {
    let page = page("troubleshooting.md");
    let names = [
        ("{file}", "FILE"),
        ("{name}", "NAME"),
        ("{export}", "FILE.sqlite"),
        ("{report}", "FILE.nsys-rep"),
        ("{database}", "the name without its end"),
        ("{unpacked}", "UNPACKED"),
    ];
    for (one, hint) in dlprof_core::unread_kinds() {
        let hint = names.iter().fold(hint.to_owned(), |hint, (place, name)| hint.replace(place, name));
        let hint = if hint.is_empty() { "–" } else { &hint };
        let row = format!("| … is {} | {hint} |", one.replace("{}", "…"));
        assert!(page.lines().any(|line| line == row), "docs/troubleshooting.md lacks: {row}");
    }
}

#[test]
fn every_warning_and_note_is_explained() {
    let page = page("troubleshooting.md");
    for &code in DiagnosticCode::ALL {
        let start = format!("| `{}` ({}) | {} | ", code.key(), code.severity().as_str(), code.meaning());
        let line = page.lines().find(|line| line.starts_with(&start));
        let advice = line.unwrap_or_else(|| panic!("no line `{start}`")).strip_prefix(&start);
        let advice = advice.and_then(|rest| rest.strip_suffix(" |")).unwrap_or_default();
        assert!(!advice.is_empty(), "{start}");
        let hint = hint_in(code, None);
        assert!(hint.as_deref().is_none_or(|hint| hint == advice), "{start}: {hint:?}");
    }
}

/// The table of limits is what the source declares, line by line.
#[test]
fn every_limit_is_documented() {
    let page = page("reliability.md");
    let (_, table) = page.split_once("| what | limit | beyond it |\n|---|---|---|\n").expect("the table");
    let documented: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    let row = |limit: &Limit| {
        let Limit { what, beyond, .. } = limit;
        format!("| {what} | {} | {} |", limit.in_words(), beyond.in_words())
    };
    let declared: Vec<String> = LIMITS.iter().map(|limit| row(limit)).collect();
    assert!(declared.len() > 20, "the limits are not where this test looks for them");
    assert_eq!(documented, declared, "docs/reliability.md must have:\n{}", declared.join("\n"));
}

/// The lists of verdicts and step classes are those of the dashboard.
#[test]
fn the_dashboard_is_explained_in_full() {
    let page = page("reading-the-dashboard.md");
    let cells = first_cells(&page);
    for verdict in [
        "GPU-bound",
        "CPU-bound",
        "Mostly set-up",
        "Waiting",
        "input-bound",
        "communication-bound",
        "copy-bound",
        "unexplained",
    ] {
        assert!(cells.contains(verdict), "docs/reading-the-dashboard.md has no line for {verdict}");
    }
    let json = run("-q --format json", &[&sample()]).stdout;
    let overview: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let classes = overview["step"]["classes"].as_array().expect("the classes of a step");
    assert!(!classes.is_empty());
    for class in classes {
        let class = class["class"].as_str().expect("a name");
        let is_explained = cells.iter().any(|cell| cell.eq_ignore_ascii_case(class));
        assert!(is_explained, "docs/reading-the-dashboard.md has no line for class {class}");
    }
}

/// The numbers of the lines of a text that begin or end a conflict which git left there.
fn conflict_lines(text: &str) -> Vec<usize> {
    let marks = ['<', '|', '>'].map(|mark| format!("{} ", mark.to_string().repeat(7)));
    let is_mark = |line: &str| marks.iter().any(|mark| line.starts_with(mark));
    (1..).zip(text.lines()).filter(|(_, line)| is_mark(line)).map(|(number, _)| number).collect()
}

#[test]
fn no_file_holds_a_conflict() {
    let [ours, theirs] = ['<', '>'].map(|mark| mark.to_string().repeat(7));
    let conflict = format!("before\n{ours} HEAD\none\n=======\n{theirs} other\n");
    assert_eq!(conflict_lines(&conflict), [2, 5], "the search finds what it looks for");

    let mut folders = vec![root()];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let is_made = matches!(entry.file_name().to_str(), Some(".git" | "target" | "node_modules"));
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_made {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                // What is not text is not UTF-8.
                let found = conflict_lines(&text);
                assert!(found.is_empty(), "{}: lines {found:?}", path.display());
                read += 1;
            }
        }
    }
    assert!(read > 500, "only {read} files were read");
}
