//! Files for other tools from real exports: their sums are those of the tables, and what is not known is not in them.

use crate::profiles::profile_of;
use dlprof_core::{Capture, ReadOptions};
use dlprof_export::{
    DashboardLook, TimeUnit, dashboard_markdown, overview, write_events, write_folded, write_prometheus,
};
use dlprof_generate::corpus::corpus;
use std::collections::BTreeMap;

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("memory takes everything");
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn stacks_add_up_to_kernels_by_name() {
    for path in corpus() {
        let Ok(capture) = Capture::read(&path, &ReadOptions::default()) else { continue };
        let profile = profile_of(&capture);
        let lines = text(|out| write_folded(&profile, out));
        let (mut kernels, mut all): (BTreeMap<&str, i64>, i64) = Default::default();
        for line in lines.lines() {
            let (stack, weight) = line.rsplit_once(' ').expect("a weight");
            let weight: i64 = weight.parse().expect("whole nanoseconds");
            let leaf = stack.rsplit(';').next().expect("a frame");
            all += weight;
            if !leaf.starts_with("[copy ") && leaf != "[memset]" {
                *kernels.entry(leaf).or_default() += weight;
            }
        }
        assert_eq!(all, profile.kernel_totals.all().gpu_ns, "{}", path.display());
        // No kernel of the corpus has a name that is escaped, but for the number at its end.
        let names = profile.kernel_names().iter();
        let mut expected: Vec<i64> = names.map(|name| name.gpu_time_ns).collect();
        let mut found: Vec<i64> = kernels.into_values().collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{}", path.display());
    }
}

#[test]
fn other_files_say_what_is_known() {
    for path in corpus() {
        let Ok(capture) = Capture::read(&path, &ReadOptions::default()) else { continue };
        let profile = profile_of(&capture);
        let overview = overview(&profile, TimeUnit::Auto);
        let metrics = text(|out| write_prometheus(&overview, "run", out));
        let has = |name: &str| metrics.contains(&format!("\n{name}{{"));
        assert_eq!(has("dlprof_busy_ratio"), overview.tiles.gpu_busy_percent.is_some(), "{}", path.display());
        assert_eq!(has("dlprof_iteration_seconds"), overview.iterations.is_some(), "{}", path.display());
        assert!(!metrics.contains("NaN") && !metrics.contains(" inf"), "{}", path.display());
        let summary = dashboard_markdown(&overview, &DashboardLook::plain());
        assert!(summary.len() < 100_000, "{}: {} bytes", path.display(), summary.len());
        let mut bytes = Vec::new();
        write_events(&profile, &mut bytes).expect("memory takes everything");
        let range = profile.iterations.range().filter(|&number| !profile.iterations.is_outside(number));
        let tag = b"iteration/time_ms";
        let values = bytes.windows(tag.len()).filter(|part| part == tag).count();
        assert_eq!(values, range.count(), "{}", path.display());
        let knows_gpu = bytes.windows(9).any(|part| part == b"step/cpu_");
        assert!(!knows_gpu || profile.has_kernel_records(), "{}", path.display());
    }
}
