//! In what unit times of a job are said, as steps may be microseconds or minutes.

/// In what unit times of a job are said: the same for all of a report, so that they compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepScale {
    /// Of steps below a millisecond.
    Microseconds,
    /// Of others.
    Milliseconds,
    /// Of steps from ten seconds on.
    Seconds,
}

impl StepScale {
    /// The unit for times of steps of a length.
    #[must_use]
    pub fn of(step_ns: f64) -> Self {
        match step_ns {
            ..1e6 => Self::Microseconds,
            1e10.. => Self::Seconds,
            _ => Self::Milliseconds,
        }
    }

    /// The last digit that is shown: tenths of microseconds, hundredths of milliseconds, thousandths of seconds.
    pub(super) fn least_shown_ns(self) -> f64 {
        match self {
            Self::Microseconds => 1e2,
            Self::Milliseconds => 1e4,
            Self::Seconds => 1e6,
        }
    }
}
