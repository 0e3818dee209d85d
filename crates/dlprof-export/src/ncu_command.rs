//! The command that measures the kernels with most time with Nsight Compute, in words that a shell takes.

use crate::display::percentage;
use crate::origin;
use crate::text::width as text_width;
use dlprof_core::{Judged, LaunchesToMeasure, NothingToMeasure, shell_word};

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

/// The command that measures the kernels with most time of a profile.
///
/// # Errors
/// If Nsight Compute cannot measure any.
pub fn ncu_command(judged: &Judged) -> Result<NcuCommand, NothingToMeasure> {
    let launches = judged.launches_to_measure()?;
    let program = origin::command(judged);
    let mut words = vec!["ncu".to_owned()];
    words.extend(ncu_options(&launches).iter().map(|word| shell_word(word).into_owned()));
    words.extend(["--log-file".to_owned(), ncu_log_name("run", NcuLogs::of(&launches))]);
    let name = program.is_none().then(|| origin::process_name(judged)).flatten();
    let recording = Recording {
        is_unnamed: program.is_none(),
        process: name,
        is_trace: judged.capture.recorder.is_torch_profiler(),
        begins_with_start: judged.capture.begins_with_profiler_start(),
    };
    if recording.begins_with_start {
        words.extend(["--profile-from-start".to_owned(), "off".to_owned()]);
    }
    let remarks = remarks(&launches, recording);
    words.push(program.unwrap_or_else(|| PROGRAM.to_owned()));
    Ok(NcuCommand { words, measures: measures(&launches), remarks })
}

/// Why Nsight Compute cannot measure anything of a capture, as what is said of the capture.
#[must_use]
pub fn nothing_to_measure(why: NothingToMeasure) -> &'static str {
    match why {
        NothingToMeasure::OtherGpus => "is of GPUs of another vendor; `ncu` measures NVIDIA GPUs",
        NothingToMeasure::OnlyExchanges => {
            "has only kernels that exchange data between GPUs; `ncu` runs one kernel at a time, so they would never end"
        }
        NothingToMeasure::AllMeasured => "has no kernels of which the logs lack counters",
        NothingToMeasure::WholeGraphs => {
            "has most of its kernel time in whole CUDA graphs, whose kernels were not recorded: profile with `--cuda-graph-trace=node`"
        }
        NothingToMeasure::NoKernels => "has no kernels that `ncu` could measure",
    }
}

/// The options of `ncu` that measure some launches, without `--log-file` and the program.
#[must_use]
pub fn ncu_options(launches: &LaunchesToMeasure) -> Vec<String> {
    let names: Vec<String> = launches.names.iter().map(|name| pattern(name)).collect();
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

impl NcuLogs {
    /// A log for each process, if several launch what is measured.
    #[must_use]
    pub fn of(launches: &LaunchesToMeasure) -> Self {
        if launches.processes > 1 { Self::Several } else { Self::One }
    }
}

/// The name of the log that belongs to a capture of a name.
#[must_use]
pub fn ncu_log_name(stem: &str, logs: NcuLogs) -> String {
    match logs {
        NcuLogs::One => format!("{stem}.ncu.csv"),
        NcuLogs::Several => format!("{stem}.%p.ncu.csv"),
    }
}

/// A regular expression that matches a name, also where nsys cut it: it puts `...` after what it leaves, and a number before that to
/// tell such names apart.
fn pattern(name: &str) -> String {
    let Some(begin) = name.strip_suffix("...") else { return escaped(name) };
    let begin = begin.trim_end_matches(|letter: char| letter.is_ascii_digit());
    format!("{}.*", escaped(begin.strip_suffix('_').unwrap_or(begin)))
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

/// What the command measures, and what it leaves out.
fn measures(launches: &LaunchesToMeasure) -> String {
    let LaunchesToMeasure {
        names,
        share_percent,
        left_out_percent,
        measured_percent,
        in_graphs_percent,
        iteration,
        count,
        ..
    } = launches;
    let names_word = if names.len() == 1 { "name" } else { "names" };
    let launches_word = if *count == 1 { "launch" } else { "launches" };
    let place = match (iteration, &launches.second_run_of) {
        (Some(number), _) => format!(" from iteration {number} on"),
        (None, Some(name)) => format!(" of the second run of `{name}`"),
        (None, None) => String::new(),
    };
    let of_process = if launches.processes > 1 { " in each process" } else { "" };
    let of_run = if launches.second_run_of.is_some() { " of this run" } else { "" };
    let of_rest = if launches.without_tried { " without algorithms that are tried" } else { "" };
    let mut left_out = String::new();
    if *left_out_percent > 0.0 {
        left_out += &format!(
            " Left out: kernels that exchange data between GPUs, {} of the kernel time; under `ncu`, which runs one kernel at a \
             time, they would never end.",
            percentage(*left_out_percent)
        );
    }
    if *in_graphs_percent > 0.0 {
        left_out += &format!(
            " Left out: CUDA graphs that were recorded as a whole, {} of the kernel time.",
            percentage(*in_graphs_percent)
        );
    }
    let of_what = if left_out.is_empty() { "kernel time" } else { "other kernel time" };
    let measured = if *measured_percent > 0.0 {
        format!(" The logs have counters of {} of the {of_what} already.", percentage(*measured_percent))
    } else {
        String::new()
    };
    format!(
        "It measures {count} {launches_word}{of_process}{place} of the {} kernel {names_word} with {} of the {of_what}{of_run}{of_rest}.{measured}{left_out}",
        names.len(),
        percentage(*share_percent)
    )
}

/// How a capture was recorded.
#[derive(Debug, Clone, Copy)]
struct Recording<'a> {
    /// Whether it does not say which command ran.
    is_unnamed: bool,
    /// What it calls the processes with GPU work, where it says that alone.
    process: Option<&'a str>,
    /// Whether it is a trace of torch.profiler, which hardly ever begins with the program.
    is_trace: bool,
    /// Whether it begins where the program calls `cudaProfilerStart`.
    begins_with_start: bool,
}

/// What may have to be changed.
fn remarks(launches: &LaunchesToMeasure, recording: Recording<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if launches.count < launches.in_iteration {
        let place = match (launches.iteration, &launches.second_run_of) {
            (Some(_), _) => "iteration",
            (None, Some(_)) => "run",
            (None, None) => "window",
        };
        remarks.push(format!(
            "The {place} has {} such launches; more than {} take very long. Names that are launched only after these are not \
             reached: raise `--launch-count` for them.",
            launches.in_iteration, launches.count
        ));
    }
    if recording.is_unnamed {
        let known = match recording.process {
            Some(name) => format!("the capture says only that its process is `{name}`"),
            None => "the capture does not name it".to_owned(),
        };
        remarks.push(format!("Write the command of the program for {PROGRAM}; {known}."));
    }
    remarks.push(
        "The program must run the same launches again; `ncu` runs each about 40 times, in passes.".into(),
    );
    remarks.push(begin_of_counting(recording).into());
    remarks.push(format!(
        "ncu 2022.3 and older know neither `--print-metric-instances details` nor `{METRIC}`: leave both out. FLOP of Tensor \
         Cores are then unknown but on GPUs of compute capability 7.0."
    ));
    remarks.push(match NcuLogs::of(launches) {
        NcuLogs::Several => format!(
            "{} processes launch these kernels, so each writes a log. `ncu` counts launches in each process for itself; skip and \
             count are those of the process with most of them.",
            launches.processes
        ),
        NcuLogs::One => format!(
            "With several ranks write a log for each process: `--log-file {}`.",
            ncu_log_name("run", NcuLogs::Several)
        ),
    });
    remarks
}

/// From where launches are counted, and what to do where that is not the start of the program.
fn begin_of_counting(recording: Recording<'_>) -> &'static str {
    if recording.is_trace {
        "`--launch-skip` counts from the start of the trace, `ncu` from that of the program. Call `torch.cuda.profiler.start()` \
         where the profiler began to record, and add `--profile-from-start off`."
    } else if recording.begins_with_start {
        "The capture begins where the program calls `cudaProfilerStart`, and with `--profile-from-start off` `ncu` counts from there."
    } else {
        "`--launch-skip` counts from the start of the capture. If it did not begin with the program, as with `--delay` or \
         `--capture-range=cudaProfilerApi`, let the program call `cudaProfilerStart` there, and add `--profile-from-start off`."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches() -> LaunchesToMeasure {
        LaunchesToMeasure {
            names: vec!["ampere_sgemm_128x64_tn".into(), "operator()".into()],
            share_percent: 83.25,
            measured_percent: 0.0,
            left_out_percent: 0.0,
            in_graphs_percent: 0.0,
            second_run_of: None,
            without_tried: false,
            iteration: Some(2),
            process: dlprof_core::ProcessId::new(0).into(),
            skip: 351,
            count: 200,
            in_iteration: 240,
            processes: 1,
        }
    }

    #[test]
    fn names_are_anchored_and_no_pattern() {
        let options: Vec<String> =
            ncu_options(&launches()).iter().map(|word| shell_word(word).into_owned()).collect();
        let options = options.join(" ");
        let start = r"--target-processes all --nvtx --kernel-name 'regex:^(ampere_sgemm_128x64_tn|operator\(\))$' --launch-skip 351 --launch-count 200 --section SpeedOfLight --section ";
        assert!(options.starts_with(start), "{options}");
        assert!(options.ends_with("--csv --page raw --print-units base --print-metric-instances details"));
    }

    #[test]
    fn what_nsys_cut_matches_whole_names() {
        assert_eq!(pattern("__omp_offloading_31_18a8104__Z_1..."), "__omp_offloading_31_18a8104__Z.*");
        assert_eq!(pattern("a_kernel_with_a_long_name..."), "a_kernel_with_a_long_name.*");
        assert_eq!(pattern("kernel_1"), "kernel_1");
    }

    #[test]
    fn lines_are_one_command_for_a_shell() {
        let words = ["ncu", "--nvtx", "--section", "LaunchStats", "'a b'"].map(String::from).into();
        let command = NcuCommand { words, measures: String::new(), remarks: Vec::new() };
        assert_eq!(command.lines(16), ["ncu --nvtx \\", "--section \\", "LaunchStats \\", "'a b'"]);
        assert_eq!(command.line(), "ncu --nvtx --section LaunchStats 'a b'");
    }

    #[test]
    fn what_is_left_out_is_said() {
        let recording =
            Recording { is_unnamed: true, process: None, is_trace: false, begins_with_start: false };
        let said = remarks(&launches(), recording).join("\n");
        assert!(said.contains("240 such launches") && said.contains("as with `--delay`"), "{said}");
        assert!(said.contains("PROGRAM; the capture does not name it."), "{said}");
        let said = remarks(&launches(), Recording { process: Some("./a.out"), ..recording }).join("\n");
        assert!(said.contains("PROGRAM; the capture says only that its process is `./a.out`."), "{said}");
        let said = remarks(&launches(), Recording { is_trace: true, ..recording }).join("\n");
        assert!(said.contains("from the start of the trace"), "{said}");
        let said = remarks(&launches(), Recording { begins_with_start: true, ..recording }).join("\n");
        assert!(said.contains("counts from there") && !said.contains("--delay"), "{said}");
        assert_eq!(
            measures(&launches()),
            "It measures 200 launches from iteration 2 on of the 2 kernel names with 83.2 % of the kernel time."
        );
        let run = LaunchesToMeasure {
            iteration: None,
            second_run_of: Some("Model".into()),
            without_tried: true,
            ..launches()
        };
        assert_eq!(
            measures(&run),
            "It measures 200 launches of the second run of `Model` of the 2 kernel names with 83.2 % of the kernel time of this run \
             without algorithms that are tried."
        );
        let several = LaunchesToMeasure { processes: 4, left_out_percent: 12.0, ..launches() };
        let said = measures(&several);
        assert!(said.contains("200 launches in each process from iteration 2 on"), "{said}");
        assert!(said.contains("of the other kernel time. Left out: ") && said.contains("12.0 %"), "{said}");
        let said = measures(&LaunchesToMeasure { in_graphs_percent: 25.0, ..launches() });
        assert!(
            said.ends_with("Left out: CUDA graphs that were recorded as a whole, 25.0 % of the kernel time."),
            "{said}"
        );
    }
}
