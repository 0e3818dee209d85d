//! Work by name: what the wall clock is spent on adds up, on generated captures.

use crate::profiles::profile_of;
use dlprof_core::{Capture, ReadOptions, WorkName};
use dlprof_generate::write_export;

#[test]
fn claims_add_up_to_the_classes_and_durations_to_the_iterations() {
    for arguments in [
        "--iterations 12 --style markers --streams 3",
        "--iterations 12 --style emit-nvtx --processes 2 --gpus 2 --step-noise 3 --outlier-every 5",
        "--iterations 12 --style ranges --processes 2 --gpus 3 --extra-copy-bytes 900000 --pace 2000000",
        "--iterations 5 --style none",
    ] {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let file = folder.path().join("train.sqlite");
        write_export(&file, arguments).expect("an export");
        let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
        let profile = profile_of(&capture);
        let work = profile.work_by_name();
        let is_sorted = work.rows.is_sorted_by_key(|row| (row.iteration, row.op));
        assert!(is_sorted && !work.rows.is_empty(), "{arguments}");
        let gpus = i64::try_from(work.gpus).expect("few GPUs");
        assert_eq!(gpus, if arguments.contains("--gpus") { 2 } else { 1 }, "GPUs with work, {arguments}");
        for stats in &profile.iteration_stats {
            let resources = &work.resources[stats.iteration as usize];
            let of = |is_wanted: fn(WorkName) -> bool| {
                let rows = work.rows.iter().filter(move |row| row.iteration == stats.iteration);
                rows.filter(move |row| is_wanted(row.name))
            };
            let is_kernel = |name| matches!(name, WorkName::Kernel(_));
            let is_memory = |name| !matches!(name, WorkName::Kernel(_));
            assert_eq!(resources.total(), stats.span.length() * gpus, "{arguments}");
            assert_eq!(
                of(is_kernel).map(|row| row.claimed_ns).sum::<i64>(),
                resources.kernel_ns(),
                "{arguments}"
            );
            assert_eq!(
                of(is_memory).map(|row| row.claimed_ns).sum::<i64>(),
                resources.memory_ns,
                "{arguments}"
            );
            // GPU work is on the GPUs that are used: the classes of the dashboard are the same.
            assert_eq!(resources.gpu_ns(), stats.resources.gpu_ns(), "{arguments}");
            assert_eq!(of(is_kernel).map(|row| row.gpu_ns).sum::<i64>(), stats.kernels.gpu_ns, "{arguments}");
            assert_eq!(
                of(is_kernel).map(|row| row.launches).sum::<u64>(),
                stats.kernels.launches,
                "{arguments}"
            );
        }
    }
}
