//! Diagnostics: counted problems of an input that is unusual but usable.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How much a diagnostic or a finding matters to a reader of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the numbers are complete.
    Note,
    /// Of diagnostics: some numbers are missing, or depend on an assumption. Of findings: time is lost.
    Warning,
    /// The capture misleads: figures over all of it would be wrong.
    Error,
}

impl Severity {
    /// The word for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($name:ident $key:literal $severity:ident $meaning:literal $hint:expr;)*) => {
        /// What can be unusual about an input, in the order in which diagnostics are listed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum DiagnosticCode {$(#[doc = $meaning] $name,)*}

        impl DiagnosticCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable name, as printed and exported.
            #[must_use]
            pub fn key(self) -> &'static str {
                match self {$(Self::$name => $key,)*}
            }

            /// How much it matters.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self {$(Self::$name => Severity::$severity,)*}
            }

            /// What was counted; it is printed after the count.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {$(Self::$name => $meaning,)*}
            }

            /// What the user can do about it; `None` if there is nothing to do. What depends on the capture is a place.
            #[must_use]
            pub(crate) fn hint(self) -> Option<&'static str> {
                match self {$(Self::$name => $hint,)*}
            }
        }
    };
}

codes! {
    LostRecords "lost-records" Error
        "threads whose CUDA records stop or have a hole while the program goes on: the tracer lost records, so their GPU work is not known"
        Some("capture a shorter part of the run (`--capture-range`, `--duration`), or with fewer kinds of records; \
            `--iter-start` and `--iter-stop` choose others");
    ProgramFailed "program-failed" Warning
        "programs printed an error at their end or ended badly, so the capture may show only a part of their work"
        Some("find out why the program failed, and profile a run that ends well");
    NewerSchema "newer-schema" Warning "the export was made by an nsys version that is newer than this tool knows"
        Some("check the figures, or use a newer dlprof-agg");
    SlowedHost "slowed-host" Note
        "torch.profiler recorded Python stacks or memory, which makes the host slower than it is"
        Some("measure the host with `with_stack=False` and `profile_memory=False`");
    NoKernels "no-kernels" Warning "the capture has no usable kernel records, so GPU figures are unavailable"
        Some("if the program launches kernels, capture with `nsys profile {trace}` \
            on a machine that permits CUDA tracing");
    NoLaunches "no-launches" Warning
        "calls of CUDA were recorded and none of them launches a kernel, so figures of GPUs are about copies and memsets alone"
        Some("profile the part of the program that launches kernels (`show api-calls` lists what was called)");
    NoApiCalls "no-api-calls" Warning
        "the capture has no usable records of CUDA API calls, so GPU work cannot be assigned to ops"
        Some("capture with `{trace}`, and export without `--tables`");
    NoRanges "no-ranges" Note "the capture has no NVTX ranges, so all work is one op (simple mode)"
        Some("add NVTX ranges to the program{ranges}");
    CutTrace "cut-trace" Error
        "the trace ends early, so only what was written before is known"
        Some("profile a shorter part of the run, or wait until the program has written the whole trace");
    ThinnedTrace "thinned-trace" Warning
        "most operators that were recorded are not in the trace, as their numbers say: a tool left them out, so that the time between \
         the others is not known"
        Some("take the trace as the profiler wrote it");
    BrokenClock "broken-clock" Error
        "API calls and kernels stand at time 0: the clock of the profiler was broken, so times of GPU work are wrong"
        Some("profile with another version of PyTorch: versions 2.12 are known for this");
    BytesBehindDatabase "bytes-behind-database" Warning
        "the file goes on behind the database, and what stands there is left out"
        Some("give each export as a file of its own: files were joined (`cat`)");
    TextBehindTrace "text-behind-trace" Warning
        "text stands after the end of the trace and is left out"
        Some("give each trace as a file of its own: files were joined (`cat`), or two programs wrote to this one");
    MergedRanks "merged-ranks" Warning
        "ranks have their traces in this one, merged by a tool that put labels before the numbers of their processes; they are shown \
         together"
        Some("`dlprof-agg ranks FILE` takes each of them as a rank");
    UnreadableEvent "unreadable-event" Warning
        "events of the trace cannot be read and are left out" None;
    RepeatedEvent "repeated-event" Warning
        "events stand in the trace twice; they count once" None;
    UnknownTraceFormat "unknown-trace-format" Warning
        "the trace names a version of its format that this tool does not know"
        Some("check the figures, or use a newer dlprof-agg");
    TraceWithoutHead "trace-without-head" Note
        "the trace is a bare list of events, so its GPUs, its rank and how it was made are unknown" None;
    TraceWithoutKernels "trace-without-kernels" Warning
        "the trace has no kernels, so GPU figures are unavailable"
        Some("profile with `{activities}`, on a GPU that may be profiled");
    CountersRecorded "counters-recorded" Warning
        "counters of kernels were recorded, for which kernels run one after another: idle time and overlap are not those of a normal run"
        Some("record a run without `--pmc` for times");
    UnreadTexts "unread-texts" Warning
        "ranges have no text that can be read (it is packed with LZ4, or missing) and are left out"
        Some("record without compression of the database");
    RangesWithoutLength "ranges-without-length" Warning
        "all ranges of the program have length 0, as older versions of the profiler wrote them, so that they hold no work"
        Some("record with a newer version of the profiler");
    OtherDevice "other-device" Warning
        "events of MTIA are not read as GPU work: of such a trace the times of ops are known, and figures of GPUs are not" None;
    MissingRecords "missing-records" Warning
        "kinds of API calls (copies, memsets, waits) have no records of what they did"
        Some("capture with `{trace}`, and export without `--tables`");
    UnknownOrigin "unknown-origin" Warning
        "the origin of the clock is unknown, so times count from the earliest record" None;
    MissingColumn "missing-column" Warning "columns that a figure needs are missing" None;
    BadValue "bad-value" Warning "cells have an unexpected type and are read as missing" None;
    BadInterval "bad-interval" Warning
        "records end before they start, or last for months; their duration counts as 0" None;
    RowWithoutTime "row-without-time" Warning
        "records have no start time, or one after the year 2096, and are left out" None;
    RowWithoutEnd "row-without-end" Warning
        "API calls or GPU work have no end time; their duration counts as 0" None;
    EventWithoutLength "event-without-length" Warning
        "events of the trace have no length that is a number; it counts as 0" None;
    EventInTwoParts "event-in-two-parts" Warning
        "events of the trace stand in it as a start and an end (`\"ph\": \"B\"` and `\"E\"`) and are left out"
        Some("keep the events as PyTorch writes them, with `\"ph\": \"X\"` and `dur`");
    OpenRange "open-range" Note "NVTX ranges were still open when the capture ended; they end there" None;
    LeakedRanges "leaked-ranges" Warning
        "NVTX ranges were never popped, so many that their times add up to more than 64 bits hold; those inside 256 \
         others count with no duration"
        Some("pop every range that the program pushes");
    TooManyNames "too-many-names" Warning
        "records have names beyond the first 200,000 different texts of ranges or the first 300,000 names of \
         kernels; they are shown together as `other names`"
        Some("leave numbers that differ from call to call out of the texts of ranges");
    TooManyOps "too-many-ops" Warning
        "op calls make more than 400,000 ops, so the later calls of a name in an iteration belong to its last op"
        Some("choose what delimits iterations with `--key-node`, or read a part of the capture with `--from` and `--to`");
    DeepNesting "deep-nesting" Warning
        "ranges, or parts of names between slashes, lie deeper than 256 levels or 16 KB of text; what is below belongs to the \
         last level"
        Some("look for ranges that are pushed and never popped");
    UnknownName "unknown-name" Warning "names are not in table `StringIds`" None;
    DlprofDatabase "dlprof-database" Note
        "the input is a DLProf database, which has no streams, no names of the functions that launch kernels, no calls of the \
         operating system, no ranges but its ops and no counters"
        Some("for figures that need them give the file `nsys_profile.sqlite` from which DLProf made it");
    OtherDomains "other-domains" Warning "NVTX domains of a DLProf database are not read" None;
    OtherAggregations "other-aggregations" Warning
        "older aggregations of a DLProf database are not read"
        Some("choose iterations with `--iter-start`, `--iter-stop` and `--key-node`");
    UnusableIterations "unusable-iterations" Warning
        "lists of iterations of a DLProf database leave gaps or do not fit its range, so iterations are chosen anew" None;
    NoGpuTable "no-gpu-table" Note
        "the table that describes the GPUs is missing, so only the used GPUs are known" None;
    MalformedMarker "malformed-marker" Warning "marker texts could not be read, so they make no op" None;
    DuplicateCorrelation "duplicate-correlation" Warning
        "API calls repeat a correlation id of their process; the GPU work belongs to the earliest one" None;
    ProcessUnknown "process-unknown" Warning
        "GPU records name no process, but several processes make API calls; they stay unassociated" None;
    ThreadUnknown "thread-unknown" Warning
        "API calls of CUDA name no thread, so the GPU work that they launched is shown as unassociated"
        Some("export the report again, without changing the file");
    LaunchedBeforeCut "launched-before-cut" Note
        "kernels, copies and memsets were launched before `--from`, so they are shown as unassociated" None;
    UnlaunchedWork "unlaunched-work" Note
        "kernels, copies and memsets have no API call and are shown as unassociated" None;
    BackwardWithoutForward "backward-without-forward" Note
        "backward nodes have no forward op in the capture" None;
    KeyNodeOnOtherThreads "key-node-on-other-threads" Note
        "executions of the key node ran on other threads than the one that sets the iterations" None;
    RangesWithoutWork "ranges-without-work" Note
        "the NVTX ranges of the capture claim less than 1 % of its GPU time"
        Some("put ranges around the code that launches GPU work, on the thread that launches it; where a framework launches on threads \
            of its own, ranges of the program delimit steps (`--key-node`) and the framework has to mark its ops");
    WorkWithoutOperators "work-without-operators" Note
        "operators and annotations of the trace claim less than 1 % of its GPU time"
        Some("record the CPU as well: `{activities}`");
    PageFaults "page-faults" Note "page faults of unified memory, in the whole capture" None;
    CoveredSpan "covered-span" Note "the capture started late: events cover less than half of the wall clock" None;
    NcuNotJoined "ncu-not-joined" Note
        "launches of a log of Nsight Compute are no kernels of the capture"
        Some("profile the same program with the same settings; `show ncu_match` lists what was joined");
    NcuOtherGpu "ncu-other-gpu" Warning
        "counters were measured on another GPU: of these kernels only the use of Tensor Cores is taken over"
        Some("profile on the GPU of the capture; if it is the same one, say so with `--ncu-same-gpu`");
    NcuOtherRun "ncu-other-run" Warning
        "kernels took much longer or shorter under Nsight Compute than in the capture, so it may be another run or size"
        Some("profile the same program with the same settings");
    NcuNumberFormat "ncu-number-format" Warning
        "numbers of a log of Nsight Compute have a mark before three digits, which may stand before decimals or between groups; \
         it is read as one between groups"
        Some("print the log with `LC_ALL=C`");
    NcuMixedMarks "ncu-mixed-marks" Warning
        "numbers of a log of Nsight Compute have a mark before decimals that stands between groups of digits in others; before \
         three digits it is read as one between groups"
        Some("print the log anew with `LC_ALL=C`; a program that saved it may have changed its numbers");
    NcuUnreadCount "ncu-unread-count" Warning
        "rows of a log of Nsight Compute do not say in a number how many launches they stand for; they count as one launch"
        Some("print the log anew with `LC_ALL=C`");
    NcuCoarseUnits "ncu-coarse-units" Warning
        "values of a log of Nsight Compute were rounded by more than 1 %, because its units were scaled"
        Some("print the log with `--print-units base`");
    NcuNoUnitsRow "ncu-no-units-row" Note
        "tables of a log of Nsight Compute have no row of units; base units are assumed" None;
    NcuConflict "ncu-conflict" Note
        "values stand in a log of Nsight Compute twice, with different numbers; the first counts" None;
    NcuFailedLaunch "ncu-failed-launch" Note
        "launches failed under Nsight Compute; they are not used" None;
    NcuTensorCoresDiffer "ncu-tensor-cores-differ" Note
        "names of kernels say another thing about Tensor Cores than counters; what was measured counts" None;
    NcuMissingMetrics "ncu-missing-metrics" Note
        "launches of a log of Nsight Compute lack metrics for figures, which stay empty"
        Some("`dlprof-agg ncu --suggest CAPTURE` prints a command with all sections that are needed");
    NcuRange "ncu-range" Note
        "rows of a log of Nsight Compute are about whole ranges or graphs; they belong to no kernel" None;
    NcuLogGone "ncu-log-gone" Warning
        "logs of Nsight Compute are not there any more; their counters are those that an earlier run kept"
        Some("leave out `--ncu` if they are not to count; `dlprof-agg cache clear` forgets them");
    NcuCut "ncu-cut" Note
        "records of a log of Nsight Compute are cut, or too long or too many to be kept" None;
    NoSteadyIterations "no-steady-iterations" Warning
        "there are fewer than three steady iterations near each other, so `--iter-range steady` aggregates all but start-up"
        Some("choose a key node with `--key-node`, or a range with `--iter-start` and `--iter-stop`");
}

/// A counted problem of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What was found.
    pub code: DiagnosticCode,
    /// How often it was found.
    pub count: u64,
    /// The first few different cases, in the order in which they were found.
    pub examples: Vec<String>,
}

/// All diagnostics of a capture, by code.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Diagnostics {
    entries: BTreeMap<DiagnosticCode, (u64, Vec<String>)>,
}

impl Diagnostics {
    /// How many examples are kept for each code.
    pub const EXAMPLES: usize = 3;

    /// Only the first cases are asked for an example, because a million equal examples would cost time.
    const ASKED: u64 = 1000;

    /// Counts one case. `example` is called only as long as more examples are needed.
    pub fn count(&mut self, code: DiagnosticCode, example: impl FnOnce() -> String) {
        self.count_cases(code, 1, example);
    }

    /// Counts as many cases as given, with one example. Without a case, nothing is counted.
    pub(crate) fn count_cases(&mut self, code: DiagnosticCode, cases: u64, example: impl FnOnce() -> String) {
        if cases == 0 {
            return;
        }
        let (count, examples) = self.entries.entry(code).or_default();
        let is_asked = *count < Self::ASKED;
        *count = count.saturating_add(cases);
        if examples.len() < Self::EXAMPLES && is_asked {
            let example = example();
            if !examples.contains(&example) {
                examples.push(example);
            }
        }
    }

    /// Adds the diagnostics of another part of the program; their examples come after those here.
    pub fn merge(&mut self, other: Self) {
        for (code, (count, examples)) in other.entries {
            let mine = self.entries.entry(code).or_default();
            mine.0 += count;
            for example in examples {
                if mine.1.len() < Self::EXAMPLES && !mine.1.contains(&example) {
                    mine.1.push(example);
                }
            }
        }
    }

    /// How often a code was counted.
    #[must_use]
    pub fn counted(&self, code: DiagnosticCode) -> u64 {
        self.entries.get(&code).map_or(0, |(count, _)| *count)
    }

    /// The diagnostics in the order of [`DiagnosticCode::ALL`].
    #[must_use]
    pub fn to_vec(&self) -> Vec<Diagnostic> {
        let diagnostic = |(&code, (count, examples)): (&DiagnosticCode, &(u64, Vec<String>))| Diagnostic {
            code,
            count: *count,
            examples: examples.clone(),
        };
        self.entries.iter().map(diagnostic).collect()
    }
}
