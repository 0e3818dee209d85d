//! Buffers of models that are sent to all ranks before each forward pass.

use crate::advice::buffer_broadcasts::buffer_broadcasts;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::{percent, to_f64};
use crate::figures::activity::Verdict;

const BROADCASTS: Threshold = Threshold {
    name: "broadcasts_percent",
    default: 2.0,
    doc: "Least share of the time that GPUs idle for broadcasts of buffers or work on them.",
};

pub(super) const BUFFER_BROADCASTS: Rule = Rule {
    id: "buffer_broadcasts",
    title: "Buffers are sent to all ranks before each forward pass",
    how: "The share of the time in which GPUs idle while PyTorch's `DistributedDataParallel` sends the buffers of the model at the \
          begin of its forward pass (`aten::flatten_dense_tensors`, a broadcast, `aten::unflatten_dense_tensors`, `aten::copy_`), and \
          in which they do that work. The saving is at most all of this time.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[BROADCASTS],
    link: "https://pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html",
    needs: &[Need::HostCalls, Need::GpuTime],
    subject: Subject::Part(Verdict::Cpu),
    check,
    ..Rule::SILENT
};

fn check(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let found = buffer_broadcasts(scene)?;
    let (host_ns, idle_ns, gpu_ns) =
        (found.host_ns, scene.per_gpu(found.idle_ns), scene.per_gpu(found.gpu_ns));
    let saving_ns = (idle_ns + gpu_ns).min(scene.span.length());
    let share = percent(saving_ns, scene.span.length());
    if share < limits.of(&BROADCASTS) {
        return None;
    }
    let passes = to_f64(i64::try_from(found.passes).unwrap_or(i64::MAX));
    let finding = Finding::new(
        Sentence::new(
            "The forward pass of `DistributedDataParallel` begins with broadcasts of buffers, {} each time on the host; GPUs idle \
             {} of the time for them",
            vec![
                Figure::Time(to_f64(host_ns) / passes),
                Figure::Percent(percent(idle_ns, scene.span.length()), 1),
            ],
        ),
        "Create the module with `DistributedDataParallel(..., broadcast_buffers=False)` if ranks may keep buffers of their own. \
         Statistics of BatchNorm then differ between them while they train, and those of rank 0 are saved",
    )
    .percent(BROADCASTS.name, share)
    .count("passes", found.passes)
    .time("host_ns", host_ns)
    .time("idle_ns", idle_ns)
    .time("gpu_time_ns", gpu_ns)
    .saves_at_most(saving_ns, "Idle time of GPUs during these broadcasts, and the GPU time of what they launch")
    .about(EvidenceKind::Op, ["aten::unflatten_dense_tensors"])
    .show(Question::of("ops").rows_where("op_name ~ 'dense_tensors'").sorted_by(["-cpu_time_ns"]));
    Some(finding)
}
