//! Lines of DLProf's CSV form, in which some cells are always quoted and others never.

use dlprof_core::{Metric, OpTimes};
use std::fmt::{Display, Write as _};
use std::io::{self, Write};

/// Lines under a title and a header. A line is written when it ends, so that a report may be larger than memory.
pub(super) struct Lines<'w> {
    out: &'w mut dyn Write,
    /// The line that is made.
    text: String,
    is_line_start: bool,
}

impl<'w> Lines<'w> {
    pub(super) fn new(title: &str, header: &str, out: &'w mut dyn Write) -> io::Result<Self> {
        writeln!(out, "{title}\n{header}")?;
        Ok(Self { out, text: String::new(), is_line_start: true })
    }

    fn separate(&mut self) {
        if !std::mem::replace(&mut self.is_line_start, false) {
            self.text.push(',');
        }
    }

    /// A cell in double quotes.
    pub(super) fn quoted(&mut self, cell: &str) -> &mut Self {
        self.separate();
        self.text.push('"');
        self.text.push_str(&cell.replace('"', "\"\""));
        self.text.push('"');
        self
    }

    /// A cell without quotes.
    pub(super) fn plain(&mut self, cell: impl Display) -> &mut Self {
        self.separate();
        write!(self.text, "{cell}").expect("writing to a string does not fail");
        self
    }

    /// `yes` or `no`.
    pub(super) fn flag(&mut self, flag: bool) -> &mut Self {
        self.plain(if flag { "yes" } else { "no" })
    }

    /// A fraction with one decimal.
    pub(super) fn decimal(&mut self, value: f64) -> &mut Self {
        self.plain(format_args!("{value:.1}"))
    }

    /// Total, average, smallest, largest.
    pub(super) fn metric(&mut self, metric: &Metric) -> &mut Self {
        self.plain(metric.sum).decimal(metric.average()).plain(metric.min).plain(metric.max)
    }

    /// The four times.
    pub(super) fn times(&mut self, times: &OpTimes) -> &mut Self {
        self.metric(&times.cpu).metric(&times.gpu).metric(&times.cpu_overhead).metric(&times.gpu_idle)
    }

    /// Writes the line.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.text.push('\n');
        self.is_line_start = true;
        let written = self.out.write_all(self.text.as_bytes());
        self.text.clear();
        written
    }
}

/// Header of the four times.
pub(super) fn times_header() -> String {
    let times = ["CPU Time", "GPU Time", "CPU Overhead", "GPU Idle"];
    times.map(|time| metric_header(time, "Avg.")).join(",")
}

/// Header of a metric. DLProf writes "Avg." in most reports and "Avg" in the kernel report.
pub(super) fn metric_header(time: &str, average: &str) -> String {
    ["Total", average, "Min", "Max"].map(|statistic| format!("{statistic} {time} (ns)")).join(",")
}
