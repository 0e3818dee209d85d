//! Captures that mislead, and iterations that are not good ones to look at.

use super::Case;
use super::Planted::{Fixed, OfLength};
use super::kernels::{ELEMENTWISE, FLASH, TENSOR_GEMM, TENSOR_WGRAD, layers};
use super::program::{Act, ITERATIONS, Pace, Program, QUICK, State, Step, chain, range, step, times};
use crate::trace::Ns;

pub(super) const CASES: &[Case] = &[
    Case { id: "launch_blocking", program: launch_blocking, figures: &[("blocking_percent", Fixed(100.0))] },
    Case {
        id: "dropped_records",
        program: dropped_records,
        figures: &[("launches_without_work_percent", Fixed(100.0 * 24.0 / 482.0))],
    },
    Case { id: "no_gpu_trace", program: no_gpu_trace, figures: &[("launch_calls", Fixed(482.0))] },
    Case { id: "no_nvtx", program: no_nvtx, figures: &[("kernels", Fixed(482.0))] },
    Case { id: "untraced_work", program: untraced_work, figures: &[("gaps_per_iteration", Fixed(1.0))] },
    Case {
        id: "profiler_overhead",
        program: profiler_overhead,
        figures: &[("profiler_percent", OfLength(OVERHEAD)), ("recorded_percent", OfLength(OVERHEAD))],
    },
    Case {
        id: "unexplained_idle",
        program: unexplained_idle,
        figures: &[("unexplained_percent", OfLength(2_000_000))],
    },
    Case {
        id: "warm_up_in_range",
        program: warm_up_in_range,
        figures: &[("setup_ns", Fixed(4_000_000.0)), ("slow_launch_ns", Fixed(0.0))],
    },
    Case {
        id: "unsteady_iterations",
        program: unsteady_iterations,
        figures: &[("outliers_percent", Fixed(100.0 / 6.0))],
    },
    Case { id: "anomaly_mode", program: anomaly_mode, figures: &[] },
];

/// `CUDA_LAUNCH_BLOCKING=1`; repaired, it is not set.
fn launch_blocking(state: State) -> Program {
    Program::of(step(layers(10))).paced(Pace { is_blocking: state == State::Faulty, ..QUICK })
}

/// The records of two kernels of forty are lost; repaired, none.
fn dropped_records(state: State) -> Program {
    let lost = state.pick(Act::Lost(100_000), Act::Launch(TENSOR_GEMM, 100_000));
    let others = [FLASH, ELEMENTWISE, TENSOR_WGRAD].map(|kernel| Act::Launch(kernel, 100_000)).to_vec();
    let rest = chain([others, layers(4)]);
    Program::of(step(times(2, &chain([vec![lost], rest]))))
}

/// No kernel is recorded; repaired, all are.
fn no_gpu_trace(state: State) -> Program {
    let program = Program::of(step(state.pick(times(40, &[Act::Lost(90_000)]), layers(10))));
    match state {
        State::Faulty => program.amid(vec![Act::Lost(100_000), Act::Wait]),
        State::Repaired => program,
    }
}

/// The program has no ranges; repaired, it marks steps.
fn no_nvtx(state: State) -> Program {
    let acts = chain([layers(10), vec![Act::Wait]]);
    Program::of(state.pick(acts.clone(), range("step", acts)))
}

/// The kernels of the backward pass, which the autograd thread launches while the main thread waits, are not recorded;
/// repaired, they are. The host is most of a step ahead.
fn untraced_work(state: State) -> Program {
    let launches = state.pick(times(40, &[Act::Unseen(90_000)]), layers(10));
    let launches = launches.into_iter().flat_map(|launch| [launch, Act::Throttle(4_000_000)]).collect();
    let backward = range("backward", chain([vec![Act::Backward], launches, vec![Act::Main]]));
    Program::of(range("step", chain([range("forward", layers(5)), backward, range("optimizer", layers(1))])))
}

/// How long the profiler keeps the thread.
const OVERHEAD: Ns = 500_000;

/// The profiler writes its buffers when a step begins; repaired, with fewer options, it does not.
fn profiler_overhead(state: State) -> Program {
    let overhead = state.pick(vec![Act::Overhead(OVERHEAD)], Vec::new());
    Program::of(step(chain([overhead, layers(10)])))
}

/// The CPU works outside all ranges; repaired, a range says what it does.
fn unexplained_idle(state: State) -> Program {
    let work = vec![Act::Work(2_000_000)];
    let work = state.pick(work.clone(), range("postprocess", work));
    Program::of(chain([range("forward", chain([layers(10), vec![Act::Wait]])), work]))
}

/// Code is loaded in the first two steps; repaired, the capture begins later.
fn warm_up_in_range(state: State) -> Program {
    let of_iteration = |iteration: usize| -> Step {
        let load = iteration < state.pick(2, 0);
        let loads = if load { vec![Act::Call("cuModuleLoadData", 2_000_000)] } else { Vec::new() };
        step(chain([loads, layers(10)]))
    };
    Program::of_steps((0..ITERATIONS).map(of_iteration).collect())
}

/// Two of twelve steps evaluate as well; repaired, another job does.
fn unsteady_iterations(state: State) -> Program {
    let of_iteration = |iteration: usize| -> Step {
        let evaluates = iteration % 6 == 3 && state == State::Faulty;
        step(layers(if evaluates { 25 } else { 10 }))
    };
    Program::of_steps((0..ITERATIONS).map(of_iteration).collect())
}

/// The backward pass runs under anomaly detection; repaired, it does not.
fn anomaly_mode(state: State) -> Program {
    let backward = layers(5);
    let backward = state.pick(range("detect_anomaly", backward.clone()), backward);
    Program::of(step(chain([layers(5), backward])))
}
