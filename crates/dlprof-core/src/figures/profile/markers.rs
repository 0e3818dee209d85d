//! Markers of DLProf that hold other ranges.

use super::ProfileContents;
use crate::base::ids::{RangeTextId, StrId, all};
use crate::capture::classified::order::{RowOrder, nesting};
use crate::capture::correlate::Mode;
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
        let text = |label: RangeTextId| ranges.texts[label.index()].text;
        let mut holds = vec![false; ranges.texts.len()];
        for thread in &ranges.by_thread {
            let place = |row: usize| (nesting(thread.span[row]), text(thread.text[row]));
            let order = RowOrder::by_key(thread.span.len(), place);
            for (row, next) in order.iter().zip(order.iter().skip(1)) {
                holds[thread.text[row].index()] |= thread.span[next].start < thread.span[row].end;
            }
        }
        let holding = all::<RangeTextId>(holds.len()).filter(|label| holds[label.index()]).map(text);
        holding.filter(|text| self.capture.strings.get(*text).starts_with('{')).collect()
    }
}
