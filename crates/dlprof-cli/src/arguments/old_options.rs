//! Options of `dlprof` that old command lines have and that change nothing here: they are taken, and a note says so.

use crate::console;
use clap::Args;

/// Options without effect.
#[derive(Debug, Clone, Args)]
pub(crate) struct OldOptions {
    #[arg(short = 'b', long, alias = "suppress_tb_files", value_name = "BOOL", hide = true,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    suppress_tb_files: Option<bool>,
    #[arg(long, alias = "tb_dir", value_name = "DIR", hide = true)]
    tb_dir: Option<String>,
    #[arg(long, alias = "dump_model_data", value_name = "BOOL", hide = true,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    dump_model_data: Option<bool>,
    #[arg(long, value_name = "FILE", hide = true)]
    graphdef: Option<String>,
    #[arg(long, value_name = "LIST", hide = true)]
    domains: Option<String>,
}

impl OldOptions {
    /// Says which of them were given and have no effect.
    pub(crate) fn note(&self) {
        let without_effect = [
            (
                self.tb_dir.is_some(),
                "--tb_dir",
                "`dlprof-agg export FILE --format tensorboard -o runs/` writes files for TensorBoard",
            ),
            (
                self.dump_model_data == Some(true),
                "--dump_model_data",
                "`dlprof-agg export FILE -o profile.json` writes all tables",
            ),
            (self.graphdef.is_some(), "--graphdef", "ops are those of the NVTX ranges"),
            (self.domains.is_some(), "--domains", "ranges of all domains are read"),
        ];
        for (_, option, why) in without_effect.into_iter().filter(|(is_given, ..)| *is_given) {
            console::print_note(&format!("`{option}` has no effect: {why}"));
        }
    }
}
