//! Formats, units, filters and arguments.

use super::{Asked, content, difference, expected_folder, form_of, print, read};
use dlprof_core::{NsysFilter, NsysRangeFilter, NsysRefusal};
use dlprof_export::{StatsFormat, StatsTimeUnit};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A line of `options/manifest.csv`.
#[derive(serde::Deserialize, Debug)]
struct Line {
    case: u32,
    version: String,
    export: String,
    report: String,
    format: String,
    options: String,
    file: String,
    message: String,
}

fn asked(line: &Line) -> Option<Asked> {
    let format = StatsFormat::ALL.into_iter().find(|(name, _)| *name == line.format)?.1;
    let (option, value) = line.options.split_once(' ').unwrap_or((&line.options, ""));
    let value = value.trim_matches('\'');
    let mut asked = Asked { format, time_unit: StatsTimeUnit::Nanoseconds, filter: NsysFilter::None };
    match option {
        "" => {}
        "--timeunit" => {
            asked.time_unit = match value {
                "usec" => StatsTimeUnit::Microseconds,
                "msec" => StatsTimeUnit::Milliseconds,
                _ => StatsTimeUnit::Seconds,
            };
        }
        "--filter-time" => {
            let (from, to) = value.split_once('/').expect("two times");
            asked.filter = NsysFilter::Time(from.parse().expect("a time"), to.parse().expect("a time"));
        }
        "--filter-nvtx" => asked.filter = NsysFilter::Range(NsysRangeFilter::parse(value)),
        _ => return None,
    }
    Some(asked)
}

#[test]
fn every_option_gives_the_same_text() {
    let Some(folder) = expected_folder() else { return };
    let mut differences = String::new();
    let mut captures = BTreeMap::new();
    let (mut equal, mut all) = (0, 0);
    for line in csv::Reader::from_path(folder.join("options/manifest.csv")).expect("a list").deserialize() {
        let line: Line = line.expect("a line");
        // Options that a version does not know, and order dependence, are no business of reports.
        if line.report.contains(',') || line.message.contains("unrecognised option") {
            continue;
        }
        let Some(asked) = asked(&line) else { panic!("{line:?}") };
        let read_one = || read(&line.export).expect("a capture");
        let capture = captures.entry(line.export.clone()).or_insert_with(read_one);
        let made = print(capture, &line.report, form_of(&line.version), &asked);
        let found = match &made {
            _ if !line.file.is_empty() => {
                let expected = content(&folder.join("options").join(&line.file));
                match &made {
                    Ok((actual, _)) if *actual == expected => None,
                    Ok((actual, _)) => Some(difference(&expected, actual)),
                    Err(refusal) => Some(format!("{refusal:?}")),
                }
            }
            Err(NsysRefusal::Skipped(message)) if line.message.ends_with(&format!("SKIPPED: {message}")) => {
                None
            }
            Err(NsysRefusal::Failed(message)) if line.message == format!("ERROR: {message}") => None,
            other => {
                Some(format!("expected {}, found {:?}", line.message, other.as_ref().map(|made| made.1)))
            }
        };
        all += 1;
        equal += usize::from(found.is_none());
        if let Some(found) = found {
            let _ = writeln!(
                differences,
                "{} {} {} {}: {found}",
                line.case, line.report, line.format, line.options
            );
        }
    }
    assert!(differences.is_empty(), "{differences}\n{equal} of {all} equal");
}
