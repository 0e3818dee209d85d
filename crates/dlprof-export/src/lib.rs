//! Writes profiles to files. Only this crate knows the formats of output files.
//!
//! [`reports`] are the eight CSV files that DLProf 1.8.0 wrote, byte for byte; [`formats`] writes any table of
//! [`dlprof_core::tables`], and [`export`] many of them at once. [`query`] answers SQL over those
//! tables.
//!
//! ```
//! use dlprof_core::advice::{RuleSettings, judge};
//! use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
//! use dlprof_export::{Inputs, Overwrite, reports};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), &ReadOptions::default())?;
//! let profile = capture.index(&KeyNodeChoice::Dlprof)?.profile(&RangeChoice::dlprof())?;
//! let folder = tempfile::tempdir()?;
//! let mut inputs = Inputs::default();
//! inputs.add(path.as_ref());
//! let plan = reports::Plan {
//!     reports: &[reports::Report::Summary, reports::Report::Kernel],
//!     formats: &[reports::ReportFormat::Csv],
//!     folder: folder.path(),
//!     prefix: "run",
//!     profile_name: Some("run"),
//!     overwrite: Overwrite::Refuse,
//!     inputs: &inputs,
//! };
//! let written = reports::write(&judge(&profile, &RuleSettings::default()), &plan)?;
//! assert_eq!(written.len(), 2);
//! # Ok(())
//! # }
//! ```

pub mod capture_check;
mod column_text;
pub mod comparison;
mod counted;
pub mod dashboard;
mod dates;
pub mod display;
mod error;
pub mod export;
pub mod findings;
mod for_tools;
pub mod formats;
mod inputs;
pub mod nsys_text;
mod origin;
pub mod overview;
pub mod page;
mod palette;
pub mod query;
pub mod reports;
pub mod rule_report;
pub mod shown;
mod staging;
pub mod table_list;
mod target;
mod temporary;
pub mod text;

pub use error::Error;
pub use inputs::Inputs;
pub use staging::write_files;
pub use target::{Overwrite, Target};
