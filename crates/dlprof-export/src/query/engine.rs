//! Runs the query engine: on one thread, and so that a defect of it is an error.

use super::error::QueryError;
use polars::prelude::PolarsResult;
use polars_async::executor::ALLOW_RAYON_THREADS;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

/// Puts the setting back, also when the work panics.
struct Restore(bool);

impl Drop for Restore {
    fn drop(&mut self) {
        ALLOW_RAYON_THREADS.set(self.0);
    }
}

/// Does some work of the engine.
///
/// One thread: with several, rows are summed in parts whose number is that of the processors, and sums of fractions
/// differ in their last digits. Finished tables are small enough for it. The engine panics on some odd queries
/// (`order by 0`), which is the user's error and no reason to end the process;
/// its text is in the error, so nothing is printed meanwhile.
pub(super) fn guarded<T>(work: impl FnOnce() -> PolarsResult<T>) -> Result<T, QueryError> {
    let _restore = Restore(ALLOW_RAYON_THREADS.replace(false));
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let done = catch_unwind(AssertUnwindSafe(work));
    set_hook(hook);
    match done {
        Ok(done) => done.map_err(QueryError::from),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(QueryError::engine(text.unwrap_or("no reason given")))
        }
    }
}
