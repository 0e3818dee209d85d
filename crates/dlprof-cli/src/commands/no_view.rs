//! `view` in a program that was built without the feature `view`: prints an error.

use crate::exit::Failure;
use crate::view_args::View;

pub(crate) fn run(_: &View) -> Result<(), Failure> {
    Err(Failure::Usage {
        message: "this `dlprof-agg` was built without `view`".into(),
        hint: Some(
            "build it with `cargo install --path crates/dlprof-cli`; `export FILE -o report.html` gives the same \
             pages in one file"
                .into(),
        ),
    })
}
