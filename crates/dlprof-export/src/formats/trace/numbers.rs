//! Numbers of processes and threads in a trace.

use dlprof_core::{TrackGroupKind, TrackKind, Tracks};
use std::collections::HashSet;

/// Numbers from here on are none of an operating system.
const FIRST_OWN: i64 = 1 << 24;

/// Gives processes and threads numbers: those of the operating system, but own ones to what is not a process or thread and where
/// two have the same number, because Perfetto knows a thread by its number alone.
pub(in crate::formats) struct Numbers {
    /// By group: its number in the operating system.
    pids: Vec<Option<i64>>,
    /// By track: its number in the operating system.
    tids: Vec<Option<i64>>,
    next: i64,
    used_pids: HashSet<i64>,
    used_tids: HashSet<i64>,
    /// By group: the number it was given.
    processes: Vec<Option<i64>>,
    /// By track and lane: the number it was given.
    threads: Vec<Vec<Option<i64>>>,
}

impl Numbers {
    pub(in crate::formats) fn new(tracks: &Tracks<'_>) -> Self {
        let pid = |kind| match kind {
            TrackGroupKind::Process { pid } => Some(pid).filter(|&pid| pid > 0),
            TrackGroupKind::Capture | TrackGroupKind::Gpu(_) => None,
        };
        let tid = |kind| match kind {
            TrackKind::Thread { tid } => Some(tid).filter(|&tid| tid > 0),
            TrackKind::Iterations | TrackKind::WithoutThread | TrackKind::Stream => None,
        };
        Self {
            pids: tracks.groups().iter().map(|group| pid(group.kind)).collect(),
            tids: tracks.tracks().iter().map(|track| tid(track.kind)).collect(),
            next: FIRST_OWN,
            used_pids: HashSet::new(),
            used_tids: HashSet::new(),
            processes: vec![None; tracks.groups().len()],
            threads: vec![Vec::new(); tracks.tracks().len()],
        }
    }

    /// The number of a group, and whether it is asked for the first time.
    pub(in crate::formats) fn process(&mut self, group: usize) -> (i64, bool) {
        if let Some(pid) = self.processes[group] {
            return (pid, false);
        }
        let known = self.pids[group].filter(|&pid| self.used_pids.insert(pid));
        let pid = known.unwrap_or_else(|| self.own());
        self.processes[group] = Some(pid);
        (pid, true)
    }

    /// The number of a lane of a track, and whether it is asked for the first time.
    pub(in crate::formats) fn thread(&mut self, track: usize, lane: usize) -> (i64, bool) {
        let lanes = &mut self.threads[track];
        if lanes.len() <= lane {
            lanes.resize(lane + 1, None);
        }
        if let Some(tid) = lanes[lane] {
            return (tid, false);
        }
        let known = self.tids[track].filter(|_| lane == 0).filter(|&tid| self.used_tids.insert(tid));
        let tid = known.unwrap_or_else(|| self.own());
        self.threads[track][lane] = Some(tid);
        (tid, true)
    }

    fn own(&mut self) -> i64 {
        self.next += 1;
        self.next - 1
    }
}
