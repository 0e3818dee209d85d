//! Where the server listens: an address, a free port, and what a browser opens.

use super::guard::{Guard, Token};
use crate::exit::Failure;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};

/// How many ports are tried.
const MOST_PORTS: u16 = 100;

/// Bytes of a token.
const TOKEN_BYTES: usize = 16;

/// A place to listen at, and who may ask there.
#[derive(Debug)]
pub(crate) struct Address {
    pub(super) listener: TcpListener,
    pub(super) guard: Guard,
    /// What a browser opens.
    pub(crate) url: String,
    /// The port.
    pub(crate) port: u16,
}

impl Address {
    /// Listens on an address, at a port or, if that is taken, at the next free one; port 0 is any free one. Requests need a token,
    /// because others may be logged in to the same machine. They may also name one of the allowed hosts.
    pub(crate) fn listen(bind: &str, port: u16, allowed_hosts: &[String]) -> Result<Self, Failure> {
        let address = resolve(bind)?;
        let listener = bound(address, port).map_err(|error| Failure::Usage {
            message: format!("cannot listen on `{bind}`, port {port}: {error}"),
            hint: Some(match error.kind() {
                io::ErrorKind::PermissionDenied => "choose a port from 1024 on with `--port`".into(),
                io::ErrorKind::AddrInUse => "choose another port with `--port`; 0 means any free one".into(),
                _ => "give an address of this machine with `--bind`, such as 127.0.0.1 or 0.0.0.0".into(),
            }),
        })?;
        let port = listener.local_addr().map_or(port, |address| address.port());
        let token = token(port)?;
        let shown = if address.is_unspecified() { outward(address) } else { address };
        Ok(Self {
            listener,
            url: format!("http://{}/?token={}", SocketAddr::new(shown, port), token.text),
            port,
            guard: Guard { hosts: known_hosts(bind, allowed_hosts), address, token },
        })
    }
}

/// The names that requests may be sent to.
fn known_hosts(bind: &str, allowed: &[String]) -> Vec<String> {
    let bound = bind.trim_matches(['[', ']']).to_owned();
    ["localhost".to_owned(), bound].into_iter().chain(allowed.iter().cloned()).collect()
}

/// The address of a name; of several, the one of version 4.
fn resolve(bind: &str) -> Result<IpAddr, Failure> {
    let unknown = |reason: String| Failure::Usage {
        message: format!("`{bind}` is not an address to listen on: {reason}"),
        hint: Some("give an address of this machine with `--bind`, such as localhost or 0.0.0.0".into()),
    };
    let found = (bind.trim_matches(['[', ']']), 0).to_socket_addrs();
    let found: Vec<SocketAddr> = found.map_err(|error| unknown(error.to_string()))?.collect();
    let best = found.iter().find(|address| address.is_ipv4()).or(found.first());
    best.map(SocketAddr::ip).ok_or_else(|| unknown("it has none".into()))
}

fn bound(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let ports = port..=port.saturating_add(if port == 0 { 0 } else { MOST_PORTS });
    let mut taken = io::Error::from(io::ErrorKind::AddrInUse);
    for port in ports {
        match TcpListener::bind((address, port)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => taken = error,
            listener => return listener,
        }
    }
    Err(taken)
}

/// The address that other machines see, if the server listens on all of them. Nothing is sent.
fn outward(everywhere: IpAddr) -> IpAddr {
    let (loopback, elsewhere) = match everywhere {
        IpAddr::V4(_) => (IpAddr::from([127, 0, 0, 1]), "192.0.2.1:9"),
        IpAddr::V6(_) => (IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]), "[2001:db8::1]:9"),
    };
    let route = || {
        let socket = UdpSocket::bind((everywhere, 0))?;
        socket.connect(elsewhere)?;
        socket.local_addr()
    };
    route().map_or(loopback, |address: SocketAddr| address.ip())
}

/// A secret from the randomness of the operating system.
fn token(port: u16) -> Result<Token, Failure> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| Failure::Usage {
        message: format!("no token can be made, because the system gives no random bytes: {error}"),
        hint: Some("`dlprof-agg export -o report.html` needs no server".into()),
    })?;
    let text = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Token { text, cookie: format!("dlprof_agg_{port}") })
}
