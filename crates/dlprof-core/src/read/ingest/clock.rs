//! Time from the start of the capture.

use super::{RawTables, ranges, system};
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::op_path::DEEPEST;
use crate::base::time::{LARGEST_SUM, Ns, Span};

impl RawTables {
    /// Undoes `nsys export --ts-normalize` and `--ts-shift`, so that time 0 is the start of the capture. Returns what was
    /// subtracted from all times.
    pub(super) fn shift_to_origin(
        &mut self,
        meta: &system::ExportMeta,
        session_start: Option<Ns>,
        diagnostics: &mut Diagnostics,
    ) -> Ns {
        /// Nanoseconds since 1970 are beyond this from 1973 on; no capture lasts three years.
        const EPOCH_TIMES: Ns = 100_000_000_000_000_000;
        let (earliest, latest) = self.extent();
        let shift = match (meta.time_shift, session_start) {
            (Some(shift), _) if earliest.saturating_sub(shift) <= EPOCH_TIMES => shift,
            (None, Some(start)) if earliest > EPOCH_TIMES => start,
            _ if earliest > EPOCH_TIMES => {
                diagnostics.count(DiagnosticCode::UnknownOrigin, || format!("earliest time {earliest} ns"));
                earliest
            }
            _ => 0,
        };
        let is_near = |time: &mut Ns| (-EPOCH_TIMES..=EPOCH_TIMES).contains(time);
        let mut is_host_near = || {
            self.host.times_mut().all(&is_near) && self.host.spans_mut().all(|span| is_near(&mut span.end))
        };
        if shift == 0 && earliest >= -EPOCH_TIMES && latest <= EPOCH_TIMES && is_host_near() {
            return shift;
        }
        let mut far_away = 0;
        for span in self.spans_mut() {
            let moved = |time: Ns| time.saturating_sub(shift).clamp(-EPOCH_TIMES, EPOCH_TIMES);
            far_away += u64::from(span.start.saturating_sub(shift).abs() > EPOCH_TIMES);
            let end = if span.end == ranges::OPEN_END { span.end } else { moved(span.end) };
            *span = Span::new(moved(span.start), end);
        }
        for time in self.host.times_mut() {
            far_away += u64::from(time.saturating_sub(shift).abs() > EPOCH_TIMES);
            *time = time.saturating_sub(shift).clamp(-EPOCH_TIMES, EPOCH_TIMES);
        }
        for _ in 0..far_away {
            diagnostics.count(DiagnosticCode::BadInterval, || "record years away from the others".into());
        }
        shift
    }

    /// Ends ranges that were still open at the end of the capture. Where a program never pops what it pushes, their times may
    /// leave 64 bits; then only those last that are deep enough to count.
    pub(super) fn close_open_ranges(&mut self, diagnostics: &mut Diagnostics) {
        let is_open = |span: &Span| span.end == ranges::OPEN_END;
        if !self.ranges.by_thread.iter().flat_map(|(list, _)| &list.span).any(is_open) {
            return;
        }
        let closed = self.spans().flatten().filter(|span| !is_open(span));
        let end = closed.map(|span| span.end).max().unwrap_or(0);
        let spans = || self.ranges.by_thread.iter().flat_map(|(list, _)| &list.span);
        let length = |span: &Span| i128::from(end.min(span.end).saturating_sub(span.start));
        let fits = spans().map(length).sum::<i128>() <= i128::from(LARGEST_SUM);
        for (list, _) in &mut self.ranges.by_thread {
            let mut open: Vec<&mut Span> = list.span.iter_mut().filter(|span| is_open(span)).collect();
            if !fits {
                open.sort_by_key(|span| span.start);
            }
            for (depth, span) in open.into_iter().enumerate() {
                let lasts = fits || depth < DEEPEST;
                *span = Span::new(span.start, if lasts { end } else { span.start });
                if !lasts {
                    diagnostics.count(DiagnosticCode::LeakedRanges, || {
                        format!("range that starts at {} ns", span.start)
                    });
                }
            }
        }
    }

    /// Smallest and largest time; ends of open ranges do not count.
    fn extent(&self) -> (Ns, Ns) {
        let (mut earliest, mut latest) = (Ns::MAX, Ns::MIN);
        for span in self.spans().flatten() {
            earliest = earliest.min(span.start);
            latest = latest.max(if span.end == ranges::OPEN_END { span.start } else { span.end });
        }
        if earliest > latest { (0, 0) } else { (earliest, latest) }
    }

    fn spans(&self) -> impl Iterator<Item = &[Span]> {
        let ranges = self.ranges.by_thread.iter().map(|(list, _)| &list.span[..]);
        let work = [&self.kernels.work, &self.copies.work, &self.memsets.work].map(|work| &work.span[..]);
        [&self.api_calls.span[..]].into_iter().chain(work).chain(ranges)
    }

    fn spans_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        let ranges = self.ranges.by_thread.iter_mut().flat_map(|(list, _)| list.span.iter_mut());
        let work = [&mut self.kernels.work, &mut self.copies.work, &mut self.memsets.work];
        let work = work.into_iter().flat_map(|work| work.span.iter_mut());
        self.api_calls.span.iter_mut().chain(work).chain(ranges).chain(self.host.spans_mut())
    }
}
