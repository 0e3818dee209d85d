//! A client of the viewer's server: the program itself, and requests over a socket.

use crate::run::{command, temporary_folder};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) child: Child,
    /// The printed address.
    pub(crate) url: String,
    pub(crate) port: u16,
    /// The secret that the address ends in.
    pub(crate) token: String,
    _cache: Option<tempfile::TempDir>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Status line and headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Server {
    /// Starts `view` with a free port, further words and files.
    pub(crate) fn start(words: &str, files: &[&Path]) -> Self {
        Self::start_with(&format!("-p 0 {words}"), files, |_| {})
    }

    /// Starts `view` with a folder for what is kept.
    pub(crate) fn start_in(cache: &Path, words: &str, files: &[&Path]) -> Self {
        Self::spawn(command(cache, &format!("view {words}"), files))
    }

    /// Starts `view` in another environment.
    pub(crate) fn start_with(words: &str, files: &[&Path], change: impl FnOnce(&mut Command)) -> Self {
        let cache = temporary_folder();
        let mut command = command(cache.path(), &format!("view {words}"), files);
        change(&mut command);
        let mut server = Self::spawn(command);
        server._cache = Some(cache);
        server
    }

    fn spawn(mut command: Command) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut url = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("its output"));
        lines.read_line(&mut url).expect("a line");
        let url = url.trim().to_owned();
        let host = url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let Some(port) = host.rsplit(':').next().and_then(|port| port.parse().ok()) else {
            let mut said = String::new();
            drop(child.stderr.take().expect("its errors").read_to_string(&mut said));
            panic!("no address: {url} {said}");
        };
        let token = url.split_once("?token=").map(|(_, token)| token.to_owned()).unwrap_or_default();
        let server = Self { child, url, port, token, _cache: None };
        server.until_read();
        server
    }

    /// Waits until the captures are read.
    pub(crate) fn until_read(&self) {
        while self.json("/api/progress")["reading"].is_object() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The line of headers that says the token, as browsers send it.
    pub(crate) fn cookie(&self) -> String {
        format!("Cookie: dlprof_agg_{}={}\r\n", self.port, self.token)
    }

    /// Sends a request as it is, and reads the answer.
    pub(crate) fn send(&self, request: &str) -> Answer {
        let (_, rest) = self.url.split_once("//").expect("an address");
        let mut stream =
            TcpStream::connect(rest.split('/').next().unwrap_or_default()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout");
        // A server that refuses a request closes the connection, perhaps before it has read all of it.
        drop(stream.write_all(request.as_bytes()));
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes));
        Answer::of(&bytes)
    }

    /// Asks for an address.
    pub(crate) fn get(&self, path: &str) -> Answer {
        let host = format!("localhost:{}", self.port);
        let cookie = self.cookie();
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{cookie}Connection: close\r\n\r\n"))
    }

    /// Asks for a JSON value.
    pub(crate) fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// Asks for an aggregation, as a page of the server does.
    pub(crate) fn aggregate(&self, query: &str, body: &str) -> Answer {
        let host = format!("127.0.0.1:{}", self.port);
        let cookie = self.cookie();
        self.send(&format!(
            "POST /api/aggregations{query} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{cookie}\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ))
    }

    /// What the program said on standard error, after its end.
    pub(crate) fn end(mut self) -> String {
        drop(self.child.kill());
        let mut said = String::new();
        drop(self.child.stderr.take().expect("its errors").read_to_string(&mut said));
        said
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Answer {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let body = &bytes[end + 4..];
        let is_chunked = head.contains("transfer-encoding: chunked");
        Self { status, head, body: if is_chunked { joined(body) } else { body.to_vec() } }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// The chunks of a body as one piece; it panics if the last one is missing.
fn joined(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").expect("the length of a chunk");
        let length = std::str::from_utf8(&rest[..end]).expect("digits");
        let length = usize::from_str_radix(length, 16).expect("digits");
        if length == 0 {
            return body;
        }
        body.extend(&rest[end + 2..end + 2 + length]);
        rest = &rest[end + 4 + length..];
    }
}

/// A text as part of an address.
pub(crate) fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
