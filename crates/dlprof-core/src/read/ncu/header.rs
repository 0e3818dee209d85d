//! The header of a table: where it stands in a line, and which form it announces.

use super::launch::NcuForm;
use super::records::cells_of;
use memchr::memmem;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Columns that say what a row is about, and those of values of the details page.
const IDENTITY: [&str; 28] = [
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Kernel Time",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "Device Id",
    "CC",
    "Invocations",
    "Domain",
    "Section Name",
    "Body Item Label",
    "Metric Name",
    "Metric Unit",
    "Metric Value",
    "Minimum",
    "Maximum",
    "Average",
    "Rule Name",
    "Rule Type",
    "Rule Description",
    "Estimated Speedup Type",
    "Estimated Speedup",
];

const PATTERN: &str = r#"(?-u)"?(ID|Process ID|Domain)"?\s*[,;]\s*"?(Process ID|Process Name|Range:PL)|"?Kernel Name"?\s*[,;\n]"#;

static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PATTERN).ok());

/// A header.
#[derive(Debug, Clone)]
pub(super) struct Header {
    /// Where it begins in its line.
    pub(super) start: usize,
    pub(super) delimiter: u8,
    pub(super) columns: Vec<String>,
    pub(super) form: Form,
}

/// What a table is, or why it cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Known(NcuForm),
    /// A summary by GPU of the raw page, whose cells stand in the wrong columns.
    ShiftedPerGpu,
}

/// The header that a line holds, perhaps after other text.
pub(super) fn header_of(line: &[u8]) -> Option<Header> {
    memmem::find(line, b"Kernel Name")?;
    whole_line(line).or_else(|| behind_text(line))
}

fn whole_line(line: &[u8]) -> Option<Header> {
    let header = header_at(line, 0)?;
    let first = header.columns.first()?;
    (IDENTITY.contains(&first.as_str()) || first.contains("__") || is_range_column(first)).then_some(header)
}

fn behind_text(line: &[u8]) -> Option<Header> {
    let mut ended = line.to_vec();
    ended.push(b'\n');
    header_at(line, HEAD.as_ref()?.find(&ended)?.start())
}

impl Header {
    /// Whether it can begin a further table: what stands in a row by chance cannot.
    pub(super) fn begins_table(&self) -> bool {
        let first = self.columns.first().map_or("", String::as_str);
        self.start == 0
            || ["ID", "Process ID", "Domain", "Kernel Name"].iter().any(|name| first.starts_with(name))
    }
}

fn header_at(line: &[u8], start: usize) -> Option<Header> {
    let text = line.get(start..)?.trim_ascii_end();
    [b',', b';'].into_iter().find_map(|delimiter| {
        let columns: Vec<String> =
            cells_of(text, delimiter).iter().map(|column| column.trim().to_owned()).collect();
        if columns.len() < 3 || !columns.iter().any(|column| column == "Kernel Name") {
            return None;
        }
        let form = form_of(&columns)?;
        Some(Header { start, delimiter, columns, form })
    })
}

fn form_of(columns: &[String]) -> Option<Form> {
    let place = |name: &str| columns.iter().position(|column| column == name);
    let has = |name: &str| place(name).is_some();
    if has("Invocations") && has("Metric Name") && has("Average") {
        let device = [place("Device"), place("Device Id")].into_iter().flatten().min();
        return Some(if has("Domain") {
            Form::Known(NcuForm::PerNvtx)
        } else if device.zip(place("Kernel Name")).is_some_and(|(device, name)| device < name) {
            if has("Section Name") { Form::Known(NcuForm::PerGpu) } else { Form::ShiftedPerGpu }
        } else {
            Form::Known(NcuForm::PerKernel)
        });
    }
    if has("Metric Name") && has("Metric Value") {
        return Some(Form::Known(NcuForm::Details));
    }
    let is_raw = columns.iter().any(|column| column.contains("__")) || (!has("Metric Name") && has("ID"));
    is_raw.then_some(Form::Known(NcuForm::Raw))
}

/// Whether a column is one of what a row is about.
pub(super) fn is_identity(column: &str) -> bool {
    IDENTITY.contains(&column)
}

/// Whether a column holds ranges of NVTX.
pub(super) fn is_range_column(column: &str) -> bool {
    const PUSHED: [&str; 2] = ["Range:PL_Type", "Push/Pop_Range:PL_Type"];
    column.contains("Start/Stop_Range")
        || PUSHED.iter().any(|pushed| column.starts_with(pushed) || column.contains(&format!(":{pushed}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<(usize, Form)> {
        header_of(line.as_bytes()).map(|header| (header.start, header.form))
    }

    #[test]
    fn forms_are_told_by_their_columns() {
        let details = "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n";
        assert_eq!(found(details), Some((0, Form::Known(NcuForm::Details))));
        assert_eq!(found(&format!("50%{details}")), Some((3, Form::Known(NcuForm::Details))));
        let saved = details.replace('"', "").replace(',', ";");
        assert_eq!(found(&saved), Some((0, Form::Known(NcuForm::Details))));
        let raw = "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\"";
        assert_eq!(found(raw), Some((0, Form::Known(NcuForm::Raw))));
        let turned = "\"gpu__time_duration.sum\",\"Kernel Name\",\"ID\"\n";
        assert_eq!(found(turned), Some((0, Form::Known(NcuForm::Raw))));
        let summary = "\"Process ID\",\"Device\",\"Kernel Name\",\"Invocations\",\"Metric Name\",\"Average\"";
        assert_eq!(found(summary), Some((0, Form::ShiftedPerGpu)));
        assert_eq!(found("profiled Kernel Name, once\n"), None);
        assert_eq!(found("\"Kernel Name\",\"f\"\n"), None, "the page of sources");
    }

    #[test]
    fn columns_of_ranges_are_known() {
        for column in [
            "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
            "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
            "Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
        ] {
            assert!(is_range_column(column), "{column}");
        }
        assert!(!is_range_column("Domain"));
    }
}
