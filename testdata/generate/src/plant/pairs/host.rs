//! GPUs that wait for the host.

use super::Case;
use super::Planted::{Each, Fixed, OfLength};
use super::kernels::{ELEMENTWISE, FLASH, TENSOR_GEMM, TENSOR_WGRAD, layers};
use super::program::{
    Act, ITERATIONS, Pace, Program, QUICK, State, Step, Transfer, chain, range, step, times,
};
use super::simulation::LATENCY;
use crate::trace::Ns;

pub(super) const CASES: &[Case] = &[
    Case { id: "input_bound", program: input_bound, figures: &[("input_percent", OfLength(LOAD))] },
    Case {
        id: "input_bound/read",
        program: |state| waits_for_input(state, "read"),
        figures: &[("input_percent", OfLength(LOAD)), ("io_ns", Each(LOAD as f64))],
    },
    Case {
        id: "input_bound/wait",
        program: |state| waits_for_input(state, "pthread_cond_timedwait"),
        figures: &[("input_percent", OfLength(LOAD)), ("input_wait_ns", Each(LOAD as f64))],
    },
    Case {
        id: "launch_bound",
        program: launch_bound,
        figures: &[
            ("cpu_in_short_gaps_percent", OfLength(199 * (SLOW_LAUNCH - SHORT_RUN) + LAST_GAP)),
            ("launches", Each(200.0)),
        ],
    },
    Case {
        id: "cpu_work_between",
        program: cpu_work_between,
        figures: &[("cpu_in_long_gaps_percent", OfLength(METRICS + LATENCY))],
    },
    Case {
        id: "sync_in_step",
        program: sync_in_step,
        figures: &[
            ("syncs_per_iteration", Fixed(10.0)),
            ("sync_cost_percent", OfLength(10 * (PYTHON + AROUND_WAIT) + AROUND_WAIT)),
            ("scalar_reads", Each(11.0)),
        ],
    },
    Case {
        id: "sync_in_step/busy_host",
        program: sync_of_busy_host,
        figures: &[("syncs_per_iteration", Fixed(10.0)), ("scalar_reads", Each(11.0))],
    },
    Case {
        id: "serialised_launches",
        program: serialised_launches,
        figures: &[("serialised_percent", Fixed(100.0))],
    },
    Case {
        id: "allocation_in_step",
        program: allocation_in_step,
        figures: &[("allocation_percent", OfLength(4 * MALLOC + 4 * FREE)), ("allocation_calls", Each(8.0))],
    },
    Case {
        id: "allocation_in_step/inside",
        program: allocation_inside,
        figures: &[("allocation_percent", OfLength(2 * (MALLOC + FREE))), ("allocation_calls", Each(4.0))],
    },
    Case {
        id: "between_iterations",
        program: between_iterations,
        figures: &[("between_percent", Fixed(10.0))],
    },
    Case {
        id: "os_call_waits",
        program: os_call_waits,
        figures: &[("os_call_percent", OfLength(LOCK)), ("os_call_ns", Each(LOCK as f64))],
    },
    Case { id: "host_pause", program: host_pause, figures: &[("pauses_per_100_iterations", Fixed(25.0))] },
    Case {
        id: "tiny_kernels",
        program: tiny_kernels,
        figures: &[("short_launches_percent", Fixed(100.0)), ("short_launches", Each(600.0))],
    },
    Case {
        id: "tiny_kernels/queued",
        program: queued_tiny_kernels,
        figures: &[("short_launches_percent", Fixed(100.0)), ("short_launches", Each(600.0))],
    },
    Case {
        id: "per_parameter_optimizer",
        program: per_parameter_optimizer,
        figures: &[("launches_per_iteration", Fixed(PARAMETERS))],
    },
    Case {
        id: "per_parameter_optimizer/adam",
        program: unfused_adam,
        figures: &[
            ("launches_per_iteration", Fixed(PARAMETERS)),
            ("gpu_time_ns", Each(PARAMETERS * ADAM_UPDATE as f64)),
        ],
    },
];

/// How long a batch takes to load.
const LOAD: Ns = 1_900_000;

/// The batch is loaded when the step begins; repaired, workers have it ready.
fn input_bound(state: State) -> Program {
    let wait = state.pick(LOAD, 40_000);
    Program::of(step(chain([range("data_loading", [Act::Work(wait)]), layers(10)])))
}

/// The same without a range around it, in a call of the operating system.
fn waits_for_input(state: State, call: &'static str) -> Program {
    let wait = state.pick(vec![Act::Os(call, LOAD)], vec![Act::Work(40_000)]);
    Program::of(step(chain([wait, range("forward", layers(10))])))
}

/// From launch to launch of a slow host, and how long its kernels run.
const SLOW_LAUNCH: Ns = 30_000;
const SHORT_RUN: Ns = 16_000;
/// How long the GPU waits for the next step after the last kernel of one, without the wait itself.
const LAST_GAP: Ns = 40_000;

/// Python launches more slowly than the GPU works; repaired, compiled code launches.
fn launch_bound(state: State) -> Program {
    let pace = state.pick(Pace { between: SLOW_LAUNCH - QUICK.call, ..QUICK }, QUICK);
    let kernels =
        [TENSOR_GEMM, FLASH, ELEMENTWISE, TENSOR_WGRAD].map(|kernel| Act::Launch(kernel, SHORT_RUN));
    Program::of(step(times(50, &kernels))).paced(pace)
}

/// How long metrics take.
const METRICS: Ns = 1_500_000;

/// Metrics are computed on the CPU before the next step is launched; repaired, by another thread.
fn cpu_work_between(state: State) -> Program {
    let metrics = state.pick(range("metrics", [Act::Work(METRICS)]), Vec::new());
    Program::of(step(chain([metrics, layers(10)])))
}

/// Reads a value of the GPU: a copy of four bytes, and a wait.
fn read() -> [Act; 2] {
    let transfer = Transfer { kind: 2, memory: [2, 0], bytes: 4, bytes_per_us: 4_000, is_waited_for: false };
    [Act::Copy(transfer), Act::Wait]
}

/// Python work before a layer.
const PYTHON: Ns = 60_000;
/// What waiting and launching again take by themselves.
const AROUND_WAIT: Ns = 12_000;

/// A value is read after each layer, and the CPU cannot run ahead; repaired, only at the end.
fn sync_in_step(state: State) -> Program {
    reads_after_layers(state, PYTHON)
}

/// The same with so much work on the CPU that it limits the repaired program.
fn sync_of_busy_host(state: State) -> Program {
    reads_after_layers(state, 380_000)
}

fn reads_after_layers(state: State, python: Ns) -> Program {
    let layer = |reads: bool| {
        let mut acts = vec![Act::Work(python)];
        acts.extend(layers(1));
        acts.extend(reads.then(read).into_iter().flatten());
        acts
    };
    let acts: Vec<Act> = (0..10).flat_map(|_| layer(state == State::Faulty)).collect();
    Program::of(step(chain([acts, read()[..1].to_vec()])))
}

/// A wait follows each launch, as compilers do it; repaired, one at the end.
fn serialised_launches(state: State) -> Program {
    let kernels = [TENSOR_GEMM, FLASH, ELEMENTWISE, TENSOR_WGRAD].map(|kernel| Act::Launch(kernel, 50_000));
    let acts = times(20, &kernels);
    let waits = |act: Act| [Some(act), (state == State::Faulty).then_some(Act::Wait)].into_iter().flatten();
    let mut acts: Vec<Act> = acts.into_iter().flat_map(waits).collect();
    if state == State::Faulty {
        acts.pop();
    }
    Program::of(step(acts))
}

/// How long allocations and frees take.
const MALLOC: Ns = 150_000;
const FREE: Ns = 90_000;

/// Workspaces are allocated when a step begins and freed when it ends; repaired, they are kept.
fn allocation_in_step(state: State) -> Program {
    let takes = times(state.pick(4, 0), &[Act::Call("cudaMalloc_v3020", MALLOC)]);
    let frees = times(state.pick(4, 0), &[Act::Drain("cudaFree_v3020", FREE)]);
    Program::of(step(chain([takes, layers(10), frees])))
}

/// The same between layers: the free waits for the GPU.
fn allocation_inside(state: State) -> Program {
    let takes = [Act::Drain("cudaFree_v3020", FREE), Act::Call("cudaMalloc_v3020", MALLOC)];
    let takes = times(state.pick(1, 0), &takes);
    Program::of(step(chain([layers(3), takes.clone(), layers(3), takes, layers(4)])))
}

/// Logging at both ends of a step; repaired, another thread logs.
fn between_iterations(state: State) -> Program {
    let log = || range("log", [Act::Work(state.pick(260_000, 0))]);
    let acts = chain([log(), layers(10), vec![Act::Wait], log()]);
    let mut step = vec![Act::Open("step")];
    step.extend(acts);
    step.push(Act::Close);
    Program::of(step)
}

/// How long a lock is held by another thread.
const LOCK: Ns = 1_900_000;

/// A lock is awaited inside of the step; repaired, the other thread does not hold it.
fn os_call_waits(state: State) -> Program {
    let wait = state.pick(Act::Os("pthread_mutex_lock", LOCK), Act::Work(40_000));
    Program::of(step(range("forward", chain([vec![wait], layers(10)]))))
}

/// How long garbage collection takes.
const PAUSE: Ns = 12_000_000;

/// Values are read all along, so that a pause of the host is one of the GPU; repaired, the collector is frozen.
fn host_pause(state: State) -> Program {
    let layer = |is_pause: bool| {
        let mut acts = vec![Act::Work(if is_pause { PAUSE } else { 100_000 })];
        acts.extend(layers(30));
        acts.extend(read());
        acts
    };
    let of_iteration = |iteration: usize| -> Step {
        // In iterations 2, 6 and 10, each time three layers later.
        let paused = (iteration % 4 == 2 && state == State::Faulty).then_some(1 + 3 * (iteration / 4));
        step((0..9).flat_map(|at| layer(paused == Some(at))).collect::<Vec<_>>())
    };
    Program::of_steps((0..ITERATIONS).map(of_iteration).collect())
}

/// Many kernels for single operations on single elements; repaired, two are always fused into one.
fn tiny_kernels(state: State) -> Program {
    let names = [ELEMENTWISE, TENSOR_GEMM, FLASH, TENSOR_WGRAD];
    let kernels = names.map(|kernel| Act::Launch(kernel, state.pick(5_500, 11_000)));
    Program::of(step(times(state.pick(150, 75), &kernels)))
}

/// The same from a host that is quicker than the GPU.
fn queued_tiny_kernels(state: State) -> Program {
    tiny_kernels(state).paced(Pace { call: 2_000, between: 1_000, ..QUICK })
}

/// Launches of the optimizer.
const PARAMETERS: f64 = 300.0;

/// How long one operation of an unfused update of a large parameter takes.
const ADAM_UPDATE: Ns = 30_000;

/// Adam in single operations on large parameters, queued far ahead of the GPU; repaired, fused kernels move a fifth of the bytes
/// in a fifth of the time.
fn unfused_adam(state: State) -> Program {
    let operations = super::kernels::ADAM.map(|kernel| Act::Launch(kernel, ADAM_UPDATE));
    let all_at_once = Act::Launch(super::kernels::MULTI_TENSOR, 300 * ADAM_UPDATE / 5 / 4);
    let updates = state.pick(times(75, &operations), times(4, &[all_at_once]));
    Program::of(step(chain([layers(20), range("optimizer", updates)])))
}

/// Each parameter is updated by a kernel of its own; repaired, a few kernels update all. The norm of the gradients is read
/// before.
fn per_parameter_optimizer(state: State) -> Program {
    let update = Act::Launch(ELEMENTWISE, 2_000);
    let all_at_once = Act::Launch(super::kernels::MULTI_TENSOR, 60_000);
    let updates = state.pick(times(300, &[update]), times(4, &[all_at_once]));
    Program::of(step(chain([layers(8), read().to_vec(), range("optimizer", updates)])))
}
