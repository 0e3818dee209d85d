//! The whole program on one screen: from a file to a judged profile.
//!
//! ```text
//! export ─ingest─► Facts ─correlate─► Capture ─index(key node)─► Index ─profile(range)─► Profile ─judge─► Judged ─► tables
//!                                       │▲                        │▲                       │▲
//!                                       kept                      kept              figures of iterations, kept
//! ```

use crate::advice::{Judged, RuleSettings, judge};
use crate::base::Error;
use crate::capture::{Capture, ReadOptions};
use crate::figures::profile::{Profile, ProfileSettings};
use crate::kept::{Cache, KeptExport};
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use std::ops::ControlFlow;
use std::path::Path;

/// What is asked of a capture.
#[derive(Clone, Default)]
pub struct OpenOptions<'a> {
    /// How it is read.
    pub read: ReadOptions<'a>,
    /// What delimits iterations.
    pub key_node: KeyNodeChoice,
    /// Which iterations are aggregated.
    pub range: RangeChoice,
    /// What the user changed about the figures.
    pub figures: ProfileSettings,
    /// What the user changed about the rules, and the user's own rules.
    pub rules: RuleSettings,
    /// Called when a stage begins, which it can prevent by a break, and when one has ended.
    pub on_stage: Option<OnStage<'a>>,
}

/// Hears what is being done.
pub type OnStage<'a> = &'a dyn Fn(Stage, StageEvent) -> ControlFlow<()>;

/// A stage of opening a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reading and correlating the export.
    Read,
    /// Finding iterations and ops.
    Index,
    /// Aggregating the chosen iterations.
    Aggregate,
    /// Applying the user's own rules; only if there are any. The built-in rules are applied when somebody asks for findings.
    OwnRules,
}

/// What happens to a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageEvent {
    /// It begins.
    Begins,
    /// It has ended.
    Ended(Origin),
}

/// Where the result of a stage is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was made.
    Made,
    /// It was made, and is kept for later runs if there is room.
    MadeAndKept,
    /// An earlier run kept it.
    Kept,
}

impl Capture {
    /// Reads a capture, or takes what a cache keeps of it, splits it into iterations, aggregates a range of them, and judges
    /// the profile. What is made of an export that is worth it is kept in the cache. A rule of the user that fails is not an
    /// error here: [`Judged::own_failures`] says why it failed.
    ///
    /// # Errors
    /// If the file is not a readable nsys export or DLProf database, if the options do not fit it, or if a callback stops the
    /// work.
    pub fn open(path: &Path, options: &OpenOptions<'_>, cache: Option<&Cache>) -> Result<Judged, Error> {
        let OpenOptions { read, key_node, range, figures, rules, .. } = options;
        let kept = cache.filter(|cache| cache.is_worth_it(path)).map(|cache| cache.export_with(path, read));
        let capture = options.stage(path, Stage::Read, || match &kept {
            None => Ok((Self::read(path, read)?, Origin::Made)),
            Some(kept) => match kept.kept_capture(read)? {
                Some(capture) => Ok((capture, Origin::Kept)),
                None => Ok((kept.read(read)?, Origin::MadeAndKept)),
            },
        })?;
        let index = options.stage(path, Stage::Index, || match &kept {
            None => Ok((capture.index(key_node)?, Origin::Made)),
            Some(kept) => match kept.kept_index(&capture, key_node) {
                Some(index) => Ok((index, Origin::Kept)),
                None => Ok((kept.make_index(&capture, key_node)?, Origin::MadeAndKept)),
            },
        })?;
        let profile = options.stage(path, Stage::Aggregate, || {
            let known = kept.as_ref().map(|kept| kept.kept_figures(&index, key_node)).unwrap_or_default();
            Ok((index.profile_sharing(range, figures, &known)?, Origin::Made))
        })?;
        match rules.own.is_empty() {
            true => Ok(judge(&profile, rules)),
            false => options.stage(path, Stage::OwnRules, || Ok((judge(&profile, rules), Origin::Made))),
        }
    }
}

impl OpenOptions<'_> {
    fn stage<T>(
        &self,
        path: &Path,
        stage: Stage,
        work: impl FnOnce() -> Result<(T, Origin), Error>,
    ) -> Result<T, Error> {
        let tell = |event| match self.on_stage.map(|on_stage| on_stage(stage, event)) {
            Some(ControlFlow::Break(())) => Err(Error::Stopped { path: path.into() }),
            Some(ControlFlow::Continue(())) | None => Ok(()),
        };
        tell(StageEvent::Begins)?;
        let (made, origin) = work()?;
        tell(StageEvent::Ended(origin))?;
        Ok(made)
    }

    /// What a cache keeps of the export of a profile that was opened with these options.
    #[must_use]
    pub fn kept_export(&self, profile: &Profile, cache: &Cache) -> KeptExport {
        cache.export_with(&profile.capture.source.path, &self.read)
    }

    /// Keeps what was worked out with a profile that was opened with these options, if its export is worth it. Later runs then
    /// take it from the cache. What cannot be kept is worked out again.
    pub fn keep_figures(&self, profile: &Profile, cache: &Cache) {
        if cache.is_worth_it(&profile.capture.source.path) {
            self.kept_export(profile, cache).keep_figures(&profile.known_figures(), &self.key_node);
        }
    }
}
