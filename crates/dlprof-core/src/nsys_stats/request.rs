//! What is asked for: a report, what follows its name, and a filter.

use super::catalog::{NsysReportEntry, NsysReportTakes};
use super::filter::Window;
use super::form::NsysForm;
use super::missing::NsysRefusal;
use super::printed_kernel_names::{NsysArguments, NsysNameKind};
use super::ranges::{OpenEnd, Ranges};
use super::report_list;
use super::source::Source;
use crate::base::time::Ns;

/// A report, what follows its name, and a filter.
#[derive(Debug, Clone)]
pub struct NsysRequest {
    /// The report.
    pub entry: &'static NsysReportEntry,
    /// What follows its name.
    pub arguments: NsysArguments,
    /// Which rows count.
    pub filter: NsysFilter,
}

/// Which rows count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NsysFilter {
    /// All.
    #[default]
    None,
    /// Those that touch the time from the first to the second, in ns as in the export.
    Time(Ns, Ns),
    /// Those of an NVTX range.
    Range(NsysRangeFilter),
}

/// An NVTX range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NsysRangeFilter {
    /// The text as the user wrote it.
    pub text: String,
    /// Name.
    pub name: String,
    /// Domain.
    pub domain: Option<String>,
    /// Which of the ranges of that name, by start, from 0.
    pub index: usize,
}

impl NsysRangeFilter {
    /// Reads `NAME[@DOMAIN][/INDEX]`. A backslash before `@`, `/` or a backslash makes it a part of the name.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut parts = [String::new(), String::new(), String::new()];
        let mut part = 0;
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => parts[part].extend(letters.next()),
                '@' if part == 0 => part = 1,
                '/' if part < 2 => part = 2,
                _ => parts[part].push(letter),
            }
        }
        let [name, domain, index] = parts;
        match index.parse() {
            Ok(index) => Self {
                text: text.into(),
                name,
                domain: Some(domain).filter(|domain| !domain.is_empty()),
                index,
            },
            // What follows the slash is not a number, so it is part of the name.
            Err(_) if !index.is_empty() => {
                Self { text: text.into(), name: text.into(), domain: None, index: 0 }
            }
            Err(_) => Self {
                text: text.into(),
                name,
                domain: Some(domain).filter(|domain| !domain.is_empty()),
                index: 0,
            },
        }
    }
}

impl NsysFilter {
    /// The window of time, thread or process.
    pub(super) fn window(
        &self,
        source: Source<'_>,
        form: NsysForm,
        file: &str,
    ) -> Result<Window, NsysRefusal> {
        match self {
            Self::None => Ok(Window::everything()),
            Self::Time(start, end) => Ok(Window::of_time(*start, *end)),
            Self::Range(range) => range.window(source, form, file),
        }
    }
}

impl NsysRangeFilter {
    fn window(&self, source: Source<'_>, form: NsysForm, file: &str) -> Result<Window, NsysRefusal> {
        let ranges = Ranges::new(source, form, OpenEnd::AllEvents, true);
        let wanted = match &self.domain {
            Some(domain) => format!("{domain}:{}", self.name),
            None => self.name.clone(),
        };
        let is_wanted =
            |range: &&super::ranges::Range| range.name.is_some_and(|name| ranges.name(name) == wanted);
        let mut found: Vec<_> = ranges.list.iter().filter(is_wanted).collect();
        found.sort_by_key(|range| range.start);
        match found.get(self.index) {
            Some(range) => {
                Ok(Window::of_range(range.start, range.end().unwrap_or(range.start), range.thread))
            }
            None => {
                Err(NsysRefusal::Skipped(format!("NVTX range '{}' could not be found in {file}.", self.text)))
            }
        }
    }
}

impl NsysRequest {
    /// Reads `NAME[:ARGUMENT…]` as a version of nsys does.
    ///
    /// # Errors
    /// What nsys says if there is no such report, or it does not take an argument.
    pub fn parse(text: &str, form: NsysForm) -> Result<Self, NsysRefusal> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or("");
        let Some(entry) = report_list::find(form, name) else {
            let what = if form == NsysForm::V2020 { "stats report" } else { "Report" };
            return Err(NsysRefusal::Failed(format!("{what} '{name}' could not be found.")));
        };
        let mut arguments = NsysArguments::default();
        let unknown: Vec<&str> =
            parts.filter(|part| !add_argument(entry, form, part, &mut arguments)).collect();
        // nsys 2020 ignores what it does not know.
        if !unknown.is_empty() && form != NsysForm::V2020 {
            let report = entry.name_in(form).unwrap_or(entry.name);
            return Err(NsysRefusal::Failed(format!(
                "Invalid argument passed to report '{report}.py': unrecognized arguments: {}",
                unknown.join(" ")
            )));
        }
        Ok(Self { entry, arguments, filter: NsysFilter::None })
    }
}

/// Adds what follows the name of a report; says whether the report takes it.
fn add_argument(
    entry: &NsysReportEntry,
    form: NsysForm,
    argument: &str,
    arguments: &mut NsysArguments,
) -> bool {
    let is_new = form >= NsysForm::V2023;
    let takes_names = match entry.takes {
        NsysReportTakes::Names | NsysReportTakes::NamesAndRanges => true,
        NsysReportTakes::NewNamesAndRanges => is_new,
        NsysReportTakes::Nothing | NsysReportTakes::Rows => false,
    };
    let takes_ranges =
        is_new && matches!(entry.takes, NsysReportTakes::NamesAndRanges | NsysReportTakes::NewNamesAndRanges);
    match argument {
        "base" if takes_names => arguments.name = NsysNameKind::Base,
        "mangled" if takes_names && form != NsysForm::V2020 => arguments.name = NsysNameKind::Mangled,
        "nvtx-name" if takes_ranges => arguments.with_range = true,
        _ => {
            let rows = argument.strip_prefix("rows=").and_then(|rows| rows.parse().ok());
            if rows.is_none() || entry.takes != NsysReportTakes::Rows {
                return false;
            }
            arguments.rows = rows;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_have_a_domain_and_an_index() {
        let cases = [
            ("step", "step", None, 0),
            ("step/3", "step", None, 3),
            ("step@domain", "step", Some("domain"), 0),
            ("step@domain/3", "step", Some("domain"), 3),
            ("a\\/b\\@c/2", "a/b@c", None, 2),
            ("forward/backward", "forward/backward", None, 0),
        ];
        for (text, name, domain, index) in cases {
            let found = NsysRangeFilter::parse(text);
            assert_eq!(
                (found.name.as_str(), found.domain.as_deref(), found.index),
                (name, domain, index),
                "{text}"
            );
        }
    }

    #[test]
    fn versions_know_their_own_names() {
        let known = |name: &str, form| NsysRequest::parse(name, form).is_ok();
        assert!(known("cuda_gpu_kern_sum", NsysForm::V2023) && known("gpukernsum", NsysForm::V2023));
        assert!(known("cuda_gpu_kern_sum", NsysForm::V2024) && !known("gpukernsum", NsysForm::V2024));
        assert!(!known("cuda_gpu_kern_sum", NsysForm::V2022) && known("gpukernsum", NsysForm::V2022));
        assert!(
            known("cuda_gpu_kern_sum:base:nvtx-name", NsysForm::V2023)
                && !known("gpukernsum:nvtx-name", NsysForm::V2022)
        );
        assert!(!known("gpukernsum:wrong", NsysForm::V2022) && known("gpukernsum:wrong", NsysForm::V2020));
        assert!(
            !known("nvtx_kern_sum:nvtx-name", NsysForm::V2023) && known("um_sum:rows=3", NsysForm::V2023)
        );
        let kind = |name: &str, form| NsysRequest::parse(name, form).ok().map(|request| request.entry.kind);
        assert_eq!(kind("gpukernsum", NsysForm::V2022), Some(super::super::NsysReportKind::KernelGridSum));
        assert_eq!(kind("gpukernsum", NsysForm::V2023), Some(super::super::NsysReportKind::KernelSum));
        for form in [NsysForm::V2020, NsysForm::V2022, NsysForm::V2023, NsysForm::V2024, NsysForm::Right] {
            assert!(report_list::defaults(form).count() >= 7, "{form:?}");
        }
    }
}
