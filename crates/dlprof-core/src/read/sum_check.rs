//! Whether the times and the bytes of the tables can be added up. Single times are bounded where they are read; here what
//! many of them come to is, so that no later sum leaves its 64 bits.

use crate::base::Error;
use crate::base::time::{LARGEST_SUM, Span};
use std::path::Path;

/// Adds up tables one by one.
pub(in crate::read) struct Sums<'a> {
    path: &'a Path,
    /// From the start of the first record to the end of the last, and their tables.
    extent: Option<(Span, [&'static str; 2])>,
}

impl<'a> Sums<'a> {
    pub(in crate::read) fn new(path: &'a Path) -> Self {
        Self { path, extent: None }
    }

    /// Adds the records of a table.
    pub(in crate::read) fn add_times<'b>(
        &mut self,
        table: &'static str,
        spans: impl IntoIterator<Item = &'b Span>,
    ) -> Result<(), Error> {
        let mut sum = 0;
        let mut own: Option<Span> = None;
        for &span in spans {
            sum += i128::from(span.length());
            own = Some(own.map_or(span, |own| Span::new(own.start.min(span.start), own.end.max(span.end))));
        }
        if let Some(own) = own {
            let (all, tables) = self.extent.get_or_insert((own, [table; 2]));
            if own.start < all.start {
                (all.start, tables[0]) = (own.start, table);
            }
            if own.end > all.end {
                (all.end, tables[1]) = (own.end, table);
            }
        }
        self.check("times", table, "ns", sum)
    }

    /// Adds the numbers of bytes of a table.
    pub(in crate::read) fn add_bytes(&self, table: &str, bytes: &[u64]) -> Result<(), Error> {
        self.check("sizes", table, "bytes", bytes.iter().map(|&bytes| i128::from(bytes)).sum())
    }

    fn check(&self, what: &str, table: &str, unit: &'static str, sum: i128) -> Result<(), Error> {
        if sum <= i128::from(LARGEST_SUM) {
            return Ok(());
        }
        let what = format!("{what} in table `{table}`");
        Err(Error::SumTooLarge { path: self.path.into(), what, unit, sum })
    }

    /// Checks that idle time can be added up over GPUs.
    pub(in crate::read) fn check_extent(&self, gpus: usize) -> Result<(), Error> {
        let Some((span, [first, last])) = self.extent else { return Ok(()) };
        let length = i128::from(span.end) - i128::from(span.start);
        if length.saturating_mul(gpus.max(1) as i128) <= i128::from(LARGEST_SUM) {
            return Ok(());
        }
        Err(Error::CaptureTooLong {
            path: self.path.into(),
            span,
            first: first.into(),
            last: last.into(),
            gpus,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What passes fits in 64 bits, with its idle time on all GPUs; what is refused would leave an eighth of them.
        #[test]
        fn what_passes_fits(
            spans in prop::collection::vec(
                (-4_000_000_000_000_000_000..=4_000_000_000_000_000_000_i64, 0..=10_000_000_000_000_000_i64),
                0..600,
            ),
            gpus in 0_usize..9,
        ) {
            let spans: Vec<Span> = spans.into_iter().map(|(start, length)| Span::new(start, start + length)).collect();
            let all: i128 = spans.iter().map(|span| i128::from(span.length())).sum();
            let mut sums = Sums::new(Path::new("x"));
            let times = sums.add_times("T", &spans);
            prop_assert_eq!(times.is_ok(), all <= i128::from(i64::MAX) / 4);
            let first = spans.iter().map(|span| span.start).min().unwrap_or(0);
            let last = spans.iter().map(|span| span.end).max().unwrap_or(0);
            let extent = (i128::from(last) - i128::from(first)) * gpus.max(1) as i128;
            prop_assert_eq!(sums.check_extent(gpus).is_ok(), extent <= i128::from(i64::MAX) / 4);
        }
    }

    #[test]
    fn bytes_that_leave_64_bits_are_refused_by_name() {
        let sums = Sums::new(Path::new("x.sqlite"));
        let error = sums.add_bytes("COPIES", &[u64::MAX, 1]).expect_err("too many");
        assert_eq!(
            error.to_string(),
            "the sizes in table `COPIES` of `x.sqlite` add up to 18446744073709551616 bytes; at most 2305843009213693951 \
             bytes can be added up"
        );
    }
}
