//! `lake add`: puts captures into a lake, a folder per capture that engines and `ranks` read.

use super::ranks::expanded;
use crate::console;
use crate::console::said::Said;
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use crate::settings::Settings;
use dlprof_core::{RankDigest, RankPattern, give_ranks, rank_digests, rank_of_capture};
use dlprof_export::{LakeChange, LakePlace, Overwrite, add_to_lake, brief};
use std::path::{Path, PathBuf};

/// Variables of schedulers that number jobs.
const JOB_VARIABLES: [&str; 5] = ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "JOB_ID"];

/// What to put into a lake.
pub(crate) struct LakeAdd {
    pub(crate) lake: PathBuf,
    /// Captures, folders, patterns and lists.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) settings: Settings,
    /// The name of the run; none for that of the job or the folder.
    pub(crate) run: Option<String>,
    /// The rank of the only capture.
    pub(crate) rank: Option<i64>,
    pub(crate) rank_from: Option<RankPattern>,
    /// What to do about a capture that has the place of one of these.
    pub(crate) overwrite: Overwrite,
}

/// Adds all captures; one that cannot be added does not keep the others out. Returns the exit code: that of the first failure.
pub(crate) fn run(asked: &LakeAdd) -> Result<u8, Failure> {
    let files = expanded(&asked.paths.iter().collect::<Vec<_>>())?;
    if asked.rank.is_some() && files.len() != 1 {
        return Err(Failure::Usage {
            message: format!("`--rank` is of one capture, and there are {}", files.len()),
            hint: Some(
                "add them one by one, or take the numbers from the paths with `--rank-from REGEX`".into(),
            ),
        });
    }
    let run = run_of_all(asked.run.as_deref())?;
    let mut failures = Vec::new();
    for file in &files {
        match asked.add(file, run.as_deref()) {
            Ok(line) => console::print(&line)?,
            // Nobody listens any more.
            Err(failure @ Failure::Print(_)) => return Err(failure),
            Err(failure) => failures.push(failure),
        }
    }
    match failures.as_slice() {
        [] => return Ok(exit::DONE),
        [only] => console::print_failure(only),
        several => console::print_failure(&summed_up(several, files.len())),
    }
    Ok(failures[0].code())
}

/// Captures that were not added, in one: how many, the first of them and why.
fn summed_up(failures: &[Failure], captures: usize) -> Failure {
    const SHOWN: usize = 3;
    let mut causes: Vec<String> =
        failures.iter().take(SHOWN).map(|failure| brief(&Said::from(failure).message)).collect();
    if failures.len() > SHOWN {
        causes.push(format!("and {} more", failures.len() - SHOWN));
    }
    Failure::Input {
        message: format!("{} of {captures} captures were not added", failures.len()),
        cause: Some(causes.join("\n")),
        hint: Said::from(&failures[0]).hint,
    }
}

impl LakeAdd {
    /// Adds a capture, and says so.
    fn add(&self, file: &Path, run: Option<&str>) -> Result<String, Failure> {
        let run = run.map_or_else(|| run_of_folder(file), |run| Ok(run.to_owned()))?;
        let capture = CaptureFile::new(file.to_owned(), self.settings.clone());
        let judged = capture.open()?;
        let asked = &self.settings.asked;
        let named = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        // Digests are text.
        let named = PathBuf::from(named.to_string_lossy().into_owned());
        let mut digests = rank_digests(&judged.capture, &named, &asked.key_node, &asked.figures.activity)?;
        let rank = self.rank_of(file, &mut digests)?;
        let place = LakePlace { lake: &self.lake, run: &run, rank };
        let change = add_to_lake(place, file, &judged, &digests, self.overwrite)?;
        capture.keep_figures(&judged);
        let done = match change {
            LakeChange::Added => "added",
            LakeChange::Replaced => "replaced",
            LakeChange::None => "there already",
        };
        Ok(format!("{} {done}\n", place.folder().display()))
    }

    /// The rank of a capture, of several the lowest; digests remember it where the user said it.
    fn rank_of(&self, file: &Path, digests: &mut [RankDigest]) -> Result<i64, Failure> {
        let shown = file.display();
        if digests.is_empty() {
            return Err(Failure::Request {
                message: format!("`{shown}` has no GPU work, so it is of no rank"),
                hint: None,
            });
        }
        if let Some(rank) = self.said(&digests[0].who.file)? {
            give_ranks(digests, rank);
            return Ok(rank);
        }
        rank_of_capture(digests).ok_or_else(|| Failure::Request {
            message: format!("`{shown}` does not say which rank it is of"),
            hint: Some("say it with `--rank N`, or with `--rank-from REGEX` on the path".into()),
        })
    }

    /// The rank that the user says.
    fn said(&self, path: &Path) -> Result<Option<i64>, Failure> {
        let Some(pattern) = &self.rank_from else { return Ok(self.rank) };
        let found = pattern.rank(&path.to_string_lossy()).filter(|&rank| rank >= 0);
        found.map(Some).ok_or_else(|| Failure::Usage {
            message: format!("`--rank-from` gives no rank for `{}`", path.display()),
            hint: Some(
                "group `rank` or the first group must match the number in the path of each capture".into(),
            ),
        })
    }
}

/// The run of a capture by its folder.
fn run_of_folder(file: &Path) -> Result<String, Failure> {
    let absolute = std::path::absolute(file).ok();
    let folder = absolute.as_deref().and_then(Path::parent).and_then(Path::file_name);
    folder.and_then(|name| derived_run_name(&name.to_string_lossy())).ok_or_else(|| Failure::Usage {
        message: format!("the folder of `{}` gives the run no name", file.display()),
        hint: Some("give one with `--run NAME`".into()),
    })
}

/// The run that the command line names, checked; else that of the scheduler; none if neither names one.
fn run_of_all(given: Option<&str>) -> Result<Option<String>, Failure> {
    if let Some(given) = given {
        return run_name(given).map(Some).ok_or_else(|| Failure::Usage {
            message: format!("`--run {given}` is no name of a run: letters, digits, `.`, `-` and `_` are"),
            hint: Some("give another one".into()),
        });
    }
    let values = JOB_VARIABLES.iter().filter_map(|name| std::env::var(name).ok());
    Ok(values.filter(|value| !value.is_empty()).find_map(|value| derived_run_name(&value)))
}

/// The name of a run after a job of a scheduler or a folder: characters that names of runs do not have become `_`.
fn derived_run_name(name: &str) -> Option<String> {
    let name: String =
        name.chars().take(LONGEST_NAME).map(|char| if is_allowed(char) { char } else { '_' }).collect();
    run_name(&name)
}

/// Names of runs are not longer.
const LONGEST_NAME: usize = 200;

fn is_allowed(char: char) -> bool {
    char.is_ascii_alphanumeric() || ".-_".contains(char)
}

/// The name of a run as folders have it. Zeros before numbers go, because some engines read them as numbers and some as texts.
fn run_name(name: &str) -> Option<String> {
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_allowed) {
        return None;
    }
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let digits = name.trim_start_matches('0');
    Some(match (is_number, digits) {
        (true, "") => "0".into(),
        (true, digits) => digits.into(),
        (false, _) => name.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::{derived_run_name, run_name};

    #[test]
    fn other_characters_of_jobs_and_folders_become_underscores() {
        for (name, run) in [("123[4].pbs", "123_4_.pbs"), ("my run", "my_run"), ("0042", "42"), ("é", "_")] {
            assert_eq!(derived_run_name(name).as_deref(), Some(run));
        }
        assert_eq!(derived_run_name(""), None);
        assert_eq!(derived_run_name(&"x".repeat(300)).map(|name| name.len()), Some(200));
    }

    #[test]
    fn names_of_runs_are_words_of_paths() {
        for (name, of_folder) in
            [("77", "77"), ("0077", "77"), ("000", "0"), ("77_4", "77_4"), ("0x7", "0x7"), ("a.b-c", "a.b-c")]
        {
            assert_eq!(run_name(name).as_deref(), Some(of_folder));
        }
        for name in ["", "a b", "a/b", "a=b", "é", "%20"] {
            assert_eq!(run_name(name), None, "{name}");
        }
    }
}
