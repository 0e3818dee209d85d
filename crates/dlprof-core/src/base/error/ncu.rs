//! Why a file is no log of Nsight Compute that can be used, and what to do.

/// Why a log of Nsight Compute cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NcuRefusal {
    /// A summary by GPU of the raw page: `ncu` writes its cells under the wrong columns.
    PerGpuRaw,
    /// The page of sources.
    SourcePage,
    /// The page of the session.
    SessionPage,
    /// The form for people.
    NotCsv,
    /// The filters of `ncu` matched no kernel.
    NoKernels,
    /// `ncu` was not allowed to read counters.
    NoPermission,
    /// Messages of `ncu` alone: the results are in its report.
    NoTable,
    /// A report.
    Report,
    /// A capture: an SQLite file.
    Capture,
    /// A record that is too long.
    RecordTooLong,
    /// Something else.
    NotNcu,
}

impl NcuRefusal {
    /// The stable name.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::PerGpuRaw => "per_gpu_raw",
            Self::SourcePage => "source_page",
            Self::SessionPage => "session_page",
            Self::NotCsv => "not_csv",
            Self::NoKernels => "no_kernels",
            Self::NoPermission => "no_permission",
            Self::NoTable => "no_table",
            Self::Report => "report",
            Self::Capture => "capture",
            Self::RecordTooLong => "record_too_long",
            Self::NotNcu => "not_ncu",
        }
    }

    /// What was found.
    #[must_use]
    pub fn found(self) -> &'static str {
        match self {
            Self::PerGpuRaw => {
                "it is a summary by GPU of the raw page, whose cells `ncu` writes under the wrong columns"
            }
            Self::SourcePage => "it is the page of sources",
            Self::SessionPage => "it is the page of the session",
            Self::NotCsv => "it is the form for people, not CSV",
            Self::NoKernels => "`ncu` profiled no kernels: its filters matched nothing",
            Self::NoPermission => "`ncu` was not allowed to read counters (ERR_NVGPUCTRPERM)",
            Self::NoTable => "it has messages of `ncu` and no table: the results are in the report",
            Self::Report => "it is a report, not CSV",
            Self::Capture => "it is an SQLite file, as exports of Nsight Systems are, not CSV",
            Self::RecordTooLong => "a record is longer than 64 MiB",
            Self::NotNcu => "it has no table of Nsight Compute",
        }
    }

    /// What the user can do.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::PerGpuRaw => "print it with `--print-summary per-kernel`, or without `--page raw`",
            Self::SourcePage | Self::SessionPage => "print it with `--csv --page raw`",
            Self::NotCsv => "add `--csv` to the command of `ncu`",
            Self::NoKernels => {
                "look at `--kernel-name`, `--launch-skip`, `--launch-count` and the ranges that are profiled"
            }
            Self::NoPermission => {
                "allow it on the machine: https://developer.nvidia.com/ERR_NVGPUCTRPERM says how"
            }
            Self::NoTable | Self::Report => {
                "print the report: `ncu --import X.ncu-rep --csv --page raw --print-units base \
                 --print-metric-instances details > X.csv`"
            }
            Self::Capture => {
                "`dlprof-agg ncu --suggest CAPTURE` prints the command that measures its kernels; \
                 `dlprof-agg ncu --ncu LOG CAPTURE` shows it with a log"
            }
            Self::RecordTooLong => "look for a quote that is missing in the file, or print the log again",
            Self::NotNcu => "give what `ncu --csv --page raw --log-file X.csv PROGRAM` wrote",
        }
    }
}
