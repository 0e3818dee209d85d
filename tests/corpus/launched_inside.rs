//! No work is launched outside of the iteration that it is counted in, in any real capture or trace.

use dlprof_core::{Capture, DefaultRange, KeyNodeChoice, Mode, RangeChoice, ReadOptions};
use dlprof_generate::corpus::{corpus, folder};
use std::path::PathBuf;

/// Modes in which DLProf files work under the iteration in which its op call starts, whenever it is launched.
const OF_DLPROF: [Mode; 2] = [Mode::PytorchMarkers, Mode::Tensorflow];

fn traces() -> Vec<PathBuf> {
    let folder = folder().map(|folder| folder.join("kineto"));
    let files =
        folder.map(std::fs::read_dir).into_iter().flatten().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

#[test]
fn work_is_launched_inside_the_iteration_that_it_is_counted_in() {
    let mut launches = 0_u64;
    for path in corpus().into_iter().chain(traces()) {
        let Ok(capture) = Capture::read(&path, &ReadOptions::default()) else { continue };
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        let all = RangeChoice { otherwise: DefaultRange::All, ..RangeChoice::default() };
        let profile = index.profile(&all).expect("a profile");
        let is_of_dlprof =
            OF_DLPROF.contains(&capture.description.mode) || capture.description.dlprof.is_some();
        let is_range = index.iterations.found.as_ref().is_some_and(|found| found.kind.as_str() == "range");
        if is_of_dlprof && is_range {
            continue;
        }
        for launch in profile.kernel_launches().iter() {
            let Some(api) = launch.api.some() else { continue };
            let (start, iteration) =
                (capture.api_calls.span[api].start, index.iterations.span(launch.iteration));
            let is_last = launch.iteration + 1 == index.iterations.total();
            assert!(
                iteration.start <= start && (start < iteration.end || is_last),
                "{}: launched at {start}, counted in iteration {} ({iteration:?})",
                path.display(),
                launch.iteration
            );
            launches += 1;
        }
    }
    assert!(launches > 0 || corpus().is_empty(), "captures have kernels");
}

/// The kernel of 20 ms belongs to the step that launches it: an op that allocates before it launches is around it.
#[test]
fn a_step_has_the_kernels_that_its_ops_launch() {
    let Some(path) = folder().map(|folder| folder.join("cases/nsys/op_before_launch.sqlite")) else { return };
    let capture = Capture::read(&path, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    let all = RangeChoice { otherwise: DefaultRange::All, ..RangeChoice::default() };
    let profile = index.profile(&all).expect("a profile");
    let of = |number: usize| {
        let kernels = &profile.index.kernels[..][number];
        (kernels.launches, kernels.gpu_ns)
    };
    assert_eq!(of(0).0, 0);
    assert_eq!(of(30), (5, 20_350_000));
    for number in 1..=60 {
        assert_eq!(of(number).0, 5, "iteration {number}");
    }
}
