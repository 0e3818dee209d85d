//! The frame of a page in one file: styles, blocks of data, scripts, and a policy that lets nothing else run.

use super::assets::{LIBRARIES, STYLES, bundle};
use crate::display::plain;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// Writes a page whose data `blocks` writes.
pub(super) fn write_document(
    title: &str,
    out: &mut dyn Write,
    blocks: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let script = bundle();
    write_head(title, &script, out)?;
    blocks(out)?;
    for library in LIBRARIES {
        writeln!(out, "<script>{}</script>", library.text)?;
    }
    writeln!(out, "<script type=\"module\">{script}</script>\n</body>\n</html>")
}

fn write_head(title: &str, script: &str, out: &mut dyn Write) -> io::Result<()> {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let styles: Vec<String> = STYLES.iter().map(|style| hash(style.text)).collect();
    let scripts: Vec<String> =
        LIBRARIES.iter().map(|library| library.text).chain([script]).map(hash).collect();
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; script-src {}; \
         base-uri 'none'; form-action 'none'\">\n<title>{}: dlprof-agg</title>",
        styles.join(" "),
        scripts.join(" "),
        escaped(title)
    )?;
    for style in STYLES {
        writeln!(out, "<style>{}</style>", style.text)?;
    }
    writeln!(
        out,
        "</head>\n<body>\n<noscript>This report needs JavaScript. It loads nothing from a network.</noscript>"
    )
}

/// A text escaped so that it is shown unchanged.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            c => shown.push(c),
        }
    }
    shown
}
