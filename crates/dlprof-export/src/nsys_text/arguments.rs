//! What follows the name of a format, as in `csv:nohdr` and `column:nolimit:.:40`.

use super::StatsFormat;

/// What follows the name of a format.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FormatArguments {
    /// Whether the titles of columns are left out.
    pub no_header: bool,
    /// Whether columns may be wider than 100 characters.
    pub no_limit: bool,
    /// Whether a tab in a text becomes `\t`, not a blank.
    pub escapes_tabs: bool,
    /// Widths of the first columns in characters; `None` as wide as the rows need, 0 not shown.
    pub widths: Vec<Option<usize>>,
    /// Title of an HTML page.
    pub page_title: Option<String>,
    /// Address of the style sheet of an HTML page.
    pub style_sheet: Option<String>,
}

impl FormatArguments {
    /// Reads what follows the name and its colon.
    ///
    /// # Errors
    /// The first part that the format does not take.
    pub fn parse(format: StatsFormat, text: &str) -> Result<Self, String> {
        let mut arguments = Self::default();
        let mut parts = text.split(':').filter(|part| !part.is_empty()).peekable();
        while let Some(part) = parts.next() {
            // The colon of an address does not separate arguments.
            let address = parts.next_if(|next| part.starts_with("css=http") && next.starts_with("//"));
            let whole = address.map_or_else(|| part.to_owned(), |rest| format!("{part}:{rest}"));
            if !arguments.add(format, &whole) {
                return Err(whole);
            }
        }
        Ok(arguments)
    }

    /// Adds an argument; says whether the format takes it.
    fn add(&mut self, format: StatsFormat, part: &str) -> bool {
        use StatsFormat::{Column, Csv, HtmlDocument, Table, Tsv};
        match (format, part) {
            (Column | Table | Csv | Tsv, "nohdr") => self.no_header = true,
            (Column | Table, "nolimit") => self.no_limit = true,
            // Numbers are never grouped.
            (Column | Table, "nofmt") => {}
            (Column | Table, ".") => self.widths.push(None),
            (Column | Table, width) => match width.parse() {
                Ok(width) => self.widths.push(Some(width)),
                Err(_) => return false,
            },
            (Tsv, "esc") => self.escapes_tabs = true,
            (HtmlDocument, part) => match part.split_once('=') {
                Some(("title", title)) => self.page_title = Some(title.to_owned()),
                Some(("css", address)) => self.style_sheet = Some(address.to_owned()),
                _ => return false,
            },
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_take_their_own_arguments() {
        use StatsFormat::{Column, Csv, HtmlDocument, HtmlTable, Json, Table, Tsv};
        let widths = |text: &str| FormatArguments::parse(Column, text).map(|found| found.widths);
        assert_eq!(widths("nohdr:nofmt:.:0:12"), Ok(vec![None, Some(0), Some(12)]));
        let page = FormatArguments::parse(HtmlDocument, "title=My run:css=https://x.org/a.css");
        let page = page.expect("both are taken");
        assert_eq!(page.page_title.as_deref(), Some("My run"));
        assert_eq!(page.style_sheet.as_deref(), Some("https://x.org/a.css"));
        let taken = |format, text| FormatArguments::parse(format, text).is_ok();
        assert!(taken(Csv, "nohdr") && taken(Tsv, "nohdr:esc") && taken(Table, "nolimit") && taken(Json, ""));
        assert_eq!(FormatArguments::parse(Csv, "nohdr:esc"), Err("esc".to_owned()));
        assert!(!taken(Json, "nohdr") && !taken(HtmlTable, "title=x") && !taken(Column, "wide"));
    }
}
