//! `export`: tables to files.

use crate::args::{Export, ExportFormat};
use crate::console;
use crate::exit::Failure;
use crate::settings::{Settings, Verbosity};
use clap::ValueEnum;
use dlprof_core::tables::{Definition, TABLES};
use dlprof_export::Overwrite;
use dlprof_export::export::{Content, Output, Plan};
use dlprof_export::formats::pdf::Font;
use dlprof_export::formats::{Format, json, report};
use std::path::Path;

pub(crate) fn run(args: &Export) -> Result<(), Failure> {
    if args.schema {
        return console::print(&format!("{:#}\n", json::schema()));
    }
    let settings = Settings::new(&args.analysis)?;
    let tables = tables(&args.tables)?;
    let outputs: Vec<Output> = args
        .output
        .iter()
        .map(|path| Ok(Output { path: path.clone(), content: content(path, args.format, tables.len())? }))
        .collect::<Result<_, Failure>>()?;
    let name = settings.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let profile_name = settings.profile_name.clone().or(name).unwrap_or_default();
    let font = args.font.as_deref().map(read_font).transpose()?;
    let plan = Plan {
        tables: &tables,
        outputs: &outputs,
        report: report::Options {
            tables: if args.tables.is_empty() { report::Tables::Usual } else { report::Tables::Chosen },
            most_rows: args.max_rows,
            time_unit: settings.time_unit.into(),
            font: font.as_ref(),
        },
        profile_name: &profile_name,
        overwrite: if args.force { Overwrite::Replace } else { Overwrite::Refuse },
    };
    plan.check()?;
    let source = settings.read(plan.rows())?;
    let profile = source.profile()?;
    let written = plan.write(&profile)?;
    console::print(&written.iter().map(|file| format!("{}\n", file.path.display())).collect::<String>())?;
    console::print_diagnostics(settings.verbosity, &profile.diagnostics);
    if settings.verbosity != Verbosity::Quiet {
        written.iter().for_each(console::print_missing_characters);
    }
    Ok(())
}

fn read_font(path: &Path) -> Result<Font, Failure> {
    let unusable = |message: String| Failure::Usage {
        message,
        hint: Some("name a TrueType or OpenType font file, such as `NotoSansSC-Regular.otf`".into()),
    };
    let bytes = std::fs::read(path)
        .map_err(|error| unusable(format!("cannot read font `{}`: {error}", path.display())))?;
    Font::read(&bytes).ok_or_else(|| unusable(format!("`{}` is no font that can be used", path.display())))
}

/// The tables of a list, in the order of [`TABLES`], each once.
fn tables(list: &[String]) -> Result<Vec<&'static Definition>, Failure> {
    if list.is_empty() || list.iter().any(|name| name == "all") {
        return Ok(TABLES.iter().collect());
    }
    let wanted: Vec<&'static Definition> =
        list.iter().map(|name| super::show::find(name)).collect::<Result<_, _>>()?;
    Ok(TABLES.iter().filter(|table| wanted.iter().any(|one| one.key == table.key)).collect())
}

/// What goes to a path: by the format asked for, or by its ending; a path without an ending is a folder.
fn content(path: &Path, format: Option<ExportFormat>, tables: usize) -> Result<Content, Failure> {
    let is_folder = path.is_dir() || (path.extension().is_none() && !path.exists());
    let format = match format {
        Some(format) => format,
        None if is_folder => ExportFormat::Csv,
        None => of_ending(path)?,
    };
    let format = match format {
        ExportFormat::Json | ExportFormat::Xlsx | ExportFormat::Pdf | ExportFormat::Html if is_folder => {
            return Err(Failure::Usage {
                message: format!("`{}` is a folder, and all tables make one file", path.display()),
                hint: Some("name a file, such as `profile.json`, `profile.xlsx` or `profile.pdf`".into()),
            });
        }
        ExportFormat::Json => return Ok(Content::Document),
        ExportFormat::Xlsx => return Ok(Content::Workbook),
        ExportFormat::Pdf => return Ok(Content::Pdf),
        ExportFormat::Html => return Ok(Content::Html),
        ExportFormat::Csv => Format::Csv,
        ExportFormat::Tsv => Format::Tsv,
        ExportFormat::Ndjson => Format::Ndjson,
        ExportFormat::Md => Format::Markdown,
        ExportFormat::Parquet => Format::Parquet,
        ExportFormat::Arrow => Format::Arrow,
    };
    match tables {
        _ if is_folder => Ok(Content::Folder(format)),
        1 => Ok(Content::Table(format)),
        tables => Err(Failure::Usage {
            message: format!("`{}` holds one table, {tables} are to be exported", path.display()),
            hint: Some(format!(
                "choose one with `--tables NAME`, or name a folder: `-o DIR --format {}`",
                format.extension()
            )),
        }),
    }
}

/// Endings are the names of the formats.
fn of_ending(path: &Path) -> Result<ExportFormat, Failure> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    ExportFormat::from_str(&ending, true).map_err(|_| {
        let formats = ExportFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let endings: Vec<String> = formats.map(|format| format.get_name().to_owned()).collect();
        Failure::Usage {
            message: format!("the ending of `{}` names no format", path.display()),
            hint: Some(format!("endings are {}; or say `--format`", endings.join(", "))),
        }
    })
}
