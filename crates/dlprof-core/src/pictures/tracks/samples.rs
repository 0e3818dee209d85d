//! Samples of CPU threads with their stacks.

use super::Tracks;
use crate::base::ids::{Maybe, SampleId, StrId, ThreadId};
use crate::base::time::Ns;

/// A sample of a CPU thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackSample {
    /// When it was taken, in nanoseconds from the start of the capture.
    pub time: Ns,
    /// The place of its track.
    pub track: usize,
    /// Its row.
    pub sample: SampleId,
}

/// A frame of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TrackFrame {
    /// Function, a text of the capture.
    pub symbol: StrId,
    /// Path of the binary, a text of the capture.
    pub module: StrId,
}

impl<'a> Tracks<'a> {
    /// The CPU samples of the range, by track, then in order of time.
    #[must_use]
    pub fn samples(&self) -> Vec<TrackSample> {
        let (samples, window) = (&self.profile.capture.host.samples, self.window());
        let sample = |row: usize| {
            let sample = SampleId::new(row);
            let (time, thread): (Ns, Maybe<ThreadId>) = (samples.time[sample], samples.thread[sample]);
            let is_inside = (window.start..window.end).contains(&time);
            is_inside.then(|| TrackSample { time, track: self.list.of_thread(thread), sample })
        };
        let mut inside: Vec<TrackSample> = (0..samples.time.len()).filter_map(sample).collect();
        inside.sort_by(|a, b| {
            let key = |sample: &TrackSample| (sample.track, sample.time);
            key(a).cmp(&key(b)).then_with(|| self.stack_texts(a).cmp(self.stack_texts(b)))
        });
        inside
    }

    /// The stack of a sample, innermost frame first; empty if the export has none.
    pub fn stack(&self, sample: &TrackSample) -> impl DoubleEndedIterator<Item = TrackFrame> + use<'a> {
        let (host, row) = (&self.profile.capture.host, sample.sample.index());
        let offsets = &host.stack_offsets.offset[..];
        let frames = offsets.get(row..row + 2).map_or(0..0, |ends| ends[0] as usize..ends[1] as usize);
        let frame = |at: usize| TrackFrame {
            symbol: host.stack_frames.symbol[..][at],
            module: host.stack_frames.module[..][at],
        };
        frames.map(frame)
    }

    fn stack_texts(&self, sample: &TrackSample) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let strings = &self.profile.capture.strings;
        self.stack(sample).map(|frame| (strings.get(frame.symbol), strings.get(frame.module)))
    }
}
