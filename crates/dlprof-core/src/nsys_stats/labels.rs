//! What copies, memsets and kinds of memory are called.

use super::form::NsysForm;
use super::source::Source;
use crate::base::ids::WorkId;
use std::borrow::Cow;

/// What memsets are called.
pub(super) const MEMSET: &str = "[CUDA memset]";

/// Labels of copies before 2023, by CUPTI's kind.
const OLD_COPIES: [&str; 14] = [
    "[CUDA memcpy Unknown]",
    "[CUDA memcpy HtoD]",
    "[CUDA memcpy DtoH]",
    "[CUDA memcpy HtoA]",
    "[CUDA memcpy AtoH]",
    "[CUDA memcpy AtoA]",
    "[CUDA memcpy AtoD]",
    "[CUDA memcpy DtoA]",
    "[CUDA memcpy DtoD]",
    "[CUDA memcpy HtoH]",
    "[CUDA memcpy PtoP]",
    "[CUDA Unified Memory memcpy HtoD]",
    "[CUDA Unified Memory memcpy DtoH]",
    "[CUDA Unified Memory memcpy DtoD]",
];

/// Labels of copies from 2023 on, for exports that do not bring their own.
const COPIES: [&str; 14] = [
    "Unknown",
    "Host-to-Device",
    "Device-to-Host",
    "Host-to-Array",
    "Array-to-Host",
    "Array-to-Array",
    "Array-to-Device",
    "Device-to-Array",
    "Device-to-Device",
    "Host-to-Host",
    "Peer-to-Peer",
    "Unified Host-to-Device",
    "Unified Device-to-Host",
    "Unified Device-to-Device",
];

/// Labels of kinds of memory.
const MEMORY: [&str; 8] =
    ["Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"];

/// What a copy is called; none if its kind has no label.
pub(super) fn copy<'a>(source: Source<'a>, form: NsysForm, copy: WorkId) -> Option<Cow<'a, str>> {
    let kind = source.copy_kind(copy);
    if !form.is_new() {
        return OLD_COPIES.get(usize::from(kind)).map(|&label| label.into());
    }
    let own = source.records.copy_labels.get(&i64::from(kind)).map(String::as_str);
    let built_in = || COPIES.get(usize::from(kind)).copied().filter(|_| form == NsysForm::Right);
    own.or_else(built_in).map(|label| format!("[CUDA memcpy {label}]").into())
}

/// What a kind of memory is called.
pub(super) fn memory<'a>(source: Source<'a>, form: NsysForm, kind: Option<u8>) -> Option<&'a str> {
    let kind = kind?;
    let built_in = || MEMORY.get(usize::from(kind)).copied();
    if !form.is_new() {
        return built_in();
    }
    let own = source.records.memory_labels.get(&i64::from(kind)).map(String::as_str);
    own.or_else(|| built_in().filter(|_| form == NsysForm::Right))
}
