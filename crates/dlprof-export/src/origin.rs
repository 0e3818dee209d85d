//! Where the figures come from, in words: file, mode, iterations. The dashboard and all reports use these texts.

use dlprof_core::{Clock, Process, Profile, shell_word};
use std::collections::BTreeSet;

/// The name of the file, without its folder.
pub(crate) fn file_name(profile: &Profile) -> String {
    let path = &profile.capture.source.path;
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The mode in which ranges became ops, and why it was chosen.
pub(crate) fn mode(profile: &Profile) -> String {
    format!("{}, {}", profile.capture.description.mode.as_str(), profile.capture.description.mode_reason)
}

/// What is shown for a figure that cannot be known.
pub(crate) const UNKNOWN: &str = "–";

/// Whether the capture says how much time is in a class of
/// [`Resources::by_class`](dlprof_core::Resources::by_class); a class that is not known is shown as unknown or left
/// out, never as 0.
pub(crate) fn is_known_class(profile: &Profile, class: &str) -> bool {
    match class {
        "Data loader" => profile.summary.knows_dataloader,
        "I/O" => profile.summary.knows_io,
        "TC kernels" | "Other kernels" => profile.has_kernel_records() && !profile.has_whole_graphs(),
        "Memory" => profile.has_gpu_work() && !profile.has_whole_graphs(),
        _ => true,
    }
}

/// What the wall clock of the figures is.
pub(crate) fn window_name(profile: &Profile) -> &'static str {
    match profile.iterations.key_node {
        None if profile.has_gpu_work() => "GPU span",
        None => "Span of ops",
        Some(_) => "Wall clock time",
    }
}

/// On which clock the iterations are, where that is not the CPU's.
pub(crate) fn clock(profile: &Profile) -> Option<&'static str> {
    (profile.summary.clock == Clock::Gpu)
        .then_some("Clock: GPU; an iteration lasts from the start of its GPU work to that of the next one")
}

/// The rank of a process in its job, and the number of ranks, where the capture is the trace of one of several.
pub(crate) fn rank(profile: &Profile) -> Option<(u64, u64)> {
    let notes = profile.capture.kineto.as_ref()?;
    // What one of several traces says of itself holds for no other.
    notes.rank.zip(notes.world_size).filter(|(_, ranks)| *ranks > 1 && notes.merged_ranks.is_empty())
}

/// How many GPUs of the machine are used, where some are not; of the trace of a rank, which one: other ranks use the others.
pub(crate) fn gpus_used(profile: &Profile) -> Option<String> {
    if let Some((rank, ranks)) = rank(profile).filter(|_| profile.has_gpu_work()) {
        let used = &profile.iterations.windows.used;
        let gpus: Vec<String> = used.iter().map(|&gpu| profile.device_number(gpu).to_string()).collect();
        return Some(format!("rank {rank} of {ranks}, GPU {}", gpus.join(", ")));
    }
    let merged = profile.capture.kineto.as_ref().map_or(0, |notes| notes.merged_ranks.len());
    if merged > 1 {
        return Some(format!(
            "{merged} ranks in one trace, by the iterations of one of them (`dlprof-agg ranks` judges each)"
        ));
    }
    let (used, all) = (profile.iterations.windows.used.len(), profile.index.split.gpus);
    let by = if profile.is_one_rank_of_many() { " by this rank" } else { "" };
    (used < all && profile.has_gpu_work()).then(|| format!("{used} of {all} GPUs used{by}"))
}

/// Which GPUs run kernels of several processes, and of how many.
pub(crate) fn shared_gpus(profile: &Profile) -> Option<String> {
    let shared = profile.processes_by_gpu().into_iter().filter(|(_, processes)| *processes > 1);
    let words: Vec<String> = shared
        .map(|(gpu, processes)| {
            format!("GPU {} runs kernels of {processes} processes", profile.device_number(gpu))
        })
        .collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The processes that made CUDA calls.
pub(crate) fn processes_with_calls(profile: &Profile) -> impl Iterator<Item = &Process> {
    let capture = &profile.capture;
    let mut has_calls = vec![false; capture.threads.len()];
    let with_calls = capture.api_calls.thread.iter().filter_map(|thread| thread.some());
    with_calls.for_each(|thread| has_calls[thread.index()] = true);
    let threads = capture.threads.iter().zip(has_calls).filter(|(_, has_calls)| *has_calls);
    let processes: BTreeSet<usize> = threads.map(|(thread, _)| thread.process.index()).collect();
    processes.into_iter().map(|at| &capture.processes[at])
}

/// What the capture calls the processes with CUDA calls, where that is one name.
pub(crate) fn process_name(profile: &Profile) -> Option<&str> {
    let mut names = processes_with_calls(profile).map(|process| process.name.as_deref());
    let first = names.next()??;
    names.all(|name| name == Some(first)).then_some(first)
}

/// The command that nsys ran, as a shell reads it back; `None` if the export does not say.
pub(crate) fn command(profile: &Profile) -> Option<String> {
    let words = &profile.capture.notes.command;
    (!words.is_empty()).then(|| words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" "))
}
