//! Diagnostics: counted findings about the input, which is odd but usable.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How much a diagnostic matters to a reader of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; the numbers are complete.
    Note,
    /// Some numbers are missing, or rest on an assumption.
    Warning,
}

impl Severity {
    /// The word shown in front of a diagnostic.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
        }
    }
}

macro_rules! codes {
    ($($name:ident $key:literal $severity:ident $meaning:literal $hint:expr;)*) => {
        /// What can be odd about an input, in the order in which diagnostics are listed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code {$(#[doc = $meaning] $name,)*}

        impl Code {
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

            /// What was counted, to be read after the count.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {$(Self::$name => $meaning,)*}
            }

            /// What to do about it, where there is something to do.
            #[must_use]
            pub fn hint(self) -> Option<&'static str> {
                match self {$(Self::$name => $hint,)*}
            }
        }
    };
}

codes! {
    NewerSchema "newer-schema" Warning "export made by a newer nsys than this tool knows"
        Some("check the figures; a newer dlprof-agg may read it better");
    NoKernels "no-kernels" Warning "capture without a usable record of a kernel: no GPU figures"
        Some("capture with `nsys profile --trace=cuda,nvtx`, on a machine where CUDA tracing is permitted");
    NoApiCalls "no-api-calls" Warning "capture without a usable record of a CUDA API call: GPU work cannot be tied to ops"
        Some("export without `--tables`, capture with `--trace=cuda,nvtx`");
    NoRanges "no-ranges" Note "capture without NVTX ranges: all work is one op (simple mode)"
        Some("capture with `--trace=cuda,nvtx` and mark the program with NVTX ranges");
    MissingRecords "missing-records" Warning "kinds of API calls (copies, fills, waits) without any record of what they did"
        Some("export without `--tables`; capture with `--trace=cuda,nvtx`");
    UnknownOrigin "unknown-origin" Warning "clock without a known origin: times count from the earliest record" None;
    MissingColumn "missing-column" Warning "columns missing that a figure needs" None;
    BadValue "bad-value" Warning "cells of an unexpected type, read as missing" None;
    BadInterval "bad-interval" Warning "records that end before they start or last for months, taken as empty" None;
    RowWithoutTime "row-without-time" Warning "records without a start time, or with one beyond the year 2096, left out" None;
    RowWithoutEnd "row-without-end" Warning "API calls or GPU work without an end time, taken as empty" None;
    OpenRange "open-range" Note "NVTX ranges still open when the capture ended; they end there" None;
    UnknownName "unknown-name" Warning "names that are not in table `StringIds`" None;
    NoGpuTable "no-gpu-table" Note "table that describes the GPUs is missing: the GPUs used are counted" None;
    MalformedMarker "malformed-marker" Warning "marker texts that could not be read; they make no op" None;
    DuplicateCorrelation "duplicate-correlation" Warning
        "API calls that repeat a correlation id of their process; work goes to the earliest" None;
    ProcessUnknown "process-unknown" Warning
        "GPU records without a process in a capture of several; they stay unassociated" None;
    UnlaunchedWork "unlaunched-work" Note
        "kernels, copies and memsets without an API call, shown as unassociated" None;
    BackwardWithoutForward "backward-without-forward" Note
        "backward nodes whose forward op is not in the capture" None;
    KeyNodeOnOtherThreads "key-node-on-other-threads" Note
        "executions of the key node on other threads than the one that sets the iterations" None;
    RangesWithoutWork "ranges-without-work" Note "capture whose ranges claim less than 1 % of its GPU time"
        Some("put ranges around the code that launches the work, on the thread that launches it");
    CoveredSpan "covered-span" Note "capture starts late: events cover less than half of the wall clock" None;
}

/// A counted finding about the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What was found.
    pub code: Code,
    /// How often.
    pub count: u64,
    /// The first few different cases, in the order in which they were met.
    pub examples: Vec<String>,
}

/// All diagnostics of a capture, by code.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Diagnostics {
    entries: BTreeMap<Code, (u64, Vec<String>)>,
}

impl Diagnostics {
    /// Examples kept of each code.
    pub const EXAMPLES: usize = 3;

    /// Cases asked for an example: a million equal ones need not be written out.
    const ASKED: u64 = 1000;

    /// Counts one case; `example` is asked for only while examples are wanted.
    pub fn count(&mut self, code: Code, example: impl FnOnce() -> String) {
        let (count, examples) = self.entries.entry(code).or_default();
        *count += 1;
        if examples.len() < Self::EXAMPLES && *count <= Self::ASKED {
            let example = example();
            if !examples.contains(&example) {
                examples.push(example);
            }
        }
    }

    /// Adds what another part of the program found, after what is here.
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
    pub fn counted(&self, code: Code) -> u64 {
        self.entries.get(&code).map_or(0, |(count, _)| *count)
    }

    /// The diagnostics in the order of [`Code::ALL`].
    #[must_use]
    pub fn to_vec(&self) -> Vec<Diagnostic> {
        let diagnostic = |(&code, (count, examples)): (&Code, &(u64, Vec<String>))| Diagnostic {
            code,
            count: *count,
            examples: examples.clone(),
        };
        self.entries.iter().map(diagnostic).collect()
    }
}
