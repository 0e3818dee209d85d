//! Dates: when a capture began, for people and for files.

use dlprof_core::{Ns, Profile};
use std::time::UNIX_EPOCH;

/// When a capture began, as `2026-05-24 13:40 UTC`; none if the export does not say.
pub(crate) fn captured(profile: &Profile) -> Option<String> {
    let at = rfc3339(profile.capture.source.captured_ns?);
    let (day, time) = at.split_once('T')?;
    Some(format!("{day} {} UTC", time.get(..5)?))
}

/// When a capture began, in seconds since 1970; if the export does not say, when its file was last changed.
pub(crate) fn of_capture_or_file(profile: &Profile) -> Option<i64> {
    let source = &profile.capture.source;
    if let Some(ns) = source.captured_ns {
        return Some(ns.div_euclid(1_000_000_000));
    }
    let changed = std::fs::metadata(&source.path).and_then(|file| file.modified()).ok()?;
    i64::try_from(changed.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}

/// Seconds since 1970 as year, month, day, hour, minute and second of UTC.
pub(crate) fn calendar(seconds: i64) -> [i64; 6] {
    const DAY: i64 = 86_400;
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    [year, month, day, second / 3600, second / 60 % 60, second % 60]
}

/// A time in nanoseconds since 1970 as `2026-05-24T13:40:14.974Z`.
pub(crate) fn rfc3339(ns: Ns) -> String {
    let (seconds, ms) = (ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000) / 1_000_000);
    let [year, month, day, hour, minute, second] = calendar(seconds);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Year, month and day of a number of days since 1970 (Howard Hinnant, "chrono-compatible low-level date algorithms").
/// Years begin in March, so that the leap day is the last of a year; an era has 400 years.
fn date(days: i64) -> (i64, i64, i64) {
    const ERA: i64 = 146_097;
    let days = days + 719_468;
    let day_of_era = days.rem_euclid(ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + days.div_euclid(ERA) * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(1_758_814_926_669_571_967), "2025-09-25T15:42:06.669Z");
        assert_eq!(rfc3339(951_782_399_000_000_000), "2000-02-28T23:59:59.000Z");
        assert_eq!(rfc3339(951_782_400_000_000_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999Z");
    }
}
