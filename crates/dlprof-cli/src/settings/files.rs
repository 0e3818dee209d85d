//! The settings files: which there are, and what they say together.
//!
//! There are up to three files: the one given by `--config`, `dlprof-agg.toml` in the working folder, and the user's
//! `config.toml`. The first has precedence over the second, and the second over the third. Each file is checked alone, so
//! that an error names its file. Then the files are merged key by key. A list is not merged: it replaces the list of a file
//! with lower precedence. The file of the working folder may hold only what [`keys`](super::keys) lets it.

use super::keys::check_local;
use super::mistakes::{Mistake, explain};
use super::values::OptionValues;
use crate::exit::Failure;
use dlprof_core::{MOST_SETTINGS_BYTES, QueryEngine, RuleError, RuleSettings, SettingsText, read_small_text};
use std::collections::BTreeSet;
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

/// Where a settings file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The command line names it.
    Given,
    WorkingFolder,
    User,
}

/// A settings file as it was read.
#[derive(Debug, Clone)]
struct SettingsFile {
    origin: Origin,
    path: PathBuf,
    text: String,
}

/// What the file of the working folder says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalSettings {
    pub(crate) path: PathBuf,
    /// The keys that it has.
    pub(crate) keys: BTreeSet<String>,
    /// The user's own rules that do not count because of it.
    pub(crate) replaced: Vec<String>,
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
    /// What the file of the working folder says; none if there is none, or nothing in it.
    pub(crate) local: Option<LocalSettings>,
}

impl SettingsFiles {
    /// Reads the settings files: the one given, and the usual ones if they count: that of the working folder, the user's.
    pub(crate) fn read(given: Option<&Path>, usual: UsualFiles) -> Result<Self, Failure> {
        let mut files: Vec<SettingsFile> = Vec::new();
        if let Some(path) = given {
            let text =
                read_small_text(path, MOST_SETTINGS_BYTES).map_err(|error| unreadable(path, &error))?;
            files.push(SettingsFile { origin: Origin::Given, path: path.to_owned(), text });
        }
        for (origin, path) in usual_places().filter(|_| usual == UsualFiles::Read) {
            if files.iter().any(|known| is_same(&known.path, &path)) {
                continue;
            }
            match read_small_text(&path, MOST_SETTINGS_BYTES) {
                Ok(text) => files.push(SettingsFile { origin, path, text }),
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(error) => return Err(unreadable(&path, &error)),
            }
        }
        Self::of_files(files)
    }

    fn of_files(files: Vec<SettingsFile>) -> Result<Self, Failure> {
        let mut all = Self { rules: RuleSettings::with_engine(ENGINE), ..Self::default() };
        let mut merged = Table::new();
        for file in files.iter().rev() {
            merge(&mut merged, all.add(file)?);
        }
        // Every file was checked by itself, and merged values are those of files.
        all.values = Value::Table(merged).try_into().map_err(|error| Failure::Usage {
            message: format!("the settings files cannot be used together: {error}"),
            hint: None,
        })?;
        all.paths = files.into_iter().map(|file| file.path).collect();
        Ok(all)
    }

    /// Adds what a file says of rules to those of files with lower precedence, and gives its values.
    fn add(&mut self, file: &SettingsFile) -> Result<Table, Failure> {
        let SettingsFile { origin, path, text } = file;
        let failed = |Mistake { message, hint }| Failure::Settings { path: path.clone(), message, hint };
        let unusable = |error: toml::de::Error| failed(explain(&error, text));
        let values: OptionValues = toml::from_str(text).map_err(unusable)?;
        // Before anything that the file says is tried out, such as a query.
        let local = match origin {
            Origin::WorkingFolder => Some(check_local(text, &elsewhere()).map_err(failed)?),
            Origin::Given | Origin::User => None,
        };
        check_program(&values).map_err(failed)?;
        let replaced = if values.rule.is_empty() { &[][..] } else { &self.rules.own };
        let replaced = replaced.iter().map(|rule| rule.id().to_owned()).collect();
        self.rules.add(&values.rules, &values.rule, &SettingsText { path, text })?;
        if let Some(keys) = local.filter(|keys| !keys.is_empty()) {
            self.local = Some(LocalSettings { path: path.clone(), keys, replaced });
        }
        let mut table: Table = toml::from_str(text).map_err(unusable)?;
        table.retain(|key, _| key != "rules" && key != "rule");
        Ok(table)
    }
}

/// A program of a settings file is a name on PATH or a whole path: what else it means would depend on the working folder.
fn check_program(values: &OptionValues) -> Result<(), Mistake> {
    match &values.nsys {
        Some(nsys) if nsys.components().count() != 1 && !nsys.is_absolute() => Err(Mistake {
            message: format!("`nsys` is `{}`, which depends on the working folder", nsys.display()),
            hint: Some("write the whole path, or the name of a program on PATH".into()),
        }),
        _ => Ok(()),
    }
}

/// The files whose keys are not restricted, in words.
fn elsewhere() -> String {
    let of_user = of_user().map(|path| format!(" and in `{}`", path.display()));
    format!("the file of `--config`{}", of_user.unwrap_or_default())
}

/// The files that the settings files name. None if these cannot be read, which is told where they are used.
pub(crate) fn files_named(given: Option<&Path>, usual: UsualFiles) -> Vec<PathBuf> {
    let Ok(SettingsFiles { values: OptionValues { ncu, nsys, capture_trace, .. }, .. }) =
        SettingsFiles::read(given, usual)
    else {
        return Vec::new();
    };
    ncu.into_iter().flatten().chain(nsys).chain(capture_trace).collect()
}

/// All files that may hold settings, whether or not they exist.
pub(crate) fn places(given: Option<&Path>) -> Vec<PathBuf> {
    given.map(Path::to_owned).into_iter().chain(usual_places().map(|(_, path)| path)).collect()
}

/// The settings files that nobody needs to name. A link in the working folder to the user's file is no other file.
fn usual_places() -> impl Iterator<Item = (Origin, PathBuf)> {
    let (local, of_user) = (PathBuf::from(LOCAL), of_user());
    let local = Some(local).filter(|local| !of_user.as_ref().is_some_and(|file| is_same(file, local)));
    let local = local.map(|path| (Origin::WorkingFolder, path));
    local.into_iter().chain(of_user.map(|path| (Origin::User, path)))
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
pub(super) mod tests;
