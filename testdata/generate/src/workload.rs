//! The training loop that is traced.

mod operations;

use crate::catalog::{
    ACTIVATION, CLEAR, CONVOLUTION, LINEAR, LOOSE_KERNEL, LOSS, Node, RANDOM, READ_BACK, REDUCE_GRADIENTS,
    UPDATE, UPLOAD, ZERO_GRAD,
};
use crate::noise::step_factors;
use crate::options::{Options, Style};
use crate::rng::Rng;
use crate::trace::{Api, CopyKind, Direction, Ns, ProcessInfo, Thread, Trace};
use crate::worker::{Process, Worker};

/// `globalTid` and `globalPid` of every traced process start with this hardware id.
const HARDWARE_ID: i64 = 1 << 48;
/// When the first process does its first recorded thing.
const FIRST_EVENT: Ns = 1_000_000;
/// CPU time between the start of a step and the first GPU work that it may cause; longer than the
/// lag between processes, so that a step without GPU work stays one for every process.
const STEP_LEAD: Ns = 40_000;
/// Number of steps after which sequence numbers start again.
const SEQUENCE_PERIOD: u32 = 8;

/// Runs start-up, `steps` training steps and shutdown of all processes.
pub(crate) fn simulate(options: &Options, steps: u32) -> Trace {
    let mut trace = Trace::default();
    let mut rng = Rng::new(options.seed);
    let mut processes = Vec::new();
    for rank in 0..options.processes {
        processes.push(start_process(options, rank, &mut trace));
    }
    for process in &mut processes {
        Trainer::new(options, &mut trace, process, &mut rng).start_up();
    }
    let factors = step_factors(&options.noise, options.seed, steps);
    for step in 1..=steps {
        let factor = factors.get(step as usize - 1).copied().unwrap_or(1.0);
        // Calls of the next step must not start in an empty step.
        let follows_empty_step = options.empty_iteration == Some(step - 1);
        meet(&mut processes, follows_empty_step, &mut rng);
        for process in &mut processes {
            Trainer::new(options, &mut trace, process, &mut rng).step(step, factor);
        }
    }
    for process in &mut processes {
        Trainer::new(options, &mut trace, process, &mut rng).shut_down();
    }
    trace
}

/// Creates a process and its threads.
fn start_process(options: &Options, rank: u16, trace: &mut Trace) -> Process {
    let pid = 4_100 + 3 * i64::from(rank);
    let global_pid = HARDWARE_ID | (pid << 24);
    let number = usize::from(rank);
    trace.processes.push(ProcessInfo { pid, global_pid, gpu: usize::from(rank % options.gpus) });
    let mut add_thread = |tid: i64, name| {
        trace.threads.push(Thread { process: number, global_tid: global_pid | tid, name });
        trace.threads.len() - 1
    };
    let main_thread = add_thread(pid, "python3");
    let autograd_thread = options.has_autograd_thread().then(|| add_thread(pid + 20_000, "pt_autograd_0"));
    Process {
        rank: number,
        clock: FIRST_EVENT + 37_000 * i64::from(rank),
        streams: vec![0; usize::from(options.streams)],
        correlation: 100,
        grid_id: 0,
        sequence: 0,
        op_id: 0,
        main_thread,
        autograd_thread,
    }
}

/// Lets all processes wait for the slowest, as gradients are exchanged in every step. They go on one after
/// another, in random order; or the straggler, whose steps are the iterations, goes first.
fn meet(processes: &mut [Process], straggler_first: bool, rng: &mut Rng) {
    let latest = processes.iter().map(|process| process.clock).max().unwrap_or(0);
    for process in processes {
        let lag = rng.between(1_000, 8_000);
        process.clock = latest + if straggler_first && process.is_straggler() { 0 } else { lag };
    }
}

/// A backward node that waits for the backward pass.
struct PendingNode {
    /// What it is.
    node: &'static Node,
    /// Its sequence number.
    sequence: u32,
    /// Layer of the forward op.
    layer: usize,
    /// Index of the forward call, if the style has such calls.
    forward: Option<usize>,
}

/// A process that trains.
struct Trainer<'a> {
    /// The command line.
    options: &'a Options,
    /// The thread that works.
    worker: Worker<'a>,
    /// User ranges under way, without numbers.
    path: Vec<String>,
    /// Backward nodes of the current step, in forward order.
    pending: Vec<PendingNode>,
}

impl<'a> Trainer<'a> {
    /// A trainer on the main thread of `process`.
    fn new(options: &'a Options, trace: &'a mut Trace, process: &'a mut Process, rng: &'a mut Rng) -> Self {
        let mut worker = Worker::new(trace, process, rng, i64::from(options.jitter));
        worker.kernel_factor = options.noise.kernel_factor;
        Self { options, worker, path: Vec::new(), pending: Vec::new() }
    }

    /// Everything before the first step.
    fn start_up(&mut self) {
        self.marker_settings();
        self.region("setup", |trainer| {
            for layer in 0..usize::from(trainer.options.layers) {
                trainer.operation(&UPLOAD, layer);
            }
            if trainer.options.style == Style::Ranges {
                trainer.operation(&RANDOM, 0);
            }
        });
        if self.options.style != Style::Ranges {
            self.operation(&RANDOM, 0);
        }
        self.loose(|worker| {
            worker.plain(Api::Malloc, 21_000);
            worker.copy(CopyKind::HostToDevice, 36_864, 0);
            worker.memset(262_144, 0);
        });
    }

    /// Everything after the last step.
    fn shut_down(&mut self) {
        self.loose(Worker::synchronize_device);
    }

    /// One training step; `step` counts from 1. All its durations are longer by `factor`.
    fn step(&mut self, step: u32, factor: f64) {
        self.worker.step_factor = factor;
        self.worker.slowdown = if step == 1 { i64::from(self.options.warm_up_factor) } else { 1 };
        if step % SEQUENCE_PERIOD == 1 {
            self.worker.process.sequence = 0;
        }
        let is_empty = self.options.empty_iteration == Some(step);
        let text = if self.options.numbered_steps { format!("step {step}") } else { "step".to_owned() };
        let start = self.worker.process.clock;
        if matches!(self.options.style, Style::EmitNvtx | Style::Ranges) {
            self.worker.trace.key_calls.push((self.worker.thread, start));
        }
        self.numbered_region(&text, "step", |trainer| {
            trainer.begin_step();
            if !is_empty {
                trainer.train(step);
            }
        });
        if !is_empty && self.options.style == Style::Ranges {
            self.loose_work(step);
        }
        self.worker.slowdown = 1;
        self.worker.step_factor = 1.0;
        if self.options.noise.pace > 0 {
            self.worker.sleep_until(start + self.options.noise.pace);
        }
    }

    /// The part of a step before its first GPU work.
    fn begin_step(&mut self) {
        if self.options.style == Style::Markers {
            let start = self.marked_operation(&ZERO_GRAD, 0);
            self.worker.trace.key_calls.push((self.worker.thread, start));
        } else {
            self.worker.pass(STEP_LEAD);
        }
    }

    /// The GPU work of a step.
    fn train(&mut self, step: u32) {
        self.region("forward", |trainer| {
            for layer in 0..usize::from(trainer.options.layers) {
                trainer.layer(layer);
            }
            trainer.operation(&LOSS, 0);
        });
        self.operation(&READ_BACK, 0);
        if self.options.style != Style::Ranges {
            self.loose_work(step);
        }
        self.backward_pass();
        self.operation(&REDUCE_GRADIENTS, 0);
        self.region("optimizer", |trainer| {
            trainer.operation(&UPDATE, 0);
            trainer.operation(&CLEAR, 0);
        });
    }

    /// Forward pass of a layer.
    fn layer(&mut self, layer: usize) {
        self.inner_region(&format!("layer.{layer}"), |trainer| {
            trainer.inner_region("attention", |trainer| {
                trainer.operation(&CONVOLUTION, layer);
                trainer.operation(&RANDOM, layer);
            });
            trainer.operation(&ACTIVATION, layer);
            trainer.inner_region("mlp", |trainer| trainer.operation(&LINEAR, layer));
        });
    }

    /// CUDA work outside every op.
    fn loose_work(&mut self, step: u32) {
        let extra_bytes = self.options.noise.extra_copy_bytes;
        self.loose(|worker| {
            if step.is_multiple_of(2) {
                worker.synchronize_device();
            }
            for _ in 0..=step % 2 {
                worker.copy(CopyKind::HostToDevice, 98_304, 0);
            }
            if extra_bytes > 0 {
                worker.copy(CopyKind::HostToDevice, extra_bytes, 0);
            }
            worker.plain(Api::EventRecord, 1_500);
            worker.launch(LOOSE_KERNEL, 0);
        });
    }

    /// Does CUDA work outside every op, unless the options forbid it.
    fn loose(&mut self, work: impl FnOnce(&mut Worker<'a>)) {
        if !self.options.no_loose_work {
            self.worker.pass(3_000);
            work(&mut self.worker);
        }
    }

    /// The JSON range by which DLProf's PyTorch plug-in reports the run's settings.
    fn marker_settings(&mut self) {
        if self.options.style == Style::Markers {
            let text = self.worker.text(r#"{"model_config": {"emit_nvtx": true, "num_workers": 2}}"#);
            self.worker.open(text);
            self.worker.close();
        }
    }

    /// Runs `body` in a user range, in the styles that have them.
    fn region(&mut self, name: &str, body: impl FnOnce(&mut Self)) {
        self.numbered_region(name, name, body);
    }

    /// Runs `body` in a user range that only the style of plain ranges has.
    fn inner_region(&mut self, name: &str, body: impl FnOnce(&mut Self)) {
        if self.options.style == Style::Ranges {
            self.region(name, body);
        } else {
            body(self);
        }
    }

    /// Runs `body` in a user range with a text that counts as `name`.
    fn numbered_region(&mut self, text: &str, name: &str, body: impl FnOnce(&mut Self)) {
        if matches!(self.options.style, Style::Markers | Style::None) {
            body(self);
            return;
        }
        let text = self.worker.text(text);
        self.path.push(name.to_owned());
        let operation = self.worker.operation(self.path_to(""), name);
        self.worker.open_call(text, operation, Direction::None, None);
        body(self);
        self.worker.close();
        self.path.pop();
    }

    /// The user ranges under way, joined by slashes, and `last` if it is not empty.
    fn path_to(&self, last: &str) -> String {
        let parts = self.path.iter().map(String::as_str).chain((!last.is_empty()).then_some(last));
        parts.fold(String::new(), |path, part| path + "/" + part)
    }
}
