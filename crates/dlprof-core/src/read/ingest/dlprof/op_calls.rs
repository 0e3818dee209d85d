//! Table `read_only_op_instances`: op calls.

use super::super::columns::columns;
use super::super::keys::KeyColumn;
use super::super::row::Row;
use super::checked::Checked;
use super::dictionary::{Dictionary, TextId};
use super::ops::Ops;
use super::source::Source;
use super::table_names::{DICTIONARY, OP_CALLS, OPS};
use super::threads::thread_of;
use crate::base::Error;
use crate::base::groups::Grouped;
use crate::base::ids::{self, OpCallId};
use crate::base::time::Span;
use crate::columns::Buffer;
use crate::read::facts::StoredOperands;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

columns! {
    OP "read_only_ops_id";
    CPU_START "cpu_start";
    CPU_STOP "cpu_stop";
    PROCESS "process_id";
    THREAD "thread_id";
    INPUT_NAMES "input_names_id";
    INPUT_SHAPES "input_shapes_id";
    OUTPUT_NAMES "output_names_id";
    OUTPUT_SHAPES "output_shapes_id";
    PARAMETERS "parameters_id";
}

/// The columns of the texts of operands.
const OPERANDS: [usize; 5] = [INPUT_NAMES, INPUT_SHAPES, OUTPUT_NAMES, OUTPUT_SHAPES, PARAMETERS];

/// An op and the texts of its operands; none where an older database has no such column.
type Operands = (u32, [Option<TextId>; 5]);

/// Op calls in row order.
pub(super) struct OpCallRows {
    pub(super) op: Buffer<u32>,
    pub(super) span: Buffer<Span>,
    /// Process and thread, as the operating system numbers them.
    pub(super) thread: KeyColumn<(i64, i64)>,
    /// Position among the distinct operands.
    pub(super) operands: Buffer<u32>,
    pub(super) distinct_operands: Vec<StoredOperands>,
    /// By op: its calls.
    of_op: Grouped<OpCallId>,
    /// The ops, to find the calls of an op.
    by_id: Ops,
}

impl OpCallRows {
    /// The call that a row of another table names by its op and its number among the calls of the op; none if the op is of
    /// another domain.
    pub(super) fn owner(
        &self,
        row: &Row<'_>,
        op: usize,
        instance: usize,
        checked: &mut Checked,
    ) -> Option<OpCallId> {
        let position = self.by_id.find(checked.int(row, op));
        let position = checked.found(position, row, op, OPS)?;
        let number: usize = checked.count(row, instance);
        let calls = self.of_op.get(position as usize);
        if calls.len() <= number {
            checked.note(|| format!("the row is of call {number} of an op with {} calls", calls.len()));
        }
        calls.get(number).copied()
    }

    /// The ops.
    pub(super) fn into_ops(self) -> (Ops, OpCallParts) {
        let Self { op, span, thread, operands, distinct_operands, by_id, .. } = self;
        (by_id, OpCallParts { op, span, thread, operands, distinct_operands })
    }
}

/// Op calls, once no other table refers to them any more.
pub(super) struct OpCallParts {
    pub(super) op: Buffer<u32>,
    pub(super) span: Buffer<Span>,
    pub(super) thread: KeyColumn<(i64, i64)>,
    pub(super) operands: Buffer<u32>,
    pub(super) distinct_operands: Vec<StoredOperands>,
}

struct Reading {
    op: Buffer<u32>,
    span: Buffer<Span>,
    thread: KeyColumn<(i64, i64)>,
    operands: Buffer<u32>,
    distinct: IndexSet<Operands, FxBuildHasher>,
    checked: Checked,
}

pub(super) fn read(source: &Source<'_>, dictionary: &Dictionary, ops: Ops) -> Result<OpCallRows, Error> {
    let database = source.database;
    let rows = usize::try_from(database.row_estimate(OP_CALLS)?).unwrap_or(0);
    let has_operands: Vec<bool> =
        OPERANDS.iter().map(|&column| database.has_column(OP_CALLS, COLUMNS[column])).collect();
    let init = || Reading {
        op: source.memory.buffer(rows),
        span: source.memory.buffer(rows),
        thread: KeyColumn::with_capacity(source.memory, rows),
        operands: source.memory.buffer(rows),
        distinct: IndexSet::default(),
        checked: Checked::default(),
    };
    let reading = database.fold(OP_CALLS, COLUMNS, Some(source.progress), init, |reading, row| {
        reading.push(row, &ops, dictionary, &has_operands);
    })?;
    let Reading { op, span, thread, operands, distinct, checked } = reading;
    checked.finish(database, OP_CALLS)?;
    let calls = ids::all::<OpCallId>(op.len());
    let of_op = Grouped::new(source.memory, ops.ops.len(), calls, |call| Some(op[call.index()] as usize));
    let distinct_operands = distinct.iter().map(|operands| stored(operands, &ops, dictionary)).collect();
    Ok(OpCallRows { op, span, thread, operands, distinct_operands, of_op, by_id: ops })
}

impl Reading {
    fn push(&mut self, row: &Row<'_>, ops: &Ops, dictionary: &Dictionary, has_operands: &[bool]) {
        let Self { checked, .. } = self;
        checked.next_row();
        let op = ops.find(checked.int(row, OP));
        let Some(op) = checked.found(op, row, OP, OPS) else { return };
        self.op.push(op);
        self.span.push(checked.span(row, CPU_START, CPU_STOP));
        self.thread.push(Some(thread_of(row, PROCESS, THREAD, checked)));
        let texts = std::array::from_fn(|at| {
            let column = OPERANDS[at];
            has_operands[at].then(|| {
                let text = dictionary.find(checked.int(row, column));
                checked.found(text, row, column, DICTIONARY)
            })
        });
        let (position, _) = self.distinct.insert_full((op, texts));
        self.operands.push(u32::try_from(position).unwrap_or(u32::MAX));
    }
}

fn stored(&(op, texts): &Operands, ops: &Ops, dictionary: &Dictionary) -> StoredOperands {
    let text = |at: usize| texts[at].map_or("null\n", |text| dictionary.text(text)).to_owned();
    StoredOperands {
        input_names: text(0),
        input_shapes: text(1),
        output_names: text(2),
        output_shapes: text(3),
        parameters: text(4),
        ..ops.formats[op as usize].clone()
    }
}
