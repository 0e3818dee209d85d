//! Which module of the model is open on a thread at any time.

use super::cover::Cover;
use crate::base::ids::{Maybe, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use rustc_hash::FxHashMap;

/// The name of a module in the text of a range that the hooks of servers write.
fn module_name(text: &str) -> Option<&str> {
    text.strip_prefix("{'Module': '")?.split_once('\'').map(|(name, _)| name)
}

/// A module as it is folded: its name, and its layer.
pub(super) type Folded = (String, Option<u64>);

/// `model.layers.3.mlp` as `model.layers.*.mlp` and 3.
fn folded(name: &str) -> Folded {
    let parts: Vec<&str> = name.split('.').collect();
    let is_number = |(at, part): &(usize, &str)| {
        *at > 0 && !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let layer = parts.iter().copied().enumerate().find(is_number).and_then(|(_, number)| number.parse().ok());
    let fold =
        |(at, part): (usize, &&str)| if is_number(&(at, part)) { "*".to_owned() } else { (*part).to_owned() };
    (parts.iter().enumerate().map(fold).collect::<Vec<_>>().join("."), layer)
}

/// `Qwen3DecoderLayer_7` as `Qwen3DecoderLayer` and 7.
fn class_and_number(frame: &str) -> (&str, Option<u64>) {
    match frame.rsplit_once('_').map(|(class, number)| (class, number.parse())) {
        Some((class, Ok(number))) => (class, Some(number)),
        _ => (frame, None),
    }
}

/// The modules that are open on a thread at any time.
pub(super) struct OpenModules {
    cover: Cover<usize>,
    folded: Vec<Folded>,
}

impl OpenModules {
    /// The innermost at a time.
    pub(super) fn at(&self, time: Ns) -> Option<&Folded> {
        self.cover.at(time).map(|module| &self.folded[module])
    }

    /// Of ranges of a thread, and, where none names a module, of its Python frames.
    pub(super) fn of(capture: &CaptureContents, thread: ThreadId) -> Self {
        let ranges = &capture.ranges.by_thread[thread.index()];
        let mut by_text: FxHashMap<usize, Option<usize>> = FxHashMap::default();
        let mut names: Vec<Folded> = Vec::new();
        let mut spans = Vec::new();
        for (span, text) in ranges.span.iter().zip(ranges.text.iter()) {
            let name = by_text.entry(text.index()).or_insert_with(|| {
                names
                    .push(folded(module_name(capture.strings.get(capture.ranges.texts[text.index()].text))?));
                Some(names.len() - 1)
            });
            spans.extend(name.map(|name| (*span, name)));
        }
        if spans.is_empty() {
            let frames = &capture.host.python;
            let own = (0..frames.span.len()).filter(|&at| frames.thread[..][at] == thread);
            return Self::of_frames(
                own.map(|at| (frames.span[..][at], capture.strings.get(frames.name[..][at]))),
            );
        }
        Self { cover: Cover::new(spans), folded: names }
    }

    /// Of Python frames, in the order in which they open: each below those around it.
    pub(super) fn of_frames<'a>(frames: impl Iterator<Item = (Span, &'a str)>) -> Self {
        let modules = frames.filter_map(|(span, frame)| Some((span, frame.strip_prefix("nn.Module: ")?)));
        let mut paths: FxHashMap<(Option<usize>, &str), usize> = FxHashMap::default();
        let mut open: Vec<(Ns, usize)> = Vec::new();
        let (mut names, mut spans): (Vec<Folded>, Vec<(Span, usize)>) = (Vec::new(), Vec::new());
        for (span, frame) in modules {
            while open.pop_if(|(end, _)| *end <= span.start).is_some() {}
            let around = open.last().map(|(_, path)| *path);
            let path = *paths.entry((around, frame)).or_insert_with(|| {
                names.push(below(around.map(|around| &names[around]), frame));
                names.len() - 1
            });
            open.push((span.end, path));
            spans.push((span, path));
        }
        Self { cover: Cover::new(spans), folded: names }
    }
}

/// A frame below the one around it. The number is that of the layer only where the class is the repeated one.
fn below(around: Option<&Folded>, frame: &str) -> Folded {
    let (class, number) = class_and_number(frame);
    let own = number.filter(|_| class.ends_with("Layer") || class.ends_with("Block"));
    match around {
        None => (class.to_owned(), own),
        Some((path, layer)) => (format!("{path}/{class}"), layer.or(own)),
    }
}

/// Of a kernel that a graph launched: when and on which thread the call was made from which it was captured; none where that is not
/// in the capture itself.
pub(super) fn captured(capture: &CaptureContents, work: WorkId) -> Option<(Ns, Maybe<ThreadId>)> {
    let nodes = &capture.graph_nodes;
    let at = nodes.work.binary_search(&work).ok()?;
    Some((nodes.captured[..][at], nodes.thread[..][at]))
}
