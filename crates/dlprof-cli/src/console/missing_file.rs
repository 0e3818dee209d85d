//! What a user may have meant by the name of a file that does not exist.

use std::path::Path;

/// Names with a smaller similarity are not meant.
const LIKE: f64 = 0.75;

/// The maximum number of names that are suggested.
const MOST: usize = 3;

/// What to do about a file that does not exist: where its link leads, files of similar names, or that its folder is missing.
/// `None` if none of these helps.
pub(crate) fn hint(path: &Path) -> Option<String> {
    if let Ok(target) = std::fs::read_link(path) {
        return Some(format!("it is a link to `{}`, which does not exist", target.display()));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Some(format!("there is no folder `{}` either", folder.display()));
    }
    let names = similar(&path.file_name()?.to_string_lossy(), folder);
    let shown: Vec<String> =
        names.iter().map(|name| format!("`{}`", path.with_file_name(name).display())).collect();
    (!shown.is_empty()).then(|| format!("did you mean {}?", shown.join(" or ")))
}

/// Names in a folder that are most similar to a name, the most similar first.
fn similar(name: &str, folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let mut scored: Vec<(f64, String)> =
        names.map(|other| (likeness(name, &other), other)).filter(|one| one.0 >= LIKE).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().map(|(_, name)| name).take(MOST).collect()
}

/// From 0 to 1. The ending counts little: who forgets it or mistakes it means the same file.
fn likeness(a: &str, b: &str) -> f64 {
    let stem = |name: &str| Path::new(name).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let whole = strsim::normalized_damerau_levenshtein(&a.to_lowercase(), &b.to_lowercase());
    whole.max(strsim::normalized_damerau_levenshtein(&stem(a), &stem(b)) * 0.99)
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn similar_names_are_suggested_the_most_similar_first() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["train.sqlite", "train-2.sqlite", "notes.txt", "other.sqlite"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        let hint = |name: &str| hint(&folder.path().join(name)).unwrap_or_default();
        let trian = hint("trian.sqlite");
        assert!(trian.find("train.sqlite") < trian.find("train-2.sqlite"), "{trian}");
        assert!(hint("train").contains("train.sqlite`") && hint("TRAIN.SQLITE").contains("train.sqlite`"));
        assert_eq!(hint("quite-different.db"), "");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("gone/train.sqlite", folder.path().join("latest.sqlite"))
                .expect("a link");
            assert_eq!(hint("latest.sqlite"), "it is a link to `gone/train.sqlite`, which does not exist");
        }
        assert!(hint("no/such/file").contains("there is no folder"));
    }
}
