//! Table `expert_systems_feedback`: what DLProf's detectors find, in DLProf's words as far as they are known, else in ours.

use super::AGGREGATION;
use super::insert::Insert;
use dlprof_core::{Finding, Judged, Profile, Resources, percent};
use rusqlite::{Connection, params};

/// What DLProf says.
struct Feedback {
    problem: String,
    recommendation: String,
    /// What the viewer calls to show details; often empty.
    function: &'static str,
}

pub(super) fn write(connection: &Connection, judged: &Judged, key_node: &str) -> rusqlite::Result<()> {
    let columns =
        ["aggr_id", "exp_sys_id", "problem", "recommendation", "javascript_function", "javascript_args"];
    let mut insert = Insert::into(connection, "expert_systems_feedback", &columns)?;
    if let Some(stored) = stored(judged) {
        return stored.iter().try_for_each(|[detector, problem, recommendation, function, args]| {
            let row = params![AGGREGATION, detector, problem, recommendation, function, args];
            insert.add(row).map(drop)
        });
    }
    for finding in judged.findings() {
        let Feedback { problem, recommendation, function } = feedback(finding, judged, key_node);
        insert.add(params![AGGREGATION, finding.id, problem, recommendation, function, ""])?;
    }
    Ok(())
}

/// What the database that was read says of the same iterations.
fn stored(profile: &Profile) -> Option<&[[String; 5]]> {
    let iterations = &profile.iterations;
    let is_same = iterations.stored_range == Some((iterations.start, iterations.stop));
    let stored = profile.capture.description.dlprof.as_ref()?.aggregation.as_ref()?;
    is_same.then_some(&stored.feedback)
}

fn feedback(finding: &Finding, profile: &Profile, key_node: &str) -> Feedback {
    let said = match &*finding.id {
        "amp_detector" => Some(amp(profile)),
        "underutilized_gpu_detector" => underutilized(profile),
        "dataloader_detector" => no_dali(profile),
        "no_iterations_detector" => Some(no_iterations(key_node)),
        _ => None,
    };
    said.unwrap_or_else(|| Feedback {
        problem: finding.problem.to_string(),
        recommendation: finding.recommendation.to_string(),
        function: "",
    })
}

fn amp(profile: &Profile) -> Feedback {
    let ops = profile.op_stats.iter().filter(|op| op.is_bad_data_type).count();
    let ops = if ops == 1 { "1 op was".to_owned() } else { format!("{ops} ops were") };
    Feedback {
        problem: format!("{ops} eligible to use tensor cores but none are using FP16"),
        recommendation: "Try enabling AMP (Automatic Mixed Precision). For more information: \
                         https://developer.nvidia.com/automatic-mixed-precision"
            .into(),
        function: "ShowBadDataTypeOps",
    }
}

/// The message where the CPU has most of the rest; the others are not known to the letter.
fn underutilized(profile: &Profile) -> Option<Feedback> {
    let is_unused = |kernel_ns| kernel_ns == 0;
    if profile.devices.iter().any(|device| is_unused(device.resources.kernel_ns())) {
        return None;
    }
    let all: &Resources = &profile.summary.resources_all_gpus;
    let others = [all.memory_ns, all.dataloader_ns, all.io_ns, all.other_ns];
    if others.into_iter().any(|ns| ns > all.cpu_ns) {
        return None;
    }
    let utilization = percent(all.kernel_ns(), all.total());
    let cpu = percent(all.cpu_ns, all.total());
    Some(Feedback {
        problem: format!(
            "The GPU is underutilized: Only {utilization:.1}% of the profiled time is spent on GPU kernel operations"
        ),
        recommendation: format!(
            "CPU has the highest (non-GPU) usage at {cpu:.1}%. Consider swapping ops that are running on the CPU for \
             equivalent GPU ops"
        ),
        function: "",
    })
}

/// The message of programs that spend no time in a data loader.
fn no_dali(profile: &Profile) -> Option<Feedback> {
    (profile.summary.resources_all_gpus.dataloader_ns == 0).then(|| Feedback {
        problem: "No DALI ops detected".into(),
        recommendation:
            "Consider using NVIDIA DALI, a library that is a high performance alternative to built-in data \
                         loaders and data iterators. Learn more here: https://developer.nvidia.com/DALI"
                .into(),
        function: "",
    })
}

fn no_iterations(key_node: &str) -> Feedback {
    Feedback {
        problem: format!("Unable to split profile into training iterations: key op {key_node} not found"),
        recommendation: "Specify key op by setting the --key_op argument".into(),
        function: "",
    }
}
