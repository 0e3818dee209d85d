//! `export`: tables to files.

use crate::console::progress::Progress;
use crate::console::{self, Verbosity};
use crate::exit::Failure;
use crate::opening::CaptureFile;
use dlprof_core::Definition;
use dlprof_export::{
    ExportOutput, ExportPlan, Inputs, Overwrite, PdfFont, ReportOptions, ReportTables, json_schema,
};

/// What to export, and where.
pub(crate) struct Export {
    pub(crate) file: CaptureFile,
    pub(crate) tables: Vec<&'static Definition>,
    /// Whether the user chose the tables.
    pub(crate) is_choice: bool,
    pub(crate) outputs: Vec<ExportOutput>,
    /// Most rows of a table in reports for people; 0 for all, `None` for what is usual.
    pub(crate) most_rows: Option<usize>,
    /// For characters that PDF lacks.
    pub(crate) font: Option<PdfFont>,
    /// Whether texts of CSV files that spreadsheets would take for formulas begin with `'`.
    pub(crate) csv_safe: bool,
    /// Whether sums are divided by the number of iterations.
    pub(crate) per_iteration: bool,
    pub(crate) overwrite: Overwrite,
    /// What must not be written over.
    pub(crate) inputs: Inputs,
}

/// Prints the JSON Schema of the JSON format.
pub(crate) fn schema() -> Result<(), Failure> {
    console::print(&format!("{:#}\n", json_schema()))
}

pub(crate) fn run(asked: Export) -> Result<(), Failure> {
    check_choice(asked.is_choice, &asked.outputs)?;
    if asked.per_iteration {
        check_per_iteration(&asked.outputs)?;
    }
    let Export {
        file,
        tables,
        is_choice,
        outputs,
        most_rows,
        font,
        csv_safe,
        per_iteration,
        overwrite,
        inputs,
    } = asked;
    let settings = &file.settings;
    let (verbosity, shows_progress) = (settings.verbosity, settings.shows_progress);
    let given_name = settings.profile_name.clone();
    let profile_name = given_name.clone().or_else(|| file.stem()).unwrap_or_default();
    let plan = ExportPlan {
        tables: &tables,
        outputs: &outputs,
        report: ReportOptions {
            tables: if is_choice { ReportTables::Chosen } else { ReportTables::Usual },
            most_rows,
            time_unit: settings.time_unit,
            font: font.as_ref(),
        },
        profile_name: &profile_name,
        csv_safe,
        per_iteration,
        overwrite,
        inputs: &inputs,
        database: None,
        on_rows: None,
    };
    plan.check()?;
    let of_tables = if outputs.iter().all(ExportOutput::is_database) { None } else { Some(file.open()?) };
    let (file, of_databases) = match outputs.iter().any(ExportOutput::is_database) {
        true => {
            let file = file.by_rules_of_dlprof();
            let profile = file.open()?;
            (file, Some(profile))
        }
        false => (file, None),
    };
    let Some(profile) = of_tables.as_ref().or(of_databases.as_ref()) else { return Ok(()) };
    if per_iteration {
        super::per_iteration::check_iterations(profile)?;
    }
    let database = of_databases.as_ref().map(|profile| (profile, given_name.as_deref()));
    let progress = Progress::new(shows_progress, "writing".into(), "rows");
    let on_rows = |done, total| progress.update(done, total);
    let tables: Vec<&Definition> =
        tables.iter().copied().filter(|table| is_choice || table.is_of(profile)).collect();
    let written = ExportPlan { tables: &tables, database, on_rows: Some(&on_rows), ..plan }.write(profile);
    progress.finish();
    let written = written?;
    // Standard output may be one of the files, and then has nothing else.
    let files = written.iter().filter(|file| !file.is_stream);
    console::print(&files.map(|file| format!("{}\n", file.path.display())).collect::<String>())?;
    file.finish(profile);
    if verbosity != Verbosity::Quiet {
        let plain = outputs.iter().any(ExportOutput::has_plain_tables) && !per_iteration;
        if let Some(sums) = super::per_iteration::about_sums_of(&tables, profile).filter(|_| plain) {
            console::print_step(&sums);
        }
        written.iter().for_each(console::print_missing_characters);
    }
    Ok(())
}

/// Refuses files whose sums cannot be divided.
fn check_per_iteration(outputs: &[ExportOutput]) -> Result<(), Failure> {
    match outputs.iter().find(|output| !output.has_plain_tables()) {
        None => Ok(()),
        Some(output) => Err(Failure::Usage {
            message: format!(
                "`--per-iteration` does not fit `{}`: it fits CSV, TSV, NDJSON, Markdown, Parquet and Arrow files",
                output.path.display()
            ),
            hint: Some(
                "pages show figures per iteration as they are; `show TABLE --per-iteration --format json` prints JSON"
                    .into(),
            ),
        }),
    }
}

/// Refuses files for other tools, and databases, of chosen tables.
pub(crate) fn check_choice(is_choice: bool, outputs: &[ExportOutput]) -> Result<(), Failure> {
    let other = outputs.iter().find(|output| !output.has_tables() && !output.is_database());
    if let Some(output) = other.filter(|_| is_choice) {
        return Err(Failure::Usage {
            message: format!("`{}` is a file for another tool and holds no tables", output.path.display()),
            hint: Some("leave out `--tables`, or choose another format".into()),
        });
    }
    if is_choice && outputs.iter().any(ExportOutput::is_database) {
        return Err(Failure::Usage {
            message: "a DLProf database always holds all of DLProf's tables".into(),
            hint: Some("leave out `--tables`, or choose another format".into()),
        });
    }
    Ok(())
}
