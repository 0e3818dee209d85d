//! `view`: who may ask what, and what happens with odd requests.

use crate::http::{Answer, Server};
use crate::run::sample;
use std::io::{Read, Write};
use std::net::TcpStream;

fn start(words: &str) -> Server {
    Server::start(words, &[&sample()])
}

/// Sends a request with a line of headers of its own instead of `Host`, and the token.
fn with_headers(server: &Server, line: &str, headers: &str) -> Answer {
    with_only(server, line, &format!("{headers}{}", server.cookie()))
}

/// Sends a request with these headers.
fn with_only(server: &Server, line: &str, headers: &str) -> Answer {
    server.send(&format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"))
}

#[test]
fn only_known_hosts_are_answered() {
    let server = start("");
    for (host, status) in [
        ("localhost", 200),
        ("localhost:1234", 200),
        ("LOCALHOST", 200),
        ("127.0.0.1", 200),
        ("127.0.0.1:9", 200),
        ("[::1]:9", 200),
        ("evil.example", 403),
        ("evil.example:8000", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("192.168.1.7:8000", 403),
        ("0.0.0.0:8000", 403),
        ("[::1].evil", 403),
        ("[::1].evil:80", 403),
        ("[::1]evil", 403),
        ("localhost:evil", 403),
        ("localhost:80:80", 403),
        ("127.0.0.1:80@evil", 403),
        ("", 403),
    ] {
        let answer = with_headers(&server, "GET /api/progress", &format!("Host: {host}\r\n"));
        assert_eq!(answer.status, status, "{host}: {}", answer.text());
    }
    assert_eq!(with_headers(&server, "GET /api/progress", "").status, 400);
    assert_eq!(
        with_headers(&server, "GET /api/progress", "Host: localhost\r\nHost: evil.example\r\n").status,
        400
    );
    let page = with_headers(&server, "GET /", "Host: evil.example\r\n");
    assert_eq!(page.status, 403, "pages too");
}

#[test]
fn pages_of_other_sites_may_open_this_server_but_not_ask_it() {
    let server = start("");
    for (site, api, page) in [
        ("same-origin", 200, 200),
        ("none", 200, 200),
        ("same-site", 403, 200),
        ("cross-site", 403, 200),
        ("x", 403, 200),
    ] {
        let headers = format!("Host: localhost:{}\r\nSec-Fetch-Site: {site}\r\n", server.port);
        let asked = with_headers(&server, "GET /api/manifest", &headers);
        assert_eq!(asked.status, api, "{site}: {}", asked.text());
        assert_eq!(with_headers(&server, "GET /", &headers).status, page, "{site}");
    }
}

#[test]
fn only_pages_of_this_server_may_post() {
    let server = start("");
    let body = r#"{"start": 3, "stop": 4}"#;
    let post = |headers: &str| {
        let host = format!("localhost:{}", server.port);
        let length = body.len();
        server.send(&format!(
            "POST /api/aggregations HTTP/1.1\r\nHost: {host}\r\n{headers}{}Content-Length: {length}\r\nConnection: \
             close\r\n\r\n{body}",
            server.cookie()
        ))
    };
    let json = "Content-Type: application/json\r\n";
    let own = format!("Origin: http://localhost:{}\r\n", server.port);
    for (headers, status) in [
        (format!("{own}{json}"), 200),
        (json.to_owned(), 403),
        (format!("Origin: null\r\n{json}"), 403),
        (format!("Origin: http://evil.example\r\n{json}"), 403),
        (format!("Origin: http://localhost\r\n{json}"), 403),
        (format!("Origin: http://localhost:{}.evil.example\r\n{json}", server.port), 403),
        (own.clone(), 415),
        (format!("{own}Content-Type: text/plain\r\n"), 415),
    ] {
        let answer = post(&headers);
        assert_eq!(answer.status, status, "{headers}: {}", answer.text());
        assert!(!answer.head.contains("access-control-"), "{}", answer.head);
    }
    let long = server.aggregate("", &format!("{{\"key_node\": \"{}\"}}", "x".repeat(5000)));
    assert_eq!(long.status, 413, "{}", long.text());
}

#[test]
fn odd_requests_are_refused_with_a_reason() {
    let server = start("");
    let long = format!("GET /api/tables/ops?search={}", "x".repeat(9000));
    let many = format!("GET /api/tables/ops?{}", "sort=calls&".repeat(101));
    for (line, status, words) in [
        ("GET /api/tables/opps", 404, "there is no table `opps`"),
        ("GET /api/tables/ops?where=speed%3D1", 400, "has no column `speed`"),
        ("GET /api/tables/ops?where=calls%3E", 400, "a value expected"),
        ("GET /api/tables/ops?where=op_name~%28", 400, "expected"),
        ("GET /api/tables/ops?sort=speed", 400, "has no column `speed`"),
        ("GET /api/tables/ops?columns=speed", 400, "has no column `speed`"),
        ("GET /api/tables/ops?from=-1", 400, "not a number of rows"),
        ("GET /api/tables/ops?limit=1", 400, "no parameter `limit`"),
        ("GET /api/tables/ops?aggregation=7", 404, "no aggregation `7`"),
        ("GET /api/timeline/99999", 404, "no iteration `99999`"),
        ("GET /api/timeline/x", 404, "no iteration `x`"),
        ("GET /api/flame/x", 404, "modules, types, kernels"),
        ("GET /api/comparison", 404, "nothing to compare"),
        ("GET /api/what", 404, "no such page"),
        ("GET /../../etc/passwd", 404, "no such page"),
        ("GET /%2e%2e/%2e%2e/etc/passwd", 404, "no such page"),
        ("GET /api/export/..%2f..%2fetc%2fpasswd.csv", 404, "no table"),
        ("DELETE /api/aggregations", 405, "only reads"),
        ("PUT /api/tables/ops", 405, "only reads"),
        ("POST /api/tables/ops", 405, "only reads"),
        ("OPTIONS /api/aggregations", 405, "only reads"),
        ("TRACE /", 405, "only reads"),
        ("PROPFIND /", 405, "only reads"),
        ("GET http://evil.example/../etc/passwd", 404, "no such page"),
        ("GET //etc/passwd", 404, "no such page"),
        ("GET /%00", 404, "no such page"),
        ("GET /index.html/", 404, "no such page"),
        ("GET /api/tables/%ff", 404, "there is no table `%ff`"),
        ("GET /api/tables/", 404, "no such page"),
        ("GET /api/tables/ops/rows", 404, "no such page"),
        ("GET /api/timeline/%30", 404, "no iteration `%30`"),
        ("GET /api/timeline/99999999999999999999", 404, "no iteration"),
        ("GET /api/export/%2fetc%2fpasswd", 404, "no table"),
        ("GET /api/tables/ops?from=99999999999999999999999", 400, "not a number of rows"),
        ("GET /api/tables/ops?where=op_name~%22(a%7B1000%7D)%7B1000%7D%22", 400, "exceeds size limit"),
        (long.as_str(), 414, "the address has"),
        (many.as_str(), 400, "too many"),
    ] {
        let answer = with_headers(&server, line, &format!("Host: localhost:{}\r\n", server.port));
        assert_eq!(answer.status, status, "{line}: {}", answer.text());
        let said = answer.json();
        let words_said = format!("{} {}", said["error"], said["hint"]);
        assert!(words_said.contains(words), "{line}: {words_said}");
    }
    let headers = "X: y\r\n".repeat(2000);
    assert_eq!(with_headers(&server, "GET /", &format!("Host: localhost\r\n{headers}")).status, 431);
    assert_eq!(server.json("/api/progress")["running"], serde_json::json!([]), "it still answers");
}

#[test]
fn every_answer_has_the_headers_that_keep_pages_apart() {
    let server = start("");
    for path in ["/", "/main.js", "/api/manifest", "/api/export/ops.csv", "/no-such-page"] {
        let head = server.get(path).head;
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(head.contains(header), "{path}: {head}");
        }
        assert!(!head.contains("access-control-allow"), "{head}");
    }
    let host = format!("Host: localhost:{}\r\n", server.port);
    let only_head = with_headers(&server, "HEAD /", &host);
    assert!(only_head.status == 200 && only_head.body.is_empty(), "{only_head:?}");
    let html = server.get("/");
    assert!(html.head.contains("content-type: text/html") && html.text().contains("<html"), "{}", html.head);
}

#[test]
fn answers_are_compressed_for_those_who_ask() {
    let server = start("");
    let plain = server.get("/api/tables/kernels?count=300");
    let headers = format!("Host: localhost:{}\r\nAccept-Encoding: gzip, deflate, br\r\n", server.port);
    let packed = with_headers(&server, "GET /api/tables/kernels?count=300", &headers);
    assert!(packed.head.contains("content-encoding: deflate") && !plain.head.contains("content-encoding"));
    assert!(packed.body.len() * 3 < plain.body.len(), "{} of {}", packed.body.len(), plain.body.len());
    assert_eq!(packed.body[0] & 0x0f, 8, "zlib's method");
}

#[test]
fn nobody_is_answered_without_the_token() {
    for bind in ["localhost", "0.0.0.0"] {
        the_token_is_asked_for(bind);
    }
}

fn the_token_is_asked_for(bind: &str) {
    let server = start(&format!("-b {bind}"));
    let (_, token) = server.url.split_once("/?token=").expect("a token in the address");
    assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
    let wrong = format!("{}0", &token[..31]).replace("00", "11");
    let host = if bind == "localhost" { "Host: localhost\r\n" } else { "Host: 192.168.1.7:8000\r\n" };
    for (line, cookie, status) in [
        ("GET /api/progress".to_owned(), String::new(), 401),
        ("GET /".to_owned(), String::new(), 401),
        (format!("GET /api/progress?token={token}"), String::new(), 200),
        (format!("GET /api/progress?token={token}x"), String::new(), 401),
        (format!("GET /api/progress?token={wrong}x"), String::new(), 401),
        ("GET /api/progress?token=".to_owned(), String::new(), 401),
        ("GET /main.js".to_owned(), format!("Cookie: a=b; dlprof_agg_{}={token}\r\n", server.port), 200),
        ("GET /main.js".to_owned(), format!("Cookie: dlprof_agg_{}={wrong}x\r\n", server.port), 401),
        ("GET /main.js".to_owned(), format!("Cookie: other={token}\r\n"), 401),
    ] {
        let answer = with_only(&server, &line, &format!("{host}{cookie}"));
        assert_eq!(answer.status, status, "{line} {cookie}");
    }
    let page = with_only(&server, &format!("GET /?token={token}"), host);
    let cookie = format!("set-cookie: dlprof_agg_{}={token}; path=/; httponly; samesite=strict", server.port);
    assert!(page.status == 200 && page.head.contains(&cookie), "{}", page.head);
    let named = with_only(&server, &format!("GET /?token={token}"), "Host: evil.example\r\n");
    assert_eq!(named.status, 403, "a name is not answered, whatever it knows");
    assert_ne!(
        start(&format!("-b {bind}")).url.split_once("token=").map(|(_, token)| token.to_owned()),
        Some(token.to_owned())
    );
}

#[test]
fn allowed_hosts_are_answered_too() {
    let server = start("--allow-host node7.cluster --allow-host proxy");
    for (host, status) in
        [("node7.cluster", 200), ("Proxy:8443", 200), ("localhost", 200), ("node8.cluster", 403)]
    {
        let answer = with_headers(&server, "GET /api/progress", &format!("Host: {host}\r\n"));
        assert_eq!(answer.status, status, "{host}: {}", answer.text());
        let said = answer.text();
        assert_eq!(said.contains("`--allow-host`"), status == 403, "{said}");
    }
}

/// Sends requests over one connection, and counts those that are not answered with 200.
fn ask_often(server: &Server, client: usize, requests: usize) -> usize {
    let paths = [
        "/api/tables/ops?count=20",
        "/api/tables/kernels?count=20&sort=-gpu_time_ns",
        "/api/manifest",
        "/",
        "/api/overview",
    ];
    let port = server.port;
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let mut failed = 0;
    for request in 0..requests {
        let path = paths[(client + request) % paths.len()];
        let text = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n{}\r\n", server.cookie());
        stream.write_all(text.as_bytes()).expect("a request");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.expect("a length")];
        stream.read_exact(&mut body).expect("the body");
        failed += usize::from(!head.starts_with("http/1.1 200"));
    }
    failed
}

#[test]
fn two_hundred_clients_are_answered() {
    let server = start("");
    let server = &server;
    let failed: usize = std::thread::scope(|scope| {
        let clients: Vec<_> =
            (0..200).map(|client| scope.spawn(move || ask_often(server, client, 10))).collect();
        clients.into_iter().map(|client| client.join().expect("a client")).sum()
    });
    assert_eq!(failed, 0);
}
