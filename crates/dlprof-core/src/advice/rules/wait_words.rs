//! Waits in words: which call waits in which range, and what follows from what it waits for.

use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids::StrId;
use crate::capture::names::{range_in_words, without_version};
use crate::figures::activity::{WaitPlace, WaitedFor};
use crate::figures::profile::without_numbers;
use crate::read::facts::Vendor;
use std::collections::BTreeMap;

/// How many places are named.
const MOST_PLACES: usize = 2;

/// What most waits are for is advised about; something else as well if it has such a part of the waits.
const ALSO_PART: u64 = 4;

/// `: 15 × cudaEventSynchronize in range conv, 11 × …`, the places with most waits; nothing without waits. Ranges whose texts
/// differ in numbers alone are one.
pub(super) fn places_in_words(scene: &Scene<'_>, places: &[WaitPlace]) -> String {
    let strings = &scene.profile.capture.strings;
    let mut sums: BTreeMap<(&str, String), Sum<'_>> = BTreeMap::new();
    for place in places {
        let range = range_text(scene, place.range);
        let key = (without_version(strings.get(place.function)), without_numbers(range));
        let first = Sum { count: 0, others: 0, range, behind_pageable: 0, most_bytes: 0 };
        let sum = sums.entry(key).or_insert(first);
        sum.count += place.count;
        sum.others += usize::from(sum.range != range);
        sum.behind_pageable += if place.waited_for == WaitedFor::PageableCopy { place.count } else { 0 };
        sum.most_bytes = sum.most_bytes.max(place.most_bytes);
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.count));
    let has_ranges = scene.facts().activity().ranges.texts.iter().any(|label| label.domain.is_none());
    let one = |((function, folded), sum): &((&str, String), Sum<'_>)| {
        let range = if sum.others == 0 { sum.range } else { folded };
        let place = match range.is_empty() {
            true if has_ranges => " outside all ranges".to_owned(),
            true => String::new(),
            false => format!(" in range `{range}`"),
        };
        let behind = match 2 * sum.behind_pageable > sum.count {
            true if sum.behind_pageable == 1 => {
                format!(", after a copy of {} bytes from pageable memory", sum.most_bytes)
            }
            true => format!(", after copies of at most {} bytes from pageable memory", sum.most_bytes),
            false => String::new(),
        };
        format!("{} × `{function}`{place}{behind}", sum.count)
    };
    let words: Vec<String> = sums.iter().take(MOST_PLACES).map(one).collect();
    let start = if scene.iterations > 1 { ". In all these are " } else { ". These are " };
    if words.is_empty() { String::new() } else { format!("{start}{}", words.join(", ")) }
}

/// Waits of one function in ranges of one family.
struct Sum<'a> {
    count: u64,
    /// Number of places whose range has another text than the first.
    others: usize,
    range: &'a str,
    /// Number of waits directly after a copy from pageable memory.
    behind_pageable: u64,
    /// Bytes of the largest of these copies.
    most_bytes: u64,
}

fn range_text<'a>(scene: &'a Scene<'_>, range: StrId) -> &'a str {
    range.some().map_or("", |range| range_in_words(scene.profile.capture.strings.get(range)))
}

/// What to do about waits: about what most of them are for, and about what else many are for.
pub(super) fn advice(scene: &Scene<'_>, places: &[WaitPlace]) -> Sentence {
    let mut sums: BTreeMap<&'static str, u64> = BTreeMap::new();
    let is_behind_pageable = |place: &WaitPlace| place.waited_for == WaitedFor::PageableCopy;
    let copies_once = places.iter().any(is_behind_pageable) && scene.copies_once(&scene.pageable_use());
    for place in places {
        let advice = match copies_once && is_behind_pageable(place) {
            true => COPIED_ONCE,
            false => advice_for(scene, place),
        };
        *sums.entry(advice).or_default() += place.count;
    }
    let all: u64 = sums.values().sum();
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    match sums.as_slice() {
        [] => "Let the CPU run ahead: wait once, at the end of the step".into(),
        [(first, _), (second, count), ..] if ALSO_PART * count >= all => Sentence::new(
            "{}; {}",
            vec![Figure::Text((*first).to_owned()), Figure::Clause(Box::new((*second).into()))],
        ),
        [(first, _), ..] => (*first).into(),
    }
}

/// What to do about waits after copies that are made once.
const COPIED_ONCE: &str = "Profile several steps. Most bytes that these copies move are moved once here. So a model, which is copied once, cannot be \
     told from a batch of input, which every step copies";

/// Copies up to this size are as fast made on the GPU.
const MOST_BYTES_OF_VALUE: u64 = 4096;

/// Ops that read a value of the GPU on the host.
const READING_OPS: [&str; 6] =
    ["item", "_local_scalar_dense", "nonzero", "masked_select", "tolist", "unique"];

fn advice_for(scene: &Scene<'_>, place: &WaitPlace) -> &'static str {
    let range = range_text(scene, place.range);
    // The op is the last part of a path or name.
    let op = range.rsplit(['/', ':', '.']).next().unwrap_or(range);
    let reads = READING_OPS.contains(&op);
    let (is_pytorch, is_cudnn) = (scene.is_pytorch(), range.contains("cudnn") || range.contains("conv"));
    match place.waited_for {
        WaitedFor::Value | WaitedFor::Stream if reads || place.waited_for == WaitedFor::Value => {
            match is_pytorch {
                true => {
                    "Read no values per step: no `.item()`, `.cpu()` or `print` of a tensor, no indexing by a mask; keep \
                     metrics on the GPU and read them every so many steps"
                }
                false => "Read no values per step: keep them on the GPU and read them every so many steps",
            }
        }
        WaitedFor::Value | WaitedFor::Stream => {
            "Look at what waits for the stream there, and wait once, where the host needs a result"
        }
        WaitedFor::CopyToHost => {
            "Copy results to the host less often, or into pinned memory and wait for them later"
        }
        WaitedFor::PageableCopy if is_pytorch && place.most_bytes <= MOST_BYTES_OF_VALUE => {
            "Make small tensors on the GPU (`torch.full`, `torch.arange` with `device=`) in place of copying them there, or copy \
             them from pinned memory: `.pin_memory()`, then `.to(device, non_blocking=True)`"
        }
        WaitedFor::PageableCopy => match is_pytorch {
            true => {
                "Copy from pinned memory without waiting: `pin_memory=True` in the `DataLoader` or `.pin_memory()`, then \
                 `.to(device, non_blocking=True)`"
            }
            false => "Copy from pinned memory, and do not wait after each copy",
        },
        WaitedFor::OtherCopy => match is_pytorch {
            true => "Do not wait after each copy: `.to(device, non_blocking=True)`",
            false => "Do not wait after each copy: wait once, after the last one",
        },
        WaitedFor::Event if is_cudnn => {
            "The library waits there by itself: in a convolution it mostly measures which algorithm is fastest, once per shape. \
             Profile after the first steps, and keep shapes fixed"
        }
        WaitedFor::Event if scene.profile.capture.is_of_nvidia() => {
            "Let a stream wait for the event (`cudaStreamWaitEvent`) in place of the CPU, or wait for it at the end of the \
             step; a library that waits by itself needs a look at how it is called"
        }
        WaitedFor::Event => {
            "Let a stream wait for the event in place of the CPU, or wait for it at the end of the step; a library that waits by \
             itself needs a look at how it is called"
        }
        WaitedFor::Device => match is_pytorch {
            true if matches!(scene.vendor(), Vendor::Nvidia | Vendor::Amd) => {
                "Let the CPU run ahead: no `torch.cuda.synchronize()` inside a step; time with events, and wait once at its end"
            }
            true => {
                "Let the CPU run ahead: no wait for the device inside a step; time with events, and wait once at its end"
            }
            false => "Let the CPU run ahead: wait for events in place of the device, and not inside a step",
        },
    }
}
