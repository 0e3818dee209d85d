//! Kernels by name, computed from real exports, against reference documents.

use crate::reference::{document, export_paths, exports, open, say};
use dlprof_core::by_name::{KernelLaunch, KernelName, KernelNameSums};
use dlprof_core::correlate::TensorCores;
use dlprof_core::facts::Device;
use dlprof_core::gpu::{BlockResources, LaunchFill, SmLimits};
use dlprof_core::ids::{DeviceId, LaunchConfigId, StrId};
use dlprof_core::strings::StringPool;
use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
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

/// Kernels that start in a window, by name.
fn names_of(connection: &Connection, window: (i64, i64)) -> Option<(Vec<KernelName>, StringPool)> {
    let sql = "SELECT s.value, k.end - k.start, k.deviceId, k.gridX * k.gridY * k.gridZ, k.blockX * k.blockY * k.blockZ, \
               k.registersPerThread, k.staticSharedMemory + k.dynamicSharedMemory \
               FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName \
               WHERE k.start >= ?1 AND k.start < ?2 ORDER BY k.start";
    let devices = devices(connection);
    let mut pool = StringPool::default();
    let mut statement = connection.prepare(sql).ok()?;
    let mut rows = statement.query([window.0, window.1]).ok()?;
    let (mut launches, mut fills) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next().expect("a row") {
        let number = |column| row.get::<_, i64>(column).expect("a number").cast_unsigned();
        let device = devices.get(&row.get(2).expect("a device"))?;
        let block =
            BlockResources { threads: number(4), registers_per_thread: number(5), shared_bytes: number(6) };
        let sms = device.sm_count.map(i64::cast_unsigned);
        launches.push(KernelLaunch {
            name: pool.intern(&row.get::<_, String>(0).expect("a text")),
            start: 0,
            duration: row.get(1).expect("a duration"),
            tensor_cores: TensorCores::NotUsed,
            config: LaunchConfigId::new(fills.len()),
            device: DeviceId::new(0),
            op: None,
        });
        fills.push(LaunchFill::of(number(3), block, SmLimits::of_device(device).as_ref(), sms));
    }
    launches.extend(whole_graphs(connection, window, &mut pool, fills.len()));
    let fill_of = |config: LaunchConfigId, _| fills.get(config.index()).copied().unwrap_or_default();
    let names = KernelNameSums::of(launches.into_iter()).rows(|name: StrId| pool.get(name), fill_of);
    Some((names, pool))
}

/// Launches of whole graphs, each a kernel of a grid that is `unknown`; none where the table is missing.
fn whole_graphs(
    connection: &Connection,
    window: (i64, i64),
    pool: &mut StringPool,
    unknown: usize,
) -> Vec<KernelLaunch> {
    let sql =
        "SELECT graphId, end - start FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE WHERE start >= ?1 AND start < ?2";
    let Ok(mut statement) = connection.prepare(sql) else { return Vec::new() };
    let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
    let rows = statement.query_map([window.0, window.1], read).expect("a query");
    let launch = |(graph, duration)| KernelLaunch {
        name: pool.intern(&format!("CUDA graph {graph}")),
        start: 0,
        duration,
        tensor_cores: TensorCores::Unknown,
        config: LaunchConfigId::new(unknown),
        device: DeviceId::new(0),
        op: None,
    };
    rows.map(|row| row.expect("a row")).map(launch).collect()
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
        let Some((names, pool)) = names_of(&connection, (first, last)) else { continue };
        for (row, expected) in names.iter().zip(&expected) {
            let text = pool.get(row.name);
            let case = format!("{file}: {text}");
            assert_eq!(
                text.chars().take(160).collect::<String>(),
                expected["name"].as_str().expect("a text")
            );
            assert_eq!(Some(row.calls), expected["launches"].as_u64(), "{case}");
            assert_eq!(Some(row.gpu_time_ns), expected["gpu_time_ns"].as_i64(), "{case}");
            assert_eq!(row.tail_loss_ns, expected["tail_loss_ns"].as_i64(), "{case}");
            assert_eq!(row.underfill_loss_ns, expected["underfill_loss_ns"].as_i64(), "{case}");
            let occupancy = expected["occupancy_time_weighted"].as_f64();
            let found = row.occupancy_percent.map(|percent| format!("{:.6}", percent / 100.0));
            assert_eq!(found, occupancy.map(|share| format!("{share:.6}")), "{case}");
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
        let Some((expected, pool)) = names_of(&open(&path), (i64::MIN, i64::MAX)) else { continue };
        let figures = |row: &KernelName| {
            let occupancy = row.occupancy_percent.map(|percent| format!("{percent:.6}"));
            (row.calls, row.gpu_time_ns, row.tail_loss_ns, row.underfill_loss_ns, occupancy)
        };
        let found = profile.kernel_names();
        assert_eq!(found.len(), expected.len(), "{file}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(profile.capture.strings.get(found.name), pool.get(expected.name), "{file}");
            assert_eq!(figures(found), figures(expected), "{file}: {}", pool.get(expected.name));
            compared += 1;
        }
    }
    say(format_args!("{compared} kernel names of profiles compared with plain SQL"));
}
