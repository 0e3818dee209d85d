//! `what-if`: how long an iteration would take with a change.

use crate::console;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use clap::ValueEnum;
use dlprof_core::{Edit, NotReplayed, Profile, Replay};
use dlprof_export::{what_if_json, what_if_text};

/// A capture, and changes of its program.
pub(crate) struct WhatIf {
    pub(crate) file: CaptureFile,
    pub(crate) edits: Vec<Edit>,
    pub(crate) format: WhatIfFormat,
}

/// How the answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhatIfFormat {
    /// Text for a terminal
    Text,
    /// The figures, with a version of their form
    Json,
}

pub(crate) fn run(asked: &WhatIf) -> Result<(), Failure> {
    let profile = asked.file.open()?;
    let answer = answer(&profile, &asked.edits)?;
    console::print(&match asked.format {
        WhatIfFormat::Text => what_if_text(&answer, asked.file.settings.time_unit),
        WhatIfFormat::Json => what_if_json(&answer),
    })?;
    if profile.holds_other_work() {
        console::print_note(
            "times of kernels hold time of other work: what a change saves of them is not the program's",
        );
    }
    asked.file.finish(&profile);
    Ok(())
}

/// What edits say.
pub(crate) fn parse(edits: &[String]) -> Result<Vec<Edit>, Failure> {
    let edit = |text: &String| {
        Edit::parse(text).map_err(|unknown| Failure::Usage {
            message: unknown.to_string(),
            hint: Some("`dlprof-agg what-if --help` lists the forms of edits".into()),
        })
    };
    edits.iter().map(edit).collect()
}

/// The iterations of a profile with edits.
pub(crate) fn answer(profile: &Profile, edits: &[Edit]) -> Result<dlprof_core::WhatIf, Failure> {
    let replay = Replay::of(profile).map_err(|why| Failure::Request {
        message: why.to_string(),
        hint: Some(match why {
            NotReplayed::NoWork => "`dlprof-agg check FILE` says what the capture holds".into(),
            NotReplayed::TooLong { .. } => {
                "name what delimits iterations with `--key-node`, or cut with `--from` and `--to`".into()
            }
        }),
    })?;
    Ok(replay.what_if(edits))
}
