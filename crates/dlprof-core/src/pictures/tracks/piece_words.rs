//! The words of pieces.

use super::{TrackPiece, TrackWork, Tracks};
use crate::base::ids::OpCallId;
use crate::capture::correlate::Mode;
use crate::read::facts::WorkKind;
use std::borrow::Cow;

impl<'a> Tracks<'a> {
    /// What viewers show of a piece. A kernel has its short name. A range has its text, but an op call of DLProf's markers its
    /// op's name, because the text of a marker is a list of arguments.
    #[must_use]
    pub fn name(&self, piece: &TrackPiece) -> Cow<'a, str> {
        let capture = &self.profile.capture;
        let host = &capture.host;
        let text = |text| Cow::Borrowed(capture.strings.get(text));
        match piece.what {
            TrackWork::Iteration(number) => format!("iteration {number}").into(),
            TrackWork::OpCall(call) => self.op_name(call).into(),
            TrackWork::Range { call: Some(call), .. } if capture.description.mode == Mode::PytorchMarkers => {
                self.op_name(call).into()
            }
            TrackWork::Range { thread, range, .. } => {
                let row = self.ranges_of(thread).text[range];
                text(capture.ranges.texts[row.index()].text)
            }
            TrackWork::ApiCall(call) => text(capture.api_calls.name[call]),
            TrackWork::MpiCall(row) => text(host.mpi.name[..][row]),
            TrackWork::OsCall(row) => {
                host.os_calls.as_ref().map_or(Cow::Borrowed(""), |calls| text(calls.name[..][row]))
            }
            TrackWork::Overhead(row) => text(host.overheads.name[..][row]),
            TrackWork::Work { work, .. } => match capture.work_kind(work) {
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
    pub fn kind(&self, piece: &TrackPiece) -> &'static str {
        match piece.what {
            TrackWork::Iteration(_) => "iteration",
            TrackWork::Range { call, .. } if call.is_none() => "range",
            TrackWork::OpCall(_) | TrackWork::Range { .. } => "op",
            TrackWork::ApiCall(_) => "api",
            TrackWork::MpiCall(_) => "mpi",
            TrackWork::OsCall(_) => "os",
            TrackWork::Overhead(_) => "profiler",
            TrackWork::Work { work, .. } => match self.profile.capture.work_kind(work) {
                WorkKind::Kernel => "kernel",
                WorkKind::Copy => "copy",
                WorkKind::Memset => "memset",
            },
        }
    }
}
