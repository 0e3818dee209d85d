//! `what-if`: how long an iteration would take with a change.

use crate::console;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use clap::ValueEnum;
use dlprof_core::{AskedChange, Judged, NotReplayed};
use dlprof_export::{what_if_json, what_if_text};

/// A capture, and changes of its program.
pub(crate) struct WhatIf {
    pub(crate) file: CaptureFile,
    pub(crate) changes: Vec<AskedChange>,
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
    let judged = asked.file.open()?;
    let answer = answer(&judged, &asked.changes)?;
    console::print(&match asked.format {
        WhatIfFormat::Text => what_if_text(&answer, asked.file.settings.time_unit),
        WhatIfFormat::Json => what_if_json(&answer),
    })?;
    asked.file.finish(&judged);
    Ok(())
}

/// What changes are asked for in words.
pub(crate) fn parse(words: &[String]) -> Result<Vec<AskedChange>, Failure> {
    let change = |text: &String| {
        AskedChange::parse(text).map_err(|unknown| Failure::Usage {
            message: unknown.to_string(),
            hint: Some(
                "`dlprof-agg what-if --help` lists the forms of edits, `dlprof-agg what-if FILE` the findings whose changes it knows"
                    .into(),
            ),
        })
    };
    words.iter().map(change).collect()
}

/// Which changes can be asked for.
fn known_changes(judged: &Judged) -> String {
    let known: Vec<String> = judged.advised().map(|change| format!("`{}`", change.name())).collect();
    match known.as_slice() {
        [] => "no finding here has a change that is replayed; one in words is, such as `\"kernels like '%gemm%' x 0.5\"`".to_owned(),
        known => format!("findings with changes that are replayed: {}", known.join(", ")),
    }
}

/// The iterations of a profile with changes.
pub(crate) fn answer(judged: &Judged, changes: &[AskedChange]) -> Result<dlprof_core::WhatIf, Failure> {
    let named = changes.iter().map(|change| judged.edits_of(change)).collect::<Result<Vec<_>, _>>();
    let named = named
        .map_err(|why| Failure::Request { message: why.to_string(), hint: Some(known_changes(judged)) })?;
    judged.what_if(&named).map_err(|why| Failure::Request {
        message: why.to_string(),
        hint: Some(match why {
            NotReplayed::NoWork => "`dlprof-agg check FILE` says what the capture holds".into(),
            NotReplayed::TooLong { .. } => {
                "name what delimits iterations with `--key-node`, or cut with `--from` and `--to`".into()
            }
        }),
    })
}
