//! Progress on standard error of whatever takes more than a second. Nothing is shown if standard error is not a terminal.

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What takes less time shows no progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often [`Waiting`] draws.
const TICK: Duration = Duration::from_millis(200);

/// A bar of work whose amount is known, once the bar is shown. It is removed when the value is dropped.
pub(crate) struct Progress {
    started: Instant,
    is_wanted: bool,
    what: String,
    unit: &'static str,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// `what` is done, such as "reading a.sqlite"; `unit` is what is counted, such as "rows".
    pub(crate) fn new(is_wanted: bool, what: String, unit: &'static str) -> Self {
        Self { started: Instant::now(), is_wanted, what, unit, bar: OnceLock::new() }
    }

    /// Shows what is done and how much there is, roughly; the rate, and the time left.
    pub(crate) fn update(&self, done: u64, total: u64) {
        if self.is_wanted && self.started.elapsed() > PATIENCE {
            let bar = self.bar.get_or_init(|| {
                let bar =
                    ProgressBar::new(total).with_style(self.style()).with_elapsed(self.started.elapsed());
                bar.set_prefix(self.what.clone());
                bar
            });
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    fn style(&self) -> ProgressStyle {
        let unit = self.unit;
        let template =
            format!("{{prefix}} {{wide_bar}} {{human_pos}} of {{human_len}} {unit}, {{rate}}, {{eta}} left");
        let rate = move |state: &ProgressState, out: &mut dyn Write| {
            // The text is only shown, and writing to it cannot fail.
            let _ = write!(out, "{} {unit}/s", scaled(state.per_sec()));
        };
        ProgressStyle::with_template(&template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .with_key("rate", rate)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// A number with three digits, such as `1.23 M`.
pub(crate) fn scaled(number: f64) -> String {
    let (number, unit) = match number {
        small if small < 1e3 => return format!("{small:.0}"),
        number if number < 1e6 => (number / 1e3, "k"),
        number if number < 1e9 => (number / 1e6, "M"),
        number => (number / 1e9, "G"),
    };
    let digits = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
    format!("{number:.digits$} {unit}")
}

/// How far something is whose progress is asked for now and then.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Beat {
    /// From 0 to 100; `None` if it is not known.
    pub(crate) percent: Option<u64>,
    /// More about it.
    pub(crate) text: String,
}

/// A line about work that does not report its progress. It is removed when the value is dropped.
pub(crate) struct Waiting {
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Waiting {
    /// `what` is done, such as "indexing".
    pub(crate) fn new(is_wanted: bool, what: &str) -> Self {
        Self::with(is_wanted, what, || Beat { percent: None, text: String::new() })
    }

    /// As [`Waiting::new`]; `beat` says how far it is.
    pub(crate) fn with(is_wanted: bool, what: &str, beat: impl Fn() -> Beat + Send + 'static) -> Self {
        let what = what.to_owned();
        let start = || {
            let (sender, receiver) = channel();
            let wait = move || {
                if receiver.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let bar = ProgressBar::new(100).with_elapsed(PATIENCE).with_prefix(what);
                while receiver.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    draw(&bar, &beat());
                }
                bar.finish_and_clear();
            };
            // Without a thread there is no progress line, and the work goes on.
            let thread = std::thread::Builder::new().spawn(wait).ok()?;
            Some((sender, thread))
        };
        Self { thread: if is_wanted { start() } else { None } }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.thread.take() {
            drop(sender);
            // A thread that panicked has shown nothing; the work is not concerned.
            drop(thread.join());
        }
    }
}

fn draw(bar: &ProgressBar, beat: &Beat) {
    let template = match beat.percent {
        Some(_) => "{prefix} {wide_bar} {pos} %{msg}, {eta} left",
        None => "{prefix} {spinner} {elapsed}{msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(beat.text.clone());
    match beat.percent {
        Some(percent) => bar.set_position(percent),
        None => bar.tick(),
    }
}

#[cfg(test)]
mod tests {
    use super::scaled;

    #[test]
    fn rates_have_three_digits() {
        let rates = [0.0, 999.0, 1234.0, 56_789.0, 123_456_789.0, 2e9].map(scaled);
        assert_eq!(rates, ["0", "999", "1.23 k", "56.8 k", "123 M", "2.00 G"]);
    }
}
