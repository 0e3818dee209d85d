//! Counters of Nsight Compute, and the command that measures them.

use crate::counters::roofline_figure;
use crate::ncu_command::{ncu_command, nothing_to_measure};
use crate::roofline::{RooflineOf, RooflinePicture};
use dlprof_core::{Judged, MemoryLevel, Profile};
use serde::Serialize;

/// What the view of counters shows besides tables.
#[derive(Debug, Clone, Serialize)]
pub struct Counters {
    /// The command that measures the kernels with most time; none of a file, and where `ncu` cannot measure any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// What the capture is, where `ncu` cannot measure any; none of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_command: Option<&'static str>,
    /// Rooflines; none without counters.
    pub rooflines: Vec<RooflineChoice>,
}

/// A command to copy.
#[derive(Debug, Clone, Serialize)]
pub struct Command {
    /// The command in one line.
    pub line: String,
    /// What it measures.
    pub measures: String,
    /// What may have to be changed.
    pub remarks: Vec<String>,
}

/// A roofline, and by which choice it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct RooflineChoice {
    /// `kernels` or `ops`.
    pub of: &'static str,
    /// `dram` or `all`.
    pub levels: &'static str,
    /// The picture.
    pub picture: RooflinePicture,
}

impl Counters {
    /// What counters say, and the command that measures them.
    #[must_use]
    pub fn with_command(judged: &Judged) -> Self {
        let (command, no_command) = match ncu_command(judged) {
            Ok(command) => {
                let line = command.line();
                (Some(Command { line, measures: command.measures, remarks: command.remarks }), None)
            }
            Err(why) => (None, Some(nothing_to_measure(why))),
        };
        Self { command, no_command, rooflines: rooflines(judged) }
    }

    /// What counters say; `None` without counters.
    pub(super) fn of_file(judged: &Judged) -> Option<Self> {
        let rooflines = rooflines(judged);
        (!rooflines.is_empty()).then_some(Self { command: None, no_command: None, rooflines })
    }
}

/// The rooflines of kernels and of ops, with DRAM alone and with all memories.
fn rooflines(profile: &Profile) -> Vec<RooflineChoice> {
    let levels: [(&str, &[MemoryLevel]); 2] = [("dram", &[MemoryLevel::Dram]), ("all", &MemoryLevel::ALL)];
    let mut choices = Vec::new();
    for of in [RooflineOf::Kernels, RooflineOf::Ops] {
        for (name, levels) in levels {
            if let Some(figure) = roofline_figure(profile, of, levels) {
                let picture = RooflinePicture::new(&figure);
                choices.push(RooflineChoice { of: of.as_str(), levels: name, picture });
            }
        }
    }
    choices
}
