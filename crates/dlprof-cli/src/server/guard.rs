//! Who may ask what: checks that come before every answer, and headers that every answer has.
//!
//! A page of another site can make a browser send requests to this server. It cannot choose their `Host` and `Origin`. The checks
//! of `Host` keep out names that somebody else's DNS points at this machine, those of `Origin` and `Sec-Fetch-Site` what other
//! pages send. Answers carry no CORS headers, so that no other page can read them.

use super::refusal::Refusal;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// An address with path and query has at most so many bytes.
const MOST_ADDRESS_BYTES: usize = 8 << 10;

/// The only path that takes a POST.
const POST_PATH: &str = "/api/aggregations";

/// What a page may load: only what this server sends; no script or style inside a page.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                                       img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Who may ask.
#[derive(Debug)]
pub(super) struct Guard {
    /// The names and addresses that requests may be sent to, besides loopback.
    pub(super) hosts: Vec<String>,
    /// The address that it listens on.
    pub(super) address: IpAddr,
    /// What a request must know.
    pub(super) token: Token,
}

/// A secret that the printed address holds.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) text: String,
    /// Cookies are shared by all ports of a host, so that the name says the port.
    pub(super) cookie: String,
}

/// Checks a request, and lets it be answered.
pub(super) async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(&request) {
        Ok(()) => {
            let cookie = guard.cookie(&request);
            let mut response = next.run(request).await;
            if let Some(cookie) = cookie {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Err(refusal) => refusal.into_response(),
    };
    add_headers(response.headers_mut());
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

impl Guard {
    fn check(&self, request: &Request) -> Result<(), Refusal> {
        let length = request.uri().path_and_query().map_or(0, |address| address.as_str().len());
        if length > MOST_ADDRESS_BYTES {
            return Err(Refusal::new(
                StatusCode::URI_TOO_LONG,
                format!("the address has {length} bytes; at most {MOST_ADDRESS_BYTES} are read"),
                "use fewer or shorter conditions",
            ));
        }
        let host = self.checked_host(request)?;
        check_site(request)?;
        self.check_token(request)?;
        match request.method() {
            &Method::GET | &Method::HEAD => Ok(()),
            &Method::POST if request.uri().path() == POST_PATH => check_post(request.headers(), host),
            method => Err(Refusal::new(
                StatusCode::METHOD_NOT_ALLOWED,
                format!("{method} is not answered here"),
                "this server only reads: GET and HEAD; POST of an aggregation",
            )),
        }
    }

    /// The host that a request names. An IP address is not resolved by anybody's DNS; names are, and only known ones are
    /// answered.
    fn checked_host<'a>(&self, request: &'a Request) -> Result<&'a str, Refusal> {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default(),
            _ => return Err(Refusal::bad_request("a request needs one `Host`", "")),
        };
        if name_of(host).is_some_and(|name| self.is_known(name)) {
            return Ok(host);
        }
        Err(Refusal::forbidden(
            format!("this server does not answer for host `{host}`"),
            "use the address that `dlprof-agg view` printed, or allow this name with `--allow-host`",
        ))
    }

    fn is_known(&self, name: &str) -> bool {
        let is_name = self.hosts.iter().any(|known| name.eq_ignore_ascii_case(known));
        let is_address = name.parse::<IpAddr>().is_ok_and(|address| {
            address.is_loopback() || address == self.address || self.address.is_unspecified()
        });
        is_name || is_address
    }

    fn check_token(&self, request: &Request) -> Result<(), Refusal> {
        if self.token.is_in_query(request) || self.token.is_in_cookie(request.headers()) {
            return Ok(());
        }
        Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "the token is missing or wrong",
            "open the address that `dlprof-agg view` printed; it ends in the token",
        ))
    }

    /// Lets the browser send the token by itself from now on, so that styles and scripts are sent.
    fn cookie(&self, request: &Request) -> Option<HeaderValue> {
        let token = Some(&self.token).filter(|token| token.is_in_query(request))?;
        let text = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", token.cookie, token.text);
        HeaderValue::try_from(text).ok()
    }
}

impl Token {
    fn is_in_query(&self, request: &Request) -> bool {
        let pairs = request.uri().query().unwrap_or_default().split('&');
        let mut given = pairs.filter_map(|pair| pair.strip_prefix("token="));
        given.any(|given| is_same(given, &self.text))
    }

    fn is_in_cookie(&self, headers: &HeaderMap) -> bool {
        let lists = headers.get_all(header::COOKIE).iter().filter_map(|list| list.to_str().ok());
        let mut cookies =
            lists.flat_map(|list| list.split(';')).filter_map(|pair| pair.trim().split_once('='));
        cookies.any(|(name, given)| name == self.cookie && is_same(given, &self.text))
    }
}

/// Compares in a time that does not depend on where the texts differ.
fn is_same(given: &str, wanted: &str) -> bool {
    let bytes = given.bytes().zip(wanted.bytes());
    given.len() == wanted.len() && bytes.fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// Pages of other sites may open pages of this server, but their scripts may not ask it for anything. Browsers say in
/// `Sec-Fetch-Site` where a request comes from; no page can change that.
fn check_site(request: &Request) -> Result<(), Refusal> {
    let site = request.headers().get("sec-fetch-site").and_then(|site| site.to_str().ok());
    let is_elsewhere = site.is_some_and(|site| site != "same-origin" && site != "none");
    if is_elsewhere && request.uri().path().starts_with("/api/") {
        return Err(Refusal::forbidden(
            "a page of another site may not ask for this",
            "only pages of this server may",
        ));
    }
    Ok(())
}

/// A POST must come from a page of this server.
fn check_post(headers: &HeaderMap, host: &str) -> Result<(), Refusal> {
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()).unwrap_or_default();
    let of_origin = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    if !of_origin.is_some_and(|of_origin| of_origin.eq_ignore_ascii_case(host)) {
        return Err(Refusal::forbidden(
            format!("a page of `{origin}` may not ask for aggregations"),
            "only pages of this server may",
        ));
    }
    let content_type =
        headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if content_type.split(';').next().unwrap_or_default().trim() != "application/json" {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("a body of type `{content_type}` is not read"),
            "send `content-type: application/json`",
        ));
    }
    Ok(())
}

/// The name or address of a whole host: `NAME`, `NAME:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`. None if it is nothing of these.
fn name_of(host: &str) -> Option<&str> {
    let (name, behind) = match host.strip_prefix('[') {
        Some(rest) => {
            let (address, behind) = rest.split_once(']')?;
            address.parse::<Ipv6Addr>().ok()?;
            (address, behind)
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port = behind.strip_prefix(':');
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    (behind.is_empty() || port.is_some_and(is_port)).then_some(name)
}

fn add_headers(headers: &mut HeaderMap) {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn hosts_are_read_as_a_whole() {
        for (host, name) in [
            ("localhost", Some("localhost")),
            ("localhost:8000", Some("localhost")),
            ("127.0.0.1:65535", Some("127.0.0.1")),
            ("[::1]", Some("::1")),
            ("[::1]:8000", Some("::1")),
            ("[::1].evil", None),
            ("[::1]evil:80", None),
            ("[::1", None),
            ("[localhost]", None),
            ("[127.0.0.1]", None),
            ("::1", None),
            ("localhost:evil", None),
            ("localhost:80:80", None),
            ("localhost:", None),
            ("localhost:+80", None),
            ("localhost:65536", None),
            ("localhost:80@evil", None),
        ] {
            assert_eq!(name_of(host), name, "{host}");
        }
    }
}
