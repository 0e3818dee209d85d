//! Profiles of the real exports, where these lie beside the project.

use crate::reference::{export_paths, say};
use dlprof_core::{Capture, DefaultRange, KeyNodeChoice, Profile, RangeChoice, ReadOptions};

/// The profile of every export that can be read, over its steady iterations and over all of them.
pub(crate) fn for_each_profile(mut check: impl FnMut(&str, &Profile)) {
    let mut profiles = 0;
    for (name, path) in export_paths() {
        let Ok(capture) = Capture::read(&path, &ReadOptions::default()) else { continue };
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        for otherwise in [DefaultRange::Steady, DefaultRange::All] {
            let profile = index.profile(&RangeChoice { otherwise, ..RangeChoice::default() });
            check(&format!("{name}, {otherwise:?}"), &profile.expect("a profile"));
            profiles += 1;
        }
    }
    say(format_args!("{profiles} profiles of real exports checked"));
}
