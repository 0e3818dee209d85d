//! Opens an address in the browser of the system.
//!
//! The address ends in the token, and all users of a machine see the arguments of its programs. So the browser is given a page that
//! this user alone can read, and the page leads to the address.

use crate::console;
use crate::process::programs;
use dlprof_core::{BegunFolder, write_private};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Stdio;

/// The program that opens a file in the browser, and the words before the file.
const OPENER: (&str, &[&str]) = if cfg!(windows) {
    ("rundll32", &["url.dll,FileProtocolHandler"])
} else if cfg!(target_os = "macos") {
    ("open", &[])
} else {
    ("xdg-open", &[])
};

/// Opens an address; says so if that is not possible. The page that leads there is removed when the returned value is dropped.
pub(super) fn open(url: &str) -> Option<BegunFolder> {
    opened(url).map_err(|error| console::print_note(&format!("the browser cannot be opened: {error}"))).ok()
}

fn opened(url: &str) -> io::Result<BegunFolder> {
    let folder = BegunFolder::temporary()?;
    let page = folder.path().join("open.html");
    write_private(&page, page_to(url).as_bytes())?;
    start(&page)?;
    Ok(folder)
}

/// A page that leads to an address of the server, which has no characters that mean something in HTML.
fn page_to(url: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={url}\">\n<title>dlprof-agg</title>\n<a href=\"{url}\">Open the viewer</a>\n"
    )
}

fn start(page: &Path) -> io::Result<()> {
    let (name, words) = OPENER;
    let missing = || io::Error::new(io::ErrorKind::NotFound, format!("there is no `{name}` on PATH"));
    let mut command = programs::command(&programs::find(OsStr::new(name)).ok_or_else(missing)?);
    command.args(words).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}
