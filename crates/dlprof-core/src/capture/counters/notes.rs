//! What is odd about logs, or about what they have in common with the capture, as diagnostics.

use super::{Counters, JoinedLog, NcuLevel};
use crate::base::diagnostics::{Diagnostic, DiagnosticCode as Code, Diagnostics};
use crate::capture::CaptureContents;
use crate::columns::long_text;
use crate::read::ncu::{NcuFigures, NcuLaunch, NcuLog};
use std::sync::Arc;

/// The median of the time in the log over that in the capture is between these where both ran the same on the same GPU.
const USUAL_RATIOS: std::ops::RangeInclusive<f64> = 0.7..=2.5;

/// Counts what is odd.
pub(super) fn note(capture: &mut CaptureContents, counters: &Counters) {
    let mut diagnostics = Diagnostics::default();
    for joined in &counters.logs {
        note_log(&mut diagnostics, &joined.log);
        note_launches(&mut diagnostics, joined);
    }
    let mut is_noted = std::collections::BTreeSet::new();
    for kernel in 0..capture.kernels.len() {
        let measured =
            counters.of(crate::base::ids::WorkId::new(kernel)).filter(|measured| measured.is_other_gpu);
        if let Some(measured) = measured {
            is_noted.insert(std::ptr::from_ref(measured) as usize);
        }
    }
    let others = u64::try_from(is_noted.len()).unwrap_or(u64::MAX);
    diagnostics.count_cases(Code::NcuOtherGpu, others, || gpus_in_words(capture, counters));
    if let Some(ratio) = counters.time_ratio.filter(|ratio| !USUAL_RATIOS.contains(ratio)) {
        diagnostics.count(Code::NcuOtherRun, || format!("{ratio:.2} times as long in the median"));
    }
    for changed in &counters.changed {
        diagnostics.count(Code::NcuTensorCoresDiffer, || {
            let name = shown(capture.strings.get(changed.long_name));
            format!("`{name}`: {} by its name, {} measured", changed.by_name.as_str(), changed.measured)
        });
    }
    capture.recorded.about.diagnostics.merge(diagnostics);
}

/// What is odd about logs without a capture.
#[must_use]
pub fn diagnostics_of_logs(logs: &[Arc<NcuLog>]) -> Vec<Diagnostic> {
    let mut diagnostics = Diagnostics::default();
    for log in logs {
        note_log(&mut diagnostics, log);
        for launch in log.launches.iter().filter(|launch| !launch.is_failed) {
            note_missing(&mut diagnostics, launch);
        }
    }
    diagnostics.to_vec()
}

fn note_missing(diagnostics: &mut Diagnostics, launch: &NcuLaunch) {
    if let Some(lacking) = lacking(&launch.figures) {
        diagnostics.count(Code::NcuMissingMetrics, || lacking.to_owned());
    }
}

fn note_log(diagnostics: &mut Diagnostics, log: &NcuLog) {
    let oddities = &log.oddities;
    let file = || format!("`{}`", log.file);
    diagnostics.count_cases(Code::NcuNumberFormat, log.numbers.ambiguous_cells, file);
    diagnostics.count_cases(Code::NcuMixedMarks, log.numbers.contradicting_cells, file);
    diagnostics.count_cases(Code::NcuUnreadCount, oddities.unread_counts, file);
    diagnostics.count_cases(Code::NcuCoarseUnits, oddities.coarse_values, file);
    diagnostics.count_cases(Code::NcuNoUnitsRow, oddities.tables_without_units, file);
    diagnostics.count_cases(Code::NcuConflict, oddities.conflicts, file);
    diagnostics.count_cases(Code::NcuFailedLaunch, oddities.failed_launches, file);
    let cut = oddities.truncated + oddities.cut_cells + oddities.dropped_launches;
    diagnostics.count_cases(Code::NcuCut, cut, file);
}

fn note_launches(diagnostics: &mut Diagnostics, joined: &JoinedLog) {
    for (launch, (level, _)) in joined.log.launches.iter().zip(&joined.places) {
        if launch.is_failed {
            continue;
        }
        if *level == NcuLevel::None {
            let code = if is_range(joined, launch) { Code::NcuRange } else { Code::NcuNotJoined };
            diagnostics.count_cases(code, launch.invocations, || format!("`{}`", shown(&launch.kernel_name)));
        }
        note_missing(diagnostics, launch);
    }
}

/// Whether a row is for a whole range or graph: it has no block size where others have one.
fn is_range(joined: &JoinedLog, launch: &NcuLaunch) -> bool {
    let has_size = |launch: &NcuLaunch| launch.threads.is_some() || launch.block.is_some();
    !has_size(launch) && joined.log.launches.iter().any(has_size)
}

/// What a launch lacks for the figures that matter most, and what has it.
fn lacking(figures: &NcuFigures) -> Option<&'static str> {
    let parts = [figures.flop.is_none(), figures.dram_bytes.is_none(), figures.bound.is_none()];
    match parts {
        [false, false, false] => None,
        [true, _, _] if figures.fp32_flop.is_some() => Some(
            "FLOP of Tensor Cores: metric `sass__inst_executed_per_opcode_with_modifier_all` with `--print-metric-instances details`",
        ),
        [true, _, _] => Some("FLOP: section `SpeedOfLight_RooflineChart`"),
        [_, true, _] => Some("bytes of DRAM: section `MemoryWorkloadAnalysis`"),
        [_, _, true] => Some("what limits it: section `SpeedOfLight`"),
    }
}

fn gpus_in_words(capture: &CaptureContents, counters: &Counters) -> String {
    let of_log = counters.logs.iter().flat_map(|joined| &joined.log.launches).find_map(|launch| {
        let capability =
            launch.compute_capability.as_deref().map(|found| format!("compute capability {found}"));
        launch.gpu_name.as_deref().map(str::to_owned).or(capability)
    });
    let of_capture = capture.devices.iter().find_map(|device| {
        let capability = device.compute_capability.map(|(major, minor)| format!(" of {major}.{minor}"));
        Some(format!("{}{}", device.name.as_deref()?, capability.unwrap_or_default()))
    });
    let words = |found: Option<String>| found.unwrap_or_else(|| "another GPU".into());
    format!("log: {}; capture: {}", words(of_log), words(of_capture))
}

/// A name that is short enough for an example.
fn shown(name: &str) -> String {
    long_text::cut(name).chars().take(120).collect()
}
