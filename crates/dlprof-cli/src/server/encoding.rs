//! Answers compressed for browsers that take it: over a tunnel to a distant machine bytes take longer than compression.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, header};

/// Shorter answers are not compressed.
const LEAST_BYTES: usize = 32 << 10;

/// The fastest level: answers are waited for.
const LEVEL: u8 = 1;

/// How an answer is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As it is.
    Identity,
    /// In the zlib format, which HTTP calls `deflate`.
    Deflate,
}

impl Encoding {
    /// What a client takes.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let lists = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
        let mut names = lists.flat_map(|list| list.split(',')).map(str::trim);
        if names.any(|name| name == "deflate") { Self::Deflate } else { Self::Identity }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Deflate => "deflate",
        }
    }

    /// An answer in this encoding, and in which it is.
    pub(super) fn encode(self, answer: impl Into<Bytes>) -> (Bytes, Self) {
        let answer = answer.into();
        match self {
            Self::Deflate if answer.len() >= LEAST_BYTES => {
                (miniz_oxide::deflate::compress_to_vec_zlib(&answer, LEVEL).into(), self)
            }
            _ => (answer, Self::Identity),
        }
    }

    /// Says in the headers of an answer how it is encoded.
    pub(super) fn say(self, headers: &mut HeaderMap) {
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if self == Self::Deflate {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(self.as_str()));
        }
    }
}
