//! What to do about copies of pageable memory: another thing in each direction.

use crate::figures::activity::{CopyGroup, CopyKind};

/// Copies of fewer bytes, on average, are single values rather than data.
const SMALL_BYTES: u64 = 1 << 12;

/// Copies of so many bytes, on average, are data rather than what a program looks at, such as parameters that are saved.
const LARGE_BYTES: u64 = 1 << 20;

/// What to do in PyTorch about pageable copies in the direction in which two thirds of the time of them and of their calls go.
pub(super) fn by_direction<'a>(groups: impl Iterator<Item = &'a CopyGroup>) -> &'static str {
    let (mut to_host_ns, mut all_ns, mut bytes, mut count) = (0, 0, 0_u64, 0_u64);
    let (mut bytes_to_host, mut count_to_host) = (0_u64, 0_u64);
    for group in groups {
        bytes = bytes.saturating_add(group.bytes);
        count += group.count;
        let ns = group.gpu_time_ns + group.api_time_ns;
        all_ns += ns;
        if group.kind == CopyKind::DtoH {
            to_host_ns += ns;
            bytes_to_host = bytes_to_host.saturating_add(group.bytes);
            count_to_host += group.count;
        }
    }
    match () {
        () if 3 * to_host_ns >= 2 * all_ns && bytes_to_host >= count_to_host.saturating_mul(LARGE_BYTES) => {
            "Copy what the host saves or evaluates, such as checkpoints, with `non_blocking=True` into pinned memory on a second \
             stream. Let another thread work on it while the next steps run; or do it less often"
        }
        () if 3 * to_host_ns >= 2 * all_ns => {
            "Read less per step on the host: no `.item()`, `.cpu()` or `print` of a tensor; copy what the host needs with \
             `non_blocking=True` into pinned memory, and wait for it later"
        }
        () if 3 * to_host_ns <= all_ns && bytes < count.saturating_mul(SMALL_BYTES) => {
            "These copies are small: make such values on the GPU (`device=`), or send them together. With `non_blocking=True` from \
             pinned memory the host does not wait"
        }
        () if 3 * to_host_ns <= all_ns => {
            "Pin the host memory: `pin_memory=True` in the `DataLoader`, and `non_blocking=True` in `.to()`"
        }
        () => {
            "To the GPU: pin the host memory, `pin_memory=True` in the `DataLoader`, and `non_blocking=True` in `.to()`. To the \
             host: no `.item()`, `.cpu()` or `print` of a tensor per step, or `non_blocking=True` into pinned memory"
        }
    }
}

/// Whether most of the time of copies and of their calls goes to a GPU: what the host waits for there is no result.
pub(super) fn mostly_to_gpu<'a>(groups: impl Iterator<Item = &'a CopyGroup>) -> bool {
    let (to_gpu, all) = groups.fold((0, 0), |(to_gpu, all), group| {
        let ns = group.gpu_time_ns + group.api_time_ns;
        (if group.kind == CopyKind::DtoH { to_gpu } else { to_gpu + ns }, all + ns)
    });
    2 * to_gpu > all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::activity::{CopyMode, HostMemory};

    #[test]
    fn what_to_do_about_pageable_copies_follows_from_their_direction() {
        let group = |kind, gpu_time_ns, bytes| CopyGroup {
            kind,
            host_memory: HostMemory::Pageable,
            mode: CopyMode::Sync,
            count: 1,
            bytes,
            gpu_time_ns,
            api_time_ns: gpu_time_ns,
        };
        let advice = |to_gpu, to_host| {
            by_direction([group(CopyKind::HtoD, to_gpu, 1 << 20), group(CopyKind::DtoH, to_host, 8)].iter())
        };
        assert!(by_direction([group(CopyKind::HtoD, 9, 8)].iter()).starts_with("These copies are small"));
        assert!(advice(9, 1).starts_with("Pin the host memory") && !advice(9, 1).contains(".item()"));
        assert!(advice(1, 9).contains("no `.item()`") && !advice(1, 9).contains("DataLoader"));
        let saved = by_direction([group(CopyKind::DtoH, 9, 40 << 20)].iter());
        assert!(saved.contains("such as checkpoints") && !saved.contains(".item()"), "{saved}");
        assert!(advice(5, 5).contains("`.item()`") && advice(5, 5).contains("DataLoader"));
    }
}
