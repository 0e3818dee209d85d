//! The words of pieces.

use super::{Piece, Tracks, What};
use crate::base::ids::OpCallId;
use crate::capture::correlate::Mode;
use crate::read::facts::WorkKind;
use std::borrow::Cow;

impl<'a> Tracks<'a> {
    /// What viewers show of a piece. A kernel has its short name. A range has its text, but an op call of DLProf's markers its
    /// op's name, because the text of a marker is a list of arguments.
    #[must_use]
    pub fn name(&self, piece: &Piece) -> Cow<'a, str> {
        let capture = &self.profile.capture;
        let host = &capture.host;
        let text = |text| Cow::Borrowed(capture.strings.get(text));
        match piece.what {
            What::Iteration(number) => format!("iteration {number}").into(),
            What::OpCall(call) => self.op_name(call).into(),
            What::Range { call, .. }
                if capture.description.mode == Mode::PytorchMarkers && !call.is_none() =>
            {
                self.op_name(call).into()
            }
            What::Range { thread, range, .. } => {
                let row = self.ranges_of(thread).text[range];
                text(capture.ranges.texts[row.index()].text)
            }
            What::ApiCall(call) => text(capture.api_calls.name[call]),
            What::MpiCall(row) => text(host.mpi.name[..][row]),
            What::OsCall(row) => {
                host.os_calls.as_ref().map_or(Cow::Borrowed(""), |calls| text(calls.name[..][row]))
            }
            What::Overhead(row) => text(host.overheads.name[..][row]),
            What::Work { work, .. } => match capture.work_kind(work) {
                WorkKind::Kernel => text(capture.kernels.short_name[work]),
                WorkKind::Copy => format!("copy {}", capture.copy_kind_name(work)).into(),
                WorkKind::Memset => "memset".into(),
            },
        }
    }

    /// The name of the op of an op call.
    fn op_name(&self, call: OpCallId) -> &'a str {
        self.profile.op_name(self.profile.index.calls.op[call])
    }

    /// What kind of thing a piece is, in a word.
    #[must_use]
    pub fn kind(&self, piece: &Piece) -> &'static str {
        match piece.what {
            What::Iteration(_) => "iteration",
            What::Range { call, .. } if call.is_none() => "range",
            What::OpCall(_) | What::Range { .. } => "op",
            What::ApiCall(_) => "api",
            What::MpiCall(_) => "mpi",
            What::OsCall(_) => "os",
            What::Overhead(_) => "profiler",
            What::Work { work, .. } => match self.profile.capture.work_kind(work) {
                WorkKind::Kernel => "kernel",
                WorkKind::Copy => "copy",
                WorkKind::Memset => "memset",
            },
        }
    }
}
