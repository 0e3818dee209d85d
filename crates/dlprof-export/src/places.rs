//! The files of an export: which they are, whether they can be written, and where they are before they are visible.

use crate::error::Error;
use crate::formats::{Format, Together, events};
use crate::inputs::Inputs;
use crate::outputs::{Content, Output, Written};
use crate::staging::Staging;
use crate::target::{Overwrite, Target, check_folder, is_stream, place_of};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The file of a folder that says what its tables were made from: CSV and other texts have no place for it.
pub(crate) const MANIFEST: &str = "export.json";

/// What is written where.
pub(crate) struct Places<'a> {
    pub(crate) outputs: &'a [Output],
    /// The keys of the tables.
    pub(crate) tables: Vec<&'a str>,
    pub(crate) overwrite: Overwrite,
    pub(crate) inputs: &'a Inputs,
}

impl Places<'_> {
    /// Checks that everything can be written.
    ///
    /// # Errors
    /// If a file is an input, or exists and must not be replaced, or its folder cannot be written to.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let mut paths = BTreeSet::new();
        for output in self.outputs {
            let files = self.files(output);
            match output.content {
                Content::Folder(_) | Content::Run => {
                    check_folder(&output.path, &files, self.overwrite, self.inputs)?;
                }
                _ => drop(self.target(output)?),
            }
            if let Some(path) = files.into_iter().find(|path| !paths.insert(place_of(path))) {
                return Err(Error::Twice { path });
            }
        }
        Ok(())
    }

    /// The same contents in places where they are not visible yet.
    ///
    /// # Errors
    /// If there cannot be such a place.
    pub(crate) fn staged(&self, staging: &mut Staging) -> Result<Vec<Output>, Error> {
        let staged = |output: &Output| {
            let path = match output.content {
                Content::Folder(_) | Content::Run => staging.place_folder(&output.path),
                Content::Together(Together::StepSummary) => staging.place_addition(&self.target(output)?),
                _ => staging.place(&self.target(output)?),
            };
            Ok(Output { path: path?, content: output.content })
        };
        self.outputs.iter().map(staged).collect()
    }

    /// The files, in order. `missing` are, by output, the characters that no font has.
    pub(crate) fn written(&self, missing: impl IntoIterator<Item = Vec<char>>) -> Vec<Written> {
        let mut written = Vec::new();
        for (output, missing_characters) in self.outputs.iter().zip(missing) {
            written.extend(self.files(output).into_iter().map(|path| Written {
                is_stream: is_stream(&path),
                path,
                missing_characters: missing_characters.clone(),
            }));
        }
        written
    }

    /// The files of an output.
    fn files(&self, output: &Output) -> Vec<PathBuf> {
        match output.content {
            Content::Folder(format) => {
                let tables = self.tables.iter().map(|table| output.path.join(file_name(table, format)));
                tables.chain([output.path.join(MANIFEST)]).collect()
            }
            Content::Run => vec![output.path.join(events::FILE_NAME)],
            _ => vec![output.path.clone()],
        }
    }

    /// The file of an output, checked.
    fn target(&self, output: &Output) -> Result<Target, Error> {
        let is_addition = output.content == Content::Together(Together::StepSummary);
        let overwrite = if is_addition { Overwrite::Replace } else { self.overwrite };
        Target::new(&output.path, overwrite, self.inputs)
    }
}

/// The name of the file of a table in a folder.
pub(crate) fn file_name(table: &str, format: Format) -> String {
    format!("{table}.{}", format.extension())
}
