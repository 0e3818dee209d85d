//! What is not the file at all: pointers to it, pages and errors in its place, copies that lost bytes.

use super::json_start::begins_with_key;
use super::kind::{Kind, Sign, if_so};
use super::sample::{Sample, is_json};
use serde_json::Value;

pub(super) static KINDS: &[Kind] = &[
    Kind {
        one: "a Git LFS pointer: the file itself{} was not downloaded",
        several: "Git LFS pointers: the files themselves were not downloaded",
        hint: "`git lfs pull --include {name}`, in the repository",
        sign: Sign::Bytes(|sample| {
            let pointer = sample.text()?.strip_prefix("version https://git-lfs.github.com/spec/v1")?;
            let size = pointer.lines().find_map(|line| line.strip_prefix("size ")?.trim().parse().ok());
            Some(size.map_or_else(String::new, |bytes| format!(" ({})", megabytes(bytes))))
        }),
    },
    Kind {
        one: "a git-annex pointer: the file itself was not downloaded",
        several: "git-annex pointers: the files themselves were not downloaded",
        hint: "`git annex get {file}`",
        sign: Sign::Bytes(|sample| if_so(sample.bytes().starts_with(b"/annex/objects/"))),
    },
    Kind {
        one: "a memory timeline of torch.profiler as a picture: no times of kernels",
        several: "memory timelines of torch.profiler as pictures: no times of kernels",
        hint: "give the trace of the same run: `prof.export_chrome_trace(\"run.pt.trace.json.gz\")`",
        sign: Sign::Bytes(|sample| {
            let page = page(sample)?;
            if_so(page.contains("memory timeline") && page.contains("data:image/png;base64"))
        }),
    },
    Kind {
        one: "a web page{}, not a capture: the download went wrong",
        several: "web pages, not captures: the downloads went wrong",
        hint: "download it again: from GitHub its button \"Raw\", or `curl -L -O` with the raw address",
        sign: Sign::Bytes(|sample| {
            page(sample)?;
            Some(
                between(sample.text()?, "<title>", "</title>")
                    .map_or_else(String::new, |title| format!(" (\"{title}\")")),
            )
        }),
    },
    Kind {
        one: "an error message of a storage service{}, not a capture",
        several: "error messages of a storage service, not captures",
        hint: "get a new link, or the permission, and download it again",
        sign: Sign::Bytes(|sample| {
            let text = sample.text()?.trim_start();
            let inside = text.starts_with("<?xml").then(|| text.split_once("<Error>"))??.1.trim_start();
            let code = inside.starts_with("<Code>").then(|| between(inside, "<Code>", "</Code>"))?;
            Some(code.map_or_else(String::new, |code| format!(" ({code})")))
        }),
    },
    Kind {
        one: "an error message of a server{}, not a capture",
        several: "error messages of a server, not captures",
        hint: "get a new link, or the permission, and download it again",
        sign: Sign::Bytes(|sample| {
            let is_short = sample.size_bytes < 4096 && !sample.text()?.contains("\"traceEvents\"");
            let is_error = is_short && ["message", "error"].iter().any(|key| begins_with_key(sample, key));
            is_error
                .then(|| message(sample.bytes()).map_or_else(String::new, |message| format!(" ({message})")))
        }),
    },
    Kind {
        one: "damaged: it was copied as text, and bytes are lost",
        several: "damaged: they were copied as text, and bytes are lost",
        hint: "copy it again in binary form, for example with `scp`, or with Git without conversion of text",
        sign: Sign::Bytes(|sample| {
            let start = &sample.start()[..sample.start().len().min(1024)];
            if_so(!is_json(start) && memchr::memmem::find_iter(start, "\u{fffd}").count() >= 8)
        }),
    },
    Kind {
        one: "a side file of an SQLite database",
        several: "side files of SQLite databases",
        hint: "give the database itself: {database}",
        sign: Sign::Bytes(|sample| {
            const MARKS: [&[u8]; 3] =
                [b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"];
            let is_shared_memory = sample.ends_with(&["-shm"]) && !sample.bytes().is_empty();
            if_so(is_shared_memory || MARKS.iter().any(|mark| sample.bytes().starts_with(mark)))
        }),
    },
    Kind {
        one: "a text of UTF-16 or UTF-32, and traces are UTF-8",
        several: "texts of UTF-16 or UTF-32, and traces are UTF-8",
        hint: "convert it to UTF-8, for example with `iconv`",
        sign: Sign::Bytes(|sample| {
            const MARKS: [&[u8]; 7] =
                [b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff", b"{\0", b"\0{", b"[\0", b"\0["];
            if_so(MARKS.iter().any(|mark| sample.bytes().starts_with(mark)))
        }),
    },
];

/// The text of a web page in small letters.
fn page(sample: &Sample<'_>) -> Option<String> {
    let text = without_comments(sample.text()?).to_ascii_lowercase();
    ["<!doctype html", "<html"].iter().any(|start| text.starts_with(start)).then_some(text)
}

/// A page without the comments that it begins with.
fn without_comments(text: &str) -> &str {
    let mut text = text.trim_start();
    while let Some((_, after)) = text.strip_prefix("<!--").and_then(|comment| comment.split_once("-->")) {
        text = after.trim_start();
    }
    text
}

/// The message of an error in JSON.
fn message(json: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(json).ok()?;
    let error = value.get("error");
    let message = error.and_then(|error| error.get("message")).or_else(|| value.get("message")).or(error)?;
    Some(short(message.as_str()?))
}

/// What stands between two words, on one line and short.
fn between(text: &str, start: &str, end: &str) -> Option<String> {
    let (_, behind) = text.split_once(start)?;
    Some(short(behind.split_once(end)?.0)).filter(|text| !text.is_empty())
}

fn short(text: &str) -> String {
    const MOST: usize = 80;
    let words: Vec<&str> = text.split(|letter: char| letter.is_whitespace() || letter.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// A number of bytes in MB, with a digit after the point below ten.
fn megabytes(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    if tenths >= 100 { format!("{} MB", tenths / 10) } else { format!("{}.{} MB", tenths / 10, tenths % 10) }
}
