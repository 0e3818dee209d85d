//! Writes profiles to files. Only this crate knows the formats of output files.
//!
//! [`write_dlprof_reports`] makes the eight CSV files that DLProf 1.8.0 wrote, byte for byte; [`write_table`] writes any table of
//! [`dlprof_core::TABLES`], and [`ExportPlan`] many of them at once. [`Query`] answers SQL over those tables.
//!
//! ```
//! use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions, RuleSettings, judge};
//! use dlprof_export::{DlprofReport, DlprofReportFormat, Inputs, Overwrite, ReportPlan, write_dlprof_reports};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), &ReadOptions::default())?;
//! let profile = capture.index(&KeyNodeChoice::Dlprof)?.profile(&RangeChoice::dlprof())?;
//! let folder = tempfile::tempdir()?;
//! let mut inputs = Inputs::default();
//! inputs.add(path.as_ref());
//! let plan = ReportPlan {
//!     reports: &[DlprofReport::Summary, DlprofReport::Kernel],
//!     formats: &[DlprofReportFormat::Csv],
//!     folder: folder.path(),
//!     prefix: "run",
//!     profile_name: Some("run"),
//!     overwrite: Overwrite::Refuse,
//!     inputs: &inputs,
//! };
//! let written = write_dlprof_reports(&judge(&profile, &RuleSettings::default()), &plan)?;
//! assert_eq!(written.len(), 2);
//! # Ok(())
//! # }
//! ```

mod ask;
mod capture_check;
mod column_text;
mod comparison;
mod counted;
mod counters;
mod dashboard;
mod dates;
mod display;
mod error;
mod export;
mod findings;
mod for_tools;
mod formats;
mod inputs;
mod job;
mod lake;
mod ncu_command;
mod notebook;
mod nsys_text;
mod origin;
mod outputs;
mod overview;
mod page;
mod palette;
mod places;
mod query;
mod reports;
mod roofline;
mod rule_report;
mod shown;
mod staging;
mod table_list;
mod target;
mod temporary;
mod text;
mod what_if;

// Where output goes, and why it cannot.
pub use error::Error;
pub use inputs::Inputs;
pub use staging::write_files;
pub use target::{Overwrite, Target};

// Comparisons, verdicts and histories for people and for machines.
pub use comparison::{
    RangesCompared, comparison_json, comparison_markdown, comparison_text, gate_json, gate_markdown,
    gate_text, github as github_annotations, history_json, history_markdown, history_text,
    junit as junit_report, range_comparison_json, range_comparison_markdown, range_comparison_text,
    sarif as sarif_report,
};

// A job of many ranks for people and for machines.
pub use job::{
    JobFacts, JobLook, JobPlan, job_github, job_json, job_junit, job_markdown, job_sarif, job_text,
};

// Captures of many jobs as folders of Parquet files.
pub use lake::{LAKE_TABLES, LakeChange, LakePlace, add_to_lake};

// The command that measures kernels with Nsight Compute.
pub use ncu_command::{NcuCommand, NcuLogs, ncu_command, ncu_log_name, ncu_options, nothing_to_measure};

// What counters of Nsight Compute say, in words, and rooflines of them.
pub use counters::{logs_in_words, roofline_figure, roofline_figure_of_logs, write_counters};

// Rooflines as text, as CSV, and in words for pages.
pub use roofline::{
    PictureLine, PicturePoint, PictureTick, RooflineFigure, RooflineLook, RooflineOf, RooflinePicture,
    roofline_text, write_csv as write_roofline_csv,
};

// Answers for programs, in one form.
pub use ask::{
    AskedCapture, Asking, BYTES_OF_TOKEN, Cannot, CaptureName, ColumnName, Cursor, CursorError,
    ENVELOPE_VERSION, Envelope, Mistake, Part, Question as StandingQuestion, Scope, State as AnswerState,
    Warning, ask, cannot_of_error, of_captures,
};

// What `check` shows.
pub use capture_check::{write_check, write_held, write_how_to_get_communicators};

// The first page in a terminal.
pub use dashboard::{
    COLUMNS as DASHBOARD_COLUMNS, Colour, Details as DashboardDetails, Letters, Look as DashboardLook,
    markdown as dashboard_markdown, write as write_dashboard, write_json as write_dashboard_json,
};

// What every first page shows, as plain values.
pub use overview::{Basis, IterationRow, Overview, Per, overview};

// Pieces of HTML for notebooks.
pub use notebook::{dashboard_html, table_html, timeline_html};

// Numbers and texts as people read them.
pub use display::{
    ColumnText, PlainLines, TimeUnit, plain as plain_text, plain_lines, sentence as sentence_in_words,
};

// Texts that fit a width.
pub use text::{brief, pad, width as text_width, wrap};

// Tables that fit a terminal.
pub use shown::{Choice as ShownChoice, Look as ShownLook, Width as ShownWidth, write_shown_table};

// Tables and columns in words.
pub use table_list::{write_job_table, write_table_list};

// The list of rules, and what each found.
pub use rule_report::{RuleList, RuleReport};

// What a change of the program would do.
pub use what_if::{what_if_json, what_if_text};

// Many tables at once.
pub use export::Plan as ExportPlan;
pub use outputs::{Content as ExportContent, Output as ExportOutput, Written};

// Formats of files.
pub use formats::dldb::write as write_dlprof_database;
pub use formats::events::write as write_events;
pub use formats::folded::write as write_folded;
pub use formats::json::{
    Cell as JsonCell, DOCUMENT_VERSION, schema as json_schema, write_document as write_json_document,
};
pub use formats::list::endings as format_endings;
pub use formats::pdf::{Font as PdfFont, write as write_pdf, write_logs as write_pdf_of_logs};
pub use formats::prometheus::write as write_prometheus;
pub use formats::report::{Options as ReportOptions, Tables as ReportTables};
pub use formats::xlsx::{catches_panics, write as write_workbook, write_table_workbook};
pub use formats::{
    ExportSource, FORMATS, FileFormat, Format, FormatError, Together, safe_texts, write_table,
    write_table_file, write_table_of,
};

// The eight CSV files of DLProf 1.8.0.
pub use reports::{
    Plan as ReportPlan, Report as DlprofReport, ReportFormat as DlprofReportFormat,
    write as write_dlprof_reports,
};

// Reports of nsys in its formats.
pub use nsys_text::{
    FormatArguments as NsysFormatArguments, Layout as NsysLayout, StatsFormat, StatsTimeUnit,
    write_report as write_nsys_report,
};

// The viewer's pages and their data.
pub use page::{
    Counters as PageCounters, FlameKey, FlameNode, JobBlocks, NcuCommandWords, PageComparison, RangeSums,
    RooflineChoice, SidesCompared, TableDefinition, Terms as PageTerms, TimeRangeSums, Window as PageWindow,
    Words as PageWords, assets as page_assets, flame as flame_graph, write as write_page,
    write_comparison as write_comparison_page, write_job as write_job_page,
};

// SQL over the tables.
pub use query::{
    Answer as QueryAnswer, Limits as QueryLimits, Query, QueryError, RULE_ENGINE, Stopped as QueryStopped,
    name_hash,
};
