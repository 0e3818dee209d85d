//! How much memory this process may still take: what the system has, and what its control groups allow.
//!
//! ```text
//! /proc/self/cgroup      0::/user/job          version 2:  /sys/fs/cgroup/user/job/memory.max, memory.current
//!                        4:memory:/docker/9    version 1:  /sys/fs/cgroup/memory/docker/9/memory.limit_in_bytes, …
//! ```
//!
//! A group may be limited by those around it, so all of them count, and the least that is left decides.

use std::path::Path;

/// What is assumed where the system says nothing.
const UNKNOWN_BYTES: usize = 4 << 30;

/// Bytes of memory that this process may still take, by the files below `root`, which is `/` but in tests.
pub(super) fn available_bytes(root: &Path) -> usize {
    let groups = std::fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().filter_map(|line| left_in_line(root, line));
    limits.chain(left_in_system(root)).min().unwrap_or(UNKNOWN_BYTES)
}

/// What the system has left, as `/proc/meminfo` says.
fn left_in_system(root: &Path) -> Option<usize> {
    let text = std::fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.saturating_mul(1024))
}

/// What a line of `/proc/self/cgroup` leaves; none if it is about no memory, or there is no limit.
fn left_in_line(root: &Path, line: &str) -> Option<usize> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    if (number, controllers) == ("0", "") {
        return left_in_groups(&root.join("sys/fs/cgroup"), path, "memory.max", "memory.current");
    }
    if controllers.split(',').any(|controller| controller == "memory") {
        let groups = root.join("sys/fs/cgroup/memory");
        return left_in_groups(&groups, path, "memory.limit_in_bytes", "memory.usage_in_bytes");
    }
    None
}

/// The least memory left in a control group and in those around it; none without a limit.
fn left_in_groups(groups: &Path, path: &str, limit: &str, usage: &str) -> Option<usize> {
    let group = groups.join(path.trim_start_matches('/'));
    // Inside a container the group's own path may not exist; its files then are those of the root.
    let around = group.ancestors().take_while(|group| group.starts_with(groups));
    let read = |group: &Path, file: &str| -> Option<usize> {
        std::fs::read_to_string(group.join(file)).ok()?.trim().parse().ok()
    };
    around.filter_map(|group| Some(read(group, limit)?.saturating_sub(read(group, usage)?))).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: usize = 1 << 30;

    /// What is available on a system with these files.
    fn available(files: &[(&str, &str)]) -> usize {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        available_bytes(root.path())
    }

    const MEMINFO: (&str, &str) =
        ("proc/meminfo", "MemTotal:       65798276 kB\nMemFree: 1 kB\nMemAvailable:   16777216 kB\n");

    #[test]
    fn a_system_without_groups_has_what_it_says() {
        assert_eq!(available(&[MEMINFO]), 16 * GIB);
        assert_eq!(available(&[MEMINFO, ("proc/self/cgroup", "")]), 16 * GIB);
        assert_eq!(available(&[]), UNKNOWN_BYTES);
        assert_eq!(available(&[("proc/meminfo", "MemAvailable: much\n")]), UNKNOWN_BYTES);
    }

    #[test]
    fn the_tightest_group_of_version_2_decides() {
        let job = |max: &str, current: &str| {
            available(&[
                MEMINFO,
                ("proc/self/cgroup", "0::/user.slice/job\n"),
                ("sys/fs/cgroup/user.slice/job/memory.max", max),
                ("sys/fs/cgroup/user.slice/job/memory.current", current),
                ("sys/fs/cgroup/user.slice/memory.max", "8589934592\n"),
                ("sys/fs/cgroup/user.slice/memory.current", "2147483648\n"),
            ])
        };
        assert_eq!(job("max\n", "1073741824\n"), 6 * GIB, "the group around it is limited");
        assert_eq!(job("4294967296\n", "1073741824\n"), 3 * GIB);
        assert_eq!(job("4294967296\n", "5368709120\n"), 0, "more is used than allowed");
        assert_eq!(job("64000000000\n", "0\n"), 6 * GIB);
        assert_eq!(job("?\n", "?\n"), 6 * GIB, "what cannot be read is no limit");
    }

    #[test]
    fn groups_of_version_1_and_inside_a_container() {
        let files = [
            MEMINFO,
            ("proc/self/cgroup", "12:cpu,cpuacct:/docker/9\n4:memory:/docker/9\n0::/docker/9\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "3221225472\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"),
        ];
        assert_eq!(available(&files), 2 * GIB, "the root of the container has the files");
        let unlimited = [
            MEMINFO,
            ("proc/self/cgroup", "3:hugetlb,memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"),
        ];
        assert_eq!(available(&unlimited), 16 * GIB);
    }
}
