//! Which arguments of events are read. All others are skipped by their brackets.

macro_rules! args {
    ($($name:ident $($key:literal)|+;)*) => {
        /// An argument of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Arg {$($name,)*}

        impl Arg {
            /// The argument of a key, if it is read.
            #[inline]
            pub(super) fn of(key: &[u8]) -> Option<Self> {
                match key {
                    $($($key)|+ => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

args! {
    Name b"name";
    ExternalId b"External id" | b"external id";
    Correlation b"correlation";
    Kernel b"kernel";
    SequenceNumber b"Sequence number";
    ForwardThread b"Fwd thread id";
    InputDims b"Input Dims" | b"Input dims";
    InputTypes b"Input type";
    ConcreteInputs b"Concrete Inputs";
    CallStack b"Call stack";
    Device b"device";
    InDevice b"inDevice";
    Stream b"stream";
    Context b"context";
    Bytes b"bytes";
    Size b"size";
    Grid b"grid";
    Block b"block";
    Registers b"registers per thread";
    SharedMemory b"shared memory";
    GraphId b"graph id";
    CollectiveName b"Collective name";
    InElements b"In msg nelems";
    OutElements b"Out msg nelems";
    DataType b"dtype";
    GroupSize b"Group size";
    GroupName b"Process Group Name";
    GroupDescription b"Process Group Description";
    GroupRanks b"Process Group Ranks";
    SyncKind b"cuda_sync_kind";
    WaitOnEvent b"wait_on_cuda_event_id";
    DeviceType b"Device Type";
    DeviceId b"Device Id";
    AllocatedBytes b"Bytes";
    TotalAllocated b"Total Allocated";
    TotalReserved b"Total Reserved";
}
