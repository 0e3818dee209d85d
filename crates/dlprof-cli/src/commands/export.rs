//! `export`: tables to files.

use crate::console::{self, Verbosity};
use crate::exit::Failure;
use crate::inputs;
use crate::output_args::Export;
use crate::progress::Progress;
use crate::settings::Settings;
use dlprof_core::advice::tables::{Definition, TABLES};
use dlprof_export::export::{Output, Plan};
use dlprof_export::formats::pdf::Font;
use dlprof_export::formats::{FileFormat, FormatError, json, report};
use std::path::Path;

/// Font files have at most so many bytes.
const MOST_FONT_BYTES: u64 = 256 << 20;

pub(crate) fn run(args: &Export) -> Result<(), Failure> {
    if args.schema {
        return console::print(&format!("{:#}\n", json::schema()));
    }
    let mut settings = Settings::new(&args.analysis)?;
    let tables = tables(&args.tables)?;
    let outputs: Vec<Output> = args
        .output
        .iter()
        .map(|path| Output::new(path, args.format.or_else(|| format_of_step(path)), tables.len()))
        .collect::<Result<_, FormatError>>()?;
    let name = settings.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let profile_name = settings.profile_name.clone().or(name).unwrap_or_default();
    let read = args.analysis.file.iter().chain(&args.analysis.database).chain(&args.font);
    let inputs = inputs::of(read, &args.analysis.options.general);
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
        overwrite: inputs::overwrite(args.force),
        inputs: &inputs,
        database: None,
        on_rows: None,
    };
    check_databases(args, &outputs)?;
    plan.check()?;
    let of_tables = if outputs.iter().all(Output::is_database) { None } else { Some(settings.profile()?) };
    let of_databases = if outputs.iter().any(Output::is_database) {
        settings.use_rules_of_dlprof();
        Some(settings.profile()?)
    } else {
        None
    };
    let Some(profile) = of_tables.as_ref().or(of_databases.as_ref()) else { return Ok(()) };
    let database = of_databases.as_ref().map(|profile| (profile, settings.profile_name.as_deref()));
    let progress = Progress::new(settings.shows_progress, "writing".into(), "rows");
    let on_rows = |done, total| progress.update(done, total);
    let written = Plan { database, on_rows: Some(&on_rows), ..plan }.write(profile);
    progress.finish();
    let written = written?;
    // Standard output may be one of the files, and then has nothing else.
    let files = written.iter().filter(|file| !file.is_stream);
    console::print(&files.map(|file| format!("{}\n", file.path.display())).collect::<String>())?;
    settings.finish(profile);
    if settings.verbosity != Verbosity::Quiet {
        written.iter().for_each(console::print_missing_characters);
    }
    Ok(())
}

/// The file in which GitHub Actions collects the summary of a step has no ending, but it is known by name.
fn format_of_step(path: &Path) -> Option<&'static FileFormat> {
    let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|summary| !summary.is_empty())?;
    if path == Path::new(&summary) { FileFormat::named("step-summary") } else { None }
}

/// Refuses files for other tools, and databases, of chosen tables.
fn check_databases(args: &Export, outputs: &[Output]) -> Result<(), Failure> {
    let other = outputs.iter().find(|output| !output.has_tables() && !output.is_database());
    if let Some(output) = other.filter(|_| !args.tables.is_empty()) {
        return Err(Failure::Usage {
            message: format!("`{}` is a file for another tool and holds no tables", output.path.display()),
            hint: Some("leave out `--tables`, or choose another format".into()),
        });
    }
    if !args.tables.is_empty() && outputs.iter().any(Output::is_database) {
        return Err(Failure::Usage {
            message: "a DLProf database always holds all of DLProf's tables".into(),
            hint: Some("leave out `--tables`, or choose another format".into()),
        });
    }
    Ok(())
}

fn read_font(path: &Path) -> Result<Font, Failure> {
    let unusable = |message: String| Failure::Usage {
        message,
        hint: Some("name a TrueType or OpenType font file, such as `NotoSansSC-Regular.otf`".into()),
    };
    let bytes = dlprof_core::base::small_file::read(path, MOST_FONT_BYTES)
        .map_err(|error| unusable(format!("cannot read font `{}`: {error}", path.display())))?;
    Font::read(&bytes).ok_or_else(|| unusable(format!("`{}` is not a font that PDF can use", path.display())))
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
