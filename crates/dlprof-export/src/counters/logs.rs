//! What logs hold, in sentences.

use super::limits::limits_in_words;
use dlprof_core::{NcuLog, kernels_of_logs};
use std::sync::Arc;

/// What logs without a capture hold, a line each.
#[must_use]
pub fn logs_in_words(logs: &[Arc<NcuLog>]) -> Vec<String> {
    let mut lines: Vec<String> = logs.iter().map(|log| log_in_words(log)).collect();
    let kernels = kernels_of_logs(logs);
    lines.extend(limits_in_words(&kernels, "time under ncu"));
    lines
}

/// `run.csv: raw, 3 launches of 2 kernels, NVIDIA A100 (compute capability 8.0), SM at 1.06 GHz; FLOP of 3, bytes of 3`.
fn log_in_words(log: &NcuLog) -> String {
    let used: Vec<_> = log.launches.iter().filter(|launch| !launch.is_failed).collect();
    let launches: u64 = used.iter().map(|launch| launch.invocations).sum();
    let mut names: Vec<&str> = used.iter().map(|launch| &*launch.kernel_name).collect();
    names.sort_unstable();
    names.dedup();
    let first =
        |of: &dyn Fn(&dlprof_core::NcuLaunch) -> Option<String>| used.iter().find_map(|launch| of(launch));
    let capability =
        first(&|launch| launch.compute_capability.as_ref().map(|cc| format!("compute capability {cc}")));
    let gpu = first(&|launch| launch.gpu_name.as_ref().map(ToString::to_string));
    let gpu = match (gpu, capability) {
        (Some(gpu), Some(capability)) => format!("{gpu} ({capability})"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => "GPU not named".to_owned(),
    };
    let clock = first(&|launch| launch.figures.sm_hz.map(|hz| format!(", SM at {:.2} GHz", hz * 1e-9)));
    let with =
        |has: fn(&dlprof_core::NcuFigures) -> bool| used.iter().filter(|launch| has(&launch.figures)).count();
    let counted = [
        ("FLOP", with(|figures| figures.flop.is_some())),
        ("bytes", with(|figures| figures.dram_bytes.is_some())),
        ("limits", with(|figures| figures.bound.is_some())),
        ("Tensor Core use", with(|figures| figures.tensor_cores.is_some())),
    ];
    let counted: Vec<String> = counted.iter().map(|(what, count)| format!("{what} of {count}")).collect();
    let rows = if log.form.is_summary() { format!(" in {} rows", used.len()) } else { String::new() };
    format!(
        "{}: {}, {launches} {}{rows} of {} {}, {gpu}{}; known: {}",
        crate::display::plain(&log.file),
        log.form.as_str(),
        if launches == 1 { "launch" } else { "launches" },
        names.len(),
        if names.len() == 1 { "kernel" } else { "kernels" },
        clock.unwrap_or_default(),
        counted.join(", ")
    )
}
