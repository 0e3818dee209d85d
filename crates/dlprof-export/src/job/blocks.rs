//! Parts of lines: times, bars, shades.

use crate::display::TimeUnit;
use dlprof_core::{Job, RankClass, StepClass, StepScale};

/// The unit in which a text has its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    unit: TimeUnit,
    places: usize,
    /// What fits steps, whatever is asked for.
    pub(super) scale: StepScale,
}

impl Times {
    /// The unit that is asked for; else the one that fits steps.
    pub(crate) fn of(job: &Job, unit: TimeUnit) -> Self {
        Self::of_scale(job.scale(), unit)
    }

    /// The same, by what fits steps.
    pub(super) fn of_scale(scale: StepScale, unit: TimeUnit) -> Self {
        let unit = match (unit, scale) {
            (TimeUnit::Auto, StepScale::Microseconds) => TimeUnit::Us,
            (TimeUnit::Auto, StepScale::Milliseconds) => TimeUnit::Ms,
            (TimeUnit::Auto, StepScale::Seconds) => TimeUnit::S,
            (asked, _) => asked,
        };
        let places = match unit {
            TimeUnit::Auto | TimeUnit::Ns => 0,
            TimeUnit::Us => 1,
            TimeUnit::Ms => 2,
            TimeUnit::S => 3,
        };
        Self { unit, places, scale }
    }

    /// `ms`
    pub(super) fn symbol(self) -> &'static str {
        self.unit.symbol()
    }

    /// How many columns more than milliseconds it needs.
    pub(super) fn wider(self) -> usize {
        match self.unit {
            TimeUnit::Auto | TimeUnit::Ns => 4,
            TimeUnit::Us => 2,
            TimeUnit::Ms | TimeUnit::S => 0,
        }
    }

    /// A time without its unit.
    pub(super) fn text(self, ns: f64) -> String {
        format!("{:.*}", self.places, ns / self.unit.size_ns())
    }

    /// The same with its sign.
    pub(super) fn signed(self, ns: f64) -> String {
        format!("{:+.*}", self.places, ns / self.unit.size_ns())
    }

    /// The same with its unit, for sentences.
    pub(super) fn in_words(self, ns: f64) -> String {
        format!("{} {}", self.text(ns), self.symbol())
    }

    /// A time with its unit, in fewer places.
    pub(super) fn rough(self, ns: f64) -> String {
        format!("{:.*} {}", self.places.saturating_sub(1), ns / self.unit.size_ns(), self.symbol())
    }
}

/// A whole number of nanoseconds as a float, for ratios.
#[expect(clippy::cast_precision_loss, reason = "times of captures need no more than 53 bits")]
pub(crate) fn float(ns: i64) -> f64 {
    ns as f64
}

/// The nearest whole number of characters.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of the width of a terminal"
)]
fn characters(share: f64, width: usize) -> usize {
    (share.clamp(0.0, 1.0) * width as f64).round() as usize
}

/// A bar of parts, each with its character.
pub(super) fn bar(parts: impl IntoIterator<Item = (f64, char)>, total: f64, width: usize) -> String {
    let (mut sum, mut text) = (0.0, String::new());
    let mut drawn = 0;
    for (part, character) in parts {
        sum += part;
        let end = if total > 0.0 { characters(sum / total, width) } else { 0 };
        text.extend(std::iter::repeat_n(character, end.saturating_sub(drawn)));
        drawn = drawn.max(end);
    }
    text.extend(std::iter::repeat_n(' ', width - drawn.min(width)));
    text
}

/// What is not more than a trifle is blank, the largest is full.
pub(super) fn shade(value: f64, trifle: f64, top: f64) -> char {
    const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];
    if value <= trifle || top <= 0.0 {
        return ' ';
    }
    SHADES[characters(value / top, SHADES.len() - 1)]
}

/// A part of a step.
pub(crate) struct StepPart {
    /// The column of tables.
    pub(crate) key: &'static str,
    /// The word for it.
    pub(crate) name: &'static str,
    /// What bars are made of.
    pub(crate) character: char,
    /// Its mean time.
    pub(crate) ns: f64,
    /// Whether the GPU works.
    pub(crate) works: bool,
    /// The class whose colour it has.
    pub(crate) class: StepClass,
}

/// The parts of a step in the order of bars.
pub(crate) fn parts(job: &Job) -> [StepPart; 8] {
    let of = |class: RankClass, name, character, works| StepPart {
        key: class.key(),
        name,
        character,
        ns: job.mean_of(class),
        works,
        class: step_class(class),
    };
    let wait = StepPart {
        key: "wait_ns",
        name: "waiting for others",
        character: '░',
        ns: job.means.mean.wait_ns,
        works: false,
        class: StepClass::Communication,
    };
    [
        of(RankClass::Compute, "GPU", '█', true),
        of(RankClass::Transfer, "communication", '▒', true),
        of(RankClass::Copy, "copy", '▓', true),
        wait,
        of(RankClass::Input, "input", 'i', false),
        of(RankClass::Cpu, "CPU", 'c', false),
        of(RankClass::Sync, "sync", 's', false),
        of(RankClass::Other, "other", '·', false),
    ]
}

fn step_class(class: RankClass) -> StepClass {
    match class {
        RankClass::Compute => StepClass::Gpu,
        RankClass::Transfer => StepClass::Communication,
        RankClass::Copy => StepClass::Copy,
        RankClass::Input => StepClass::Input,
        RankClass::Cpu => StepClass::Cpu,
        RankClass::Sync => StepClass::Sync,
        RankClass::Other => StepClass::Other,
    }
}

/// A count with commas between thousands.
pub(super) fn count(number: usize) -> String {
    crate::display::grouped(&number.to_string())
}

/// The size of a message.
pub(super) fn size(bytes: Option<u64>) -> String {
    const MIB: u64 = 1 << 20;
    match bytes {
        None => "–".into(),
        Some(bytes) if bytes >= MIB => {
            format!("{:.1} MiB", float(i64::try_from(bytes).unwrap_or(i64::MAX)) / float(1 << 20))
        }
        Some(bytes) => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_their_width() {
        assert_eq!(bar([(1.0, 'a'), (1.0, 'b')], 4.0, 8), "aabb    ");
        assert_eq!(bar([(1.0, 'a')], 0.0, 3), "   ");
        assert_eq!(bar([(9.0, 'a')], 3.0, 3), "aaa");
    }

    #[test]
    fn shades_are_linear_to_the_largest() {
        let shades: String =
            [0.0, 0.5, 1.0, 4.9, 5.1, 10.0, 12.0].map(|value| shade(value, 0.6, 10.0)).iter().collect();
        assert_eq!(shades, "  ·▒▒██");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!([None, Some(8), Some(27_262_976)].map(size), ["–", "8 B", "26.0 MiB"]);
    }
}
