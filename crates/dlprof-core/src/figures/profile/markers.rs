//! Markers of DLProf that hold other ranges.

use super::ProfileContents;
use crate::base::ids::StrId;
use crate::base::time::Span;
use crate::capture::correlate::Mode;
use std::cmp::Reverse;
use std::collections::BTreeSet;

impl ProfileContents {
    /// Texts of markers of DLProf inside which another range begins; empty for captures without such markers.
    pub(crate) fn markers_that_hold_ranges(&self) -> &BTreeSet<StrId> {
        self.figures.markers.get_or_init(|| match self.capture.description.mode {
            Mode::PytorchMarkers => self.look_for_markers(),
            _ => BTreeSet::new(),
        })
    }

    fn look_for_markers(&self) -> BTreeSet<StrId> {
        let ranges = &self.capture.ranges;
        let is_marker = |text: &StrId| self.capture.strings.get(*text).starts_with('{');
        let mut found = BTreeSet::new();
        for thread in &ranges.by_thread {
            let mut rows: Vec<(Span, StrId)> = thread
                .span
                .iter()
                .zip(&thread.text)
                .map(|(&span, label)| (span, ranges.texts[label.index()].text))
                .collect();
            rows.sort_unstable_by_key(|&(span, text)| (span.start, Reverse(span.end), text));
            let holds = |pair: &&[(Span, StrId)]| pair[1].0.start < pair[0].0.end;
            found.extend(rows.windows(2).filter(holds).map(|pair| pair[0].1).filter(is_marker));
        }
        found
    }
}
