//! The command line of `what-if`.

use super::analysis::Analysis;
use super::value_help::with_values;
use crate::commands::what_if::{self, WhatIfFormat};
use crate::exit::Failure;
use clap::Args;
use dlprof_core::EDIT_FORMS;

/// A capture, and changes of its program.
#[derive(Debug, Args)]
pub(crate) struct WhatIf {
    #[arg(
        value_name = "EDIT",
        index = 2,
        help = "Changes, such as \"kernels like '%gemm%' x 0.5\", \"no waits\", or names of findings",
        long_help = edits_help()
    )]
    pub(crate) edits: Vec<String>,
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true,
        hide_possible_values = true,
        help = "text, json [default: text]",
        long_help = with_values::<WhatIfFormat>("How to write the answer [default: text]")
    )]
    pub(crate) format: WhatIfFormat,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

fn edits_help() -> String {
    let forms = EDIT_FORMS.iter().map(|(form, meaning)| format!("  {form}\n      {meaning}"));
    let forms = forms.collect::<Vec<_>>().join("\n");
    format!(
        "Changes of the program, which are made in order; without one, what the iterations wait for now, and what the change of each \
         finding saves. A change is one argument: the name of a finding, as in `fp32_matrix`, for what it advises, or an edit in one of \
         these forms (%: any text, _: any character):\n\n{forms}"
    )
}

impl WhatIf {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<what_if::WhatIf, Failure> {
        let changes = what_if::parse(&self.edits)?;
        Ok(what_if::WhatIf { file: self.analysis.capture()?, changes, format: self.format })
    }
}
