//! What `show key-nodes` lists, `--key-node` takes.

use crate::windows::files;
use dlprof_core::{Capture, Error, KeyNodeChoice, RangeChoice, ReadOptions};
use dlprof_generate::corpus::folder;
use std::collections::BTreeSet;

/// More candidates of a capture are not tried.
const MOST: usize = 25;

#[test]
fn every_listed_candidate_can_be_given_back() {
    let Some(corpus) = folder() else { return };
    let mut tried = 0;
    for file in files(&corpus) {
        let Ok(capture) = Capture::read(&file, &ReadOptions::default()) else { continue };
        let index = capture.index(&KeyNodeChoice::None).expect("one iteration");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        let candidates = profile.key_node_candidates();
        let texts: BTreeSet<&str> = candidates.iter().map(|candidate| candidate.key_node.as_str()).collect();
        assert_eq!(texts.len(), candidates.len(), "{}: {texts:?}", file.display());
        for candidate in candidates.iter().take(MOST) {
            let index = capture.index(&KeyNodeChoice::Named(candidate.key_node.clone()));
            let index = index.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let count = index.iterations.count() as usize - 1;
            assert_eq!(count, candidate.executions, "{}: {candidate:#?}", file.display());
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried} candidates");
}

#[test]
fn a_kernel_delimits_iterations() {
    let Some(corpus) = folder() else { return };
    let file = corpus.join("gpu-v100-2020.3.4-small.sqlite");
    let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
    let name = capture.strings.get(capture.kernels.short_name[dlprof_core::WorkId::new(0)]).to_owned();
    let launches = capture.kernels.short_name.iter().filter(|id| capture.strings.get(**id) == name).count();
    for text in [name.clone(), format!("kernel:{name}")] {
        let index = capture.index(&KeyNodeChoice::Named(text)).expect("it ran");
        assert_eq!(index.iterations.boundaries.len(), launches + 2, "and what comes before the first");
    }
    let unknown = capture.index(&KeyNodeChoice::Named("kernels:99:nothing".into()));
    assert!(matches!(unknown, Err(Error::UnknownKeyNode { .. })));
}
