use crate::reference::rows;
use dlprof_core::{BlockResources, Occupancy, SmLimits};

#[test]
fn every_reference_launch_has_its_occupancy() {
    let Some(rows) = rows("occupancy_cases.csv") else { return };
    assert!(rows.len() >= 84, "the file is complete");
    for row in rows {
        let number = |column: &str| row[column].parse::<u64>().expect("a number");
        let (major, minor) = row["compute_capability"].split_once('.').expect("two numbers");
        let capability = (major.parse().expect("a number"), minor.parse().expect("a number"));
        let block = BlockResources {
            threads: number("block_threads"),
            registers_per_thread: number("registers_per_thread"),
            shared_bytes: number("shared_bytes"),
        };
        let limits = SmLimits::of_capability(capability).expect("a known capability");
        let found = Occupancy::of(block, &limits).expect("a block that exists");
        assert_eq!(found.blocks_per_sm, number("blocks_per_sm"), "{row:?}");
        assert_eq!(found.warps_per_sm, number("warps_per_sm"), "{row:?}");
        assert_eq!(format!("{:.6}", found.percent()), row["occupancy_percent"], "{row:?}");
        assert_eq!(found.limited_by.words(), row["limited_by"], "{row:?}");
    }
}
