//! In whose words texts are printed: those of who recorded the captures that were opened, where all are of one.

use dlprof_core::Recorder;
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

/// Who recorded the captures that were opened so far.
#[derive(Clone, Copy)]
enum Heard {
    Nobody,
    One(Recorder),
    Several,
}

static HEARD: Mutex<Heard> = Mutex::new(Heard::Nobody);

/// A capture was opened. Texts about captures of several recorders are in the words of this program.
pub(crate) fn hear(recorder: Recorder) {
    let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    *heard = match *heard {
        Heard::Nobody => Heard::One(recorder),
        Heard::One(known) if known == recorder => Heard::One(known),
        Heard::One(_) | Heard::Several => Heard::Several,
    };
}

/// The recorder in whose words texts are; `None` if they stay as they are.
pub(super) fn speaker() -> Option<Recorder> {
    match *HEARD.lock().unwrap_or_else(PoisonError::into_inner) {
        Heard::One(recorder) => Some(recorder).filter(|recorder| recorder.has_own_words()),
        Heard::Nobody | Heard::Several => None,
    }
}

/// A text in the words of who recorded what it is about.
pub(super) fn spoken(text: &str) -> Cow<'_, str> {
    speaker().map_or(Cow::Borrowed(text), |recorder| Cow::Owned(recorder.in_its_words(text).into_owned()))
}

/// The same of what is printed, unless it is no text.
pub(super) fn spoken_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) => match spoken(text) {
            Cow::Borrowed(_) => bytes.into(),
            Cow::Owned(text) => text.into_bytes().into(),
        },
        Err(_) => bytes.into(),
    }
}
