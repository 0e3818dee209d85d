//! GPUs that wait for copies.

use super::Case;
use super::Planted::{Each, OfLength};
use super::kernels::{MODEL, layers};
use super::program::{Act, Program, State, Transfer, chain, step};
use crate::trace::Ns;

pub(super) const CASES: &[Case] = &[
    Case {
        id: "pageable_copies",
        program: pageable_copies,
        figures: &[
            ("pageable_percent", OfLength(1000 * BATCH / PAGEABLE)),
            ("exposed_pageable_percent", OfLength(1000 * BATCH / PAGEABLE)),
            ("bytes", Each(8_000_000.0)),
            ("from_pinned_ns", Each(BATCH as f64 * 1000.0 / PINNED as f64)),
        ],
    },
    Case {
        id: "exposed_copies",
        program: exposed_copies,
        figures: &[
            ("exposed_copies_percent", OfLength(1000 * LARGE_BATCH / PINNED)),
            ("bytes", Each(20_000_000.0)),
        ],
    },
    Case {
        id: "managed_memory",
        program: managed_memory,
        figures: &[("migrations_percent", OfLength(40 * 12_000)), ("migrations", Each(40.0))],
    },
];

/// Bytes of a batch, and of a larger one.
const BATCH: i64 = 8_000_000;
const LARGE_BATCH: i64 = 20_000_000;
/// Bytes that pageable and pinned memory deliver in a thousand nanoseconds.
const PAGEABLE: i64 = 4_000;
const PINNED: i64 = 20_000;

fn to_device(memory: i64, bytes: i64, bytes_per_us: i64) -> Act {
    let is_waited_for = memory == 0;
    Act::Copy(Transfer { kind: 1, memory: [memory, 2], bytes, bytes_per_us, is_waited_for })
}

/// Images come from pageable memory, labels from pinned; repaired, both from pinned.
fn pageable_copies(state: State) -> Program {
    let images = state.pick(to_device(0, BATCH, PAGEABLE), to_device(1, BATCH, PINNED));
    let labels = to_device(1, 400_000, PINNED);
    Program::of(step(chain([vec![images, labels], layers(10)])))
}

/// A batch is copied before the step needs it; repaired, the next one on another stream while kernels run, which take a little
/// longer meanwhile.
fn exposed_copies(state: State) -> Program {
    let copy = to_device(1, LARGE_BATCH, PINNED);
    let faulty = chain([vec![copy.clone()], layers(10)]);
    let slowed = MODEL.map(|(kernel, ns)| Act::Launch(kernel, ns + ns / 50)).to_vec();
    let ahead = vec![Act::Stream(13), copy, Act::Stream(super::super::stage::MAIN_STREAM)];
    let repaired = chain([ahead, slowed.clone(), slowed.clone(), slowed, layers(7)]);
    Program::of(step(state.pick(faulty, repaired)))
}

/// How long pages move.
const MIGRATION: Ns = 12_000;

/// The CPU reads results from unified memory, page after page; repaired, one copy to pinned memory brings them.
fn managed_memory(state: State) -> Program {
    let pages = vec![Act::Migrate { kind: 12, bytes: 65_536, ns: MIGRATION }; 40];
    let bytes = 40 * 65_536;
    let transfer = Transfer { kind: 2, memory: [2, 1], bytes, bytes_per_us: PINNED, is_waited_for: false };
    let mut faulty = vec![Act::Wait];
    faulty.extend(pages);
    Program::of(step(chain([layers(10), state.pick(faulty, vec![Act::Copy(transfer)])])))
}
