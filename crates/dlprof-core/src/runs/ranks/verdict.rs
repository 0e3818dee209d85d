//! The verdict on a job, in one sentence.

use super::arithmetic::of_count;
use super::findings::{JobFinding, JobRule};
use super::job::{Job, JobRank};
use super::lag::LEAST_STEPS_OF_LAG;
use super::steps::RankClass;
use super::words::{capitalized, have};
use crate::base::ratios::to_f64;

/// How a time is written.
type Time<'a> = &'a dyn Fn(f64) -> String;

impl Job {
    /// Who holds the job back, why, and what it would save; or that nobody does. Times in nanoseconds are written as `time` says.
    #[must_use]
    pub fn verdict(&self, time: impl Fn(f64) -> String) -> String {
        let time: Time<'_> = &time;
        let scale = self.scale();
        let is_about_all = |rule| matches!(rule, JobRule::PipelineBubbles | JobRule::ExposedTransfer);
        let named =
            || self.findings.iter().filter(|finding| !is_about_all(finding.rule) && finding.weight() > 0.0);
        match named().find(|finding| finding.saves_something(scale)).or_else(|| named().next()) {
            Some(finding) if !finding.saves_something(scale) => {
                format!("{}; by replay no step would be shorter without it", title_of(finding, time))
            }
            Some(finding) if finding.rule.is_about_a_laggard() => self.about_a_laggard(finding, time),
            Some(finding) => self.about_several(finding, time),
            None => self.about_none(),
        }
    }

    /// `2 of 8 ranks have no capture`; none if all have one.
    fn without_capture(&self) -> Option<String> {
        let missing = self.missing.len();
        (missing > 0).then(|| format!("{missing} of {} ranks {} no capture", self.world, have(missing)))
    }

    /// What a saving by replay rests on: waiting for ranks without a capture is not told from exchange.
    fn unless_others_are_slower(&self) -> String {
        self.without_capture()
            .map_or_else(String::new, |missing| format!(", unless others are slower: {missing}"))
    }

    fn about_a_laggard(&self, finding: &JobFinding, time: Time<'_>) -> String {
        let rank = self.ranks.iter().find(|rank| finding.ranks.contains(&rank.rank));
        let Some(rank) = rank else { return self.about_several(finding, time) };
        let others = self.ranks.iter().filter(|rank| rank.lag.is_lagging()).count().saturating_sub(1);
        let others = match others {
            0 => String::new(),
            1 => " (1 other lags too)".into(),
            many => format!(" ({many} others lag too)"),
        };
        let saving =
            finding.saving_ns.map_or_else(String::new, |ns| format!("; without it {}", self.saved(ns, time)));
        let (name, unless) = (self.name_of(rank), self.unless_others_are_slower());
        format!("{name} holds the job back: {}{others}{saving}{unless}", why(finding.rule, rank, time))
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
                format!("{title}; without it {}{}", self.saved(ns, time), self.unless_others_are_slower())
            }
            (Some(ns), _) => {
                format!("{title}; expected {}{}", self.saved(ns, time), self.unless_others_are_slower())
            }
            (None, Some(ns)) => format!("{title}; at most {}", self.saved(ns, time)),
            (None, None) => title,
        }
    }

    fn about_none(&self) -> String {
        /// From this share of a step on the pipeline is worth a word.
        const MUCH: f64 = 5.0;
        let missing = self.without_capture();
        // Of ranks without a capture nobody knows whether they are even with the others.
        let even = match &missing {
            None => format!("The {} are even", self.words().many),
            Some(missing) => {
                format!("{missing}, and none of the {} that were captured stands out", self.ranks.len())
            }
        };
        if self.steady.len() < LEAST_STEPS_OF_LAG {
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
            return format!(
                "No {} is named, because lag needs {LEAST_STEPS_OF_LAG} common steps and {there}; {waiting}{}",
                self.words().one,
                missing.map_or_else(String::new, |missing| format!("; {missing}"))
            );
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
                let perhaps = match missing.is_some() {
                    true => ", which may be waiting for those without a capture: add their captures",
                    false => "",
                };
                format!("; data is exchanged {share:.1} % of it while nothing else runs{perhaps}")
            }
            _ => String::new(),
        };
        format!(
            "{even}: they wait {:.1} % of the time for each other{also}",
            self.percent_of_step(mean.wait_ns)
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
