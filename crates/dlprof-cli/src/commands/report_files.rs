//! Reports that a CI system reads: their formats, and the files to which they go.

use crate::exit::Failure;
use clap::ValueEnum;
use dlprof_export::{Inputs, Overwrite, Target, write_files};
use std::path::{Path, PathBuf};

/// Formats of reports for CI systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CiFormat {
    /// Text for people
    #[value(alias = "txt")]
    Text,
    /// One JSON object
    Json,
    /// Markdown, for a pull request or a job summary
    #[value(alias = "md")]
    Markdown,
    /// JUnit XML
    #[value(alias = "xml")]
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations of GitHub Actions
    #[value(alias = "annotations")]
    Github,
}

/// What a command writes for people besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    /// Nothing.
    None,
    /// HTML and PDF.
    HtmlAndPdf,
}

/// Files to which a report goes.
pub(crate) struct ReportFiles {
    files: Vec<(Target, CiFormat)>,
}

impl ReportFiles {
    /// Checks endings, and that the files can be written. A command that writes pages too takes these out before.
    pub(crate) fn check(
        paths: &[PathBuf],
        pages: Pages,
        overwrite: Overwrite,
        inputs: &Inputs,
    ) -> Result<Self, Failure> {
        let formats: Vec<CiFormat> =
            paths.iter().map(|path| of_ending(path, pages)).collect::<Result<_, _>>()?;
        let mut files: Vec<(Target, CiFormat)> = Vec::new();
        for (path, format) in paths.iter().zip(formats) {
            let target = Target::new(path, overwrite, inputs)?;
            if files.iter().any(|(other, _)| other.is_same_file(&target)) {
                return Err(dlprof_export::Error::Twice { path: path.into() }.into());
            }
            files.push((target, format));
        }
        Ok(Self { files })
    }

    /// The formats of the files.
    pub(crate) fn formats(&self) -> impl Iterator<Item = CiFormat> {
        self.files.iter().map(|(_, format)| *format)
    }

    /// Writes the report to each of them; either all files are written or none.
    pub(crate) fn write(&self, text: impl Fn(CiFormat) -> String) -> Result<(), Failure> {
        let texts: Vec<(&Target, String)> =
            self.files.iter().map(|(target, format)| (target, text(*format))).collect();
        Ok(write_files(texts.iter().map(|(target, text)| (*target, text.as_bytes())))?)
    }
}

fn of_ending(path: &Path, pages: Pages) -> Result<CiFormat, Failure> {
    let further = match pages {
        Pages::None => "",
        Pages::HtmlAndPdf => ", html, pdf",
    };
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    CiFormat::from_str(&ending, true).map_err(|_| Failure::Usage {
        message: format!("the ending of `{}` names no format", path.display()),
        hint: Some(format!("endings are txt, json, md, xml (JUnit), sarif{further}")),
    })
}
