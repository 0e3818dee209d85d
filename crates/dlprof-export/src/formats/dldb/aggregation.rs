//! The aggregation: everything that depends on key node and range.

use super::dictionary::Dictionary;
use super::insert::Insert;
use super::metrics::MetricWriter;
use super::ops::OpRows;
use super::totals::Totals;
use super::{AGGREGATION, expert_systems, iterations, nodes};
use dlprof_core::{DLPROFS_KEY_NODE, Judged, Mode, Profile};
use rusqlite::{Connection, params};

/// User, host, start and end of an aggregation that this tool made: the same input gives the same bytes.
const NOBODY: [&str; 4] = ["", "", "1970-01-01 00:00:00", "0"];

pub(super) fn write(
    connection: &Connection,
    judged: &Judged,
    rows: &OpRows,
    dictionary: &mut Dictionary<'_>,
) -> rusqlite::Result<()> {
    let profile = judged.profile();
    let stored = profile.capture.description.dlprof.as_ref().and_then(|notes| notes.aggregation.as_ref());
    let [user, host, start, end] = stored.map_or(NOBODY, |stored| stored.made.each_ref().map(String::as_str));
    let columns = ["server_user_name", "server_host_name", "start_timestamp", "end_timestamp"];
    Insert::into(connection, "aggregations", &columns)?.add(params![user, host, start, end])?;
    let key_node = key_node(profile);
    expert_systems::write(connection, judged, key_node)?;
    let key_node = dictionary.id(key_node)?;
    Insert::into(connection, "iteration_key", &["aggr_id", "key_node_id"])?.add([AGGREGATION, key_node])?;
    iterations::write_lists(connection, profile)?;
    let mut totals = Totals::new(connection)?;
    totals.write_model(profile, key_node)?;
    totals.write_devices(profile)?;
    let mut metrics = MetricWriter::new(connection)?;
    nodes::write_ops(connection, profile, rows, &mut metrics)?;
    nodes::write_groups(connection, profile, &mut metrics, dictionary)?;
    nodes::write_kernels(connection, profile, rows, &mut metrics, dictionary)?;
    iterations::write_kernels(connection, profile, rows)?;
    totals.write_kernels(profile)?;
    nodes::write_op_types(connection, profile, &mut metrics, dictionary)
}

/// The key node: that of the profile, or what the database that was read names although it never ran, or what DLProf looks for.
fn key_node(profile: &Profile) -> &str {
    let stored = profile.capture.description.dlprof.as_ref().and_then(|notes| notes.aggregation.as_ref());
    match (&profile.iterations.key_node, stored) {
        (Some(key_node), _) => &key_node.name,
        (None, Some(stored)) => &stored.key_node,
        (None, None) if profile.capture.description.mode == Mode::Tensorflow => DLPROFS_KEY_NODE,
        (None, None) => "",
    }
}
