//! Metrics of one name.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Every name begins with it.
const PREFIX: &str = "dlprof_";

/// Metrics of one name: gauges, which differ in their labels.
pub(super) struct Family {
    name: Cow<'static, str>,
    help: &'static str,
    samples: Vec<(String, f64)>,
}

impl Family {
    /// Metrics without a sample yet. `name` lacks the prefix; `help` is one sentence without backslashes and line ends, and the
    /// same for every capture, because collectors of files refuse other texts for one name.
    pub(super) fn new(name: impl Into<Cow<'static, str>>, help: &'static str) -> Self {
        Self { name: name.into(), help, samples: Vec::new() }
    }

    /// A metric without further labels; no sample if its value is not known.
    pub(super) fn one(name: impl Into<Cow<'static, str>>, help: &'static str, value: Option<f64>) -> Self {
        let family = Self::new(name, help);
        match value {
            Some(value) => family.with(&[], value),
            None => family,
        }
    }

    /// The metrics with a sample more, unless there is one with these labels.
    pub(super) fn with(mut self, labels: &[(&'static str, &str)], value: f64) -> Self {
        let mut text = String::new();
        for (name, value) in labels {
            let _ = write!(text, ",{name}=\"{}\"", escaped(value));
        }
        if self.samples.iter().all(|(other, _)| *other != text) {
            self.samples.push((text, value));
        }
        self
    }

    /// Writes the metrics; nothing if there is no sample.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub(super) fn write(&self, capture: &str, out: &mut dyn Write) -> io::Result<()> {
        if self.samples.is_empty() {
            return Ok(());
        }
        let Self { name, help, samples } = self;
        writeln!(out, "# HELP {PREFIX}{name} {help}\n# TYPE {PREFIX}{name} gauge")?;
        let capture = escaped(capture);
        for (labels, value) in samples {
            writeln!(out, "{PREFIX}{name}{{capture=\"{capture}\"{labels}}} {value}")?;
        }
        Ok(())
    }
}

/// The value of a label.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(family: &Family) -> String {
        let mut text = Vec::new();
        family.write("a\"b\\c\nd", &mut text).expect("memory takes everything");
        String::from_utf8(text).expect("UTF-8")
    }

    #[test]
    fn labels_are_escaped_and_never_repeated() {
        let family =
            Family::new("x_seconds", "Time.").with(&[("class", "é")], 0.25).with(&[("class", "é")], 7.0);
        let expected = "# HELP dlprof_x_seconds Time.\n# TYPE dlprof_x_seconds gauge\n\
            dlprof_x_seconds{capture=\"a\\\"b\\\\c\\nd\",class=\"é\"} 0.25\n";
        assert_eq!(written(&family), expected);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        assert_eq!(written(&Family::one("x", "X.", None)), "");
        assert!(written(&Family::one("x", "X.", Some(1e-9))).ends_with("} 0.000000001\n"));
    }
}
