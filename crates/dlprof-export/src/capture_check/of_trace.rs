//! What torch.profiler was asked for, and how to record what it was not asked for.

use dlprof_core::{CaptureContents, KinetoNotes};

/// What was asked for, what was not, and who recorded.
pub(super) fn recorded(capture: &CaptureContents, notes: &KinetoNotes) -> Vec<(&'static str, String)> {
    let asked = options(capture, notes);
    let names = |is_asked: bool| {
        let names: Vec<&str> =
            asked.iter().filter(|option| option.is_asked == is_asked).map(|option| option.name).collect();
        if names.is_empty() { "nothing more".to_owned() } else { names.join(", ") }
    };
    let operators = capture.operators();
    let annotations = capture.ranges.len() - operators;
    let rank = notes.rank.map(|rank| match notes.world_size {
        Some(size) => format!("{rank} of {size}"),
        None => rank.to_string(),
    });
    let rank = rank.map(|rank| ("rank", rank));
    let rest = [
        ("operators, annotations", format!("{operators}, {annotations}")),
        ("Python functions", notes.python_frames.to_string()),
        ("asked for", names(true)),
        ("not asked for", names(false)),
    ];
    rank.into_iter().chain(rest).collect()
}

/// Something that torch.profiler records if it is asked for.
struct TraceOption {
    name: &'static str,
    is_asked: bool,
    /// The line of Python that asks for it.
    line: String,
}

fn options(capture: &CaptureContents, notes: &KinetoNotes) -> [TraceOption; 5] {
    let option = |name, is_asked, line: &str| TraceOption { name, is_asked, line: line.to_owned() };
    let (schedule, is_scheduled) = match capture.profiler_steps() {
        0 => ("schedule", false),
        1 | 2 => ("a schedule of three steps", false),
        _ => ("schedule", true),
    };
    let has_shapes = capture.description.labels.iter().any(|label| !label.shapes.inputs.is_empty());
    [
        option("operators", capture.operators() > 0, &format!("{},", capture.recorder.vendor.activities())),
        option(
            schedule,
            is_scheduled,
            "schedule=torch.profiler.schedule(wait=1, warmup=1, active=3),  # and prof.step() after each step: iterations",
        ),
        option(
            "record_shapes",
            notes.record_shapes || has_shapes,
            "record_shapes=True,  # shapes and data types of ops, from which their work follows",
        ),
        option(
            "with_stack",
            notes.with_stack || notes.python_frames > 0,
            "with_stack=True,  # modules and source lines; in a run of its own, because it makes the host slower",
        ),
        option(
            "profile_memory",
            notes.profile_memory || !capture.allocator.time.is_empty(),
            "profile_memory=True,  # memory that PyTorch's allocator hands out",
        ),
    ]
}

/// The lines of Python that would have recorded what is missing; none where nothing is.
pub(super) fn how_to_record(capture: &CaptureContents, notes: &KinetoNotes) -> Vec<String> {
    let missing: Vec<String> = options(capture, notes)
        .into_iter()
        .filter(|option| !option.is_asked)
        .map(|option| option.line)
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let lines = missing.iter().map(|line| format!("        {line}"));
    let head = ["To record what was not asked for:", "    with torch.profiler.profile("].map(str::to_owned);
    head.into_iter().chain(lines).chain(["    ) as prof:".to_owned()]).collect()
}
