//! What kernels are called in a report.

use super::form::NsysForm;
use super::launching_calls::{Calls, Launches, for_each_call};
use super::ranges::{OpenEnd, Ranges};
use super::source::Source;
use crate::base::ids::{StrId, WorkId};
use crate::base::limits::{STATS_NAME_BYTES, TooMuch};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Which name of a kernel is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NsysNameKind {
    /// The demangled name.
    #[default]
    Demangled,
    /// The short name.
    Base,
    /// The mangled name.
    Mangled,
}

/// What follows the name of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NsysArguments {
    /// Which name of a kernel is printed.
    pub name: NsysNameKind,
    /// Whether names of kernels follow the name of their range.
    pub with_range: bool,
    /// Number of rows of the report about managed memory.
    pub rows: Option<usize>,
}

/// A printed name: its place among [`KernelNames::texts`].
pub(super) type KernelName = u32;

/// Names of kernels, each distinct text once.
pub(super) struct KernelNames<'a> {
    source: Source<'a>,
    kind: NsysNameKind,
    by_id: FxHashMap<StrId, KernelName>,
    /// By kernel: the name with its range, if names have one.
    in_ranges: Option<FxHashMap<WorkId, KernelName>>,
    texts: Vec<Cow<'a, str>>,
}

impl<'a> KernelNames<'a> {
    pub(super) fn new(
        source: Source<'a>,
        form: NsysForm,
        arguments: &NsysArguments,
    ) -> Result<Self, TooMuch> {
        let mut names = Self {
            source,
            kind: arguments.name,
            by_id: FxHashMap::default(),
            in_ranges: None,
            texts: Vec::new(),
        };
        if arguments.with_range {
            names.find_ranges(form)?;
        }
        Ok(names)
    }

    /// The id of the text that is printed.
    pub(super) fn id(&self, kernel: WorkId) -> StrId {
        let kernels = &self.source.capture.kernels;
        let demangled = kernels.long_name[kernel];
        let chosen = match self.kind {
            NsysNameKind::Demangled => demangled,
            NsysNameKind::Base => kernels.short_name[kernel],
            NsysNameKind::Mangled => self.source.records.kernels.mangled_name[kernel],
        };
        chosen.some().unwrap_or(demangled)
    }

    /// The name of a kernel.
    pub(super) fn of(&mut self, kernel: WorkId) -> KernelName {
        if let Some(name) = self.in_ranges.as_ref().and_then(|names| names.get(&kernel)) {
            return *name;
        }
        let id = self.id(kernel);
        if let Some(&known) = self.by_id.get(&id) {
            return known;
        }
        let text = self.source.text(id).unwrap_or("");
        let name = self.add(text.into());
        self.by_id.insert(id, name);
        name
    }

    fn add(&mut self, text: Cow<'a, str>) -> KernelName {
        self.texts.push(text);
        u32::try_from(self.texts.len() - 1).unwrap_or(u32::MAX)
    }

    /// The text of a name.
    pub(super) fn text(&self, name: KernelName) -> &str {
        &self.texts[name as usize]
    }

    /// The texts, by name.
    pub(super) fn into_texts(self) -> Vec<Cow<'a, str>> {
        self.texts
    }

    /// Puts the name of the innermost range before the names of kernels: of the ranges that contain its call the latest to
    /// start. Ranges and calls are those of the whole capture.
    fn find_ranges(&mut self, form: NsysForm) -> Result<(), TooMuch> {
        let all = self.source.unfiltered();
        let ranges = Ranges::new(all, form, OpenEnd::Ranges, false);
        let launches = Launches::new(all, &Calls::new(all), self.source.kernels())?;
        let mut found = Vec::new();
        for_each_call(all, &launches, &ranges.list, |launched, containing| {
            let innermost = containing.iter().copied().max_by_key(|&range| ranges.list[range as usize].start);
            if let Some(name) = innermost.and_then(|range| ranges.list[range as usize].name) {
                found.extend(launched.iter().map(|&(_, kernel)| (kernel, name)));
            }
            Ok(())
        })?;
        let mut room = all.room(&STATS_NAME_BYTES);
        let mut names: FxHashMap<(u32, StrId), KernelName> = FxHashMap::default();
        let mut by_text: FxHashMap<String, KernelName> = FxHashMap::default();
        let mut in_ranges = FxHashMap::default();
        for (kernel, range) in found {
            let id = self.id(kernel);
            let name = match names.get(&(range.0, id)) {
                Some(&known) => known,
                None => {
                    let text = format!("{}/{}", ranges.name(range), self.source.text(id).unwrap_or(""));
                    room.take(text.len())?;
                    let name = match by_text.get(&text) {
                        Some(&known) => known,
                        None => self.add(text.clone().into()),
                    };
                    by_text.insert(text, name);
                    names.insert((range.0, id), name);
                    name
                }
            };
            in_ranges.insert(kernel, name);
        }
        self.in_ranges = Some(in_ranges);
        Ok(())
    }
}
