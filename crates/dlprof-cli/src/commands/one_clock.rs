//! Two sides that are compared are measured on one clock.

use dlprof_core::ClockChoice;

/// Both sides of a comparison, on one clock.
pub(crate) struct OnOneClock<T> {
    pub(crate) base: T,
    pub(crate) new: T,
    /// Whether the new side is on the clock of the CPU, because the baseline was measured on it and is not read again, though launches
    /// of the new side run ahead of the GPU.
    pub(crate) runs_ahead: bool,
}

impl<T> OnOneClock<T> {
    /// Reads both sides, each on the clock that fits it; if one of them needs that of the GPU, both are measured on it. A baseline that was
    /// kept stays on its clock, and the other side takes it.
    pub(crate) fn read<E>(
        base: impl Fn(ClockChoice) -> Result<T, E>,
        new: impl Fn(ClockChoice) -> Result<T, E>,
        clock: impl Fn(&T) -> ClockChoice,
    ) -> Result<Self, E> {
        let first = base(ClockChoice::Auto)?;
        if clock(&first) == ClockChoice::Gpu {
            return Ok(Self { base: first, new: new(ClockChoice::Gpu)?, runs_ahead: false });
        }
        let own = new(ClockChoice::Auto)?;
        if (clock(&first), clock(&own)) != (ClockChoice::Cpu, ClockChoice::Gpu) {
            return Ok(Self { base: first, new: own, runs_ahead: false });
        }
        let again = base(ClockChoice::Gpu)?;
        match clock(&again) {
            ClockChoice::Gpu => Ok(Self { base: again, new: own, runs_ahead: false }),
            _ => {
                let new = new(ClockChoice::Cpu)?;
                let runs_ahead = clock(&new) == ClockChoice::Cpu;
                Ok(Self { base: first, new, runs_ahead })
            }
        }
    }
}

/// What is said where [`OnOneClock::runs_ahead`].
pub(crate) const RUNS_AHEAD: &str = "the baseline was measured on the clock of the CPU, but launches of the new run go ahead of the GPU, so \
                                     that its iterations look shorter than they are; compare the captures, or make the baseline with \
                                     `--clock gpu`";

#[cfg(test)]
mod tests {
    use super::{ClockChoice, OnOneClock};
    use std::convert::Infallible;

    /// On which clock each side is in the end; `own` is what fits it, and what was kept is on that for ever.
    fn read(base: (ClockChoice, bool), new: (ClockChoice, bool)) -> (ClockChoice, ClockChoice, bool) {
        let side = |(own, is_kept): (ClockChoice, bool)| {
            move |asked| Ok::<_, Infallible>(if is_kept || asked == ClockChoice::Auto { own } else { asked })
        };
        let Ok(sides) = OnOneClock::read(side(base), side(new), |clock| *clock);
        (sides.base, sides.new, sides.runs_ahead)
    }

    #[test]
    fn both_sides_are_on_the_clock_of_the_gpu_where_one_needs_it() {
        use ClockChoice::{Auto, Cpu, Gpu};
        assert_eq!(read((Cpu, false), (Cpu, false)), (Cpu, Cpu, false));
        assert_eq!(read((Gpu, false), (Cpu, false)), (Gpu, Gpu, false));
        assert_eq!(read((Cpu, false), (Gpu, false)), (Gpu, Gpu, false));
        // What is kept cannot be measured anew.
        assert_eq!(read((Cpu, true), (Gpu, false)), (Cpu, Cpu, true));
        assert_eq!(read((Gpu, true), (Cpu, false)), (Gpu, Gpu, false));
        assert_eq!(read((Cpu, false), (Gpu, true)), (Gpu, Gpu, false));
        assert_eq!(read((Cpu, true), (Gpu, true)), (Cpu, Gpu, false));
        // Without iterations there is no clock to choose.
        assert_eq!(read((Auto, false), (Gpu, false)), (Auto, Gpu, false));
    }
}
