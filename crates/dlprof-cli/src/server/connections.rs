//! Connections: accepts them, bounds what each may cost, ends them in good order.

use super::address::Address;
use super::held::Held;
use super::patience::PatientStream;
use super::routes::routes;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

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

/// Answers requests until the user or the system ends the program. `listening` is called once requests are answered.
///
/// # Errors
/// If the system does not let the program wait for connections or signals.
pub(crate) fn serve(address: Address, held: Held, listening: impl FnOnce()) -> io::Result<()> {
    let turns = std::thread::available_parallelism().map_or(2, usize::from).max(2);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_name("answers")
        .thread_keep_alive(Duration::from_secs(30))
        .build()?;
    let done = runtime.block_on(async {
        address.listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(address.listener)?;
        let end = end()?;
        listening();
        accept(listener, routes(held, address.guard, turns), end).await;
        Ok(())
    });
    // What is being computed is not waited for.
    runtime.shutdown_background();
    done
}

async fn accept(listener: TcpListener, router: Router, end: impl Future<Output = ()>) {
    let open = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    tokio::pin!(end);
    loop {
        let accepted = async {
            let place = Arc::clone(&open).acquire_owned().await;
            (listener.accept().await, place)
        };
        tokio::select! {
            () = &mut end => break,
            (accepted, place) = accepted => match (accepted, place) {
                (Ok((stream, _)), Ok(place)) => start(stream, place, router.clone(), &graceful),
                // No more files can be opened, or the client is already gone.
                _ => sleep(Duration::from_millis(50)).await,
            },
        }
    }
    drop(listener);
    drop(timeout(LAST_PATIENCE, graceful.shutdown()).await);
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
