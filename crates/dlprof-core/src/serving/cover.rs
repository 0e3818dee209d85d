//! The innermost of nested spans at any time.

use crate::base::time::{Ns, Span};
use std::cmp::Reverse;

/// From when on which span is innermost. A span is open from its start to its end, exclusive; one that crosses another ends with it.
#[derive(Debug)]
pub(super) struct Cover<T> {
    changes: Vec<(Ns, Option<T>)>,
}

impl<T: Copy> Cover<T> {
    /// Of spans in any order; of equal ones the last is innermost.
    pub(super) fn new(mut spans: Vec<(Span, T)>) -> Self {
        spans.sort_by_key(|(span, _)| (span.start, Reverse(span.end)));
        let mut cover = Self { changes: Vec::with_capacity(2 * spans.len()) };
        let mut open: Vec<(Ns, T)> = Vec::new();
        for (span, says) in spans {
            cover.close(&mut open, span.start);
            cover.change(span.start, Some(says));
            let around = open.last().map_or(Ns::MAX, |(end, _)| *end);
            open.push((span.end.min(around), says));
        }
        cover.close(&mut open, Ns::MAX);
        cover
    }

    fn close(&mut self, open: &mut Vec<(Ns, T)>, time: Ns) {
        while let Some((end, _)) = open.pop_if(|(end, _)| *end <= time) {
            self.change(end, open.last().map(|(_, says)| *says));
        }
    }

    fn change(&mut self, time: Ns, says: Option<T>) {
        match self.changes.last_mut() {
            Some(last) if last.0 == time => last.1 = says,
            _ => self.changes.push((time, says)),
        }
    }

    /// What is innermost at a time.
    pub(super) fn at(&self, time: Ns) -> Option<T> {
        let behind = self.changes.partition_point(|(from, _)| *from <= time);
        self.changes[..behind].last().and_then(|(_, says)| *says)
    }

    /// The parts of a span in order, each with what is innermost in it.
    pub(super) fn parts(&self, span: Span) -> impl Iterator<Item = (Span, Option<T>)> + '_ {
        let first = self.changes.partition_point(|(from, _)| *from <= span.start);
        let inside = self.changes[first..].iter().take_while(move |(from, _)| *from < span.end);
        let ends = inside.clone().map(|(from, _)| *from).chain([span.end]);
        let starts = [(span.start, self.at(span.start))].into_iter().chain(inside.copied());
        starts.zip(ends).map(|((start, says), end)| (Span::new(start, end), says))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_span_counts() {
        let cover =
            Cover::new(vec![(Span::new(2, 4), 'b'), (Span::new(0, 10), 'a'), (Span::new(8, 12), 'c')]);
        let parts: Vec<_> = cover.parts(Span::new(1, 14)).map(|(span, says)| (span.end, says)).collect();
        assert_eq!(parts, [(2, Some('a')), (4, Some('b')), (8, Some('a')), (10, Some('c')), (14, None)]);
        assert_eq!((cover.at(-1), cover.at(4), cover.at(10)), (None, Some('a'), None));
    }
}
