//! `query` in a program that was built without the feature `polars`: prints an error.

use crate::exit::Failure;
use crate::output_args::Query;

pub(crate) fn run(_: &Query) -> Result<(), Failure> {
    Err(Failure::Usage {
        message: "this `dlprof-agg` was built without `query`".into(),
        hint: Some(
            "build it with `cargo install --path crates/dlprof-cli --features polars`; `show` and `export` \
             give whole tables"
                .into(),
        ),
    })
}
