//! Ops with their calls.

use super::DOMAIN;
use super::calls::{CallWriter, operands};
use super::dictionary::Dictionary;
use super::insert::Insert;
use dlprof_core::{
    Eligibility, Grouped, Label, LabelId, OpCallId, OpId, OpIdentity, Profile, StoredOp, UNASSOCIATED,
};
use rusqlite::{Connection, params};

/// Rows that those of the aggregation refer to.
pub(super) struct OpRows {
    /// By op of the profile: its row.
    pub(super) of_op: Vec<i64>,
    /// By kernel row: its op call.
    pub(super) kernels: Vec<OpCallId>,
}

/// An op to write.
struct OpToWrite<'a> {
    id: &'a str,
    label: LabelId,
    /// The op of the profile; none if it has no calls.
    op: Option<OpId>,
    stored: Option<&'a StoredOp>,
}

/// Writes all ops of the capture, in byte order of name and ID.
pub(super) fn write(
    connection: &Connection,
    profile: &Profile,
    dictionary: &mut Dictionary<'_>,
) -> rusqlite::Result<OpRows> {
    let columns = [
        "domain_id",
        "op_id_id",
        "op_id",
        "op_name",
        "op_type_id",
        "device_id",
        "tc_support_status",
        "data_type_id",
        "data_format_id",
        "output_format_id",
        "parameters_format_id",
        "direction_id",
        "stack_trace",
    ];
    let mut insert = Insert::into(connection, "read_only_ops", &columns)?;
    let mut calls = CallWriter::new(connection, profile)?;
    let mut of_op = vec![0; profile.index.ops.len()];
    let calls_of_op = calls_of_ops(profile);
    for op in ops_to_write(profile) {
        let label = &profile.capture.description.labels[op.label.index()];
        let name = profile.capture.names.get(label.name);
        let operands = operands(profile, op.label);
        let stored = op.stored;
        let row = insert.add(params![
            DOMAIN,
            dictionary.id(op.id)?,
            op.id,
            name,
            dictionary.id(&label.op_type)?,
            dictionary.id(stored.map_or("", |stored| stored.device.as_str()))?,
            stored.map_or_else(|| tc_support_status(label, name), |stored| stored.tc_support_status),
            dictionary.id(&label.data_type)?,
            dictionary.id(&operands.data_format)?,
            dictionary.id(&operands.output_format)?,
            dictionary.id(&operands.parameters_format)?,
            dictionary.id(label.direction.as_str())?,
            label.stack_trace,
        ])?;
        if let Some(op) = op.op {
            of_op[op.index()] = row;
            for (number, &call) in (0..).zip(calls_of_op.get(op.index())) {
                calls.write(call, row, number, dictionary)?;
            }
        }
    }
    let rows = OpRows { of_op, kernels: calls.finish()? };
    write_sub_ops(connection, profile, &rows)?;
    Ok(rows)
}

fn ops_to_write(profile: &Profile) -> Vec<OpToWrite<'_>> {
    let capture = &profile.capture;
    let given = |label: LabelId| match capture.description.labels[label.index()].identity {
        OpIdentity::Given(number) => Some(number as usize),
        OpIdentity::Name | OpIdentity::NameAndOrdinal => None,
    };
    let stored = |label| capture.description.dlprof.as_ref()?.ops.get(given(label)?);
    let of_profile = profile.index.ops.iter().enumerate().map(|(at, op)| OpToWrite {
        id: &op.id,
        label: op.label,
        op: Some(OpId::new(at)),
        stored: stored(op.label),
    });
    let mut ops: Vec<OpToWrite<'_>> = of_profile.collect();
    if let Some(notes) = &capture.description.dlprof {
        let mut has_calls = vec![false; notes.ops.len()];
        ops.iter().filter_map(|op| given(op.label)).for_each(|number| has_calls[number] = true);
        for label in (0..capture.description.labels.len()).map(LabelId::new) {
            let Some(number) = given(label).filter(|&number| !has_calls[number]) else { continue };
            let stored = &notes.ops[number];
            ops.push(OpToWrite { id: &stored.id, label, op: None, stored: Some(stored) });
        }
    }
    let name = |op: &OpToWrite<'_>| capture.names.get(capture.description.labels[op.label.index()].name);
    ops.sort_by(|a, b| (name(a), a.id).cmp(&(name(b), b.id)));
    ops
}

/// By op: its calls by start. Those of a DLProf database keep their order.
fn calls_of_ops(profile: &Profile) -> Grouped<OpCallId> {
    let capture = &profile.capture;
    let is_stored = capture.description.dlprof.is_some();
    let order = |&call: &OpCallId| match is_stored {
        true => (0, std::cmp::Reverse(0), call),
        false => {
            (capture.op_calls.span[call].start, std::cmp::Reverse(capture.op_calls.span[call].end), call)
        }
    };
    let op = |call: OpCallId| Some(profile.index.calls.op[call].index());
    Grouped::sorted(&capture.memory, profile.index.ops.len(), capture.op_calls.ids(), op, order)
}

/// DLProf's number for what is known of Tensor Cores; 4 is ours, for ranges of users, whose type says nothing.
fn tc_support_status(label: &Label, name: &str) -> i64 {
    match label.eligibility {
        _ if name.starts_with(UNASSOCIATED) => 2,
        Eligibility::Eligible => 0,
        Eligibility::NotEligible => 3,
        Eligibility::WhenUsed => 4,
    }
}

fn write_sub_ops(connection: &Connection, profile: &Profile, rows: &OpRows) -> rusqlite::Result<()> {
    let Some(notes) = &profile.capture.description.dlprof else { return Ok(()) };
    let number = |label: LabelId| match profile.capture.description.labels[label.index()].identity {
        OpIdentity::Given(number) => number,
        OpIdentity::Name | OpIdentity::NameAndOrdinal => u32::MAX,
    };
    let mut insert = Insert::into(connection, "read_only_sub_ops", &["op_id", "start_time", "stop_time"])?;
    for (op, [start, stop]) in &notes.sub_ops {
        let place = profile.index.ops.iter().position(|known| number(known.label) == *op);
        if let Some(place) = place {
            insert.add([rows.of_op[place], *start, *stop])?;
        }
    }
    Ok(())
}
