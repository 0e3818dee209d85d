//! `mcp`: a server of the Model Context Protocol on standard input and output, for agents.
//!
//! ```text
//! line ─protocol─► method ─tools─► answers::… ─► Envelope ─► one text block ─► line
//!                                   ▲
//!                     roots, held: which files, and those that are open
//! ```
//!
//! It reads only, below its roots, and starts nothing. Every call can be repeated alone: what is held open only makes it faster.
//! Requests run on threads of their own, so that others can be answered and cancelled meanwhile.

mod call;
mod held;
mod outcome;
mod protocol;
mod roots;
mod tools;
mod words;

#[cfg(test)]
mod tests;

use crate::exit::{self, Failure};
use crate::library::Asked;
use call::{Call, Running};
use held::Held;
use outcome::Outcome;
use roots::Roots;
use serde_json::{Value as Json, json};
use std::io::{BufRead, Read, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A request of more bytes ends the connection.
const LONGEST_LINE: u64 = 4 << 20;

/// How many requests run side by side; more wait.
const MOST_AT_ONCE: usize = 8;

/// How the server works.
pub(crate) struct Mcp {
    /// Folders below which captures lie.
    pub(crate) roots: Vec<PathBuf>,
    /// What is asked of every capture, besides what a call says.
    pub(crate) asked: Asked,
    /// Tokens of an answer, if a call does not say it.
    pub(crate) most_tokens: u32,
    /// Captures that are held open.
    pub(crate) most_open: usize,
    /// Whether answers are given as structured content as well.
    pub(crate) is_structured: bool,
    /// Whether reports are exported, for which a program is started.
    pub(crate) may_export: bool,
}

/// The server while it runs.
struct Server<'a, W> {
    settings: &'a Mcp,
    roots: Roots,
    held: Held,
    running: Running,
    out: Mutex<W>,
}

/// Serves until the client closes its end.
pub(crate) fn run(settings: &Mcp) -> Result<u8, Failure> {
    serve(settings, std::io::stdin().lock(), std::io::stdout()).map(|()| exit::DONE)
}

/// Serves a client whose lines come from `input`.
fn serve(settings: &Mcp, mut input: impl BufRead, out: impl Write + Send) -> Result<(), Failure> {
    let server = Server {
        settings,
        roots: Roots::new(&settings.roots)?,
        held: Held::new(settings.most_open),
        running: Running::default(),
        out: Mutex::new(out),
    };
    let count = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        while let Some(line) = next_line(&mut input) {
            let Ok(message) = serde_json::from_slice::<Json>(&line) else { continue };
            let (server, count) = (&server, &count);
            let call = match server.begin(&message) {
                Some(call) => call,
                None => continue,
            };
            let work = move || {
                server.answer(&message, &call);
                count.fetch_sub(1, Ordering::SeqCst);
            };
            // Where all threads are busy, the reader itself works, so that a flood waits in the pipe.
            let is_free = count.fetch_add(1, Ordering::SeqCst) < MOST_AT_ONCE;
            if is_free { drop(threads.spawn(work)) } else { work() }
        }
    });
    Ok(())
}

/// The next line; `None` at the end, or where a line is too long.
fn next_line(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).ok()?;
    let is_whole = line.ends_with(b"\n") || (read as u64) < LONGEST_LINE;
    (read > 0 && is_whole).then_some(line)
}

impl<W: Write + Send> Server<'_, W> {
    /// Takes note of a message. Requests are answered; notifications are not.
    fn begin(&self, message: &Json) -> Option<Call> {
        let method = message.get("method")?.as_str()?;
        if let Some(id) = message.get("id").filter(|id| !id.is_null()) {
            return Some(self.running.begin(id, message.pointer("/params/_meta/progressToken")));
        }
        if method == "notifications/cancelled" {
            message.pointer("/params/requestId").into_iter().for_each(|id| self.running.cancel(id));
        }
        None
    }

    /// Answers a request, unless it was cancelled.
    fn answer(&self, message: &Json, call: &Call) {
        let outcome = protocol::answer(self, message, call);
        self.running.end(call);
        if call.is_cancelled() {
            return;
        }
        let id = &call.id;
        self.send(&match outcome {
            Outcome::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Outcome::Error { code, message, data } => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": data}})
            }
        });
    }

    /// Sends a line. A client that went away needs none; what runs for it ends.
    fn send(&self, message: &Json) {
        let mut out = self.out.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let sent = writeln!(out, "{message}").and_then(|()| out.flush());
        if sent.is_err() {
            self.running.cancel_all();
        }
    }
}
