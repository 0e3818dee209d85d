//! What people see of a piece when they select it, besides name and times.

use super::event::Values;
use dlprof_core::{OpCallId, OpId, TrackPiece, TrackWork, Tracks, WorkId, WorkKind, memory_kind_name};
use std::io;

/// Writes what is known of pieces.
pub(in crate::formats) struct Details<'a> {
    tracks: &'a Tracks<'a>,
    /// By op: whether it could use Tensor Cores.
    tc_eligible: Vec<bool>,
}

impl<'a> Details<'a> {
    pub(in crate::formats) fn new(tracks: &'a Tracks<'a>) -> Self {
        let profile = tracks.profile();
        let mut tc_eligible = vec![false; profile.index.ops.len()];
        for op in &profile.op_stats {
            tc_eligible[op.op.index()] = op.tc_eligible;
        }
        Self { tracks, tc_eligible }
    }

    /// Writes what is known of a piece.
    pub(in crate::formats) fn write(&self, piece: &TrackPiece, values: &mut Values<'_>) -> io::Result<()> {
        match piece.what {
            TrackWork::Iteration(number) => self.iteration(number, values),
            TrackWork::Work { work, call } => {
                match self.tracks.profile().capture.work_kind(work) {
                    WorkKind::Kernel => {
                        self.kernel(work, values)?;
                        self.tc_eligible(call, values)?;
                    }
                    WorkKind::Copy | WorkKind::Memset => self.transfer(work, values)?,
                }
                self.op(call, values)
            }
            _ => match self.tracks.op_call_of(piece) {
                Some(call) => self.op_call(call, values),
                None => Ok(()),
            },
        }
    }

    fn iteration(&self, number: u32, values: &mut Values<'_>) -> io::Result<()> {
        values.number("iteration", number)?;
        values.text("clock", self.tracks.profile().iterations.windows.clock.as_str())
    }

    /// The op of a call, and the iteration of the call.
    fn op(&self, call: OpCallId, values: &mut Values<'_>) -> io::Result<()> {
        let profile = self.tracks.profile();
        let op: OpId = profile.index.calls.op[call];
        values.text("op", profile.op_name(op))?;
        values.text("op_id", profile.op_id(op))?;
        values.number("iteration", profile.index.calls.iteration[call])
    }

    /// Whether the op of a call could use Tensor Cores.
    fn tc_eligible(&self, call: OpCallId, values: &mut Values<'_>) -> io::Result<()> {
        let op = self.tracks.profile().index.calls.op[call];
        values.number("tc_eligible", self.tc_eligible[op.index()])
    }

    fn op_call(&self, call: OpCallId, values: &mut Values<'_>) -> io::Result<()> {
        let label = self.tracks.profile().capture.label_of(call);
        self.op(call, values)?;
        self.tc_eligible(call, values)?;
        values.text("op_type", &label.op_type)?;
        values.text("direction", label.direction.as_str())?;
        values.text("data_type", &label.data_type)
    }

    fn kernel(&self, kernel: WorkId, values: &mut Values<'_>) -> io::Result<()> {
        let capture = &self.tracks.profile().capture;
        values.text("long_kernel_name", capture.strings.get(capture.kernels.long_name[kernel]))?;
        let config = capture.launch_config(kernel);
        let sizes = |[x, y, z]: [i64; 3]| format!("[{x},{y},{z}]");
        values.number("grid", sizes(config.grid))?;
        values.number("block", sizes(config.block))?;
        let needs = [
            ("registers_per_thread", config.registers),
            ("static_shared_bytes", config.static_shared_bytes),
            ("dynamic_shared_bytes", config.dynamic_shared_bytes),
        ];
        for (key, number) in needs {
            if let Some(number) = number {
                values.number(key, number)?;
            }
        }
        values.text("tensor_cores", capture.judged.tensor_cores[kernel].as_str())?;
        values.text("graph", capture.kernels.graph[kernel].as_str())
    }

    fn transfer(&self, work: WorkId, values: &mut Values<'_>) -> io::Result<()> {
        let capture = &self.tracks.profile().capture;
        let at = work.index() - capture.kernels.short_name.len();
        if let Some(&bytes) = capture.transfers.bytes.get(at) {
            values.number("bytes", bytes)?;
        }
        let kinds = [("from", &capture.copies.source_memory), ("to", &capture.copies.target_memory)];
        for (key, kinds) in kinds {
            if let Some(&kind) = kinds.get(at).filter(|&&kind| kind != UNKNOWN_MEMORY) {
                values.text(key, memory_kind_name(kind))?;
            }
        }
        Ok(())
    }
}

/// The kind of memory that the export does not say.
const UNKNOWN_MEMORY: u8 = 255;
