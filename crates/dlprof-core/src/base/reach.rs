//! Which windows the work of each GPU reaches. Only in those it has rows of its own, so that GPUs that work in a few of very
//! many windows need few rows.
//!
//! ```text
//! windows   │   0   │   1   │   2   │   3   │   4   │
//! GPU 0         ├────┤           ├──────┤               rows of windows 0 to 3
//! GPU 1                    ├┤                           a row of window 1
//! GPU 2                                                 no row
//! ```

use super::ids::DeviceId;
use super::time::Span;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The windows from the first work of a GPU to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Reach {
    /// Whether the GPU has work; work without length reaches no window.
    pub(crate) is_used: bool,
    first: u32,
    end: u32,
}

impl Reach {
    /// Of a GPU whose work reaches some windows.
    pub(crate) fn new(is_used: bool, windows: Range<usize>) -> Self {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { is_used, first: narrow(windows.start), end: narrow(windows.end.max(windows.start)) }
    }

    fn windows(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// By GPU: the windows that its work reaches, and where its rows are among those of all GPUs, which follow each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reaches {
    of: Vec<Reach>,
    first_rows: Vec<usize>,
    rows: usize,
    used: usize,
}

impl From<Vec<Reach>> for Reaches {
    fn from(of: Vec<Reach>) -> Self {
        let mut rows = 0;
        let first = |reach: &Reach| {
            rows += reach.windows().len();
            rows - reach.windows().len()
        };
        let first_rows = of.iter().map(first).collect();
        let used = of.iter().filter(|reach| reach.is_used).count();
        Self { of, first_rows, rows, used }
    }
}

impl Reaches {
    /// Of windows in order, given the GPU and the time of each piece of work.
    pub(crate) fn of_work(
        gpus: usize,
        windows: &[Span],
        work: impl Iterator<Item = (DeviceId, Span)>,
    ) -> Self {
        let mut used: Vec<(bool, Option<Span>)> = vec![(false, None); gpus];
        for (gpu, span) in work {
            let (is_used, busy) = &mut used[gpu.index()];
            *is_used = true;
            if !span.is_empty() {
                let all = busy.get_or_insert(span);
                *all = Span::new(all.start.min(span.start), all.end.max(span.end));
            }
        }
        let reached = |busy: Span| {
            let first = windows.partition_point(|window| window.end <= busy.start);
            first..windows.partition_point(|window| window.start < busy.end)
        };
        let reach = |(is_used, busy): (bool, Option<Span>)| Reach::new(is_used, busy.map_or(0..0, reached));
        used.into_iter().map(reach).collect::<Vec<_>>().into()
    }

    /// By GPU.
    pub(crate) fn of(&self) -> &[Reach] {
        &self.of
    }

    /// Number of GPUs with work.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Number of rows of all GPUs.
    pub(crate) fn total(&self) -> usize {
        self.rows
    }

    /// Whether so many rows are those of so many windows.
    pub(crate) fn fits(&self, rows: usize, windows: usize) -> bool {
        rows == self.rows
            && self.of.iter().all(|reach| reach.first <= reach.end && reach.end as usize <= windows)
    }

    /// The windows that a GPU reaches.
    pub(crate) fn windows(&self, gpu: usize) -> Range<usize> {
        self.of[gpu].windows()
    }

    /// The rows of a GPU.
    pub(crate) fn rows(&self, gpu: usize) -> Range<usize> {
        let first = self.first_rows[gpu];
        first..first + self.of[gpu].windows().len()
    }

    /// The row of a GPU in a window that it reaches.
    pub(crate) fn row(&self, gpu: usize, window: usize) -> Option<usize> {
        let windows = self.of[gpu].windows();
        windows.contains(&window).then(|| self.first_rows[gpu] + window - windows.start)
    }

    /// By row: its window.
    pub(crate) fn window_of_rows(&self) -> Vec<usize> {
        self.of.iter().flat_map(|reach| reach.windows()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other_gpu_by_gpu() {
        let reaches =
            Reaches::from(vec![Reach::new(true, 0..4), Reach::new(true, 1..2), Reach::new(false, 0..0)]);
        assert_eq!((reaches.total(), reaches.used()), (5, 2));
        assert_eq!([0, 1, 2].map(|gpu| reaches.rows(gpu)), [0..4, 4..5, 5..5]);
        assert_eq!((reaches.row(1, 1), reaches.row(1, 2), reaches.row(2, 0)), (Some(4), None, None));
        assert_eq!(reaches.window_of_rows(), [0, 1, 2, 3, 1]);
        assert!(reaches.fits(5, 4) && !reaches.fits(5, 3) && !reaches.fits(4, 4));
    }
}
