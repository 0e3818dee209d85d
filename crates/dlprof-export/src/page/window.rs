//! What the figures of a page are about.

use crate::origin;
use dlprof_core::{Ns, Profile};
use serde::Serialize;

/// The capture, the iterations, the key node and the clock: the line that is always in sight.
#[derive(Debug, Clone, Serialize)]
pub struct Window {
    /// Name shown in reports.
    pub profile_name: String,
    /// Name of the file, without its folder.
    pub file: String,
    /// First aggregated iteration.
    pub start: u32,
    /// Last aggregated iteration, inclusive.
    pub stop: u32,
    /// Number of aggregated iterations that count.
    pub aggregated: u32,
    /// How often the step runs in them: an unsplit iteration holds several passes.
    pub passes: u32,
    /// The last iteration there is.
    pub last: u32,
    /// The steady range that is proposed; none without one.
    pub steady: Option<(u32, u32)>,
    /// What the aggregated iterations are like: `steady`, or how many are in which state.
    pub inside: String,
    /// What delimits iterations; none if the whole capture is one.
    pub key_node: Option<String>,
    /// `cpu` or `gpu`.
    pub clock: &'static str,
    /// How ranges became ops, and why so.
    pub mode: String,
    /// Numbers of the used GPUs.
    pub gpus_used: Vec<i64>,
    /// Number of GPUs of the machine.
    pub gpus: usize,
    /// From the start of the capture, or of the part that `--from` chose, to its end.
    pub captured_ns: Ns,
    /// Length of what is aggregated.
    pub length_ns: Ns,
    /// The part of the capture that `--from` and `--to` chose, in words; none for the whole capture.
    pub cut: Option<String>,
    /// The iteration of median length, and the slowest.
    pub telling: [u32; 2],
    /// Version of the DLProf database that was read; none for exports.
    pub database: Option<String>,
    /// Version of the program.
    pub tool_version: &'static str,
}

impl Window {
    /// What the figures of a profile are about.
    #[must_use]
    pub fn new(profile: &Profile, profile_name: &str) -> Self {
        let iterations = &profile.iterations;
        let device_id = |device: &dlprof_core::DeviceId| profile.capture.devices[device.index()].device_id;
        Self {
            profile_name: profile_name.to_owned(),
            file: origin::file_name(profile),
            start: iterations.start,
            stop: iterations.stop,
            aggregated: iterations.aggregated(),
            passes: iterations.passes(),
            last: iterations.last_iteration().max(iterations.stop),
            steady: iterations.steady_range(),
            inside: crate::overview::aggregated::inside(profile),
            key_node: key_node(profile),
            clock: profile.summary.clock.as_str(),
            mode: origin::mode(profile),
            gpus_used: iterations.windows.used.iter().map(device_id).collect(),
            gpus: profile.index.split.gpus,
            captured_ns: profile.captured_ns(),
            length_ns: profile.summary.wall_clock_ns,
            cut: profile.capture.description.cut.as_ref().map(ToString::to_string),
            telling: profile.median_and_slowest_iteration().into(),
            database: profile.capture.description.dlprof.as_ref().map(|notes| notes.version.clone()),
            tool_version: env!("CARGO_PKG_VERSION"),
        }
    }
}

fn key_node(profile: &Profile) -> Option<String> {
    profile.iterations.key_node.as_ref().map(|node| node.name.clone())
}
