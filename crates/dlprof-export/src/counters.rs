//! Counters of Nsight Compute for people: what limits kernels, what logs hold, rooflines.

use crate::display::percentage;
use crate::roofline::{RooflineFigure, RooflineLook, RooflineOf, bound_in_words, roofline_text};
use crate::text::wrap;
use dlprof_core::{
    Judged, MeasuredKernel, MemoryLevel, NcuBound, NcuLevel, NcuLog, Profile, Roofline, RooflineSource,
    kernels_of_logs, percent, roofline_of_kernels, roofline_of_logs, roofline_of_ops,
};
use std::io::{self, Write};
use std::sync::Arc;

/// The roofline of a profile; `None` without counters.
#[must_use]
pub fn roofline_figure(profile: &Profile, of: RooflineOf, levels: &[MemoryLevel]) -> Option<RooflineFigure> {
    let source = match of {
        RooflineOf::Kernels => roofline_of_kernels(profile, levels),
        RooflineOf::Ops => roofline_of_ops(profile, levels),
    }?;
    let roofs = match (&source.roofs.gpu, has_roofs(&source)) {
        (_, false) => "the roofs of the GPU are not known".to_owned(),
        (Some(gpu), true) => format!("roofs of {gpu}"),
        (None, true) => "roofs of its GPU".to_owned(),
    };
    let basis = format!("counts of the log, times of the capture; {roofs}");
    Some(RooflineFigure { roofline: Roofline::new(&source), of, basis })
}

/// The roofline of logs without a capture.
#[must_use]
pub fn roofline_figure_of_logs(logs: &[Arc<NcuLog>], levels: &[MemoryLevel]) -> RooflineFigure {
    let source = roofline_of_logs(logs, levels);
    let roofs = if has_roofs(&source) { "times and roofs" } else { "times" };
    let gpu = source.roofs.gpu.as_ref().map(|gpu| format!(" of {gpu}")).unwrap_or_default();
    let basis = format!("counts, {roofs} of the log, at base clock{gpu}");
    RooflineFigure { roofline: Roofline::new(&source), of: RooflineOf::Kernels, basis }
}

fn has_roofs(source: &RooflineSource) -> bool {
    !source.roofs.bytes_per_s.is_empty() || !source.roofs.flop_per_s.is_empty()
}

/// The rooflines that a report shows: of kernels and of ops; none without counters.
pub(crate) fn rooflines_of(profile: &Profile) -> Vec<RooflineFigure> {
    let figure = |of| roofline_figure(profile, of, &[MemoryLevel::Dram]);
    let all = [RooflineOf::Kernels, RooflineOf::Ops].into_iter().filter_map(figure);
    all.filter(|figure| !figure.roofline.is_empty()).collect()
}

/// What limits kernels by their time, most first: `memory 64.1 %, latency 20.0 %`.
pub(crate) fn limits_in_words(kernels: &[MeasuredKernel], whole: &str) -> Option<String> {
    let mut by_bound: Vec<(&str, i64, usize)> = Vec::new();
    for kernel in kernels.iter().filter(|kernel| kernel.figures.level != Some(NcuLevel::None)) {
        let bound = kernel.figures.bound.map_or("", NcuBound::as_str);
        match by_bound.iter_mut().find(|(known, ..)| *known == bound) {
            Some((_, ns, names)) => (*ns, *names) = (*ns + kernel.gpu_time_ns, *names + 1),
            None => by_bound.push((bound, kernel.gpu_time_ns, 1)),
        }
    }
    if by_bound.iter().all(|(bound, ..)| bound.is_empty()) {
        return None;
    }
    by_bound.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let total: i64 = by_bound.iter().map(|(_, ns, _)| ns).sum();
    let part = |(bound, ns, names): &(&str, i64, usize)| {
        let kernels = if *names == 1 { "kernel" } else { "kernels" };
        format!("{} {} ({names} {kernels})", bound_in_words(bound), percentage(percent(*ns, total)))
    };
    let parts: Vec<String> = by_bound.iter().map(part).collect();
    Some(format!("What limits kernels, by {whole}: {}", parts.join(", ")))
}

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

/// Writes what counters say about a capture, and the roofline. Nothing without counters.
///
/// # Errors
/// Only those of writing.
pub fn write_counters(
    judged: &Judged,
    of: RooflineOf,
    levels: &[MemoryLevel],
    look: RooflineLook,
    out: &mut dyn Write,
) -> io::Result<()> {
    for sentence in crate::overview::counters::counters(judged) {
        for line in wrap(&sentence, look.columns) {
            writeln!(out, "{line}")?;
        }
    }
    if let Some(figure) = roofline_figure(judged, of, levels) {
        writeln!(out)?;
        write!(out, "{}", roofline_text(&figure, look))?;
    }
    Ok(())
}
