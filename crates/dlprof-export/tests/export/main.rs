//! Tests of the export crate through its front door.

mod dlprof_reports;
mod formats;
mod html;
mod pdf;
