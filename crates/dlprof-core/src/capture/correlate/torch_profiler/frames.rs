//! Which modules and Python functions a thread is in, from the frames that torch.profiler records with stacks.
//!
//! ```text
//! frames    ├ train.py(12): step ─────────────────────────┤
//!             ├ nn.Module: ResNet_0 ────────────────────┤
//!               ├ nn.Module: Conv2d_3 ┤
//! operator          ├ aten::conv2d ┤      modules ResNet_0, Conv2d_3; stack train.py(12): step
//! ```

use crate::base::ids::{StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::columns::StringPool;
use crate::read::facts::Facts;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How frames of modules begin.
const MODULE: &str = "nn.Module: ";

/// Where PyTorch calls the `forward` of modules, which stands between any two of them.
const CALLS_MODULES: &str = "torch/nn/modules/module.py(";

/// A list of names, outermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct ListId(u32);

impl ListId {
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Lists of names that begin alike, each distinct one once: a list is another one and a name more.
pub(super) struct Lists {
    /// By list: the list without its last name, and that name. The first is empty.
    lists: Vec<(ListId, StrId)>,
    known: FxHashMap<(ListId, StrId), ListId>,
}

impl Default for Lists {
    fn default() -> Self {
        Self { lists: vec![(ListId::default(), StrId::NONE)], known: FxHashMap::default() }
    }
}

impl Lists {
    fn with(&mut self, list: ListId, name: StrId) -> ListId {
        let next = ListId(u32::try_from(self.lists.len()).unwrap_or_default());
        *self.known.entry((list, name)).or_insert_with(|| {
            self.lists.push((list, name));
            next
        })
    }

    /// The names of a list, outermost first.
    pub(super) fn names<'a>(&self, list: ListId, strings: &'a StringPool) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut at = list;
        while !at.is_empty() {
            let (around, name) = self.lists[at.0 as usize];
            names.push(strings.get(name));
            at = around;
        }
        names.reverse();
        names
    }
}

/// The modules and the Python functions that a thread is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Place {
    pub(super) modules: ListId,
    pub(super) stack: ListId,
}

/// The frames of a thread, walked along with its ranges.
pub(super) struct Frames {
    /// Those that are not open yet.
    rows: Range<usize>,
    open: Vec<(Span, Place)>,
}

impl Frames {
    pub(super) fn of_thread(facts: &Facts, thread: ThreadId) -> Self {
        let threads = &facts.host.python.thread[..];
        let start = threads.partition_point(|&of| of < thread.into());
        let end = threads.partition_point(|&of| of <= thread.into());
        Self { rows: start..end, open: Vec::new() }
    }

    /// Where the thread is at a time, which is not before that of the last question.
    pub(super) fn place(&mut self, facts: &Facts, time: Ns, lists: &mut Lists) -> Place {
        let frames = &facts.host.python;
        while self.rows.start < self.rows.end && frames.span[..][self.rows.start].start <= time {
            let row = self.rows.start;
            self.rows.start += 1;
            let (span, name) = (frames.span[..][row], frames.name[..][row]);
            self.leave(span.start);
            let mut place = self.innermost();
            match facts.strings.get(name) {
                text if text.starts_with(MODULE) => place.modules = lists.with(place.modules, name),
                text if is_shown(text) => place.stack = lists.with(place.stack, name),
                _ => {}
            }
            self.open.push((span, place));
        }
        self.leave(time);
        self.innermost()
    }

    fn leave(&mut self, time: Ns) {
        while self.open.pop_if(|(span, _)| span.end <= time).is_some() {}
    }

    fn innermost(&self) -> Place {
        self.open.last().map_or(Place::default(), |(_, place)| *place)
    }
}

/// Whether a frame is shown in stacks: a function of Python with its file, and not what calls modules.
fn is_shown(text: &str) -> bool {
    !text.starts_with('<') && !text.contains(CALLS_MODULES)
}

/// The name of a module: `Conv2d_3` of `nn.Module: Conv2d_3`.
pub(super) fn module_name(text: &str) -> &str {
    text.strip_prefix(MODULE).unwrap_or(text)
}
