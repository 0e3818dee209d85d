//! The command that measures the kernels with most time with Nsight Compute, in words that a shell takes.

use crate::display::percentage;
use crate::origin;
use crate::text::width as text_width;
use dlprof_core::{LaunchesToMeasure, Profile};
use std::borrow::Cow;

/// Sections rather than metrics: they hold for every GPU.
const SECTIONS: [&str; 11] = [
    "SpeedOfLight",
    "SpeedOfLight_RooflineChart",
    "SpeedOfLight_HierarchicalHalfRooflineChart",
    "SpeedOfLight_HierarchicalTensorRooflineChart",
    "ComputeWorkloadAnalysis",
    "InstructionStats",
    "LaunchStats",
    "MemoryWorkloadAnalysis",
    "MemoryWorkloadAnalysis_Tables",
    "Occupancy",
    "WarpStateStats",
];

/// Tells what no section has: instructions by opcode, of which FLOP of Tensor Cores follow.
const METRIC: &str = "sass__inst_executed_per_opcode_with_modifier_all";

/// What stands for the command of the program where the capture does not name it.
const PROGRAM: &str = "PROGRAM";

/// A command of `ncu`, and what to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct NcuCommand {
    /// The words of the command, each as a shell takes it.
    words: Vec<String>,
    /// What it measures, in a sentence.
    pub measures: String,
    /// What may have to be changed, in sentences.
    pub remarks: Vec<String>,
}

impl NcuCommand {
    /// The command in one line.
    #[must_use]
    pub fn line(&self) -> String {
        self.words.join(" ")
    }

    /// The command in lines of at most so many columns, where words allow that; all but the last end in `\\`, so that a shell takes
    /// them as one.
    #[must_use]
    pub fn lines(&self, columns: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in &self.words {
            match lines.last_mut() {
                Some(line) if text_width(line) + text_width(word) + 3 <= columns => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.clone()),
            }
        }
        let last = lines.len().saturating_sub(1);
        for line in &mut lines[..last] {
            line.push_str(" \\");
        }
        lines
    }
}

/// The command that measures the kernels with most time of a profile; `None` if no kernel took time.
#[must_use]
pub fn ncu_command(profile: &Profile) -> Option<NcuCommand> {
    let launches = profile.launches_to_measure()?;
    let program = origin::command(profile);
    let mut words = vec!["ncu".to_owned()];
    words.extend(ncu_options(&launches).iter().map(|word| quoted(word).into_owned()));
    words.extend(["--log-file".to_owned(), ncu_log_name("run", NcuLogs::One)]);
    let remarks = remarks(&launches, program.is_none());
    words.push(program.unwrap_or_else(|| PROGRAM.to_owned()));
    Some(NcuCommand { words, measures: measures(&launches), remarks })
}

/// The options of `ncu` that measure some launches, without `--log-file` and the program.
#[must_use]
pub fn ncu_options(launches: &LaunchesToMeasure) -> Vec<String> {
    let names: Vec<String> = launches.names.iter().map(|name| escaped(name)).collect();
    let mut words: Vec<String> =
        ["--target-processes", "all", "--nvtx", "--kernel-name"].map(Into::into).into();
    words.push(format!("regex:^({})$", names.join("|")));
    words.extend(["--launch-skip".to_owned(), launches.skip.to_string()]);
    words.extend(["--launch-count".to_owned(), launches.count.to_string()]);
    words.extend(SECTIONS.iter().flat_map(|section| ["--section".to_owned(), (*section).to_owned()]));
    words.extend(["--metrics", METRIC, "--csv", "--page", "raw", "--print-units", "base"].map(Into::into));
    words.extend(["--print-metric-instances", "details"].map(Into::into));
    words
}

/// How many processes write a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NcuLogs {
    /// One process, or one log of all.
    One,
    /// A log for each; `ncu` puts the number of the process for `%p`.
    Several,
}

/// The name of the log that belongs to a capture of a name.
#[must_use]
pub fn ncu_log_name(stem: &str, logs: NcuLogs) -> String {
    match logs {
        NcuLogs::One => format!("{stem}.ncu.csv"),
        NcuLogs::Several => format!("{stem}.%p.ncu.csv"),
    }
}

/// A word in single quotes, if a shell would not take it as it is.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if word.chars().all(is_plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")).into() }
}

/// A name as a regular expression that matches nothing else.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if r".$^*+?()[]{}|\".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// What the command measures.
fn measures(launches: &LaunchesToMeasure) -> String {
    let LaunchesToMeasure { names, share_percent, iteration, count, .. } = launches;
    let names_word = if names.len() == 1 { "name" } else { "names" };
    let launches_word = if *count == 1 { "launch" } else { "launches" };
    let place = iteration.map(|number| format!(" from iteration {number} on")).unwrap_or_default();
    format!(
        "It measures {count} {launches_word}{place} of the {} kernel {names_word} with {} of the kernel time.",
        names.len(),
        percentage(*share_percent)
    )
}

/// What may have to be changed.
fn remarks(launches: &LaunchesToMeasure, is_unnamed: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    if launches.count < launches.in_iteration {
        let place = if launches.iteration.is_some() { "iteration" } else { "window" };
        remarks.push(format!(
            "The {place} has {} such launches; more than {} take very long. Names that are launched only behind these are not \
             reached: raise `--launch-count` for them.",
            launches.in_iteration, launches.count
        ));
    }
    if is_unnamed {
        remarks
            .push(format!("Write the command of the program for {PROGRAM}; the capture does not name it."));
    }
    remarks.push(
        "The program must run the same launches again; `ncu` runs each about 40 times, in passes.".into(),
    );
    remarks.push(format!(
        "ncu 2022.3 and older know neither `--print-metric-instances details` nor `{METRIC}`: leave both away. FLOP of Tensor \
         Cores are then unknown but on GPUs of compute capability 7.0."
    ));
    remarks.push(
        "Add `--profile-from-start off` if the capture was made with `--capture-range=cudaProfilerApi`."
            .into(),
    );
    if launches.processes > 1 {
        remarks.push(format!(
            "{} processes launch these kernels: write a log for each with `--log-file {}`.",
            launches.processes,
            ncu_log_name("run", NcuLogs::Several)
        ));
    } else {
        remarks.push(format!(
            "With several ranks write a log for each process: `--log-file {}`.",
            ncu_log_name("run", NcuLogs::Several)
        ));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches() -> LaunchesToMeasure {
        LaunchesToMeasure {
            names: vec!["ampere_sgemm_128x64_tn".into(), "operator()".into()],
            share_percent: 83.25,
            iteration: Some(2),
            skip: 351,
            count: 200,
            in_iteration: 240,
            processes: 1,
        }
    }

    #[test]
    fn names_are_anchored_and_no_pattern() {
        let options: Vec<String> =
            ncu_options(&launches()).iter().map(|word| quoted(word).into_owned()).collect();
        let options = options.join(" ");
        let start = r"--target-processes all --nvtx --kernel-name 'regex:^(ampere_sgemm_128x64_tn|operator\(\))$' --launch-skip 351 --launch-count 200 --section SpeedOfLight --section ";
        assert!(options.starts_with(start), "{options}");
        assert!(options.ends_with("--csv --page raw --print-units base --print-metric-instances details"));
    }

    #[test]
    fn lines_are_one_command_for_a_shell() {
        let words = ["ncu", "--nvtx", "--section", "LaunchStats", "'a b'"].map(String::from).into();
        let command = NcuCommand { words, measures: String::new(), remarks: Vec::new() };
        assert_eq!(command.lines(16), ["ncu --nvtx \\", "--section \\", "LaunchStats \\", "'a b'"]);
        assert_eq!(command.line(), "ncu --nvtx --section LaunchStats 'a b'");
    }

    #[test]
    fn quotes_in_a_name_stay_in_the_word() {
        assert_eq!(quoted("a'b"), r"'a'\''b'");
        assert_eq!(quoted("run.ncu.csv"), "run.ncu.csv");
    }

    #[test]
    fn what_is_left_out_is_said() {
        let remarks = remarks(&launches(), true).join("\n");
        assert!(remarks.contains("240 such launches"), "{remarks}");
        assert!(measures(&launches()).contains("200 launches from iteration 2 on of the 2 kernel names"));
    }
}
