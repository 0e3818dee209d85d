//! Rooflines of profiles and of logs, and what they are of.

use crate::roofline::{RooflineFigure, RooflineOf};
use dlprof_core::{
    MemoryLevel, NcuLog, Profile, Roofline, RooflineSource, roofline_of_kernels, roofline_of_logs,
    roofline_of_ops,
};
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
