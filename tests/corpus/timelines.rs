//! Timelines of real captures against the figures of the tables.

use crate::profiles::profile_of;
use crate::windows::files;
use dlprof_core::{Capture, GpuTime, LaneItemClass, LaneKind, LaneOwner, Profile, ReadOptions, Timeline};
use dlprof_generate::corpus::folder;

/// The idle time of a GPU in a timeline.
fn idle_ns(timeline: &Timeline, device_id: i64) -> i64 {
    let owner = LaneOwner::Gpu { device_id };
    let of_gpu = timeline.lanes.iter().filter(|lane| lane.kind == LaneKind::Idle && lane.owner == owner);
    of_gpu.flat_map(|lane| &lane.length_ns).sum()
}

/// What the table `gpu_time` says of a GPU in an iteration.
fn row(profile: &Profile, device: usize, iteration: u32) -> GpuTime {
    let window = profile.iterations.range().position(|number| number == iteration).expect("it is aggregated");
    profile.gpu_times().at(device, window)
}

#[test]
fn idle_time_is_that_of_the_tables() {
    let Some(corpus) = folder() else { return };
    let mut compared = 0;
    for file in files(&corpus) {
        let Ok(capture) = Capture::read(&file, &ReadOptions::default()) else { continue };
        let profile = profile_of(&capture);
        let (median, slowest) = profile.median_and_slowest_iteration();
        for iteration in [median, slowest] {
            let timeline = profile.timeline(iteration, usize::MAX).expect("it exists");
            for link in &timeline.links {
                let (calls, work) = (&timeline.lanes[link.call_lane], &timeline.lanes[link.work_lane]);
                assert!(
                    matches!(calls.class[link.call], LaneItemClass::Call(_)) && work.kind == LaneKind::Stream
                );
            }
            for &device in &profile.iterations.windows.used {
                let row = row(&profile, device.index(), iteration);
                if row.busy_ns > 0 {
                    let shown = idle_ns(&timeline, profile.device_number(device));
                    assert_eq!(shown, row.length_ns - row.busy_ns, "{} {iteration}", file.display());
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 40, "only {compared} iterations were compared");
}
