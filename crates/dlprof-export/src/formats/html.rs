//! A page in one file: dashboard with charts, findings, tables to sort and filter. It needs no network and no
//! server.

mod charts;

use super::report::{self, Options, Tables};
use crate::display::{ColumnText, TimeUnit, plain, sentence};
use crate::error::Error;
use crate::findings::texts;
use crate::origin;
use dlprof_core::profile::Profile;
use dlprof_core::tables::{CellKind, Table, Value};
use std::io::{self, Write};
use std::path::Path;

/// Maximum number of rows of a table, if the user sets no other number.
const MOST_ROWS: usize = 500;

/// Texts with more bytes than this are wrapped and scroll inside their cell.
const LONG: usize = 64;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Writes a page with the given tables.
///
/// # Errors
/// If the system refuses to write.
pub fn write(
    profile: &Profile,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    options: &Options<'_>,
    path: &Path,
) -> Result<(), Error> {
    crate::target::write_with(path, |out| write_page(profile, title, tables, options, out))
}

fn write_page(
    profile: &Profile,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    options: &Options<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sections = report::sections(tables, Tables::Chosen, options.most_rows.unwrap_or(MOST_ROWS))?;
    let unit = options.time_unit;
    let title = escaped(title);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>"
    )?;
    write!(out, "<nav><a href=\"#dashboard\">Dashboard</a> <a href=\"#findings-of-experts\">Findings</a>")?;
    for section in &sections {
        write!(out, " <a href=\"#{}\">{}</a>", section.view.key(), escaped(section.view.title()))?;
    }
    writeln!(out, "</nav>\n<main>\n<h1 id=\"dashboard\"><small>Training profile</small> {title}</h1>")?;
    let verdict = sentence(&dlprof_core::findings::verdict(profile), unit);
    writeln!(out, "<p class=\"verdict\"><b>{}</b></p>", escaped(&verdict))?;
    write_dashboard(profile, unit, out)?;
    write_findings(profile, unit, out)?;
    for section in &sections {
        write_table(&section.view, &section.notes, unit, out)?;
    }
    writeln!(
        out,
        "</main>\n<footer>dlprof-agg {}</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION")
    )
}

fn write_dashboard(profile: &Profile, unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section class=\"facts\">")?;
    for (name, pairs) in [("Profile", report::origin(profile, unit)), ("System", report::system(profile))] {
        writeln!(out, "<div><h3>{name}</h3><dl>")?;
        for (name, value) in pairs {
            writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(&name), escaped(&value))?;
        }
        writeln!(out, "</dl></div>")?;
    }
    writeln!(out, "</section>\n<section class=\"tiles\">")?;
    for (figure, name) in report::figures(profile, unit) {
        writeln!(out, "<div><b>{}</b> {}</div>", escaped(&figure), escaped(&name))?;
    }
    writeln!(out, "</section>")?;
    charts::write(profile, unit, out)
}

fn write_findings(profile: &Profile, unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section>\n<h2 id=\"findings-of-experts\">Findings</h2>")?;
    let findings = texts(profile, &origin::file_name(profile), unit);
    if findings.is_empty() {
        writeln!(out, "<p>There are no findings: the expert system found no problem.</p>")?;
    } else {
        writeln!(out, "<ol>")?;
        for finding in &findings {
            let (problem, advice) = (escaped(&finding.problem), linked(&finding.advice));
            writeln!(out, "<li><b>{} {problem}</b>", finding.mark)?;
            if !finding.saving.is_empty() {
                writeln!(out, "<br/>Saves: {}", escaped(&finding.saving))?;
            }
            writeln!(out, "<br/>{advice}")?;
            if !finding.command.is_empty() {
                writeln!(out, "<br/><code>{}</code>", escaped(&finding.command))?;
            }
            writeln!(out, "</li>")?;
        }
        writeln!(out, "</ol>")?;
    }
    writeln!(out, "</section>")
}

/// Writes a table. Cells of numbers have the exact value as an attribute, besides the value shown.
fn write_table(table: &dyn Table, notes: &[String], unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    let key = table.key();
    writeln!(out, "<section>\n<h2 id=\"{key}\">{}</h2>", escaped(table.title()))?;
    for note in notes {
        writeln!(out, "<p class=\"note\">{}</p>", escaped(note))?;
    }
    writeln!(
        out,
        "<p class=\"tools\"><input type=\"search\" placeholder=\"filter rows\" aria-label=\"filter rows\"/> <span></span></p>"
    )?;
    let columns: Vec<ColumnText<'_>> =
        (0..table.columns()).map(|at| ColumnText::new(table, at, unit)).collect();
    writeln!(out, "<div class=\"scroll\"><table>\n<thead><tr>")?;
    for (at, column) in columns.iter().enumerate() {
        let header = table.header(at);
        let class = if column.is_number() { " class=\"n\"" } else { "" };
        writeln!(
            out,
            "<th{class} data-key=\"{}\" title=\"{}\"><button>{}</button></th>",
            header.key,
            escaped(header.doc),
            escaped(&column.title())
        )?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for row in 0..table.rows() {
        write!(out, "<tr>")?;
        for (at, column) in columns.iter().enumerate() {
            let value = table.value(row, at);
            let shown = escaped(&column.cell(&value));
            match &value {
                Value::Int(number) => write!(out, "<td class=\"n\" data-v=\"{number}\">{shown}</td>")?,
                Value::Float(number) => write!(out, "<td class=\"n\" data-v=\"{number}\">{shown}</td>")?,
                Value::Text(text) if text.len() > LONG => {
                    write!(out, "<td dir=\"auto\"><div>{shown}</div></td>")?;
                }
                _ if table.header(at).kind == CellKind::Text => write!(out, "<td dir=\"auto\">{shown}</td>")?,
                _ => write!(out, "<td>{shown}</td>")?,
            }
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>\n</section>")
}

/// A text escaped so that it is shown unchanged, in content and in attributes.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            c => shown.push(c),
        }
    }
    shown
}

/// A recommendation, with its web addresses as links.
fn linked(text: &str) -> String {
    let word = |word: &str| {
        let shown = escaped(word);
        if word.starts_with("https://") { format!("<a href=\"{shown}\">{shown}</a>") } else { shown }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
