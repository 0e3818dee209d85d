//! `lake add`: puts captures into a lake, a folder per capture that engines and `ranks` read.

use super::ranks::expanded;
use crate::console;
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use crate::settings::Settings;
use dlprof_core::{RankDigest, RankPattern, rank_digests, rank_of_capture};
use dlprof_export::{LakeChange, LakePlace, Overwrite, add_to_lake};
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
    let mut code = None;
    for file in &files {
        match asked.add(file) {
            Ok(line) => console::print(&line)?,
            // Nobody listens any more.
            Err(failure @ Failure::Print(_)) => return Err(failure),
            Err(failure) => {
                console::print_failure(&failure);
                code = code.or(Some(failure.code()));
            }
        }
    }
    Ok(code.unwrap_or(exit::DONE))
}

impl LakeAdd {
    /// Adds a capture, and says so.
    fn add(&self, file: &Path) -> Result<String, Failure> {
        let run = self.run_of(file)?;
        let capture = CaptureFile::new(file.to_owned(), self.settings.clone());
        let judged = capture.open()?;
        let asked = &self.settings.asked;
        let named = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        // Digests are text.
        let named = PathBuf::from(named.to_string_lossy().into_owned());
        let mut digests = rank_digests(&judged.capture, &named, &asked.key_node, &asked.figures.activity)?;
        let rank = self.rank_of(file, &mut digests)?;
        let place = LakePlace { lake: &self.lake, run: &run, rank };
        let change = add_to_lake(place, &judged, &digests, self.overwrite)?;
        capture.keep_figures(&judged);
        let done = match change {
            LakeChange::Added => "added",
            LakeChange::Replaced => "replaced",
            LakeChange::None => "there already",
        };
        Ok(format!("{} {done}\n", place.folder().display()))
    }

    /// The rank of a capture; digests remember it where the user said it.
    fn rank_of(&self, file: &Path, digests: &mut [RankDigest]) -> Result<i64, Failure> {
        let shown = file.display();
        if let Some(rank) = self.rank {
            let [digest] = digests else {
                return Err(Failure::Request {
                    message: format!("`{shown}` has {} ranks, and `--rank` is of one", digests.len()),
                    hint: Some("leave `--rank` out".into()),
                });
            };
            digest.who.given_rank = Some(rank);
            return Ok(rank);
        }
        if digests.is_empty() {
            return Err(Failure::Request {
                message: format!("`{shown}` has no GPU work, so it is of no rank"),
                hint: None,
            });
        }
        let unknown = || Failure::Request {
            message: format!("`{shown}` does not say which rank it is of"),
            hint: Some("say it with `--rank N`, or with `--rank-from REGEX` on the path".into()),
        };
        let found = rank_of_capture(digests, self.rank_from.as_ref());
        let rank = found
            .map_err(|error| Failure::Usage { message: error.to_string(), hint: None })?
            .ok_or_else(unknown)?;
        if let ([digest], Some(_)) = (&mut *digests, &self.rank_from) {
            digest.who.given_rank = Some(rank);
        }
        Ok(rank)
    }

    /// The run of a capture: as the user says, else the job, else the folder.
    fn run_of(&self, file: &Path) -> Result<String, Failure> {
        let of_job = || {
            JOB_VARIABLES.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
        };
        let of_folder = || {
            let folder = std::path::absolute(file).ok()?;
            Some(folder.parent()?.file_name()?.to_string_lossy().into_owned())
        };
        let name = self.run.clone().or_else(of_job).or_else(of_folder).unwrap_or_default();
        run_name(&name).ok_or_else(|| Failure::Usage {
            message: format!("`{name}` is no name of a run: letters, digits, `.`, `-` and `_` are"),
            hint: Some("give another one with `--run NAME`".into()),
        })
    }
}

/// The name of a run as folders have it. Zeros before numbers go, because some engines read them as numbers and some as texts.
fn run_name(name: &str) -> Option<String> {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || ".-_".contains(char);
    if name.is_empty() || name.len() > 200 || !name.chars().all(is_allowed) {
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
    use super::run_name;

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
