//! Which version a database has.

use super::super::database::Database;
use super::table_names::VERSION;
use crate::base::Error;

/// Versions that can be read: major number, first and last minor number.
const MAJOR: u32 = 1;
const MINORS: std::ops::RangeInclusive<u32> = 3..=8;

/// The versions that a database names.
pub(super) struct Version {
    pub(super) current: String,
    pub(super) original: String,
}

/// Reads the version, and refuses those that are older or newer than the known ones.
pub(super) fn read(database: &Database) -> Result<Version, Error> {
    let mut version = None;
    database.read(VERSION, &["current_version", "original_version"], |row| {
        let text = |column| row.text(column).unwrap_or_default();
        version.get_or_insert(Version { current: text(0), original: text(1) });
    })?;
    let found = version.as_ref().map(|version| version.current.clone());
    match version {
        Some(version) if is_known(&version.current) => Ok(version),
        _ => Err(Error::DlprofVersion { path: database.path().into(), found }),
    }
}

/// Whether a version such as `1.8.0` can be read.
fn is_known(version: &str) -> bool {
    let mut numbers = version.trim().trim_start_matches('v').split('.').map(str::parse::<u32>);
    matches!((numbers.next(), numbers.next()), (Some(Ok(MAJOR)), Some(Ok(minor))) if MINORS.contains(&minor))
}

#[cfg(test)]
mod tests {
    use super::is_known;

    #[test]
    fn versions_1_3_to_1_8_are_known() {
        for version in ["1.3.0", "1.8.0", "v1.5.2", "1.8", "1.8.9"] {
            assert!(is_known(version), "{version}");
        }
        for version in ["1.2.0", "1.9.0", "2.3.0", "0.8", "", "1", "1.x"] {
            assert!(!is_known(version), "{version}");
        }
    }
}
