//! Long work beside Python's thread, which Ctrl-C ends; and what must not happen after `fork`.
//!
//! Work runs on a thread of its own, which never touches Python. Python's thread waits for it without the interpreter's lock, and now
//! and then takes the lock to see whether a signal came and to tell how far the work is. If it is to end, the work is told so and
//! left to itself: it ends with the next row or stage.
//!
//! A process that was forked has the memory of its parent but none of its threads. What the parent's threads held stays held, so
//! nothing of a parent that has worked is used or freed in a child: a clear error, and never a thread that waits for ever.
//!
//! At the end of the process, work that is left to itself has two seconds to end; what it has begun to write is removed.

use crate::errors::{misused, raised};
use dlprof_cli::library::{Hears, Refusal};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The process that worked first; 0 until one does.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// How often Python's thread looks whether a signal came.
const PATIENCE: Duration = Duration::from_millis(40);

/// Whether this process was forked from one that has worked.
fn is_forked() -> bool {
    let owner = OWNER.load(Ordering::Relaxed);
    owner != 0 && owner != std::process::id()
}

/// To be called before anything is read or made.
pub(crate) fn enter(py: Python<'_>) -> PyResult<()> {
    if is_forked() {
        return Err(misused(
            py,
            "dlprof_agg was used before this process was forked, and cannot be used in the child",
            "start processes with the method `spawn` or `forkserver`, or read captures in children only",
        ));
    }
    OWNER.store(std::process::id(), Ordering::Relaxed);
    Ok(())
}

/// Work that has not ended.
static WORKING: AtomicUsize = AtomicUsize::new(0);

/// Whether the process ends, and all work with it.
static IS_LEAVING: AtomicBool = AtomicBool::new(false);

/// How long the end of the process waits for work that is told to end.
const LONGEST_LEAVING: Duration = Duration::from_secs(2);

/// To be called when the process ends: work that Ctrl-C left to itself ends, and nothing half-written stays.
#[pyfunction]
pub(crate) fn leave(py: Python<'_>) {
    if is_forked() {
        return;
    }
    IS_LEAVING.store(true, Ordering::Relaxed);
    py.detach(|| {
        let begun = Instant::now();
        while WORKING.load(Ordering::Acquire) > 0 && begun.elapsed() < LONGEST_LEAVING {
            std::thread::sleep(PATIENCE / 4);
        }
        if WORKING.load(Ordering::Acquire) > 0 {
            dlprof_core::clear_begun();
        }
    });
}

/// A value that is neither used nor freed in a forked process.
pub(crate) struct Owned<T>(Option<T>);

impl<T> Owned<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// The value, if this process may use it.
    pub(crate) fn get(&self, py: Python<'_>) -> PyResult<&T> {
        enter(py)?;
        self.get_ref().ok_or_else(|| PyRuntimeError::new_err("the value is gone"))
    }

    /// The same for what knows no Python.
    pub(crate) fn get_ref(&self) -> Option<&T> {
        self.0.as_ref().filter(|_| !is_forked())
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut().filter(|_| !is_forked())
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if is_forked() {
            std::mem::forget(self.0.take());
        }
    }
}

/// How far work is, and whether it is to end.
#[derive(Default)]
pub(crate) struct Watch {
    is_to_end: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Watch {
    fn go_on(&self) -> ControlFlow<()> {
        if self.is_to_end.load(Ordering::Relaxed) || IS_LEAVING.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// So much is done, of about so much.
    pub(crate) fn tell(&self, done: u64, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }
}

impl Hears for Watch {
    fn rows(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.tell(done, total);
        self.go_on()
    }

    fn stage(&self) -> ControlFlow<()> {
        self.go_on()
    }
}

/// What work came to.
struct Ending<T> {
    result: Mutex<Option<std::thread::Result<Result<T, Refusal>>>>,
    is_there: Condvar,
}

impl<T> Ending<T> {
    /// Waits for a while.
    fn wait(&self) -> Option<std::thread::Result<Result<T, Refusal>>> {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.is_there.wait_timeout_while(result, PATIENCE, |result| result.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

/// Does long work. `progress` is called with what is done and with about how much there is; what it raises ends the work, as Ctrl-C
/// does.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T, Refusal> + Send + 'static,
) -> PyResult<T> {
    enter(py)?;
    let watch = Arc::new(Watch::default());
    let ending = Arc::new(Ending { result: Mutex::new(None), is_there: Condvar::new() });
    let (watched, ended) = (Arc::clone(&watch), Arc::clone(&ending));
    let thread = std::thread::Builder::new().name("dlprof-agg".into());
    WORKING.fetch_add(1, Ordering::AcqRel);
    thread
        .spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(&watched)));
            WORKING.fetch_sub(1, Ordering::Release);
            *ended.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            ended.is_there.notify_all();
        })
        .map_err(|error| {
            WORKING.fetch_sub(1, Ordering::Release);
            PyRuntimeError::new_err(format!("no thread can be started: {error}"))
        })?;
    let mut told = 0;
    loop {
        match py.detach(|| ending.wait()) {
            Some(Ok(result)) => {
                if let (Ok(_), Some(progress)) = (&result, progress) {
                    tell(progress, &watch, &mut told)?;
                }
                return result.map_err(|refusal| raised(py, &refusal));
            }
            Some(Err(_)) => return Err(PyRuntimeError::new_err("a defect of dlprof_agg: the work panicked")),
            None => {
                let goes_on = py.check_signals().and_then(|()| match progress {
                    Some(progress) => tell(progress, &watch, &mut told),
                    None => Ok(()),
                });
                if let Err(error) = goes_on {
                    watch.is_to_end.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    }
}

/// Calls what wants to know how far the work is, if it went on.
fn tell(progress: &Bound<'_, PyAny>, watch: &Watch, told: &mut u64) -> PyResult<()> {
    let (done, total) = (watch.done.load(Ordering::Relaxed), watch.total.load(Ordering::Relaxed));
    if done != *told {
        *told = done;
        progress.call1((done, total.max(done)))?;
    }
    Ok(())
}
