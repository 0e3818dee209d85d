//! HTML: a table, or a page with one.

use super::{Layout, cells};
use dlprof_core::NsysReport;
use std::io::{self, Write};

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A page.
pub(super) fn write_document(
    report: &NsysReport<'_>,
    layout: &Layout<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n  <meta charset=\"UTF-8\">\n")?;
    let title = layout.arguments.page_title.as_deref().unwrap_or("Nsight Systems Stats Output");
    writeln!(out, "  <title>{}</title>", escaped(title))?;
    if let Some(address) = &layout.arguments.style_sheet {
        let address = escaped(address).replace('"', "&quot;");
        writeln!(out, "  <link rel=\"stylesheet\" href=\"{address}\">")?;
    }
    out.write_all(b"</head>\n<body>\n")?;
    writeln!(out, "<h1>{} ({})</h1>", escaped(layout.title), layout.name)?;
    write_table(report, layout, out)?;
    out.write_all(b"</body>\n</html>\n")
}

/// A table.
pub(super) fn write_table(
    report: &NsysReport<'_>,
    layout: &Layout<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"<table>\n  <thead>\n    <tr>\n")?;
    for column in report.columns() {
        writeln!(out, "      <th>{}</th>", escaped(&cells::title(column, layout)))?;
    }
    out.write_all(b"    </tr>\n  </thead>\n  <tbody>\n")?;
    for row in 0..report.len() {
        out.write_all(b"    <tr>\n")?;
        for (cell, column) in report.row(row).iter().zip(report.columns()) {
            writeln!(out, "      <td>{}</td>", escaped(&cells::text(cell, column, layout).1))?;
        }
        out.write_all(b"    </tr>\n")?;
    }
    out.write_all(b"  </tbody>\n</table>\n")
}
