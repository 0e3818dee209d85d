//! Kernels by name, computed from real exports, against reference documents.

use crate::reference::{document, export_paths, exports, open, say};
use dlprof_core::{
    BlockResources, Capture, Device, KernelName, KeyNodeChoice, LaunchFill, LossSum, RangeChoice,
    ReadOptions, SmLimits,
};
use rusqlite::Connection;
use std::collections::HashMap;

/// Device facts by CUDA ordinal.
fn devices(connection: &Connection) -> HashMap<i64, Device> {
    let sql =
        "SELECT cuDevice, computeMajor, computeMinor, smCount FROM TARGET_INFO_GPU WHERE computeMajor > 0";
    let Ok(mut statement) = connection.prepare(sql) else { return HashMap::new() };
    let read = |row: &rusqlite::Row<'_>| {
        let capability = Some((row.get(1)?, row.get(2)?));
        let facts = Device { compute_capability: capability, sm_count: row.get(3)?, ..Device::default() };
        Ok((row.get::<_, Option<i64>>(0)?.unwrap_or(0), facts))
    };
    statement.query_map([], read).expect("a query").map(|row| row.expect("a row")).collect()
}

/// Launches of kernels of one name.
#[derive(Default)]
struct Sum {
    name: String,
    launches: u64,
    time_ns: i64,
    has_waves: bool,
    tail: LossSum,
    underfill: LossSum,
    /// Time of launches whose occupancy is known, and the same weighted by the occupancy.
    known_ns: f64,
    occupied_ns: f64,
}

/// The figures of a name: launches, time, time lost to tails and to small grids, occupancy in percent.
type Figures = (u64, i64, Option<i64>, Option<i64>, Option<String>);

impl Sum {
    fn push(&mut self, duration: i64, fill: &LaunchFill) {
        self.launches += 1;
        self.time_ns += duration;
        let Some(occupancy) = fill.occupancy.filter(|occupancy| occupancy.warps_per_sm > 0) else { return };
        let float = |number: u64| f64::from(u32::try_from(number).expect("a small number"));
        let time = float(duration.cast_unsigned());
        let (warps, most) = (float(occupancy.warps_per_sm), float(occupancy.most_warps));
        self.known_ns += time;
        self.occupied_ns += time * warps / most;
        if let Some(waves) = fill.waves {
            self.has_waves = true;
            self.tail.push(waves.tail, duration);
            self.underfill.push(waves.underfill, duration);
        }
    }

    fn figures(&self) -> Figures {
        let loss = |sum: &LossSum| self.has_waves.then(|| sum.rounded());
        let occupancy = (self.known_ns > 0.0).then(|| 100.0 * self.occupied_ns / self.known_ns);
        let occupancy = occupancy.map(|percent| format!("{percent:.6}"));
        (self.launches, self.time_ns, loss(&self.tail), loss(&self.underfill), occupancy)
    }
}

/// Kernels that start in a window by name, most time first, then by name.
fn names_of(connection: &Connection, window: (i64, i64)) -> Option<Vec<Sum>> {
    let sql = "SELECT s.value, k.end - k.start, k.deviceId, k.gridX * k.gridY * k.gridZ, k.blockX * k.blockY * k.blockZ, \
               k.registersPerThread, k.staticSharedMemory + k.dynamicSharedMemory \
               FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName \
               WHERE k.start >= ?1 AND k.start < ?2 ORDER BY k.start";
    let devices = devices(connection);
    let mut statement = connection.prepare(sql).ok()?;
    let mut rows = statement.query([window.0, window.1]).ok()?;
    let mut sums: HashMap<String, Sum> = HashMap::new();
    while let Some(row) = rows.next().expect("a row") {
        let number = |column| row.get::<_, i64>(column).expect("a number").cast_unsigned();
        let device = devices.get(&row.get(2).expect("a device"))?;
        let block =
            BlockResources { threads: number(4), registers_per_thread: number(5), shared_bytes: number(6) };
        let sms = device.sm_count.map(i64::cast_unsigned);
        let fill = LaunchFill::of(number(3), block, SmLimits::of_device(device).as_ref(), sms);
        let name = row.get(0).expect("a text");
        sums.entry(name).or_default().push(row.get(1).expect("a duration"), &fill);
    }
    for (name, duration) in whole_graphs(connection, window) {
        sums.entry(name).or_default().push(duration, &LaunchFill::default());
    }
    let mut sums: Vec<Sum> = sums.into_iter().map(|(name, sum)| Sum { name, ..sum }).collect();
    sums.sort_by(|a, b| b.time_ns.cmp(&a.time_ns).then_with(|| a.name.cmp(&b.name)));
    Some(sums)
}

/// Launches of whole graphs, each a kernel of a grid that is not known; none where the table is missing.
fn whole_graphs(connection: &Connection, window: (i64, i64)) -> Vec<(String, i64)> {
    let sql =
        "SELECT graphId, end - start FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE WHERE start >= ?1 AND start < ?2";
    let Ok(mut statement) = connection.prepare(sql) else { return Vec::new() };
    let read = |row: &rusqlite::Row<'_>| Ok((format!("CUDA graph {}", row.get::<_, i64>(0)?), row.get(1)?));
    let rows = statement.query_map([window.0, window.1], read).expect("a query");
    rows.map(|row| row.expect("a row")).collect()
}

/// Whether times of the export are as recorded, so that limits of the document are limits in the file.
fn is_unshifted(connection: &Connection) -> bool {
    let shift = ["META_DATA_EXPORT", "EXPORT_META_DATA"].into_iter().find_map(|table| {
        let sql = format!("SELECT value FROM {table} WHERE name = 'EXPORT_CONFIG_TIME_SHIFT'");
        connection.query_row(&sql, [], |row| row.get::<_, String>(0)).ok()
    });
    shift.is_none_or(|shift| shift == "0")
}

#[test]
fn kernels_by_name_equal_the_reference() {
    let mut compared = 0;
    for (file, connection) in exports() {
        let Some(document) = document(&file) else { continue };
        let limits = document["boundaries"].as_array().cloned().unwrap_or_default();
        let limits: Vec<i64> = limits.iter().filter_map(serde_json::Value::as_i64).collect();
        let (Some(&first), Some(&last)) = (limits.first(), limits.last()) else { continue };
        let expected = document["kernels"].as_array().cloned().unwrap_or_default();
        if !is_unshifted(&connection) || expected.is_empty() {
            continue;
        }
        let Some(names) = names_of(&connection, (first, last)) else { continue };
        for (row, expected) in names.iter().zip(&expected) {
            let case = format!("{file}: {}", row.name);
            let occupancy = expected["occupancy_time_weighted"].as_f64();
            let reference: Figures = (
                expected["launches"].as_u64().expect("a number"),
                expected["gpu_time_ns"].as_i64().expect("a number"),
                expected["tail_loss_ns"].as_i64(),
                expected["underfill_loss_ns"].as_i64(),
                occupancy.map(|share| format!("{:.4}", 100.0 * share)),
            );
            let (launches, time_ns, tail, underfill, occupancy) = row.figures();
            let occupancy =
                occupancy.map(|percent| format!("{:.4}", percent.parse::<f64>().expect("a number")));
            assert_eq!(
                row.name.chars().take(160).collect::<String>(),
                expected["name"].as_str().expect("a text")
            );
            assert_eq!((launches, time_ns, tail, underfill, occupancy), reference, "{case}");
            compared += 1;
        }
    }
    say(format_args!("{compared} kernel names compared with the reference"));
}

/// What a profile says of all kernels is what plain SQL over the export says.
#[test]
fn profiles_know_kernels_as_the_export_does() {
    let mut compared = 0;
    for (file, path) in export_paths() {
        let Ok(capture) = Capture::read(&path, &ReadOptions::default()) else { continue };
        let index = capture.index(&KeyNodeChoice::None).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        let Some(expected) = names_of(&open(&path), (i64::MIN, i64::MAX)) else { continue };
        let figures = |row: &KernelName| -> Figures {
            let occupancy = row.occupancy_percent.map(|percent| format!("{percent:.6}"));
            (row.calls, row.gpu_time_ns, row.tail_loss_ns, row.underfill_loss_ns, occupancy)
        };
        let found = profile.kernel_names();
        assert_eq!(found.len(), expected.len(), "{file}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(profile.capture.strings.get(found.name), expected.name, "{file}");
            assert_eq!(figures(found), expected.figures(), "{file}: {}", expected.name);
            compared += 1;
        }
    }
    say(format_args!("{compared} kernel names of profiles compared with plain SQL"));
}
