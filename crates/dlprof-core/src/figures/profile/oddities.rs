//! What is odd about a profile: what reading and correlating counted, and what only the aggregated iterations show.

use super::ProfiledIterations;
use super::by_op::OpStats;
use super::summary::Summary;
use crate::base::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::capture::correlate::{Mode, UNASSOCIATED};
use crate::steps::index::Index;

/// All that was counted, in order of the codes.
pub(super) fn diagnostics(
    index: &Index,
    iterations: &ProfiledIterations,
    ops: &[OpStats],
    summary: &Summary,
) -> Vec<Diagnostic> {
    let mut diagnostics = Diagnostics::default();
    diagnostics.merge(index.capture.diagnostics.clone());
    iterations.note_executions_elsewhere(&mut diagnostics);
    iterations.note_joined_calls(&mut diagnostics);
    iterations.note_lost_records(&index.capture, &mut diagnostics);
    if iterations.lacks_stretch(&iterations.states, &iterations.choice) {
        diagnostics
            .count(DiagnosticCode::NoSteadyIterations, || format!("{} iterations", iterations.total()));
    }
    if summary.is_late() {
        diagnostics.count(DiagnosticCode::CoveredSpan, || {
            format!("events cover {} of {} ns", summary.covered.length(), summary.wall_clock_ns)
        });
    }
    note_page_faults(&index.capture, &mut diagnostics);
    note_work_outside_ranges(index, ops, &mut diagnostics);
    let mut found = diagnostics.to_vec();
    if index.capture.description.ledger.said.shortfall().is_some() {
        // Calls are missing, too.
        found.retain(|diagnostic| diagnostic.code != DiagnosticCode::NoLaunches);
    }
    found
}

/// Notes the page faults of unified memory; they are of the whole capture, whatever the range.
fn note_page_faults(capture: &Capture, diagnostics: &mut Diagnostics) {
    let faults = capture.notes.page_faults;
    let on_cpu = faults.cpu_events.unwrap_or(0);
    diagnostics.count_cases(DiagnosticCode::PageFaults, on_cpu.saturating_add(faults.gpu_faults), || {
        format!("{on_cpu} on the CPU, {} on GPUs", faults.gpu_faults)
    });
}

fn note_work_outside_ranges(index: &Index, ops: &[OpStats], diagnostics: &mut Diagnostics) {
    if index.capture.description.mode == Mode::Simple {
        return;
    }
    let is_claimed = |op: &&OpStats| !index.op_name(op.op).starts_with(UNASSOCIATED);
    let all: Ns = ops.iter().map(|op| op.times.gpu.sum).sum();
    let claimed: Ns = ops.iter().filter(is_claimed).map(|op| op.times.gpu.sum).sum();
    if all > 0 && claimed.saturating_mul(100) < all {
        let code = match index.capture.kineto {
            Some(_) => DiagnosticCode::WorkWithoutOperators,
            None => DiagnosticCode::RangesWithoutWork,
        };
        diagnostics.count(code, || format!("{claimed} of {all} ns"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::facts::WorkKind;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    fn codes(drawn: Drawn) -> Vec<DiagnosticCode> {
        let index = drawn.capture().index(&KeyNodeChoice::Find).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        profile.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    }

    /// ```text
    /// range   ├────────────┤
    /// stream                     ├─ gemm, without a call ─┤
    /// ```
    #[test]
    fn ranges_that_launch_nothing_are_odd_where_others_do() {
        let drawn = |launched: Ns, has_ranges: bool| {
            let mut drawn = Drawn::new();
            if has_ranges {
                drawn.range("step", 0..100);
            }
            drawn.launch(10..20, "relu", 30..30 + launched);
            drawn.loose(WorkKind::Kernel, "gemm", 200..10_200);
            codes(drawn).contains(&DiagnosticCode::RangesWithoutWork)
        };
        assert!(drawn(50, true), "half a percent");
        assert!(!drawn(150, true), "more than one percent");
        assert!(!drawn(50, false), "no range could launch it");
    }
}
