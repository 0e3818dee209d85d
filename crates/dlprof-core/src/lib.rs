//! Reads an Nsight Systems SQLite export and says where the training time went.
//!
//! ```text
//! export ─ingest─► Facts ─correlate─► Capture ─index(key node)─► Index ─profile(range)─► Profile ─► tables
//! ```
//!
//! [`Capture`], [`Index`] and [`Profile`] are owned values: cheap to clone, shared between threads, never changed. Each is
//! made from the one before. [`judge`] says what the rules find in a profile, and [tables](TABLES) turn it into
//! rows with named columns. All times are integer nanoseconds from the start of the capture; spans are half-open. A
//! [`Cache`] keeps the first two in files. [`Capture::open`] takes all these steps, and [`Capture::read`],
//! [`Capture::index`], [`Index::profile`] and [`judge`] one each.
//!
//! ```
//! use dlprof_core::{Capture, OpenOptions, RangeChoice};
//!
//! # fn main() -> Result<(), dlprof_core::Error> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let options = OpenOptions { range: RangeChoice::from(15..=58), ..OpenOptions::default() };
//! let profile = Capture::open(path.as_ref(), &options, None)?;
//! for op in profile.top_ops() {
//!     println!("{:>12} ns  {}", op.times.gpu.sum, profile.op_name(op.op));
//! }
//! # assert_eq!(profile.iterations.aggregated(), 44);
//! # Ok(())
//! # }
//! ```

mod advice;
mod base;
mod capture;
mod columns;
mod explain;
mod figures;
#[doc(hidden)]
pub mod fuzzing;
mod kept;
mod nsys_stats;
mod pictures;
mod pipeline;
mod read;
mod replay;
mod runs;
mod serving;
mod steps;
mod tables;
#[cfg(test)]
mod tests;

// The program in one step.
pub use pipeline::{OnStage, OpenOptions, Origin, Stage, StageEvent};

// Columns that are in memory or in mapped files.
pub use columns::{Buffer, FactColumn, FactTable, Memory, StringPool};

// Times, ids, intervals, counted problems and errors.
pub use base::begun::{Begun, BegunFolder, clear_begun, hold_signals, remove_begun, try_remove_begun};
pub use base::cut_side::CutSide;
pub use base::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics, Severity};
pub use base::exchange::exchange_folders;
pub use base::groups::Grouped;
pub use base::ids::{
    ApiCallId, CopyId, DeviceId, GroupId, LabelId, LaunchConfigId, Maybe, OpCallId, OpId, ProcessId, RangeId,
    RangeTextId, SampleId, StrId, StreamId, SyncId, ThreadId, TransferId, WorkId,
};
pub use base::intervals::{union as union_of_spans, union_length};
pub use base::limits;
pub use base::op_path::parts as op_path_parts;
pub use base::private::{make_private, no_more_rights_than, private_folder, write_private};
pub use base::ratios::{count_to_f64, median, percent, to_f64, whole};
pub use base::regular_file::open as open_regular_file;
pub use base::shell_word::shell_word;
pub use base::small_file::{MOST_SETTINGS_BYTES, read as read_small_file, read_text as read_small_text};
pub use base::time::{Ns, Span, total as total_ns};
pub use base::{
    Error, ErrorKind, MOST_THREADS, NcuRefusal, OtherWriter, PatternMistake, Shortage, TimeUnit, UnreadFile,
    could_not_start, time_in_words,
};

// What the tables of an input say.
pub use read::facts::{
    AboutRecording, CallsWithoutRecords, CaptureNotes, Collective, Device, DlprofNotes, Facts, GraphOrigin,
    KinetoNotes, LaunchConfig, MetricName, ModelConfig, NsysMessage, OverheadKind, PageFaults, Process,
    RecordedCommunicator, RecordedSource, RecordedSystem, RecordedTables, RecordedThread, Recorder,
    RecorderKind, StoredAggregation, StoredOp, StoredOperands, Stream, UNNAMED_GPU, Vendor, WorkKind,
    copy_kind_name,
};
pub use read::ingest::{RowDetail, RowReader, SqliteOptions, export_tables, is_dlprof_database};
pub use read::ncu::{
    FlopSource, NcuBound, NcuFigures, NcuForm, NcuLaunch, NcuLog, NcuMetric, NcuNumbers, NcuOddities,
    NcuRange, TensorEvidence, TensorPrecision,
};
pub use read::time_cut::{CutEdge, CutWindow, LaunchedBefore, TimeCut, TimeLimit};
pub use read::{check_path, most_frequent_unread, read_facts, unread_file, unread_kinds};

// Who launched what, and which op it belongs to.
pub use capture::classified::{
    Activity, AttributedRange, Attribution, AttributionTotal, Attributions, Cause, Classified,
    attribution_totals, attributions,
};
pub use capture::correlate::{
    ApiKind, CallTimes, Direction, Eligibility, Label, LooseWork, Mode, ModeChoice, OpIdentity, Shapes,
    TensorCores, UNASSOCIATED, correlate, stored_operands,
};
pub use capture::counters::{
    ChangedAnswer, Counters, JoinedLog, Measured, NcuLevel, NcuOptions, SignatureMatch, diagnostics_of_logs,
};
pub use capture::graph_captures::{graph_captures_beside, graph_captures_in};
pub use capture::ledger::{
    EndlessWaits, LaunchFate, LaunchRecords, Ledger, Loss, LossOf, Place, SaidByProfiler,
};
pub use capture::names::{
    ActivitySettings, ApiClass, ApiFunction, CollectiveKind, Exchange, MarkForm, NamePattern, Phase,
    Precision, StepMark, Thresholds,
};
pub use capture::{Capture, CaptureContents, CaptureCounts, CaptureDescription, ReadOptions, hint_in};

// Iterations, ops with IDs, sums of blocks.
pub use steps::index::{
    COMPLETE_MODEL, Index, IndexContents, KernelSums, KernelTotal, KernelTotals, Metric, OpTimes,
    ProcessIterationStats, ResourceSplit, Resources,
};
pub use steps::iterate::finder::{InnerRhythm, KeyNodeHint, SectionPlace, Sections};
pub use steps::iterate::{
    ClockChoice, Confidence, DLPROFS_KEY_NODE, DefaultRange, DelimiterKind, FigureRules, Found, FoundBy,
    IterationCandidate, IterationState, Iterations, KeyNode, KeyNodeChoice, LostOf, LostRecords, Op,
    PassElsewhere, ProcessExecutions, RangeChoice, WarmUpRange,
};

// Steps of inference servers.
pub use serving::{
    EngineLane, EngineStep, IdlePart, Interference, LaneFigures, LayerTime, Mean, ModuleTime, Modules,
    PhaseFigures, STRIP_PARTS, Serving, SteadyPhase, StepPeriod, StepStrip, StepWork, TokenBins, TokenTimes,
    Workload, WorkloadEvidence,
};

// What a range decides.
pub use figures::activity::{
    CAUSES, CallSum, CauseDefinition, CopyGroup, CopyKind, CopyMode, Distribution, DuringGap, FunctionCalls,
    GpuFigures, GpuTime, GpuTimes, HostGap, HostMemory, IdleFunction, IdleHost, IdleOsCall, IdleRange,
    IdleRanges, IdleThread, IdleTime, LISTED_CLASSES, LONG_GAP_NS, Launch, LaunchStats, LongGap, LongGaps,
    ReaderCost, STEP_CLASSES, SampleRole, SampledCode, StepClass, StepClassDefinition, StepClasses,
    ThreadLaunches, Verdict as StepVerdict, WaitingTimes, WindowCalls, WindowSyncs, calls_by_function,
    calls_by_window, copies as copy_groups, gpu_figures, gpu_times, idle_host, launch_stats,
    launches_by_thread, os_read_time, reader_cost, syncs_by_window, waiting_times, whole_range,
};
pub use figures::annotations::{AnnotationStats, LaunchedWork};
pub use figures::by_name::{ApiFunctionSums, KernelName, RangeSums, Spread, ThreadClass};
pub use figures::folded_ops::{FoldedOp, FoldedOps};
pub use figures::gpu::{
    BlockResources, DevicePeaks, Grade, LaunchFill, Limiter, Limiters, LossShare, LossSum, Occupancy,
    PeakRow, PeakSource, PeakTable, Peaks, SmLimits, UserGpu, Waves, device_peaks,
};
pub use figures::gpu_memory::{GpuMemory, KindTotal, MemoryEvents, MemorySide, gpu_memory, memory_kind_name};
pub use figures::gpu_metrics::{MetricSamples, SampleMean, WindowMetric, metrics_of_windows};
pub use figures::kernel_kinds::{KernelJudgement, KernelKind, KernelKindTime, KnownShare, base_name};
pub use figures::launches_to_measure::{LaunchesToMeasure, NothingToMeasure};
pub use figures::measured::{
    MeasuredFigures, MeasuredKernel, MeasuredOp, NcuCover, kernels_of_logs, measured_kernels, measured_ops,
    ncu_cover,
};
pub use figures::op_work::{OpCallWork, OpParameters, OpPass, OpWork, RooflineBound, work_of_call};
pub use figures::profile::{
    CategoryTotal, Clock, DeviceFigure, DeviceStats, DeviceWindow, GroupStats, IdleCause, IdleTotal,
    IterationOpStats, IterationStats, IterationWork, KernelLaunch, KernelLaunches, KernelOfOp, KernelSummary,
    KindAllocations, KnownFigures, LongBefore, LongestGap, MemoryOfOp, MetricMean, OnceTime, OpCategories,
    OpStats, OpTypeStats, Profile, ProfileContents, ProfileSettings, ProfiledIterations, RangeFamily,
    RangeSum, RangeTime, RunTwice, Sampled, SamplesBefore, Step, Summary, TimeRange, WholeRun, Windows,
    WorkByName, WorkName,
};

// Rows of columns that are declared once.
pub use tables::expression::{
    Condition, ExpectedExpression, ExpressionKind, ExpressionMistake, ExpressionProblem,
    marked as marked_mistake,
};
pub use tables::gpu_time::TABLE as GPU_TIME_TABLE;
pub use tables::gpus::build as build_gpus;
pub use tables::groups::{GroupRow, build as build_groups};
pub use tables::iterations::build as build_iterations;
pub use tables::kernel_summaries::build as build_kernel_summaries;
pub use tables::kernels::build as build_kernels;
pub use tables::near::near as near_names;
pub use tables::op_types::build as build_op_types;
pub use tables::ops::build as build_ops;
pub use tables::summary::{SummaryRow, TABLE as SUMMARY_TABLE};
pub use tables::{
    CellKind, Column, Columns, Declaration, Form, Header, Importance, Layout, MeansNamedIn, PerIteration,
    RecordBatches, Renamed, RowTable, Rows, Selection, SelectionError, Table, TextForm, Unit, UnknownColumn,
    Value, View, cell as batch_cell, columns_for_people, name_means,
};

// What ran when, and how much work per byte and second.
pub use pictures::roofline::{
    Decades, FlatRoof, MemoryLevel, PlacedPoint, Ridge, Roofline, RooflinePoint, RooflineRoofs,
    RooflineSource, SlopedRoof, StripPoint, roofline_of_kernels, roofline_of_logs, roofline_of_ops,
};
pub use pictures::tiles::{
    CaptureLanes, CounterHead, FoundItems, ItemDetails, ItemPlace, LaneHead, LaneItem, Tile, TileAddress,
    TileCounter, TileRow,
};
pub use pictures::timeline::{Lane, LaneItemClass, LaneKind, LaneLink, LaneOwner, Timeline};
pub use pictures::tracks::{
    GpuUse, Pieces, Track, TrackFrame, TrackGroup, TrackGroupKind, TrackKind, TrackLanes, TrackPiece,
    TrackReading, TrackSample, TrackWork, Tracks,
};

// The iterations with a change.
pub use replay::{
    Bounds, CriticalPath, EDIT_FORMS, Edit, EditOutcome, MOST_UNEXPLAINED_PERCENT, NamedEdits, NotReplayed,
    PathClass, PathLimit, PathPart, Replay, UnknownEdit, WhatIf,
};

// What the rules say about a profile.
pub use advice::findings_table::{FindingRow, build as build_findings};
pub use advice::tables::{Definition, TABLES, definition, log_table, table_of_logs};
pub use advice::{
    AskedChange, BECAUSE, Because, ChangedRules, Changes, Evidence, Figure, Finding, Headline, Judged, Level,
    ListedRule, ListedThreshold, MOST_WORDS, Measure, Need, NotAdvised, OwnOutcome, OwnResult, OwnRule,
    OwnRuleTable, Problem, QueryAnswer, QueryColumns, QueryEngine, QueryMistake, QueryTime, Question, Rule,
    RuleChanges, RuleError, RuleSetting, RuleSettings, RuleState, Saving, Sentence, SettingsText, Subject,
    Threshold, TimeOf, Wording, cause_in_words, class_in_words, computing_percent, judge, listed_rules,
    no_ranges, passes as judged_passes, rules as built_in_rules, savings_overlap, serving_in_words, verdict,
    verdict_detail, verdict_meaning, what_would_name_ops, what_would_tell, why_empty, why_no_row,
};

// Runs against runs.
pub use runs::RunError;
pub use runs::comparison::{
    ComparedClass, ComparedPart, ComparedRow, Comparison, Decomposition, FindingChange, FindingChanges,
    FindingSide, FindingState, Trend, compare as compare_runs,
};
pub use runs::document::{
    BaselineEnvironment, BaselineGpuTime, BaselineIterations, BaselineOp, BaselineRun, BaselineScope,
    Document, MainFigure, RunFinding, RunFindings, RunSaving, SavingKind, WallClock, is_baseline,
    read as read_baseline, to_json as baseline_json, write_json as write_baseline,
};
pub use runs::gate::{GateCheck, GateOutcome, GateReport, GateVerdict, judge as judge_gate};
pub use runs::history::{ChangePoint, Drift, HistorySeries, series as history_series};
pub use runs::metrics::{
    COPY_TIME, GPU_IDLE, ITERATION_TIME, KERNEL_TIME, LAUNCHES, METRICS as RUN_METRICS, RunMetric, RunUnit,
    TC_UTILIZATION, WorseWhen, find as find_run_metric,
};
pub use runs::policy::{Inconclusive, Policy, PolicyError, PolicyRule, Suggestion};
pub use runs::ranges::{
    ComparedRange, ComparedRangeRow, RangeComparison, RangeDifferences, RangeSubject, compare_ranges,
    usual_pair,
};
pub use runs::ranks::{
    Absent, CaptureKind, CaptureOfJob, ChannelKey, ClockSource, CollectivesOfKind, CommonEnd, Communicator,
    DIGEST_FILE, DIGEST_FORMAT, DigestError, Dimension, DimensionOfJob, FileStatus, Gate, Instance,
    IterationSource, JOB_TABLES, Job, JobFile, JobFinding, JobMeans, JobRank, JobRequest, JobRule,
    JobSession, JobTableDefinition, KernelKey, KnownCommunicator, LEAST_STEPS_OF_LAG, LagCause, MatchedBy,
    MeanTimes, NotRead, OpOfRank, PieceSums, RankClass, RankClock, RankCollective, RankDigest, RankIdentity,
    RankIteration, RankLag, RankPattern, RankSource, RankSteps, RankThresholds, RankWindows, RankWords,
    RankWork, RanksError, SameCapture, StepScale, StepTimes, WorkSum, capitalized, give_ranks, group_name,
    has_rank, have, job_table, natural_order, rank_digests, rank_of_capture, read_digests, same_capture,
    spans as spans_of_ranks, write_digests,
};
pub use runs::statistics::{Assumptions, Difference, Random};
pub use runs::words::{
    amount as amount_in_words, change as change_in_words, percent as percent_in_words,
    signed_percent as signed_percent_in_words,
};

// What names mean.
pub use explain::{Answer, Explanation, Topic, all as explain_all, explain};

// Captures, indexes and figures in files.
pub use kept::{Cache, DigestChoice, KeptAggregation, KeptEntry, KeptExport};

// The reports of `nsys stats`.
pub use nsys_stats::{
    NsysArguments, NsysCell, NsysColumn, NsysFilter, NsysForm, NsysNameKind, NsysRangeFilter, NsysRefusal,
    NsysReport, NsysReportEntry, NsysReportKind, NsysReportTakes, NsysRequest, NsysUnit,
    REPORTS as NSYS_REPORTS, defaults as default_nsys_reports, make as make_nsys_report,
};
