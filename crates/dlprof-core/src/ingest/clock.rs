//! Time from the start of the capture.

use super::{ranges, system};
use crate::diagnostics::Code;
use crate::time::{Ns, Span};
use crate::trace::Trace;

impl Trace {
    /// Undoes `nsys export --ts-normalize` and `--ts-shift`, so that time 0 is the start of the capture.
    pub(super) fn shift_to_origin(&mut self, meta: &system::ExportMeta, session_start: Option<Ns>) {
        /// Nanoseconds since 1970 are beyond this from 1973 on; no capture lasts three years.
        const EPOCH_TIMES: Ns = 100_000_000_000_000_000;
        let (earliest, latest) = self.extent();
        let shift = match (meta.time_shift, session_start) {
            (Some(shift), _) if earliest.saturating_sub(shift) <= EPOCH_TIMES => shift,
            (None, Some(start)) if earliest > EPOCH_TIMES => start,
            _ if earliest > EPOCH_TIMES => {
                self.diagnostics.count(Code::UnknownOrigin, || format!("earliest time {earliest} ns"));
                earliest
            }
            _ => 0,
        };
        if shift == 0 && earliest >= -EPOCH_TIMES && latest <= EPOCH_TIMES {
            return;
        }
        let mut far_away = 0;
        for span in self.spans_mut() {
            let moved = |time: Ns| time.saturating_sub(shift).clamp(-EPOCH_TIMES, EPOCH_TIMES);
            far_away += u64::from(span.start.saturating_sub(shift).abs() > EPOCH_TIMES);
            let end = if span.end == ranges::OPEN_END { span.end } else { moved(span.end) };
            *span = Span::new(moved(span.start), end);
        }
        for _ in 0..far_away {
            self.diagnostics.count(Code::BadInterval, || "record years away from the others".into());
        }
    }

    /// Ends ranges that were still open at the end of the capture.
    pub(super) fn close_open_ranges(&mut self) {
        let is_open = |span: &Span| span.end == ranges::OPEN_END;
        if !self.ranges.lists().flat_map(|list| &list.span).any(is_open) {
            return;
        }
        let closed = self.spans().into_iter().flatten().filter(|span| !is_open(span));
        let end = closed.map(|span| span.end).max().unwrap_or(0);
        for span in self.ranges.lists_mut().flat_map(|list| &mut list.span).filter(|span| is_open(span)) {
            *span = Span::new(span.start, end);
        }
    }

    /// Smallest and largest time; ends of open ranges do not count.
    fn extent(&self) -> (Ns, Ns) {
        let (mut earliest, mut latest) = (Ns::MAX, Ns::MIN);
        for span in self.spans().into_iter().flatten() {
            earliest = earliest.min(span.start);
            latest = latest.max(if span.end == ranges::OPEN_END { span.start } else { span.end });
        }
        if earliest > latest { (0, 0) } else { (earliest, latest) }
    }

    fn spans(&self) -> Vec<&[Span]> {
        let ranges = self.ranges.lists().map(|list| &list.span[..]);
        [&self.api_calls.span[..], &self.gpu_work.span].into_iter().chain(ranges).collect()
    }

    fn spans_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        let ranges = self.ranges.lists_mut().flat_map(|list| &mut list.span);
        self.api_calls.span.iter_mut().chain(&mut self.gpu_work.span).chain(ranges)
    }
}
