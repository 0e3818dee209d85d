//! The settings files: which there are, and what they say together.
//!
//! There are up to three files: the one given by `--config`, `dlprof-agg.toml` in the working folder, and the user's
//! `config.toml`. The first has precedence over the second, and the second over the third. Each file is checked alone, so
//! that an error names its file. Then the files are merged key by key. A list is not merged: it replaces the list of a file
//! with lower precedence.

use super::mistakes::{Mistake, explain};
use super::values::OptionValues;
use crate::exit::Failure;
use dlprof_core::{MOST_SETTINGS_BYTES, QueryEngine, RuleError, RuleSettings, SettingsText, read_small_text};
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What answers the queries of users' rules.
const ENGINE: Option<QueryEngine> = Some(dlprof_export::RULE_ENGINE);

/// The settings file of a working folder.
const LOCAL: &str = "dlprof-agg.toml";

/// Whether the settings files count that nobody names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum UsualFiles {
    #[default]
    Read,
    Ignored,
}

/// What the settings files say.
#[derive(Debug, Default)]
pub(crate) struct SettingsFiles {
    /// Values of options.
    pub(crate) values: OptionValues,
    /// What is changed about the rules, and users' rules.
    pub(crate) rules: RuleSettings,
    /// The files that were read, the one with precedence first.
    pub(crate) paths: Vec<PathBuf>,
}

impl SettingsFiles {
    /// Reads the settings files: the one given, and the usual ones if they count: that of the working folder, the user's.
    pub(crate) fn read(given: Option<&Path>, usual: UsualFiles) -> Result<Self, Failure> {
        let mut texts: Vec<(PathBuf, String)> = Vec::new();
        if let Some(path) = given {
            let text =
                read_small_text(path, MOST_SETTINGS_BYTES).map_err(|error| unreadable(path, &error))?;
            texts.push((path.to_owned(), text));
        }
        for path in usual_places().filter(|_| usual == UsualFiles::Read) {
            let is_known = |(known, _): &(PathBuf, String)| is_same(known, &path);
            if texts.iter().any(is_known) {
                continue;
            }
            match read_small_text(&path, MOST_SETTINGS_BYTES) {
                Ok(text) => texts.push((path, text)),
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(error) => return Err(unreadable(&path, &error)),
            }
        }
        Self::of_texts(texts)
    }

    fn of_texts(texts: Vec<(PathBuf, String)>) -> Result<Self, Failure> {
        let mut rules = RuleSettings::with_engine(ENGINE);
        let mut merged = Table::new();
        for (path, text) in texts.iter().rev() {
            let unusable = |error: toml::de::Error| {
                let Mistake { message, hint } = explain(&error, text);
                Failure::Settings { path: path.clone(), message, hint }
            };
            let file: OptionValues = toml::from_str(text).map_err(unusable)?;
            let source = SettingsText { path, text };
            rules.add(&file.rules, &file.rule, &source)?;
            let mut table: Table = toml::from_str(text).map_err(unusable)?;
            table.retain(|key, _| key != "rules" && key != "rule");
            merge(&mut merged, table);
        }
        // Every file was checked by itself, and merged values are those of files.
        let values = Value::Table(merged).try_into().map_err(|error| Failure::Usage {
            message: format!("the settings files cannot be used together: {error}"),
            hint: None,
        })?;
        Ok(Self { values, rules, paths: texts.into_iter().map(|(path, _)| path).collect() })
    }
}

/// The files that the settings files name. None if these cannot be read, which is told where they are used.
pub(crate) fn files_named(given: Option<&Path>, usual: UsualFiles) -> Vec<PathBuf> {
    let Ok(SettingsFiles { values: OptionValues { ncu, nsys, .. }, .. }) = SettingsFiles::read(given, usual)
    else {
        return Vec::new();
    };
    ncu.into_iter().flatten().chain(nsys).collect()
}

/// All files that may hold settings, whether or not they exist.
pub(crate) fn places(given: Option<&Path>) -> Vec<PathBuf> {
    given.map(Path::to_owned).into_iter().chain(usual_places()).collect()
}

/// The settings files that nobody needs to name.
fn usual_places() -> impl Iterator<Item = PathBuf> {
    [Some(PathBuf::from(LOCAL)), of_user()].into_iter().flatten()
}

/// Puts a table over another one, key by key.
fn merge(lower: &mut Table, higher: Table) {
    for (key, value) in higher {
        match (lower.get_mut(&key), value) {
            (Some(Value::Table(lower)), Value::Table(higher)) => merge(lower, higher),
            (_, value) => {
                lower.insert(key, value);
            }
        }
    }
}

/// Where this system keeps a user's configuration; `None` if it does not say.
fn of_user() -> Option<PathBuf> {
    let path =
        |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = path("XDG_CONFIG_HOME")
        .or_else(|| path("APPDATA"))
        .or_else(|| path("HOME").map(|home| home.join(".config")))?;
    Some(folder.join("dlprof-agg").join("config.toml"))
}

/// Whether two paths name the same file.
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::Settings { path: path.to_owned(), message: error.to_string(), hint: None }
}

impl From<RuleError> for Failure {
    fn from(error: RuleError) -> Self {
        Self::Settings { path: error.path.clone(), message: error.to_string(), hint: error.hint }
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
