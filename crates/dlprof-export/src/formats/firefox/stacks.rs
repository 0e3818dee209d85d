//! CPU samples and the tree of their stacks.

use super::milliseconds;
use super::texts::TextList;
use dlprof_core::{Ns, TrackFrame, TrackSample, Tracks};
use serde_json::{Number, Value, json};
use std::collections::HashMap;

/// A library in the list of resources.
const LIBRARY: u8 = 1;

/// The binaries that frames are of, each once.
#[derive(Debug, Default)]
pub(super) struct Libraries {
    paths: TextList,
}

impl Libraries {
    /// All binaries as the format has them. nsys has resolved the functions already, so the ids for doing so are empty.
    pub(super) fn list(&self) -> Value {
        let library = |path: &String| {
            let name = base_name(path);
            json!({
                "arch": "", "name": name, "path": path, "debugName": name, "debugPath": path, "breakpadId": "",
                "codeId": null,
            })
        };
        self.paths.list().iter().map(library).collect()
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The stacks of a thread as a tree: each has a frame, and the stack of its caller.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    /// By stack: its caller's, and its frame.
    stacks: Vec<(Option<usize>, usize)>,
    /// By frame, which is a function here: the places of its name and of its resource.
    functions: Vec<(usize, Option<usize>)>,
    /// By resource: the places of its name and of its library.
    resources: Vec<(usize, usize)>,
    /// By sample: its stack.
    of_sample: Vec<Option<usize>>,
}

/// What was met while a tree is built.
#[derive(Default)]
struct Known {
    stacks: HashMap<(Option<usize>, usize), usize>,
    functions: HashMap<TrackFrame, usize>,
    resources: HashMap<usize, usize>,
}

impl Stacks {
    /// The tree of the stacks of some samples.
    pub(super) fn new(
        tracks: &Tracks<'_>,
        samples: &[TrackSample],
        texts: &mut TextList,
        libraries: &mut Libraries,
    ) -> Self {
        let mut tree = Self::default();
        let mut known = Known::default();
        let strings = &tracks.profile().capture.strings;
        for sample in samples {
            let mut stack = None;
            for frame in tracks.stack(sample).rev() {
                let next = (tree.functions.len(), tree.stacks.len());
                let function = *known.functions.entry(frame).or_insert(next.0);
                if function == next.0 {
                    let module = strings.get(frame.module);
                    let resource = (!module.is_empty())
                        .then(|| tree.resource(module, texts, libraries, &mut known.resources));
                    tree.functions.push((texts.place(strings.get(frame.symbol)), resource));
                }
                let place = *known.stacks.entry((stack, function)).or_insert(next.1);
                if place == next.1 {
                    tree.stacks.push((stack, function));
                }
                stack = Some(place);
            }
            tree.of_sample.push(stack);
        }
        tree
    }

    fn resource(
        &mut self,
        module: &str,
        texts: &mut TextList,
        libraries: &mut Libraries,
        known: &mut HashMap<usize, usize>,
    ) -> usize {
        let library = libraries.paths.place(module);
        let next = self.resources.len();
        let place = *known.entry(library).or_insert(next);
        if place == next {
            self.resources.push((texts.place(base_name(module)), library));
        }
        place
    }

    pub(super) fn samples(&self, samples: &[TrackSample], origin: Ns) -> Value {
        // Text, so that every nanosecond stays.
        let time = |sample: &TrackSample| milliseconds(sample.time - origin).parse::<Number>().ok();
        json!({
            "stack": self.of_sample,
            "time": samples.iter().map(time).collect::<Vec<_>>(),
            "weight": null,
            "weightType": "samples",
            "length": samples.len(),
        })
    }

    pub(super) fn stack_table(&self) -> Value {
        let (prefix, frame): (Vec<_>, Vec<_>) = self.stacks.iter().copied().unzip();
        json!({ "frame": frame, "prefix": prefix, "length": self.stacks.len() })
    }

    pub(super) fn frame_table(&self) -> Value {
        let length = self.functions.len();
        let nothing = vec![Value::Null; length];
        json!({
            "address": vec![-1; length],
            "inlineDepth": vec![0; length],
            "category": vec![0; length],
            "subcategory": vec![0; length],
            "func": (0..length).collect::<Vec<_>>(),
            "nativeSymbol": nothing,
            "innerWindowID": vec![0; length],
            "line": nothing,
            "column": nothing,
            "length": length,
        })
    }

    pub(super) fn func_table(&self) -> Value {
        let length = self.functions.len();
        let nothing = vec![Value::Null; length];
        let resource = |&(_, resource): &(usize, Option<usize>)| match resource {
            Some(place) => json!(place),
            None => json!(-1),
        };
        json!({
            "name": self.functions.iter().map(|function| function.0).collect::<Vec<_>>(),
            "isJS": vec![false; length],
            "relevantForJS": vec![false; length],
            "resource": self.functions.iter().map(resource).collect::<Vec<_>>(),
            "fileName": nothing,
            "lineNumber": nothing,
            "columnNumber": nothing,
            "length": length,
        })
    }

    pub(super) fn resource_table(&self) -> Value {
        let length = self.resources.len();
        let (name, lib): (Vec<_>, Vec<_>) = self.resources.iter().copied().unzip();
        json!({
            "name": name, "lib": lib, "host": vec![Value::Null; length], "type": vec![LIBRARY; length],
            "length": length,
        })
    }
}
