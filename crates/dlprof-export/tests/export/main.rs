//! Tests of the export crate through its front door.

mod comparison;
mod dashboard;
mod formats;
mod hostile;
mod html;
mod job;
mod pdf;
mod source;
mod workbook;
