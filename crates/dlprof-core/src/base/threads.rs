//! The worker threads: one pool for all that ask for the same number.

use super::Error;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// More threads than this are not started, whatever is asked for.
pub const MOST_THREADS: usize = 256;

/// The pools that are in use, with the number of threads that was asked for.
static POOLS: Mutex<Vec<(usize, Weak<ThreadPool>)>> = Mutex::new(Vec::new());

/// The worker threads for a number that was asked for; 0 for one per processor, fewer if the system starts no more. Captures
/// that ask for the same number share them, so that many captures do not have many pools. They end with the last capture.
pub(crate) fn worker_threads(asked: usize) -> Result<Arc<ThreadPool>, Error> {
    let threads = match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let threads = threads.min(MOST_THREADS);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    pools.retain(|(_, pool)| pool.strong_count() > 0);
    let known = pools.iter().find(|(number, _)| *number == threads);
    if let Some(pool) = known.and_then(|(_, pool)| pool.upgrade()) {
        return Ok(pool);
    }
    let pool = Arc::new(start(threads)?);
    pools.push((threads, Arc::downgrade(&pool)));
    Ok(pool)
}

/// How often the last thread is asked for: those that were begun in vain count for a moment after their end.
const TRIES: u32 = 10;

fn start(mut threads: usize) -> Result<ThreadPool, Error> {
    let mut tries = TRIES;
    loop {
        let mut begun = Vec::new();
        let pool = ThreadPoolBuilder::new().num_threads(threads).spawn_handler(|worker| {
            begun.push(std::thread::Builder::new().spawn(|| worker.run())?);
            Ok(())
        });
        match pool.build() {
            Ok(pool) => return Ok(pool),
            Err(_) if threads > 1 => threads /= 2,
            Err(_) if tries > 0 => tries -= 1,
            Err(source) => return Err(Error::Threads { source }),
        }
        // Those that were begun end now.
        begun.into_iter().for_each(|worker| drop(worker.join()));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_THREADS, worker_threads};
    use std::sync::Arc;

    #[test]
    fn who_asks_for_the_same_number_shares_the_threads() {
        // Numbers that no other test asks for.
        let [one, same] = [(); 2].map(|()| worker_threads(11).expect("threads"));
        let other = worker_threads(12).expect("threads");
        assert!(Arc::ptr_eq(&one, &same) && !Arc::ptr_eq(&one, &other));
        assert_eq!((one.current_num_threads(), other.current_num_threads()), (11, 12));
    }

    #[test]
    fn no_more_than_the_most_are_started() {
        let [most, more] = [MOST_THREADS, usize::MAX].map(|asked| worker_threads(asked).expect("threads"));
        assert!(Arc::ptr_eq(&most, &more));
    }
}
