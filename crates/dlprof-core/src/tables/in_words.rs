//! Tables whose titles and meanings are in the words of who recorded the capture. Cells and keys stay as they are.

use super::renamed::Renamed;
use super::table::Table;
use crate::read::facts::{Recorder, Vendor};

/// A table in the words of a recorder, where these are not those of nsys and of NVIDIA's GPUs.
pub(crate) fn in_words<T: Table + 'static>(table: T, recorder: Recorder) -> Box<dyn Table> {
    if !recorder.has_own_words() && matches!(recorder.vendor, Vendor::Nvidia | Vendor::Unknown) {
        return Box::new(table);
    }
    let said = |text: &str| recorder.title_in_its_words(text).into_owned();
    let headers = (0..table.columns()).map(|column| table.header(column));
    let headers = headers.map(|header| Some([header.key.to_owned(), said(header.title), said(header.doc)]));
    Box::new(Renamed { title: Some(said(table.title())), headers: headers.collect(), table })
}
