//! Several GPUs, streams, and GPUs that somebody else uses.

use super::super::records::KernelShape;
use super::super::stage::MAIN_STREAM;
use super::Case;
use super::Planted::{Each, Fixed, OfLength};
use super::board::Board;
use super::kernels::{FLASH_BACKWARD, Kernel, LAYER_NS, MODEL, layers};
use super::program::{Act, ITERATIONS, Program, State, chain, range, step, times};
use crate::trace::Ns;

pub(super) const CASES: &[Case] = &[
    Case {
        id: "exposed_communication",
        program: exposed_communication,
        figures: &[("exposed_communication_percent", OfLength(4 * BUCKET))],
    },
    Case {
        id: "exposed_communication/same_stream",
        program: communication_on_the_same_stream,
        figures: &[("exposed_communication_percent", OfLength(4 * BUCKET))],
    },
    Case {
        id: "straggler_gpu",
        program: straggler_gpu,
        figures: &[
            ("iterations_percent", Fixed(100.0)),
            ("extra_compute_ns", Each((10 * LAYER_NS / 5) as f64)),
            ("device_id", Fixed(2.0)),
        ],
    },
    Case {
        id: "straggler_gpu/two",
        program: unequal_gpus,
        figures: &[
            ("iterations_percent", Fixed(100.0)),
            ("extra_compute_ns", Each((10 * LAYER_NS * 15 / 100) as f64)),
            ("device_id", Fixed(1.0)),
        ],
    },
    Case {
        id: "underutilized_gpu_detector",
        program: |state| Program { has_all_contexts: true, ..unused_gpu(state) },
        figures: &[("unused_gpus", Fixed(1.0))],
    },
    Case {
        id: "underutilized_gpu_detector/shared",
        program: unused_gpu,
        figures: &[("unused_gpus", Fixed(1.0))],
    },
    Case {
        id: "device_stall",
        program: device_stall,
        figures: &[("stall_percent", OfLength(9 * (TAKEN + 1_000)))],
    },
    Case {
        id: "device_stall/inside_kernels",
        program: sliced_kernels,
        figures: &[
            ("slices_percent", OfLength(6 * SLICES[0] + 2 * SLICES[1])),
            ("shared_percent", OfLength(6 * SLICES[0] + 2 * SLICES[1])),
            ("sliced_launches", Each(8.0)),
            ("usual_slice_ns", Fixed(SLICES[0] as f64)),
        ],
    },
    Case {
        id: "stream_dependency",
        program: stream_dependency,
        figures: &[("dependency_percent", OfLength(9 * (CALLBACK + 1_000)))],
    },
];

/// What exchanges data on a GPU.
pub(super) fn all_reduce(board: &Board) -> KernelShape {
    Kernel::full("ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096>)").on(board.sm_count)
}

/// The stream of communication.
const EXCHANGE: i64 = 20;
/// How long a quarter of the gradients takes.
const BUCKET: Ns = 250_000;

/// Work of the main stream, then an exchange on the other one.
fn exchange_behind(work: Vec<Act>) -> Vec<Act> {
    let exchange = vec![
        Act::Follow(MAIN_STREAM, EXCHANGE),
        Act::Stream(EXCHANGE),
        Act::Reduce(BUCKET),
        Act::Stream(MAIN_STREAM),
    ];
    chain([work, exchange])
}

/// Gradients are exchanged when all are there; repaired, a quarter each while the next ones are computed. The last quarter
/// stays exposed, and kernels run 15 % longer beside an exchange.
fn exposed_communication(state: State) -> Program {
    let slowed =
        |count: usize| times(count, &MODEL.map(|(kernel, ns)| Act::Launch(kernel, ns + ns * 15 / 100)));
    let faulty = chain([
        layers(12),
        exchange_behind(Vec::new()),
        exchange_behind(Vec::new()),
        exchange_behind(Vec::new()),
        exchange_behind(Vec::new()),
    ]);
    let beside = || chain([slowed(1), layers(1)]);
    let repaired = chain([
        exchange_behind(layers(6)),
        exchange_behind(beside()),
        exchange_behind(beside()),
        exchange_behind(beside()),
    ]);
    let end = vec![Act::Stream(EXCHANGE), Act::Wait, Act::Stream(MAIN_STREAM)];
    let acts = step(chain([state.pick(faulty, repaired), end]));
    Program::of_gpus(vec![acts.clone(), acts])
}

/// Each quarter of the gradients is exchanged on the stream that computes the next one; repaired, on a stream of its own, so
/// that three quarters overlap, beside which kernels run 15 % longer.
fn communication_on_the_same_stream(state: State) -> Program {
    let slowed = times(1, &MODEL.map(|(kernel, ns)| Act::Launch(kernel, ns + ns * 15 / 100)));
    let parts = |exchange: fn(Vec<Act>) -> Vec<Act>, beside: &[Act]| {
        let next = || chain([beside.to_vec(), layers(1)]);
        chain([exchange(layers(6)), exchange(next()), exchange(next()), exchange(next())])
    };
    let on_the_same = |work: Vec<Act>| chain([work, vec![Act::Reduce(BUCKET)]]);
    let acts = match state {
        State::Faulty => parts(on_the_same, &layers(1)),
        State::Repaired => parts(exchange_behind, &slowed),
    };
    let end = vec![Act::Stream(EXCHANGE), Act::Wait, Act::Stream(MAIN_STREAM)];
    let acts = step(chain([acts, end]));
    Program::of_gpus(vec![acts.clone(), acts])
}

/// One GPU of two has work; repaired, there is only one.
fn unused_gpu(state: State) -> Program {
    Program { unused_gpus: state.pick(1, 0), ..Program::of(step(layers(10))) }
}

/// The third of four GPUs is a fifth slower; repaired, it is as quick as the others.
fn straggler_gpu(state: State) -> Program {
    let of_gpu = |gpu: usize| {
        let is_slow = gpu == 2 && state == State::Faulty;
        let model = MODEL.map(|(kernel, ns)| Act::Launch(kernel, if is_slow { ns * 6 / 5 } else { ns }));
        step(chain([times(10, &model), vec![Act::Reduce(100_000)]]))
    };
    Program::of_gpus((0..4).map(of_gpu).collect())
}

/// The second of two GPUs has a third more work; repaired, both have the same, of the same sum.
fn unequal_gpus(state: State) -> Program {
    let of_gpu = |gpu: usize| {
        let percent = state.pick([100, 130], [115, 115])[gpu];
        let model = MODEL.map(|(kernel, ns)| Act::Launch(kernel, ns * percent / 100));
        step(chain([times(10, &model), vec![Act::Reduce(100_000)]]))
    };
    Program::of_gpus((0..2).map(of_gpu).collect())
}

/// How long another program has the GPU, and how long a function of the host takes.
const TAKEN: Ns = 60_000;
const CALLBACK: Ns = 70_000;

/// Layers with something between them.
fn layers_around(count: usize, between: Option<Act>) -> Vec<Act> {
    let mut acts = layers(1);
    for _ in 1..count {
        acts.extend(between.clone());
        acts.extend(layers(1));
    }
    acts
}

/// Another program has the GPU between layers; repaired, it is gone.
fn device_stall(state: State) -> Program {
    Program::of(step(layers_around(10, state.pick(Some(Act::Taken(TAKEN)), None))))
}

/// How long another program has the GPU while a kernel runs: once, and twice with a pause.
const SLICES: [Ns; 2] = [2_800_000, 4_900_000];

/// Eight launches of a step, other ones in each, are interrupted by another program; repaired, it is gone.
fn sliced_kernels(state: State) -> Program {
    const LAUNCHES: usize = 50;
    let kernels = chain([layers(1), vec![Act::Launch(FLASH_BACKWARD, 150_000)]]);
    let of_iteration = |iteration: usize| {
        let mut acts = times(LAUNCHES / kernels.len(), &kernels);
        for at in 0..8 {
            // 7 and 50 have no common factor.
            let place = 7 * (8 * iteration + at) % LAUNCHES;
            if let (Act::Launch(_, ns), State::Faulty) = (&mut acts[place], state) {
                *ns += SLICES[usize::from(at >= 6)];
            }
        }
        step(acts)
    };
    Program::of_steps((0..ITERATIONS).map(of_iteration).collect())
}

/// The stream calls a function of the host between layers; repaired, it does not.
fn stream_dependency(state: State) -> Program {
    let forward = range("forward", layers_around(10, state.pick(Some(Act::HostFunction(CALLBACK)), None)));
    Program::of(step(forward))
}
