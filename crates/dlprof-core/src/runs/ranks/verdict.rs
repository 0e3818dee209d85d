//! The verdict on a job, in one sentence.

use super::arithmetic::of_count;
use super::communicator::MatchedBy;
use super::digest::CaptureKind;
use super::findings::{JobFinding, JobRule};
use super::job::{Job, JobRank};
use super::lag::LEAST_STEPS_OF_LAG;
use super::steps::RankClass;
use super::words::capitalized;
use crate::base::ratios::to_f64;
use crate::read::facts::RecorderKind;

/// How a time is written.
type Time<'a> = &'a dyn Fn(f64) -> String;

impl Job {
    /// Who holds the job back, why, and what it would save; or that nobody does. Times in nanoseconds are written as `time` says.
    #[must_use]
    pub fn verdict(&self, time: impl Fn(f64) -> String) -> String {
        let time: Time<'_> = &time;
        let scale = self.scale();
        let is_about_all = |rule| matches!(rule, JobRule::PipelineBubbles | JobRule::ExposedTransfer);
        let is_named = |finding: &&JobFinding| {
            !is_about_all(finding.rule) && finding.saving_ns.or(finding.saving_upper_ns).is_some()
        };
        let named = || self.findings.iter().filter(is_named);
        let best = named().find(|finding| finding.saves_something(scale)).or_else(|| named().next());
        if self.absent.is_any() {
            return self.about_absent(best, time);
        }
        match best {
            Some(finding) if !finding.saves_something(scale) => {
                format!("{}; by replay no step would be shorter without it", title_of(finding, time))
            }
            Some(finding) if finding.rule.is_about_a_laggard() => self.about_a_laggard(finding, time),
            Some(finding) => self.about_several(finding, time),
            None => self.about_none(),
        }
    }

    /// What is said where ranks are not there: first that, because all that wait may wait for them.
    fn about_absent(&self, best: Option<&JobFinding>, time: Time<'_>) -> String {
        let others = match best {
            _ if self.steady.len() < LEAST_STEPS_OF_LAG => self.about_few_steps(),
            None => format!("none of the {} that were captured stands out", self.ranks.len()),
            Some(finding) => {
                let title = finding.title.text(time);
                match self.others_that_lag(finding) {
                    0 => format!("of those that were captured, {title}"),
                    others => format!("of those that were captured, {title} ({others} more)"),
                }
            }
        };
        format!("{}; {others}", capitalized(&self.absent.sentence(self.words(), self.world)))
    }

    /// How many ranks lag beside those of a finding about one.
    fn others_that_lag(&self, finding: &JobFinding) -> usize {
        let is_other = |rank: &&JobRank| rank.lag.is_lagging() && !finding.ranks.contains(&rank.rank);
        self.ranks.iter().filter(is_other).count()
    }

    fn about_a_laggard(&self, finding: &JobFinding, time: Time<'_>) -> String {
        let rank = self.ranks.iter().find(|rank| finding.ranks.contains(&rank.rank));
        let Some(rank) = rank else { return self.about_several(finding, time) };
        let others = match self.others_that_lag(finding) {
            0 => String::new(),
            1 => " (1 other lags too)".into(),
            many => format!(" ({many} others lag too)"),
        };
        let saving =
            finding.saving_ns.map_or_else(String::new, |ns| format!("; without it {}", self.saved(ns, time)));
        format!(
            "{} holds the job back: {}{others}{saving}",
            self.name_of(rank),
            why(finding.rule, rank, time)
        )
    }

    /// What a rank is called at the start of a sentence.
    fn name_of(&self, rank: &JobRank) -> String {
        match self.words().one {
            "rank" => format!("Rank {}", rank.rank),
            other => {
                let name = rank.who.file.file_name().unwrap_or_default().to_string_lossy();
                let gpu = if rank.who.ranks_of_capture > 1 {
                    format!(" (GPU {})", rank.who.device_id)
                } else {
                    String::new()
                };
                format!("{} {name}{gpu}", capitalized(other))
            }
        }
    }

    fn about_several(&self, finding: &JobFinding, time: Time<'_>) -> String {
        let title = title_of(finding, time);
        match (finding.saving_ns, finding.saving_upper_ns) {
            (Some(ns), _) if finding.rule == JobRule::SlowNode => {
                format!("{title}; without it {}", self.saved(ns, time))
            }
            (Some(ns), _) if finding.rule == JobRule::SlowRanks => {
                format!("{title}; without them {}", self.saved(ns, time))
            }
            (Some(ns), _) => format!("{title}; expected {}", self.saved(ns, time)),
            (None, Some(ns)) => format!("{title}; at most {}", self.saved(ns, time)),
            (None, None) => title,
        }
    }

    fn about_none(&self) -> String {
        /// From this share of a step on the pipeline is worth a word.
        const MUCH: f64 = 5.0;
        let even = format!("The {} are even", self.words().many);
        if self.steady.len() < LEAST_STEPS_OF_LAG {
            return capitalized(&self.about_few_steps());
        }
        if !self.has_waiting() {
            return format!(
                "{even}, as far as their lengths say: no collectives of different {} could be matched",
                self.words().many
            );
        }
        let mean = &self.means.mean;
        if mean.wait_p2p_ns >= 0.5 * mean.wait_ns && self.percent_of_step(mean.wait_p2p_ns) >= MUCH {
            let share = self.percent_of_step(mean.wait_p2p_ns);
            return format!("{even}; the pipeline leaves them waiting {share:.1} % of the time");
        }
        let transfer_ns = mean.of(RankClass::Transfer);
        let also = match self.percent_of_step(transfer_ns) {
            share if share >= 10.0 && transfer_ns >= mean.wait_ns => {
                format!("; data is exchanged {share:.1} % of it while nothing else runs")
            }
            _ => String::new(),
        };
        format!(
            "{even}: they wait {:.1} % of the time for each other{also}{}",
            self.percent_of_step(mean.wait_ns),
            self.how_sure()
        )
    }

    /// How sure it is that ranks are even where nobody recorded who exchanges data with whom, and what to record.
    fn how_sure(&self) -> String {
        let guessed = || self.communicators.iter().filter(|one| one.matched_by == MatchedBy::StreamAndTime);
        if guessed().next().is_none() || guessed().any(|one| one.members.len() == self.ranks.len()) {
            return String::new();
        }
        let is_of_nsys = |rank: &JobRank| {
            rank.who.kind != CaptureKind::Trace && rank.who.recorder.kind == RecorderKind::Nsys
        };
        let record = match self.ranks.iter().any(is_of_nsys) {
            true => "NCCL's payloads (`nsys export --include-blobs=true`)",
            false => "process groups, which torch.profiler of PyTorch 2.2 or later writes",
        };
        let many = self.words().many;
        format!(
            "; this is not sure, because groups are guessed by time and none has all {many}: those that are late together may pass for \
             a group of their own; record {record}"
        )
    }

    fn about_few_steps(&self) -> String {
        let waiting = self.percent_of_step(self.means.mean.wait_ns);
        let waiting = match self.has_waiting() {
            true => format!("they wait {waiting:.1} % of the time for each other"),
            false => "no collectives could be matched".into(),
        };
        let there = match (self.has_steps, self.steady.len()) {
            (false, _) => "no step repeats in the captures".into(),
            (true, 1) => "there is 1".into(),
            (true, steps) => format!("there are {steps}"),
        };
        format!(
            "no {} is named, because lag needs {LEAST_STEPS_OF_LAG} common steps and {there}; {waiting}",
            self.words().one
        )
    }

    /// What is saved per step, in words.
    fn saved(&self, ns: f64, time: Time<'_>) -> String {
        format!("−{} {} ({:.1} %)", time(ns), self.per_step(), self.percent_of_step(ns))
    }

    /// Mean of the waiting of the members of a group.
    #[must_use]
    pub fn mean_wait_ns(&self, group: usize) -> f64 {
        let members = || self.ranks.iter().filter(|rank| rank.group == group);
        let count = members().count().max(1);
        members().map(|rank| rank.steps.mean.wait_ns).sum::<f64>() / of_count(count)
    }
}

fn title_of(finding: &JobFinding, time: Time<'_>) -> String {
    capitalized(&finding.title.text(time))
}

fn why(rule: JobRule, rank: &JobRank, time: Time<'_>) -> String {
    match (rule, rank.work.speed_percent, rank.work.work_percent) {
        (JobRule::SlowGpu, Some(speed), _) => format!("its GPU runs at {speed:.0} % of the others' speed"),
        (JobRule::SlowGpu, None, _) => "its GPU is slow".into(),
        (JobRule::ExtraWork, _, Some(work)) => format!("it has {:.0} % more to compute", work - 100.0),
        (JobRule::ExtraWork, ..) => "it has more to compute".into(),
        (JobRule::LateInput, ..) => "its input comes late".into(),
        (JobRule::LateHost, ..) => "its host launches late".into(),
        (JobRule::SlowKernels, ..) => "some of its kernels take longer".into(),
        (JobRule::SlowCopies, ..) => "its copies take longer".into(),
        (JobRule::HostWaits, ..) => "its host waits for the GPU".into(),
        (JobRule::SlowTransfer, ..) => "its transfers take longer".into(),
        _ => format!("it lags by {}, and no single cause explains it", time(to_f64(rank.lag.lag_ns))),
    }
}
