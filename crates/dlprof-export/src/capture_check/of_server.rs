//! What a capture says of an inference server.

use crate::display::percentage;
use dlprof_core::{Profile, Workload, percent};

/// Its steps, how much of its kernel time belongs to modules, marks that are not known, and what only seems to be a server.
pub(super) fn served(profile: &Profile) -> Vec<(&'static str, String)> {
    let serving = profile.serving();
    let mut lines = Vec::new();
    if let Some(lane) = serving.main() {
        let server = lane.steps.first().map_or("", |step| step.mark.form.server());
        let threads = if serving.lanes.len() == 1 { "thread" } else { "threads, each with its own steps" };
        let steps = match lane.steps.len() {
            1 => "1 step".to_owned(),
            several => format!("{several} steps"),
        };
        let workload = serving.workload.as_str();
        lines.push(("server", format!("{server}, {steps} on {} {threads}; {workload}", serving.lanes.len())));
        let share = percent(lane.modules.attributed_ns, lane.modules.kernel_ns);
        lines.push(("kernel time by module", percentage(share)));
    }
    if !serving.unknown_marks.is_empty() {
        lines.push(("unknown step marks", serving.unknown_marks.join(", ")));
    }
    if serving.workload == Workload::Unknown && serving.evidence.serving_kernels > 0 {
        let words =
            "has kernels of inference servers and no step marks, so phases are unknown (docs/serving.md)";
        lines.push(("server", words.to_owned()));
    }
    lines
}
