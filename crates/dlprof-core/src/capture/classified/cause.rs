//! Why a GPU idled.

use crate::columns::cells_of_bytes;
use bytemuck::{CheckedBitPattern, NoUninit};

/// The cause of idle time. The order is that of tables; from [`Cause::Profiler`] to [`Cause::HostIssue`] it is also the order
/// of precedence: of the causes that are open on a thread, the first one counts. CUDA's calls come before
/// [`Cause::Communication`], because an exchange makes such calls and they say more: the innermost call owns the time.
///
/// What people and files are told of each is declared in [`CAUSES`](crate::figures::activity::CAUSES).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, NoUninit, CheckedBitPattern)]
#[repr(u8)]
pub enum Cause {
    /// The capture has no work on this GPU.
    Unused,
    /// Before the first or after the last item of this GPU.
    Edge,
    /// The item that ended the gap has no API call.
    NoApiCall,
    /// Items were queued; the GPU needed this long between them.
    Turnaround,
    /// The item was submitted and waited for another stream, the host, or its place in a graph.
    Dependency,
    /// The item was submitted, nothing that the capture shows held it back, and it did not start.
    Stall,
    /// The profiler held the thread up.
    Profiler,
    /// The thread was in a range that loads data.
    DataLoading,
    /// The thread waited for the GPU.
    Sync,
    /// The thread was in a call that copies.
    Copy,
    /// The thread took or gave back memory.
    Allocation,
    /// The thread loaded code, made contexts, streams, graphs or communicators.
    Setup,
    /// The thread was in a launch that took too long for a launch.
    SlowLaunch,
    /// The thread was in a launch call, or the launch was on its way.
    Launch,
    /// The thread was in another API call.
    Api,
    /// The thread exchanged data with other processes.
    Communication,
    /// The thread waited outside its ops.
    InputWait,
    /// The thread read files or connections outside its ops.
    Io,
    /// The thread was blocked in another call of the operating system.
    OsCall,
    /// The thread was in a range, but in none of the above.
    HostRange,
    /// The thread was between two API calls that followed each other soon.
    HostIssue,
    /// Nothing tells.
    Unknown,
}

cells_of_bytes! { Cause }

impl Cause {
    /// All causes in order.
    pub const ALL: [Self; 22] = [
        Self::Unused,
        Self::Edge,
        Self::NoApiCall,
        Self::Turnaround,
        Self::Dependency,
        Self::Stall,
        Self::Profiler,
        Self::DataLoading,
        Self::Sync,
        Self::Copy,
        Self::Allocation,
        Self::Setup,
        Self::SlowLaunch,
        Self::Launch,
        Self::Api,
        Self::Communication,
        Self::InputWait,
        Self::Io,
        Self::OsCall,
        Self::HostRange,
        Self::HostIssue,
        Self::Unknown,
    ];

    /// What may be open on the thread that issues, most telling first.
    pub(crate) const ON_THREAD: &'static [Self] = Self::ALL.split_at(6).1.split_at(15).0;

    /// What may be open on any thread of the process, most telling first.
    pub(crate) const IN_PROCESS: [Self; 8] = [
        Self::DataLoading,
        Self::Sync,
        Self::Copy,
        Self::Allocation,
        Self::Setup,
        Self::Api,
        Self::Communication,
        Self::HostRange,
    ];

    /// The host was issuing work, or on its way to it.
    pub(crate) const ISSUING: [Self; 4] = [Self::Launch, Self::Api, Self::HostRange, Self::HostIssue];

    /// What a wait costs that lets the queue run dry.
    pub(crate) const SYNC_COST: [Self; 6] =
        [Self::Sync, Self::Launch, Self::SlowLaunch, Self::Api, Self::HostRange, Self::HostIssue];

    /// Its place in [`Self::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Cause;

    #[test]
    fn causes_stand_in_order() {
        assert!(Cause::ALL.iter().enumerate().all(|(at, cause)| cause.index() == at));
        let words: Vec<&str> = Cause::ON_THREAD.iter().map(|cause| cause.as_str()).collect();
        let expected = "profiler data_loading sync copy allocation setup slow_launch launch api communication input_wait io \
            os_call host_range host_issue";
        assert_eq!(words.join(" "), expected);
        assert!(
            Cause::IN_PROCESS.is_sorted()
                && Cause::IN_PROCESS.iter().all(|cause| Cause::ON_THREAD.contains(cause))
        );
    }
}
