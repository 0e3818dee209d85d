use crate::reference::{exports, rows, say};
use dlprof_core::{Device, PeakSource, PeakTable, Peaks, device_peaks};
use rusqlite::Connection;

#[test]
fn every_reference_gpu_is_found_with_its_peaks() {
    let Some(rows) = rows("gpu_peaks.csv") else { return };
    assert!(rows.len() >= 86, "the file is complete");
    let table = PeakTable::with_user(&[]);
    for row in rows {
        let number = |column: &str| row[column].parse::<f64>().ok();
        let found = table.find(&row["name"], row["sms"].parse().ok());
        let found = found.unwrap_or_else(|| panic!("not found: {}", row["name"]));
        let expected = Peaks {
            gb_per_s: number("gb_per_s"),
            fp32: number("fp32"),
            fp64: number("fp64"),
            fp64_matrix: number("fp64_tensor"),
            tf32: number("tf32"),
            fp16: number("fp16_tensor"),
            bf16: number("bf16_tensor"),
            fp8: number("fp8"),
            int8: number("int8"),
        };
        assert_eq!(found.peaks, expected, "{}", row["name"]);
        let (major, minor) = found.compute_capability.expect("built-in rows have one");
        assert_eq!(format!("{major}.{minor}"), row["cc"], "{}", row["name"]);
    }
}

/// The GPUs of an export; none where the table is missing or from before 2021.
fn devices(connection: &Connection) -> Vec<Device> {
    let sql =
        "SELECT name, computeMajor, computeMinor, smCount, clockRate, memoryBandwidth FROM TARGET_INFO_GPU";
    let Ok(mut statement) = connection.prepare(sql) else { return Vec::new() };
    let read = |row: &rusqlite::Row<'_>| {
        let major: Option<i64> = row.get(1)?;
        Ok(Device {
            name: row.get(0)?,
            compute_capability: major.zip(row.get(2)?),
            sm_count: row.get(3)?,
            clock_hz: row.get(4)?,
            memory_bandwidth: row.get(5)?,
            ..Device::default()
        })
    };
    let found = statement.query_map([], read).expect("a query");
    let found = found.map(|device| device.expect("a row"));
    found.filter(|device| device.compute_capability.is_some_and(|(major, _)| major > 0)).collect()
}

#[test]
fn every_gpu_of_a_real_export_is_in_the_table() {
    let table = PeakTable::with_user(&[]);
    let mut names = std::collections::BTreeSet::new();
    for (file, connection) in exports() {
        for device in devices(&connection) {
            let found = device_peaks(&device, &table);
            let name = device.name.clone().unwrap_or_default();
            let row = found.row.unwrap_or_else(|| panic!("{file}: `{name}` is not in the table"));
            assert_eq!(found.source, PeakSource::Export, "{file}");
            assert_eq!(row.compute_capability, device.compute_capability, "{file}: {name}");
            // Boards are clocked at the reference or above, never below.
            let above = found.peaks.fp32.zip(row.peaks.fp32).map(|(own, listed)| own / listed - 1.0);
            assert!(above.is_some_and(|above| (-0.005..0.075).contains(&above)), "{file}: {name}: {above:?}");
            let near = |own: Option<f64>, listed: Option<f64>| match (own, listed) {
                (Some(own), Some(listed)) => (own / listed - 1.0).abs() < 0.08,
                (own, listed) => own.is_none() && listed.is_none(),
            };
            let pairs =
                |peaks: &Peaks| [peaks.gb_per_s, peaks.fp64, peaks.tf32, peaks.fp16, peaks.bf16, peaks.fp8];
            for (own, listed) in pairs(&found.peaks).into_iter().zip(pairs(&row.peaks)) {
                assert!(near(own, listed), "{file}: {name}: {:?} against {:?}", found.peaks, row.peaks);
            }
            names.insert(name);
        }
        // The table of 2020 has names and nothing else.
        if let Ok(name) = connection.query_row("SELECT name FROM TARGET_INFO_CUDA_GPU", [], |row| row.get(0))
        {
            let device = Device { name: Some(name), ..Device::default() };
            let found = device_peaks(&device, &table);
            assert_eq!(found.source, PeakSource::Table, "{file}: {:?}", device.name);
            names.insert(device.name.unwrap_or_default());
        }
    }
    if !names.is_empty() {
        say(format_args!("{} names of GPUs found: {names:?}", names.len()));
        assert!(names.len() >= 15);
    }
}
