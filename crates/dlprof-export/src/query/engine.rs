//! Runs the query engine on one thread, and turns a panic of the engine into an error.

use super::error::QueryError;
use polars::prelude::PolarsResult;
use polars_async::executor::ALLOW_RAYON_THREADS;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

/// Restores the setting, even if the work panics.
struct Restore(bool);

impl Drop for Restore {
    fn drop(&mut self) {
        ALLOW_RAYON_THREADS.set(self.0);
    }
}

/// Runs a piece of work of the engine.
///
/// It uses one thread. With several threads the rows are summed in as many parts as there are processors, and sums
/// of fractions would differ in their last digits. One thread is enough for finished tables, which are small. The
/// engine panics on some unusual queries (`order by 0`). That is an error of the user and must not end the process.
/// The text of the panic is in the error, so it is not printed here.
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
