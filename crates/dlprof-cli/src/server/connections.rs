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

/// Bytes of the head of a request.
const MOST_HEAD_BYTES: usize = 32 << 10;

/// Lines of the head of a request.
const MOST_HEADERS: usize = 64;

/// How long others are waited for.
#[derive(Debug, Clone, Copy)]
struct Times {
    /// A connection that sends no complete head of a request for so long is closed, whether it has begun one or not.
    request: Duration,
    /// An answer of which nothing is taken for so long is given up.
    answer: Duration,
    /// No connection lives longer; a browser opens another one.
    connection: Duration,
    /// At the end, answers that are being sent are waited for so long.
    end: Duration,
}

impl Times {
    /// Those of the program.
    const USUAL: Self = Self {
        request: Duration::from_secs(30),
        answer: Duration::from_secs(30),
        connection: Duration::from_secs(15 * 60),
        end: Duration::from_secs(2),
    };
}

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
            times: Times::USUAL,
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
        drop(timeout(server.times.end, server.graceful.shutdown()).await);
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
    times: Times,
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
                    (Ok((stream, _)), Ok(place)) => self.start(stream, place, router.clone()),
                    // No more files can be opened, or the client is already gone.
                    _ => sleep(Duration::from_millis(50)).await,
                },
            }
        }
    }

    /// Answers the requests of a connection.
    fn start(&self, stream: TcpStream, place: OwnedSemaphorePermit, router: Router) {
        let times = self.times;
        // Without it, the last piece of an answer may wait for the client.
        drop(stream.set_nodelay(true));
        let mut server = http1::Builder::new();
        server
            .timer(TokioTimer::new())
            .header_read_timeout(times.request)
            .max_buf_size(MOST_HEAD_BYTES)
            .max_headers(MOST_HEADERS);
        let stream = TokioIo::new(PatientStream::new(stream, times.answer));
        let connection = server.serve_connection(stream, TowerToHyperService::new(router));
        let connection = self.graceful.watch(connection);
        tokio::spawn(async move {
            // Whatever is wrong with a connection is the client's to know.
            drop(timeout(times.connection, connection).await);
            drop(place);
        });
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::SocketAddr;
    use tokio::task::spawn_blocking;

    const SHORT: Duration = Duration::from_millis(200);

    /// What comes until the end of the connection, of a client that writes something and then waits.
    fn received(address: SocketAddr, written: &[u8]) -> io::Result<Vec<u8>> {
        let mut stream = std::net::TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        stream.write_all(written)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(answer)
    }

    /// The same of a server with some times, whose connection has ended for the server too.
    fn answered(times: Times, written: &'static [u8]) -> Vec<u8> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("its address");
            let open = Arc::new(Semaphore::new(2));
            let graceful = GracefulShutdown::new();
            let server = Server { listener, open: Arc::clone(&open), graceful, times };
            let router = Router::new().route("/", axum::routing::get(|| async { "here" }));
            let client = async {
                let answer = spawn_blocking(move || received(address, written)).await.expect("a client");
                // The place of the connection is free again; the other one is that of the next.
                drop(open.acquire().await.expect("a place"));
                answer.expect("the end of the connection")
            };
            server.accept(&router, client).await
        })
    }

    fn times() -> Times {
        Times { request: SHORT, ..Times::USUAL }
    }

    #[test]
    fn unfinished_heads_and_silent_connections_end() {
        for unfinished in ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "] {
            let answer = answered(times(), unfinished.as_bytes());
            assert!(!answer.starts_with(b"HTTP/1.1 200"), "{unfinished:?}: {answer:?}");
        }
    }

    #[test]
    fn connections_end_that_are_idle_after_an_answer() {
        let request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let answer = answered(times(), request);
        assert!(answer.starts_with(b"HTTP/1.1 200") && answer.ends_with(b"here"), "{answer:?}");
        let answer = answered(Times { connection: SHORT, ..Times::USUAL }, request);
        assert!(answer.starts_with(b"HTTP/1.1 200") && answer.ends_with(b"here"), "{answer:?}");
    }
}
