//! Connections: accepts them, bounds what each may cost, ends them in good order.

use super::address::Address;
use super::held::Held;
use super::job_routes::{HeldJob, job_routes};
use super::patience::PatientStream;
use super::routes::routes;
use super::waiting::waiting;
use crate::exit::Failure;
use crate::opening::Reading;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{sleep, timeout};

/// The address is printed when the captures are read, but not later than this.
const READ_SOON: Duration = Duration::from_millis(200);

/// Open connections; others wait until the system accepts no more.
const MOST_CONNECTIONS: usize = 512;

/// A connection that sends no complete request for so long is closed.
const HEADER_PATIENCE: Duration = Duration::from_secs(30);

/// An answer of which nothing is taken for so long is given up.
const ANSWER_PATIENCE: Duration = Duration::from_secs(30);

/// No connection lives longer; a browser opens another one.
const LONGEST_CONNECTION: Duration = Duration::from_secs(15 * 60);

/// Bytes of the head of a request.
const MOST_HEAD_BYTES: usize = 32 << 10;

/// Lines of the head of a request.
const MOST_HEADERS: usize = 64;

/// At the end, answers that are being sent are waited for so long.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// What is served.
#[derive(Debug)]
pub(crate) enum Served {
    /// Captures, each by itself, or two side by side.
    Captures(Box<Held>),
    /// A job of many ranks.
    Job(Box<HeldJob>),
}

/// Answers requests until the user or the system ends the program. The captures are read meanwhile, on the thread of the caller,
/// and until they are, requests are told how far that is. `listening` is called once requests are answered.
///
/// # Errors
/// If the captures cannot be read, or the system does not let the program wait for connections or signals.
pub(crate) fn serve(
    address: Address,
    reading: &Arc<Reading>,
    listening: impl FnOnce() + Send,
    read: impl FnOnce() -> Result<Served, Failure>,
) -> Result<(), Failure> {
    let (done, captures) = oneshot::channel();
    let served = thread::scope(|scope| {
        let server = scope.spawn(|| answer(address, Arc::clone(reading), listening, captures));
        let held = read();
        match held {
            Ok(held) => drop(done.send(held)),
            Err(failure) => {
                drop(done);
                drop(server.join());
                return Err(failure);
            }
        }
        Ok(server.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    served?.map_err(|error| Failure::Usage { message: format!("the server cannot run: {error}"), hint: None })
}

/// Answers requests until the program is told to end, or no captures come.
fn answer(
    address: Address,
    reading: Arc<Reading>,
    listening: impl FnOnce(),
    mut captures: oneshot::Receiver<Served>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_name("answers")
        .thread_keep_alive(Duration::from_secs(30))
        .build()?;
    let done = runtime.block_on(async {
        address.listener.set_nonblocking(true)?;
        let server = Server {
            listener: TcpListener::from_std(address.listener)?,
            open: Arc::new(Semaphore::new(MOST_CONNECTIONS)),
            graceful: GracefulShutdown::new(),
        };
        let guard = Arc::new(address.guard);
        // What is read at once, or fails at once, is so before the address is printed.
        let soon = timeout(READ_SOON, &mut captures).await;
        let held = if let Ok(held) = soon {
            let Ok(held) = held else { return Ok(()) };
            listening();
            held
        } else {
            listening();
            let Ok(held) = server.accept(&waiting(reading, Arc::clone(&guard)), captures).await else {
                return Ok(());
            };
            held
        };
        // Until now a signal ended the program.
        let end = end()?;
        let turns = thread::available_parallelism().map_or(2, usize::from).max(2);
        let routes = match held {
            Served::Captures(held) => routes(*held, guard, turns),
            Served::Job(held) => job_routes(*held, guard, turns),
        };
        server.accept(&routes, end).await;
        drop(server.listener);
        drop(timeout(LAST_PATIENCE, server.graceful.shutdown()).await);
        Ok(())
    });
    // What is being computed is not waited for.
    runtime.shutdown_background();
    done
}

/// Where requests come in.
struct Server {
    listener: TcpListener,
    /// Room for open connections.
    open: Arc<Semaphore>,
    graceful: GracefulShutdown,
}

impl Server {
    /// Accepts connections until something comes, and gives that.
    async fn accept<T>(&self, router: &Router, until: impl Future<Output = T>) -> T {
        tokio::pin!(until);
        loop {
            let accepted = async {
                let place = Arc::clone(&self.open).acquire_owned().await;
                (self.listener.accept().await, place)
            };
            tokio::select! {
                come = &mut until => return come,
                (accepted, place) = accepted => match (accepted, place) {
                    (Ok((stream, _)), Ok(place)) => start(stream, place, router.clone(), &self.graceful),
                    // No more files can be opened, or the client is already gone.
                    _ => sleep(Duration::from_millis(50)).await,
                },
            }
        }
    }
}

/// Answers the requests of a connection.
fn start(stream: TcpStream, place: OwnedSemaphorePermit, router: Router, graceful: &GracefulShutdown) {
    // Without it, the last piece of an answer may wait for the client.
    drop(stream.set_nodelay(true));
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .max_buf_size(MOST_HEAD_BYTES)
        .max_headers(MOST_HEADERS);
    let stream = TokioIo::new(PatientStream::new(stream, ANSWER_PATIENCE));
    let connection = server.serve_connection(stream, TowerToHyperService::new(router));
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // Whatever is wrong with a connection is the client's to know.
        drop(timeout(LONGEST_CONNECTION, connection).await);
        drop(place);
    });
}

/// Comes when the program is told to end.
#[cfg(unix)]
fn end() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Comes when the program is told to end.
#[cfg(not(unix))]
fn end() -> io::Result<impl Future<Output = ()>> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}
