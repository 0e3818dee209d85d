//! `view`: how the server begins and ends, and what it can be given.

use crate::http::{Answer, Server};
use crate::run::{run, sample, temporary_folder};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;

#[test]
fn a_taken_port_is_said() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("its address").port();
    let cache = temporary_folder();
    let server = Server::start_in(cache.path(), &format!("-p {port}"), &[&sample()]);
    assert_ne!(server.port, port);
    let (other, url) = (server.port, server.url.clone());
    assert!(url.starts_with(&format!("http://127.0.0.1:{other}/?token=")), "{url}");
    let said = server.end();
    assert!(said.contains(&format!("port {port} is taken; {other} is the next free one")), "{said}");
}

#[cfg(unix)]
#[test]
fn signals_end_it_in_good_order() {
    for signal in ["-INT", "-TERM"] {
        let mut server = Server::start("", &[&sample()]);
        // An open connection does not hold it up.
        let mut idle = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
        let (port, cookie) = (server.port, server.cookie());
        let request = format!("GET /api/progress HTTP/1.1\r\nHost: localhost:{port}\r\n{cookie}\r\n");
        idle.write_all(request.as_bytes()).expect("a request");
        let mut start = [0; 15];
        idle.read_exact(&mut start).expect("an answer");
        assert_eq!(&start, b"HTTP/1.1 200 OK");
        let id = server.child.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .args([signal, &id])
                .status()
                .is_ok_and(|ended| ended.success())
        );
        assert_eq!(server.child.wait().expect("the end").code(), Some(0), "{signal}");
    }
}

#[test]
fn the_address_is_all_that_standard_output_has() {
    let cache = temporary_folder();
    let server = Server::start_in(cache.path(), "-p 0 -q", &[&sample()]);
    assert_eq!(server.url, format!("http://127.0.0.1:{}/?token={}", server.port, server.token));
    assert_eq!(server.end(), "", "quiet means nothing else");
    let help = run("view --help", &[] as &[&Path]);
    assert!(
        help.stdout.contains("-b, --bind <ADDRESS>") && help.stdout.contains("-p, --port <PORT>"),
        "{help:?}"
    );
}

/// Asks for what the printed address names, as a browser does.
fn opened(url: &str) -> Answer {
    let (host, path) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("an address");
    let address: SocketAddr = host.parse().expect("an address and a port");
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    Answer::of(&bytes)
}

#[test]
fn the_printed_address_works_wherever_it_listens() {
    let has_version_6 = TcpListener::bind("[::1]:0").is_ok();
    let addresses = ["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "[::1]", "::"];
    for bind in addresses.into_iter().filter(|bind| !bind.contains(':') || has_version_6) {
        let server = Server::start(&format!("-b {bind}"), &[&sample()]);
        let answer = opened(&server.url);
        assert_eq!(answer.status, 200, "{bind}: {}: {}", server.url, answer.text());
        let (without, _) = server.url.split_once('?').expect("a token");
        assert_eq!(opened(without).status, 401, "{bind}");
    }
}

/// A program in place of the browser's, which writes what it was given into a file.
#[cfg(target_os = "linux")]
fn stand_in(folder: &Path) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let (program, given) = (folder.join("xdg-open"), folder.join("given"));
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > '{0}.new' && mv '{0}.new' '{0}'\n",
        given.display()
    );
    std::fs::write(&program, script).expect("a script");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    given
}

/// Arguments are seen by all users of the machine, so the token is not among them.
#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_opened_with_a_private_page_that_leads_to_the_printed_address() {
    use std::os::unix::fs::PermissionsExt;
    let folder = temporary_folder();
    let given = stand_in(folder.path());
    let mut server = Server::start_with("-p 0 --open", &[&sample()], |command| {
        command
            .env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()))
            .env("TMPDIR", folder.path());
    });
    let mut waits = 0;
    while !given.exists() {
        waits += 1;
        assert!(waits < 6000, "the browser was not opened");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let given = std::fs::read_to_string(given).expect("a file");
    assert!(!given.contains(&server.token), "{given}");
    let page = Path::new(given.strip_prefix("1\n").expect("one argument").trim());
    let text = std::fs::read_to_string(page).expect("a page");
    assert!(text.contains(&format!("content=\"0; url={}\"", server.url)), "{text}");
    let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(page), mode(page.parent().expect("a folder"))), (0o600, 0o700));
    let ended = std::process::Command::new("kill").arg(server.child.id().to_string()).status();
    assert!(ended.is_ok_and(|done| done.success()) && server.child.wait().is_ok_and(|end| end.success()));
    assert!(!page.parent().expect("a folder").exists(), "it is removed at the end");
    let without = Server::start_with("-p 0 --open", &[&sample()], |command| {
        command.env("PATH", folder.path().join("nothing"));
    });
    assert_eq!(opened(&without.url).status, 200, "it serves all the same");
    let said = without.end();
    assert!(said.contains("the browser cannot be opened"), "{said}");
}

/// Waits until the captures of a server are read.
fn until_read(url: &str) {
    while opened(&url.replace("/?", "/api/progress?")).json()["reading"].is_object() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// The address of a server that a shell started, which is ended.
#[cfg(unix)]
fn address_of_shell(line: &str, folder: &Path) -> (String, String) {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache"));
    let mut shell = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell");
    let mut address = String::new();
    BufReader::new(shell.stdout.take().expect("its output")).read_line(&mut address).expect("a line");
    until_read(address.trim());
    drop(std::process::Command::new("kill").arg(shell.id().to_string()).status());
    let mut said = String::new();
    drop(shell.stderr.take().expect("its errors").read_to_string(&mut said));
    shell.wait().expect("the end");
    (address, said)
}

/// A capture that comes through a program of its own pace is still being read when the address is printed.
#[cfg(unix)]
#[test]
fn pages_are_there_while_the_capture_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = temporary_folder();
    let (nsys, go) = (folder.path().join("nsys"), folder.path().join("go"));
    let script = format!(
        "#!/bin/sh\nwhile [ $# -gt 0 ]; do if [ \"$1\" = --output ]; then out=$2; fi; shift; done\n\
         while [ ! -e '{}' ]; do sleep 0.05; done\ncp '{}' \"$out\"\n",
        go.display(),
        sample().canonicalize().expect("the sample").display()
    );
    std::fs::write(&nsys, script).expect("a script");
    std::fs::set_permissions(&nsys, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    let report = folder.path().join("run.nsys-rep");
    std::fs::write(&report, "a report").expect("a file");
    let cache = temporary_folder();
    let words = format!("view -p 0 --nsys {}", nsys.display());
    let mut child = crate::run::command(cache.path(), &words, &[&report])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut address = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut address).expect("a line");
    let address = address.trim();
    assert_eq!(opened(address).status, 200, "the page");
    let asked = opened(&address.replace("/?", "/api/manifest?"));
    assert_eq!(asked.status, 503, "{}", asked.text());
    let progress = opened(&address.replace("/?", "/api/progress?"));
    assert!(progress.json()["reading"]["running_ms"].is_u64(), "{}", progress.text());
    assert!(asked.head.contains("connection: close"), "{}", asked.head);
    std::fs::write(go, "").expect("a file");
    until_read(address);
    assert_eq!(opened(&address.replace("/?", "/api/manifest?")).status, 200);
    drop(child.kill());
    drop(child.wait());
}

#[test]
fn a_capture_that_has_changed_is_said() {
    let folder = temporary_folder();
    let file = folder.path().join("run.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    let server = Server::start("", &[&file]);
    let has_changed = || server.json("/api/aggregations")[0]["file_has_changed"].clone();
    assert_eq!(has_changed(), false);
    std::fs::OpenOptions::new().append(true).open(&file).expect("the file").write_all(b"x").expect("a byte");
    assert_eq!(has_changed(), true);
}

#[cfg(unix)]
#[test]
fn reports_are_exported_and_viewed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = temporary_folder();
    let nsys = folder.path().join("nsys");
    let script = format!(
        "#!/bin/sh\nwhile [ $# -gt 0 ]; do if [ \"$1\" = --output ]; then out=$2; fi; shift; done\ncp '{}' \"$out\"\n",
        sample().canonicalize().expect("the sample").display()
    );
    std::fs::write(&nsys, script).expect("a script");
    std::fs::set_permissions(&nsys, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    std::fs::write(folder.path().join("run.nsys-rep"), "a report").expect("a file");
    let program = env!("CARGO_BIN_EXE_dlprof-agg");
    let line = format!("exec '{program}' view -p 0 --nsys ./nsys run.nsys-rep");
    let (address, said) = address_of_shell(&line, folder.path());
    assert!(address.starts_with("http://127.0.0.1:"), "{address} {said}");
}

#[test]
fn options_and_settings_are_those_of_other_commands() {
    let folder = temporary_folder();
    let settings = folder.path().join("settings.toml");
    std::fs::write(
        &settings,
        "key-node = \"/module/train_step\"\niter-start = 15\nprofile-name = \"mine\"\n",
    )
    .expect("a file");
    let words = format!("--config {} --iter-stop 20 --clock gpu --batch-size 8", settings.display());
    let server = Server::start(&words, &[&sample()]);
    let window = &server.json("/api/manifest")["window"];
    assert_eq!((&window["start"], &window["stop"]), (&15.into(), &20.into()), "{window}");
    assert_eq!((&window["profile_name"], &window["clock"]), (&"mine".into(), &"gpu".into()), "{window}");
    let overview = run(&format!("{words} --format json -q"), &[&sample()]);
    let overview: serde_json::Value = serde_json::from_str(&overview.stdout).expect("JSON");
    assert_eq!(server.json("/api/overview"), overview);
    assert!(overview["tiles"]["items_per_s"].is_f64(), "{}", overview["tiles"]);
}

#[test]
fn a_damaged_list_of_aggregations_is_said_and_replaced() {
    let cache = temporary_folder();
    let first = Server::start_in(cache.path(), "-p 0", &[&sample()]);
    let made = first.aggregate("", r#"{"start": 16, "stop": 17}"#);
    assert_eq!(made.status, 200, "{}", made.text());
    drop(first);
    let folder = cache.path().join("dlprof-agg");
    let files = std::fs::read_dir(&folder).expect("the cache").map(|file| file.expect("a file").path());
    let lists: Vec<_> = files.filter(|file| file.to_string_lossy().ends_with(".aggregations.json")).collect();
    let [list] = lists.as_slice() else { panic!("{lists:?}") };
    std::fs::write(list, "{\"export\": 3").expect("a file");
    let second = Server::start_in(cache.path(), "-p 0", &[&sample()]);
    assert_eq!(second.json("/api/aggregations").as_array().map(Vec::len), Some(1));
    assert_eq!(second.aggregate("", r#"{"start": 18, "stop": 19}"#).status, 200);
    let said = second.end();
    let name = list.file_name().expect("a name").to_string_lossy();
    assert!(
        said.contains("the aggregations of earlier runs are forgotten") && said.contains(&*name),
        "{said}"
    );
    let third = Server::start_in(cache.path(), "-p 0", &[&sample()]);
    assert_eq!(third.json("/api/aggregations").as_array().map(Vec::len), Some(2));
    assert!(!third.end().contains("forgotten"));
}

/// The examples of `view` begin to serve, with a stand-in for the browser.
#[cfg(unix)]
#[test]
fn examples_of_view_serve() {
    let folder = temporary_folder();
    for name in ["run.sqlite", "base.sqlite"] {
        std::fs::copy(sample(), folder.path().join(name)).expect("a copy");
    }
    let help = run("view --help", &[]).stdout;
    let (_, examples) = help.split_once("\nExamples:\n").expect("examples");
    let examples: Vec<&str> = examples.lines().take_while(|line| !line.is_empty()).collect();
    assert!(examples.len() > 1, "{help}");
    for line in examples {
        let line = line.trim().split("   ").next().unwrap_or_default();
        let line = line.replacen("dlprof-agg", env!("CARGO_BIN_EXE_dlprof-agg"), 1);
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", &format!("exec {line}")]).current_dir(folder.path()).env("PATH", folder.path());
        shell.env("XDG_CACHE_HOME", folder.path().join("cache")).env("XDG_CONFIG_HOME", folder.path());
        let mut shell = shell.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a shell");
        let mut address = String::new();
        BufReader::new(shell.stdout.take().expect("its output")).read_line(&mut address).expect("a line");
        until_read(address.trim());
        let ended = std::process::Command::new("kill")
            .arg(shell.id().to_string())
            .status()
            .is_ok_and(|done| done.success());
        assert!(ended && shell.wait().is_ok_and(|end| end.success()), "{line}");
        assert!(address.starts_with("http://127.0.0.1:"), "{line}: {address}");
    }
}
