//! `ranks`: which rank holds a job back, and why. `show` takes the tables of jobs from here.

mod captures;
mod folder;
mod lake;
mod paths;
mod unread;

use super::dashboard::{self, Dashboard, DashboardFormat};
use super::report_files::{CiFormat, ReportFiles};
use crate::console::{self, terminal};
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use crate::settings::Settings;
pub(crate) use captures::OnCaptures;
use dlprof_core::{
    CaptureOfJob, ErrorKind, JOB_TABLES, Job, JobRequest, RankPattern, RanksError, Severity, spans_of_ranks,
};
use dlprof_export::{
    DASHBOARD_COLUMNS, DashboardDetails, ExportOutput, Inputs, JobLook, JobPlan, Overwrite, job_github,
    job_json, job_junit, job_markdown, job_sarif, job_text,
};
pub(crate) use paths::{expanded, list_of, may_be_several};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What to show of a job.
pub(crate) struct Ranks {
    pub(crate) job: JobOfCaptures,
    /// The rank whose dashboard is shown instead.
    pub(crate) rank: Option<i64>,
    pub(crate) format: CiFormat,
    pub(crate) files: ReportFiles,
    /// Pages for people, in files.
    pub(crate) pages: Vec<ExportOutput>,
    /// What to do about pages that exist.
    pub(crate) overwrite: Overwrite,
    /// What must not be written over.
    pub(crate) inputs: Inputs,
    pub(crate) has_all_findings: bool,
    /// Findings of this severity or a higher one are a failure.
    pub(crate) fail_on: Option<Severity>,
}

/// A job, by its captures.
pub(crate) struct JobOfCaptures {
    /// The captures, in natural order.
    pub(crate) files: Vec<PathBuf>,
    /// How captures are read.
    pub(crate) settings: Settings,
    pub(crate) request: JobRequest,
    /// How many captures are read at a time.
    pub(crate) at_a_time: usize,
}

/// Returns the exit code.
pub(crate) fn run(asked: &Ranks) -> Result<u8, Failure> {
    if let Some(rank) = asked.rank {
        return dashboard::run(&asked.dashboard_of(rank)?);
    }
    let (tables, name) = (JOB_TABLES.iter().collect::<Vec<_>>(), asked.job.name());
    let pages = JobPlan {
        tables: &tables,
        outputs: &asked.pages,
        name: &name,
        most_rows: None,
        time_unit: asked.job.settings.time_unit,
        font: None,
        csv_safe: false,
        overwrite: asked.overwrite,
        inputs: &asked.inputs,
    };
    pages.check()?;
    let jobs = asked.job.open_each()?;
    let job = &jobs[0];
    pages.write(job)?;
    let look = JobLook {
        width: terminal::width().unwrap_or(DASHBOARD_COLUMNS),
        time_unit: asked.job.settings.time_unit,
        has_all_findings: asked.has_all_findings,
    };
    let text = |format| match format {
        CiFormat::Text => one_after_another(&jobs, "", |job| job_text(job, look)),
        CiFormat::Json => job_json(job),
        CiFormat::Markdown => one_after_another(&jobs, "## ", |job| job_markdown(job)),
        CiFormat::Junit => job_junit(job, asked.fail_on),
        CiFormat::Sarif => job_sarif(job),
        CiFormat::Github => job_github(job),
    };
    asked.files.write(text)?;
    console::print(&text(asked.format))?;
    let mut findings = jobs.iter().flat_map(|job| &job.findings);
    let is_failure = |fail_on| findings.any(|finding| finding.severity >= fail_on);
    Ok(if asked.fail_on.is_some_and(is_failure) { exit::FAILED } else { exit::DONE })
}

/// What is said of each job, in order of time, under its number and the capture of its first rank if there are several.
fn one_after_another(jobs: &[Arc<Job>], heading: &str, text: impl Fn(&Arc<Job>) -> String) -> String {
    let [first, others @ ..] = jobs else { return String::new() };
    if others.is_empty() {
        return text(first);
    }
    let mut in_time: Vec<&Arc<Job>> = jobs.iter().collect();
    in_time.sort_by_key(|job| job.session.number);
    let said = in_time.iter().zip(1..).map(|(job, number)| {
        let file = job.ranks.first().map(|rank| rank.who.file.display().to_string()).unwrap_or_default();
        format!("{heading}Job {number} of {}, of which `{file}` is\n\n{}", jobs.len(), text(job))
    });
    said.collect::<Vec<_>>().join("\n")
}

impl Ranks {
    /// The dashboard of the capture of a rank.
    fn dashboard_of(&self, rank: i64) -> Result<Dashboard, Failure> {
        let format = match self.format {
            _ if self.files.formats().next().is_some() || !self.pages.is_empty() => None,
            CiFormat::Text => Some(DashboardFormat::Text),
            CiFormat::Json => Some(DashboardFormat::Json),
            CiFormat::Markdown => Some(DashboardFormat::Markdown),
            CiFormat::Junit | CiFormat::Sarif | CiFormat::Github => None,
        };
        let format = format.ok_or_else(|| Failure::Usage {
            message: "`--rank` shows a dashboard, which is text, JSON or Markdown on standard output".into(),
            hint: Some("`dlprof-agg rules FILE` reports on one capture to CI systems".into()),
        })?;
        Ok(Dashboard {
            file: self.job.capture_of(rank)?,
            details: if self.has_all_findings { DashboardDetails::All } else { DashboardDetails::Best },
            format,
            fail_on: self.fail_on,
        })
    }
}

impl JobOfCaptures {
    /// The job that some paths name, by settings alone.
    pub(crate) fn of_paths(paths: &[&PathBuf], settings: Settings) -> Result<Self, Failure> {
        let range = &settings.asked.range;
        let request = JobRequest {
            rank_from: None,
            first_iteration: range.iter_start.map(i64::from),
            last_iteration: range.iter_stop.map(i64::from),
            largest_part: false,
            session: None,
            items_per_step: range.batch_size.map(u64::from),
            thresholds: settings.ranks,
            threads: settings.asked.read.threads,
        };
        Ok(Self { files: expanded(paths)?, settings, request, at_a_time: 1 })
    }

    /// The capture of a rank. All captures are read, because together they tell which rank is in which.
    pub(crate) fn capture_of(&self, rank: i64) -> Result<CaptureFile, Failure> {
        // The job only tells which capture it is: options of reading and iterations are those of the capture.
        let all = JobRequest { first_iteration: None, last_iteration: None, ..self.request.clone() };
        let job = self.read(&all, &|_, _| ControlFlow::Continue(()))?;
        let found = job.ranks.iter().find(|one| one.rank == rank).ok_or_else(|| {
            let ranks: Vec<i64> = job.ranks.iter().map(|one| one.rank).collect();
            Failure::Request {
                message: format!("no capture has rank {rank}"),
                hint: Some(format!("there are captures of {} {}", job.words().many, spans_of_ranks(&ranks))),
            }
        })?;
        let file = CaptureFile::new(found.who.file.clone(), self.settings.clone());
        if self.files.iter().any(|path| lake::is_capture(path)) {
            lake::check_capture(&file, found)?;
        }
        Ok(file)
    }

    /// What the job is called: as the user said, else as the folder of its captures.
    pub(crate) fn name(&self) -> String {
        let folders = || self.files.iter().filter_map(|file| file.parent());
        let folder = folders().next().filter(|first| folders().all(|folder| folder == *first));
        let folder = folder.and_then(|folder| std::path::absolute(folder).ok());
        let name =
            folder.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        self.settings.profile_name.clone().or(name).unwrap_or_else(|| "Job of many ranks".into())
    }

    /// Reads all captures and makes the job of them. A capture that cannot be read is a row of a table, not the end.
    pub(crate) fn open(&self) -> Result<Arc<Job>, Failure> {
        self.open_watched(&|_, _| ControlFlow::Continue(()))
    }

    /// The same; `on_captures` is told how many are read, of how many, and may end it.
    pub(crate) fn open_watched(&self, on_captures: OnCaptures<'_>) -> Result<Arc<Job>, Failure> {
        lake::check_options(&self.files, &self.settings)?;
        self.read(&self.request, on_captures)
    }

    /// The same, of each job that the captures are of; first the one that is the only one elsewhere. Of the others, those that cannot
    /// be judged are named with the reason.
    fn open_each(&self) -> Result<Vec<Arc<Job>>, Failure> {
        lake::check_options(&self.files, &self.settings)?;
        let jobs =
            self.made(&|_, _| ControlFlow::Continue(()), |captures| Job::each(captures, &self.request))?;
        let mut judged = Vec::new();
        for (at, job) in jobs.into_iter().enumerate() {
            match job {
                Ok(job) => judged.push(Arc::new(job)),
                Err(error) if at == 0 => return Err(failure(&error, &[], &self.files)),
                Err(error) => console::print_note(&format!("a further job cannot be judged: {error}")),
            }
        }
        Ok(judged)
    }

    fn read(&self, request: &JobRequest, on_captures: OnCaptures<'_>) -> Result<Arc<Job>, Failure> {
        Ok(Arc::new(self.made(on_captures, |captures| Job::new(captures, request))?))
    }

    fn made<T>(
        &self,
        on_captures: OnCaptures<'_>,
        make: impl FnOnce(Vec<CaptureOfJob>) -> Result<T, RanksError>,
    ) -> Result<T, Failure> {
        let captures = captures::read(&self.files, &self.settings, self.at_a_time, on_captures)?;
        let reasons: Vec<String> = captures
            .iter()
            .filter_map(|capture| Some(capture.ranks.as_ref().err()?.reason.clone()))
            .collect();
        make(captures).map_err(|error| match error {
            RanksError::System(error) => error.into(),
            error => failure(&error, &reasons, &self.files),
        })
    }
}

/// The pattern of `--rank-from`.
pub(crate) fn rank_pattern(text: &str) -> Result<RankPattern, Failure> {
    RankPattern::new(text).map_err(|error| Failure::Usage {
        message: format!("`--rank-from {text}` is not a regular expression: {error}"),
        hint: Some("such as `--rank-from 'rank-(\\d+)'`".into()),
    })
}

/// The first reasons, and how many more there are.
fn first_lines(reasons: &[String]) -> String {
    const MOST: usize = 5;
    let mut lines = reasons.iter().take(MOST).cloned().collect::<Vec<_>>();
    if let Some(more) = reasons.len().checked_sub(MOST).filter(|&more| more > 0) {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n")
}

fn failure(error: &RanksError, reasons: &[String], files: &[PathBuf]) -> Failure {
    if let RanksError::FewerThanTwo { ranks: 0, unreadable: 1.., is_request: false, .. } = error
        && let Some((said, hint)) = unread::in_words(files)
    {
        let message = format!("no capture can be read: {said}");
        return Failure::Input { message, cause: Some(first_lines(reasons)), hint };
    }
    let hint = match error {
        // All that is asked for is asked of every capture, so one reason is enough.
        RanksError::FewerThanTwo { unreadable: 1.., is_request: true, .. } => reasons.first().cloned(),
        RanksError::FewerThanTwo { .. } => Some("one capture: `dlprof-agg FILE`".into()),
        RanksError::NoIterations { .. } => {
            Some("choose among these with `--iter-start` and `--iter-stop`, or leave both out".into())
        }
        RanksError::DifferentRuns { .. } => Some(
            "`--largest-part` goes on with the largest part, `--session N` with the N-th in order of time"
                .into(),
        ),
        RanksError::NoSession { .. } => Some("`--session` counts from 1 on, in order of time".into()),
        RanksError::Mixed { .. } => Some(
            "name the captures of one kind, or take those of which there are most: `--largest-part`".into(),
        ),
        _ => Some("group `rank` or the first group must match the number in the path of each capture".into()),
    };
    let message = error.to_string();
    match error.kind() {
        ErrorKind::Usage => Failure::Usage { message, hint },
        ErrorKind::Input => Failure::Input { message, cause: Some(first_lines(reasons)), hint },
        ErrorKind::Request | ErrorKind::Limit => Failure::Request { message, hint },
    }
}
