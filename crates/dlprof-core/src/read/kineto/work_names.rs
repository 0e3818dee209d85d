//! What the names of GPU work say about copies and memsets.

use crate::read::facts::{WorkKind, copy_kind_name};

/// The kind of memory of a copy that its name does not say.
const UNKNOWN_MEMORY: u8 = u8::MAX;

/// What the name of a copy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CopyName {
    /// CUPTI's kind of the copy; 0 if unknown.
    pub(super) kind: u8,
    pub(super) source: u8,
    pub(super) target: u8,
}

/// Reads `Memcpy HtoD (Pageable -> Device)`.
pub(super) fn copy_name(name: &str) -> CopyName {
    let unknown = CopyName { kind: 0, source: UNKNOWN_MEMORY, target: UNKNOWN_MEMORY };
    let Some(rest) = name.strip_prefix("Memcpy ") else { return unknown };
    let (direction, memories) = rest.split_once(' ').unwrap_or((rest, ""));
    let kind = (1..=13).find(|&kind| copy_kind_name(kind) == direction).unwrap_or(0);
    let inside = memories.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let (source, target) = inside.and_then(|inside| inside.split_once(" -> ")).unwrap_or_default();
    CopyName { kind, source: memory_kind(source), target: memory_kind(target) }
}

/// The number that exports of nsys have for a kind of memory. `Host` of HIP may be either kind.
fn memory_kind(name: &str) -> u8 {
    match name {
        "Pageable" => 0,
        "Pinned" => 1,
        "Device" => 2,
        "Array" => 3,
        "Managed" => 4,
        "Device Static" => 5,
        "Managed Static" => 6,
        _ => UNKNOWN_MEMORY,
    }
}

/// What a kernel is by its name: before version 7.2, ROCm copied and filled memory with kernels of its own.
pub(super) fn kind_of_kernel(name: &str) -> WorkKind {
    let bare = name.strip_suffix(".kd").unwrap_or(name);
    match bare {
        "MEMORY_COPY_HOST_TO_DEVICE"
        | "MEMORY_COPY_DEVICE_TO_HOST"
        | "MEMORY_COPY_DEVICE_TO_DEVICE"
        | "__amd_rocclr_copyBuffer"
        | "__amd_rocclr_copyBufferAligned"
        | "__amd_rocclr_copyBufferRect"
        | "__amd_rocclr_copyBufferRectAligned" => WorkKind::Copy,
        "__amd_rocclr_fillBuffer" | "__amd_rocclr_fillBufferAligned" => WorkKind::Memset,
        _ => WorkKind::Kernel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_copies_say_from_where_to_where() {
        let name = |kind, source, target| CopyName { kind, source, target };
        let cases = [
            ("Memcpy HtoD (Pageable -> Device)", name(1, 0, 2)),
            ("Memcpy DtoH (Device -> Pinned)", name(2, 2, 1)),
            ("Memcpy DtoD (Device -> Device)", name(8, 2, 2)),
            ("Memcpy PtoP (Device -> Device)", name(10, 2, 2)),
            ("Memcpy HtoD (Host -> Device)", name(1, UNKNOWN_MEMORY, 2)),
            ("Memcpy unknown", name(0, UNKNOWN_MEMORY, UNKNOWN_MEMORY)),
            ("__amd_rocclr_copyBuffer", name(0, UNKNOWN_MEMORY, UNKNOWN_MEMORY)),
        ];
        for (text, expected) in cases {
            assert_eq!(copy_name(text), expected, "{text}");
        }
    }

    #[test]
    fn kernels_of_rocm_that_copy_are_copies() {
        assert_eq!(kind_of_kernel("__amd_rocclr_copyBufferAligned.kd"), WorkKind::Copy);
        assert_eq!(kind_of_kernel("__amd_rocclr_fillBufferAligned"), WorkKind::Memset);
        assert_eq!(kind_of_kernel("copyBuffer"), WorkKind::Kernel);
    }
}
