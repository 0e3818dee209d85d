//! Which file systems are local: files there are cut only by programs of this machine.

use std::path::Path;

/// What Linux calls the file systems of this machine's own disks and memory.
const LOCAL: &[u64] = &[
    0x0102_1994, // tmpfs
    0x0000_ef53, // ext2, ext3, ext4
    0x2fc1_2fc1, // ZFS
    0x5846_5342, // XFS
    0x794c_7630, // overlayfs, in containers
    0x8584_58f6, // ramfs
    0x9123_683e, // Btrfs
    0xca45_1a4e, // bcachefs
    0xf2f5_2010, // F2FS
];

/// Whether a path is known to lie on a local file system.
#[cfg(target_os = "linux")]
pub(crate) fn is_local(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|system| u64::try_from(system.f_type).is_ok_and(is_local_kind))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_local(_: &Path) -> bool {
    false
}

fn is_local_kind(kind: u64) -> bool {
    LOCAL.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_or_remote_is_not_local() {
        let (nfs, smb, fuse, lustre) = (0x6969, 0xff53_4d42, 0x6573_5546, 0x0bd0_0bd0);
        assert!([nfs, smb, fuse, lustre, 0, u64::MAX].into_iter().all(|kind| !is_local_kind(kind)));
        assert!(is_local_kind(0xef53) && is_local_kind(0x0102_1994));
        assert!(!is_local(Path::new("/nowhere/at/all")));
    }
}
