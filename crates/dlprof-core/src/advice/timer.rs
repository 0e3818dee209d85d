//! Sleeps of a timer: a thread sleeps again and again for the same time, as no file, socket or lock lets it.
//!
//! ```text
//! lengths in order  3.05 3.06 3.06 … 3.30 │ 5.06 … 5.30 │ 10.1 … 10.2
//!                   78 sleeps of 3.1 ms     16 of 5.1 ms  12 of 10.1 ms
//! ```

use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use crate::base::ratios::to_f64;
use crate::base::time::{Ns, total};
use crate::figures::activity::{sleeps, waiting_times};

/// Sleeps below this are switches to other threads.
const LEAST_NS: Ns = 500_000;

/// From this many of one length on it is no chance.
const FEWEST: usize = 5;

/// How many lengths are told.
const MOST_LENGTHS: usize = 3;

impl Scene<'_> {
    /// The sleeps of threads that GPUs wait for, in words such as `78 of about 3.054 ms, 12 of about 10.123 ms`, if three quarters of
    /// their time are sleeps of few lengths, five or more of each; else `None`.
    pub(super) fn timer_in_words(&self) -> Option<Sentence> {
        let waiting = waiting_times(self.facts(), &self.profile.windows()[self.places.clone()]);
        let all = sleeps(&waiting, &self.profile.capture.host);
        let told = of_a_timer(&all);
        let mut template = Vec::new();
        let mut figures = Vec::new();
        for (at, &(number, ns)) in told.iter().enumerate() {
            template.push(if at == 0 { "{} of about {}" } else { ", {} of about {}" });
            figures.push(Figure::Count(number as u64));
            figures.push(Figure::Time(to_f64(ns)));
        }
        (!told.is_empty()).then(|| Sentence::joined(&template, figures))
    }
}

/// Of lengths in order: number and middle of those that are alike, most time first; none where these are not three quarters of
/// all time.
fn of_a_timer(lengths: &[Ns]) -> Vec<(usize, Ns)> {
    let long = &lengths[lengths.partition_point(|&ns| ns < LEAST_NS)..];
    let mut alike: Vec<&[Ns]> = Vec::new();
    let mut rest = long;
    while let Some(&first) = rest.first() {
        let (these, behind) = rest.split_at(rest.partition_point(|&ns| 10 * ns <= 11 * first));
        // Lengths that go over into longer ones are those of something that varies.
        let is_apart = behind.first().is_none_or(|&next| 10 * next >= 12 * first);
        if these.len() >= FEWEST && is_apart {
            alike.push(these);
        }
        rest = behind;
    }
    alike.sort_by_key(|these| -total(these.iter().copied()));
    alike.truncate(MOST_LENGTHS);
    let told_ns: Ns = alike.iter().map(|these| total(these.iter().copied())).sum();
    if told_ns == 0 || 4 * told_ns < 3 * total(lengths.iter().copied()) {
        return Vec::new();
    }
    alike.into_iter().map(|these| (these.len(), these[these.len() / 2])).collect()
}

#[cfg(test)]
mod tests {
    use super::of_a_timer;
    use crate::base::time::Ns;

    #[test]
    fn sleeps_of_few_lengths_are_a_timer() {
        let ms = |tenths: &[Ns]| tenths.iter().map(|&tenth| tenth * 100_000).collect::<Vec<Ns>>();
        let mut lengths = ms(&[30, 31, 31, 31, 32, 33, 51, 101, 101, 101, 102, 102]);
        assert_eq!(of_a_timer(&lengths), [(5, 10_100_000), (6, 3_100_000)]);
        // One long wait has most of the time.
        lengths.push(900_000_000);
        assert_eq!(of_a_timer(&lengths), []);
        // A lock or a file varies.
        assert_eq!(of_a_timer(&ms(&[20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31])), []);
        assert_eq!(of_a_timer(&ms(&[30, 30, 30, 30])), []);
    }
}
