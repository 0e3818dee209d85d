//! A progress bar on standard error for reading that takes more than a second.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// If reading takes less time than this, no bar is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar, once it is shown.
pub(crate) struct Progress {
    started: Instant,
    is_wanted: bool,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(is_wanted: bool) -> Self {
        Self { started: Instant::now(), is_wanted, bar: OnceLock::new() }
    }

    /// Shows the rows read so far and about how many there are. Hidden if standard error is not a terminal.
    pub(crate) fn update(&self, done: u64, total: u64) {
        if self.is_wanted && self.started.elapsed() > PATIENCE {
            let bar = self.bar.get_or_init(|| ProgressBar::new(total).with_style(style()));
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    let template = "reading {wide_bar} {human_pos} of {human_len} rows, {eta} left";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
