//! From a file that a user named to a judged profile, while the terminal shows what is done.
//!
//! What is asked of the capture stands in [`Settings`](crate::settings::Settings), and how it is done in the library:
//! `Capture::open`. This room exports reports first, shows progress and stages, and ends with what was odd about the input.

mod capture_file;
mod logs;
#[cfg(feature = "view")]
mod reading;
mod stages;
#[cfg(test)]
mod tests;

pub(crate) use capture_file::CaptureFile;
pub(crate) use logs::read_logs;
#[cfg(feature = "view")]
pub(crate) use reading::Reading;
