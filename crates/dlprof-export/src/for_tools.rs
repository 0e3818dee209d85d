//! Files for other tools: what their paths mean, and what the capture must have.

use crate::error::Error;
use crate::formats::{FORMATS, FormatError, Together};
use crate::outputs::{Content, Output};
use dlprof_core::Profile;
use std::path::PathBuf;

impl Output {
    /// Event files: a path without an ending is a folder too, because TensorBoard shows folders.
    ///
    /// # Errors
    /// If TensorBoard does not find a file of this name.
    pub(crate) fn of_events(path: PathBuf, is_folder: bool) -> Result<Self, FormatError> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let is_found = FORMATS.iter().any(|format| format.is_named_inside(&name));
        match path.extension() {
            None if !is_found => Ok(Self { path, content: Content::Run }),
            _ if is_folder => Ok(Self { path, content: Content::Run }),
            _ if is_found => Ok(Self { path, content: Content::Together(Together::Events) }),
            _ => Err(FormatError::NoEventFile { path }),
        }
    }

    /// Checks that the profile has what the file holds: stacks of copies alone would look like all GPU time.
    ///
    /// # Errors
    /// If it has not.
    pub(crate) fn check_data(&self, profile: &Profile) -> Result<(), Error> {
        let path = || self.path.clone();
        match self.content {
            Content::Together(Together::Folded | Together::Speedscope)
                if profile.kernel_names().is_empty() =>
            {
                Err(Error::NoKernels { path: path() })
            }
            Content::Together(Together::Events) | Content::Run if profile.iterations.key_node.is_none() => {
                Err(Error::NoIterations { path: path() })
            }
            _ => Ok(()),
        }
    }
}
