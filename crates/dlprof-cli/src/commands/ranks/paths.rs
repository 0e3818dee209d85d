//! Captures of a job by what was typed: files, folders, patterns with `*` and `?`, lists (`@FILE`, a path per line), and lakes,
//! whose captures are folders.

use super::folder::entries;
use super::{lake, unread};
use crate::exit::Failure;
use crate::nsys;
use dlprof_core::{MOST_SETTINGS_BYTES, natural_order, open_regular_file, read_small_text};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The files that paths mean, each once, in natural order.
pub(crate) fn expanded(paths: &[&PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        match list_of(path) {
            Some(list) => {
                for line in lines(list)? {
                    add(&line, &mut files)?;
                }
            }
            None => add(path, &mut files)?,
        }
    }
    files.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    files.dedup();
    if files.is_empty() {
        unread::check_folders(paths)?;
    }
    Ok(files)
}

/// The list that `@FILE` names.
pub(crate) fn list_of(path: &Path) -> Option<&Path> {
    let list = path.to_str()?.strip_prefix('@')?;
    (!path.exists()).then_some(Path::new(list))
}

/// Whether a path is a folder, a pattern or a list of files.
pub(crate) fn may_be_several(path: &Path) -> bool {
    path.is_dir() || !path.exists() && path.to_string_lossy().contains(['@', '*', '?'])
}

/// The paths of a list; empty lines and those that begin with `#` do not count.
fn lines(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let text = read_small_text(list, MOST_SETTINGS_BYTES)
        .map_err(|source| dlprof_core::Error::Unreadable { path: list.into(), source })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(PathBuf::from).collect())
}

fn add(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if path.is_dir() {
        match lake::captures_in(path, &entries(path)?)? {
            Some(of_lake) => files.extend(of_lake),
            None => files.extend(captures_in(path)?),
        }
        return Ok(());
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.contains(['*', '?']) || path.exists() {
        files.push(path.to_owned());
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let fits = |file: &PathBuf| file.file_name().is_some_and(|own| is_match(&name, &own.to_string_lossy()));
    let before = files.len();
    files.extend(super::folder::files(folder)?.into_iter().filter(fits));
    if files.len() == before {
        return Err(Failure::Input {
            message: format!("`{}` fits no file", path.display()),
            cause: None,
            hint: Some(
                "`*` is any text and `?` any character, in the name of a file, not of a folder".into(),
            ),
        });
    }
    Ok(())
}

/// The captures of a folder and of the folders in it, such as those of the steps or hosts of a job. A report beside its export is the
/// same capture. Hidden folders, links to folders and captures of lakes are left out.
fn captures_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    /// Folders in folders beyond this are not looked at.
    const DEEPEST: usize = 8;
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let inside = entries(&folder)?;
        let files: Vec<PathBuf> = inside.iter().filter(|path| path.is_file()).cloned().collect();
        found.extend(captures_among(files));
        let is_searched = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.is_dir() && !path.is_symlink() && !name.starts_with('.') && !lake::is_capture(path)
        };
        let deeper = inside.iter().filter(is_searched).filter(|_| depth < DEEPEST);
        folders.extend(deeper.map(|path| (path.clone(), depth + 1)));
    }
    Ok(found)
}

fn captures_among(files: Vec<PathBuf>) -> impl Iterator<Item = PathBuf> {
    let is_export = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "sqlite");
    let exports: BTreeSet<PathBuf> = files.iter().filter(|file| is_export(file)).cloned().collect();
    let is_capture = move |file: &PathBuf| {
        exports.contains(file)
            || is_trace(file)
            || is_database(file)
            || nsys::is_report(file) && !exports.contains(&file.with_extension("sqlite"))
    };
    files.into_iter().filter(is_capture)
}

/// Whether a file is a database of AMD's profilers or a profile of XLA, by its name and its first bytes.
fn is_database(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let begins = |start: &[u8]| begin(file).is_ok_and(|found| found.starts_with(start));
    name.ends_with(".xplane.pb") && begins(b"\x0a")
        || (name.ends_with(".db") || name.ends_with(".rpd")) && begins(b"SQLite format 3\0")
}

/// Whether a file is a trace of torch.profiler, by its name, or, as other JSON may lie beside it, by its beginning.
fn is_trace(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_named = name.ends_with(".pt.trace.json") || name.ends_with(".json.gz");
    is_named || name.ends_with(".json") && begins_as_trace(file).unwrap_or(false)
}

fn begin(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    open_regular_file(file)?.take(4096).read_to_end(&mut start)?;
    Ok(start)
}

fn begins_as_trace(file: &Path) -> std::io::Result<bool> {
    let start = begin(file)?;
    let start = String::from_utf8_lossy(&start);
    Ok(["\"schemaVersion\"", "\"traceEvents\"", "\"deviceProperties\""].iter().any(|key| start.contains(key)))
}

/// Whether a name fits a pattern: `*` is any text, `?` any character.
fn is_match(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut matched) = (0, 0);
    // The last `*`, and up to where it reaches.
    let mut star: Option<(usize, usize)> = None;
    while matched < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, matched));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == name[matched] => {
                at += 1;
                matched += 1;
            }
            _ => {
                let Some((place, reach)) = star else { return false };
                star = Some((place, reach + 1));
                at = place + 1;
                matched = reach + 1;
            }
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        for (pattern, name, fits) in [
            ("*.sqlite", "a.sqlite", true),
            ("*.sqlite", "a.sqlite.md", false),
            ("rank?.x*", "rank3.xyz", true),
            ("rank?", "rank", false),
            ("*a*b", "xxaxxbxb", true),
            ("", "", true),
        ] {
            assert_eq!(is_match(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn folders_and_lists_become_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["r10.sqlite", "r2.sqlite", "r2.nsys-rep", "r3.nsys-rep", "notes.txt"] {
            std::fs::write(path(name), "").expect("a file");
        }
        std::fs::write(path("rank0.json"), "{\"schemaVersion\": 1, \"traceEvents\": []}").expect("a trace");
        std::fs::write(path("settings.json"), "{\"batch\": 8}").expect("a file");
        let files = |paths: &[PathBuf]| -> Vec<String> {
            let files = expanded(&paths.iter().collect::<Vec<_>>()).expect("files");
            files
                .iter()
                .map(|file| file.file_name().expect("a name").to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(files(&[folder.path().into()]), ["r2.sqlite", "r3.nsys-rep", "r10.sqlite", "rank0.json"]);
        for (folder, name) in [("iteration_10", "a.sqlite"), (".cache", "b.sqlite")] {
            std::fs::create_dir(path(folder)).expect("a folder");
            std::fs::write(path(folder).join(name), "").expect("a file");
        }
        let all = files(&[folder.path().into()]);
        assert!(
            all.iter().any(|name| name == "a.sqlite") && !all.iter().any(|name| name == "b.sqlite"),
            "{all:?}"
        );
        assert_eq!(files(&[path("*.sqlite"), path("r2.sqlite")]), ["r2.sqlite", "r10.sqlite"]);
        let list = path("list.txt");
        std::fs::write(&list, format!("# ranks\n{}\n\nmissing.sqlite\n", path("r10.sqlite").display()))
            .expect("a list");
        assert_eq!(files(&[PathBuf::from(format!("@{}", list.display()))]), ["r10.sqlite", "missing.sqlite"]);
    }
}
