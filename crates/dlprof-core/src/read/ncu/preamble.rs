//! What stands before the first table, and what a file is that has none.

use crate::base::NcuRefusal;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// What the lines before the first table say.
#[derive(Debug, Default)]
pub(super) struct Preamble {
    /// How the file begins.
    start: Vec<u8>,
    begins_as_sources: bool,
    has_addresses: bool,
    is_session: bool,
    lacks_permission: bool,
    has_no_kernels: bool,
    has_messages: bool,
    is_text_form: bool,
    has_text_section: bool,
    has_text_launch: bool,
}

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

static SOURCES: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r#"(?-u)^"?Kernel Name"?[,;]"#));
static ADDRESSES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r##"(?-u)^"?Address"?[,;]|^"?#"?[,;]"?(Source|Address)"##));
static TEXT_SECTION: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?-u)^\s+Section: "));
static TEXT_LAUNCH: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?-u)^  [\w<].*\(\d+, \d+, \d+\)x\("));

fn fits(pattern: &LazyLock<Option<Regex>>, line: &[u8]) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(line))
}

impl Preamble {
    /// Takes note of a line.
    pub(super) fn take(&mut self, line: &[u8]) {
        let has = |text: &[u8]| memchr::memmem::find(line, text).is_some();
        let begins = self.start.iter().all(u8::is_ascii_whitespace);
        if begins {
            let text = line.trim_ascii_start();
            self.start.extend_from_slice(&text[..text.len().min(64)]);
            self.begins_as_sources = fits(&SOURCES, text);
            self.is_session = text.starts_with(b"Launch Settings") || text.starts_with(b"Session Info");
        }
        self.has_addresses |= fits(&ADDRESSES, line);
        self.is_session |= has(b"\"Launch Attribute\"") || has(b"\"Session Attribute\"");
        self.lacks_permission |= has(b"ERR_NVGPUCTRPERM");
        self.has_no_kernels |= has(b"No kernels were profiled") || has(b"No ranges were profiled");
        self.has_messages |=
            [&b"==PROF=="[..], b"==ERROR==", b"==WARNING=="].iter().any(|start| line.starts_with(start));
        self.has_text_section |= fits(&TEXT_SECTION, line);
        self.has_text_launch |= fits(&TEXT_LAUNCH, line);
        self.is_text_form = self.has_text_section || self.has_text_launch;
    }

    /// Why the file cannot be used, if it has no table.
    pub(super) fn refusal(&self) -> NcuRefusal {
        if self.begins_as_sources && self.has_addresses {
            NcuRefusal::SourcePage
        } else if self.is_session {
            NcuRefusal::SessionPage
        } else if self.lacks_permission {
            NcuRefusal::NoPermission
        } else if self.has_no_kernels {
            NcuRefusal::NoKernels
        } else if self.has_messages && self.is_text_form || self.has_text_section && self.has_text_launch {
            NcuRefusal::NotCsv
        } else if self.has_messages {
            NcuRefusal::NoTable
        } else {
            binary(&self.start).unwrap_or(NcuRefusal::NotNcu)
        }
    }
}

/// What a file is that begins so, if it is no text.
pub(super) fn binary(start: &[u8]) -> Option<NcuRefusal> {
    if start.starts_with(b"SQLite format 3\0") {
        return Some(NcuRefusal::Capture);
    }
    start.iter().take(64).any(|byte| *byte == 0).then_some(NcuRefusal::Report)
}
