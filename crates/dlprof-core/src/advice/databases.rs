//! Rules that ask for what DLProf databases do not have. On a database they would be silent, or wrong.

use crate::figures::profile::ProfileContents;

const NO_NEEDS: &str = "a DLProf database does not have the registers and shared memory of kernels";
const NO_CALLS: &str = "a DLProf database has neither API calls outside ops nor calls of the operating system, so causes of idle time are incomplete";
const NO_STREAMS: &str = "a DLProf database has no streams";
const NO_RANGES: &str = "a DLProf database has no ranges but its ops";

/// By rule: what is missing.
const UNANSWERABLE: [(&str, &str); 17] = [
    ("anomaly_mode", NO_RANGES),
    ("cpu_work_between", NO_CALLS),
    ("device_stall", NO_STREAMS),
    ("dropped_records", "a DLProf database has no messages of nsys"),
    ("graph_granularity", "a DLProf database does not tell graphs from kernels"),
    ("host_pause", NO_CALLS),
    ("input_bound", NO_CALLS),
    ("low_occupancy", NO_NEEDS),
    ("no_nvtx", NO_RANGES),
    ("pageable_copies", "a DLProf database does not have the kind of host memory of copies"),
    ("profiler_overhead", "a DLProf database has no records about the profiler"),
    ("stream_dependency", NO_STREAMS),
    ("tail_heavy", NO_NEEDS),
    ("underfilled", NO_NEEDS),
    ("unexplained_idle", NO_CALLS),
    ("untraced_work", NO_RANGES),
    ("warm_up_in_range", NO_CALLS),
];

/// Why a rule has no answer on the input of a profile; `None` if it has one.
pub(super) fn unanswerable(profile: &ProfileContents, rule: &str) -> Option<&'static str> {
    profile.capture.dlprof.as_ref()?;
    UNANSWERABLE.iter().find(|(id, _)| *id == rule).map(|(_, why)| *why)
}

#[cfg(test)]
mod tests {
    use super::UNANSWERABLE;
    use crate::advice::rules;

    #[test]
    fn the_rules_exist() {
        for (id, _) in UNANSWERABLE {
            assert!(rules().any(|rule| rule.id == id), "{id}");
        }
    }
}
