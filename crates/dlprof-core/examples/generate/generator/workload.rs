//! The training loop that is traced.

use super::catalog::{
    ACTIVATION, ALL_REDUCE, CLEAR, CONVOLUTION, LINEAR, LOOSE_KERNEL, LOSS, Node, Operation, RANDOM,
    READ_BACK, REDUCE_GRADIENTS, UPDATE, UPLOAD, Work, ZERO_GRAD,
};
use super::noise::step_factors;
use super::options::{Options, Style};
use super::rng::Rng;
use super::trace::{Api, CopyKind, Direction, Ns, ProcessInfo, Text, Thread, Trace};
use super::worker::{Process, Suspended, Worker};

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
        // No call of the step after an empty one may start in the empty one.
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

    /// Runs an operation with the ranges of the style around it.
    fn operation(&mut self, operation: &'static Operation, layer: usize) {
        match self.options.style {
            Style::Markers => {
                self.marked_operation(operation, layer);
            }
            Style::EmitNvtx => {
                let name = self.path_to(operation.operator);
                let op_type = operation.operator.rsplit("::").next().unwrap_or_default();
                let number = self.worker.operation(name, op_type);
                let text = self.outer_text(operation, layer);
                let first_node = self.pending.len();
                self.worker.open_call(text, number, Direction::Forward, None);
                self.inside(operation, layer);
                let call = self.worker.close();
                self.link_nodes(first_node, call);
            }
            Style::Ranges | Style::None => self.inside(operation, layer),
        }
    }

    /// Runs an operation inside DLProf's two marker ranges; returns the start of the op call.
    fn marked_operation(&mut self, operation: &'static Operation, layer: usize) -> Ns {
        let stack = function_stack(operation, layer);
        let (_, op_type) = operation.marker;
        let number = self.worker.operation(op_name(&stack), op_type);
        self.open_trace_marker(operation, &stack);
        let text = self.op_marker(operation);
        let first_node = self.pending.len();
        let start = self.worker.open_call(text, number, Direction::Forward, None);
        if operation.inner_marker {
            self.open_trace_marker(operation, &format!("{stack}/{op_type}"));
            let text = self.op_marker(operation);
            self.worker.open(text);
        }
        let text = self.outer_text(operation, layer);
        self.in_range(text, |trainer| trainer.inside(operation, layer));
        if operation.inner_marker {
            self.worker.close();
            self.worker.close();
        }
        let call = self.worker.close();
        self.worker.close();
        self.link_nodes(first_node, call);
        start
    }

    /// Opens the marker range that carries an op's name.
    fn open_trace_marker(&mut self, operation: &Operation, stack: &str) {
        let text = format!("{{'traceMarker': {}, 'funcStack': '{stack}'}}", operation.trace);
        let text = self.worker.text(&text);
        self.worker.open(text);
    }

    /// Text of the marker range that is the op call.
    fn op_marker(&mut self, operation: &Operation) -> Text {
        let (module, function) = operation.marker;
        let arguments = operation.arguments;
        self.worker.text(&format!("{{'mod': '{module}', 'op': '{function}', 'args': {arguments}}}"))
    }

    /// Text of an operation's outermost operator range.
    fn outer_text(&mut self, operation: &Operation, layer: usize) -> Text {
        let has_sequence = operation.peeks_sequence || !operation.nodes.is_empty();
        let sequence = has_sequence.then_some(self.worker.process.sequence);
        let mut text = self.operator_text(operation.operator, sequence);
        let shows_sizes = self.options.style == Style::EmitNvtx && layer % 2 == 1;
        if shows_sizes && !operation.sizes.is_empty() {
            text.suffix = Some(self.worker.trace.names.intern(operation.sizes.to_owned()));
        }
        text
    }

    /// Text of an operator range; operators have numbers only without DLProf's markers.
    fn operator_text(&mut self, name: &str, sequence: Option<u32>) -> Text {
        let mut text = self.worker.text(name);
        text.sequence = sequence;
        if self.options.style == Style::EmitNvtx {
            self.worker.process.op_id += 1;
            text.op_id = Some(self.worker.process.op_id);
        }
        text
    }

    /// Runs `body` in an operator range, in the styles that have them.
    fn in_operator(&mut self, name: &str, sequence: Option<u32>, body: impl FnOnce(&mut Self)) {
        if matches!(self.options.style, Style::Ranges | Style::None) {
            body(self);
        } else {
            let text = self.operator_text(name, sequence);
            self.in_range(text, body);
        }
    }

    /// Runs `body` in a range that is no op call.
    fn in_range(&mut self, text: Text, body: impl FnOnce(&mut Self)) {
        self.worker.open(text);
        body(self);
        self.worker.close();
    }

    /// What happens inside an operation's outermost range.
    fn inside(&mut self, operation: &'static Operation, layer: usize) {
        if operation.nodes.is_empty() {
            self.work(operation, layer);
        }
        for node in operation.nodes {
            let sequence = self.worker.process.sequence;
            self.worker.process.sequence += 1;
            self.pending.push(PendingNode { node, sequence, layer, forward: None });
            self.in_operator(node.forward, Some(sequence), |trainer| {
                if node.launches {
                    trainer.work(operation, layer);
                }
            });
        }
    }

    /// Tells the backward nodes created since `first` which call created them.
    fn link_nodes(&mut self, first: usize, call: Option<usize>) {
        for pending in &mut self.pending[first..] {
            pending.forward = call;
        }
    }

    /// The CUDA calls of an operation.
    fn work(&mut self, operation: &Operation, layer: usize) {
        let last_stream = self.worker.process.streams.len() - 1;
        self.worker.kernel_factor = self.kernel_factor(operation);
        let worker = &mut self.worker;
        match operation.work {
            Work::Launch(kernels) => {
                let count = 1 + (layer + operation.operator.len()) % usize::from(self.options.max_launches);
                let chosen = kernels.iter().cycle().skip(layer).take(count);
                self.launch_all(chosen, layer);
            }
            Work::AllReduce => worker.launch(ALL_REDUCE, last_stream),
            Work::ReadBack => {
                worker.copy(CopyKind::DeviceToHost, 4, 0);
                worker.synchronize_stream(0);
            }
            Work::Upload => {
                worker.plain(Api::Malloc, 60_000);
                worker.copy(CopyKind::HostToDevice, 73_728, 0);
                worker.synchronize_stream(0);
            }
            Work::Fill => {
                worker.plain(Api::Malloc, 9_000);
                worker.memset(8_388_608, 0);
            }
            Work::RecordEvent => {
                worker.pass(STEP_LEAD / 2);
                worker.plain(Api::EventRecord, 1_700);
                worker.pass(STEP_LEAD / 2);
            }
        }
        self.worker.kernel_factor = self.options.noise.kernel_factor;
    }

    /// How many times as long the kernels of an operation take.
    fn kernel_factor(&self, operation: &Operation) -> f64 {
        let (_, op_type) = operation.marker;
        let noise = &self.options.noise;
        let own = noise.op_factor.iter().find(|(name, _)| name == op_type).map_or(1.0, |(_, factor)| *factor);
        own * noise.kernel_factor
    }

    /// Launches kernels on changing streams.
    fn launch_all<'k>(&mut self, kernels: impl Iterator<Item = &'k usize>, layer: usize) {
        let streams = self.worker.process.streams.len();
        for (number, &kernel) in kernels.enumerate() {
            self.worker.pass(2_500);
            self.worker.launch(kernel, (layer + number) % streams);
        }
    }

    /// The backward pass of the style.
    fn backward_pass(&mut self) {
        let nodes = std::mem::take(&mut self.pending);
        if let Some(thread) = self.worker.process.autograd_thread {
            self.region("backward", |trainer| trainer.wait_for_autograd(thread, &nodes));
        } else if matches!(self.options.style, Style::Ranges | Style::None) {
            self.region("backward", |trainer| {
                for pending in nodes.iter().rev() {
                    trainer.launch_all(pending.node.kernels.iter(), pending.layer);
                }
            });
        }
    }

    /// Runs the backward nodes on the autograd thread while the main thread waits in `backward`.
    fn wait_for_autograd(&mut self, thread: usize, nodes: &[PendingNode]) {
        let is_marked = self.options.style == Style::Markers;
        if is_marked {
            let stack = "/<module>/train_step/Tensor::backward/backward";
            let marker = format!("{{'traceMarker': ['train.py:38'], 'funcStack': '{stack}'}}");
            let marker = self.worker.text(&marker);
            self.worker.open(marker);
            let text = self.worker.text("{'mod': 'Tensor', 'op': 'backward', 'args': []}");
            let operation = self.worker.operation(op_name(stack), "backward");
            self.worker.open_call(text, operation, Direction::Forward, None);
        }
        let main_thread = self.worker.switch_thread(Suspended::new(thread));
        for pending in nodes.iter().rev() {
            self.backward_node(pending);
        }
        self.worker.switch_thread(main_thread);
        if is_marked {
            self.worker.close();
            self.worker.close();
        }
    }

    /// Runs a backward node: a call of the op that created it.
    fn backward_node(&mut self, pending: &PendingNode) {
        let Some(forward) = pending.forward else { return };
        let operation = self.worker.trace.calls[forward].operation;
        let node = pending.node;
        if self.options.style == Style::Markers {
            let text = self.operator_text(node.backward, Some(pending.sequence));
            self.worker.open_call(text, operation, Direction::Backward, Some(forward));
            self.inside_node(pending);
        } else {
            let text = self.worker.text(&format!("autograd::engine::evaluate_function: {}", node.backward));
            self.worker.open_call(text, operation, Direction::Backward, Some(forward));
            self.in_operator(node.backward, Some(pending.sequence), |trainer| trainer.inside_node(pending));
        }
        self.worker.close();
    }

    /// What happens inside a backward node's own range.
    fn inside_node(&mut self, pending: &PendingNode) {
        let launch = |trainer: &mut Self| trainer.launch_all(pending.node.kernels.iter(), pending.layer);
        match pending.node.nested {
            Some(operator) => self.in_operator(operator, None, launch),
            None => launch(self),
        }
    }
}

/// DLProf's function stack of an operation; the first layer's calls carry no counter.
fn function_stack(operation: &Operation, layer: usize) -> String {
    let counter = if layer == 0 { String::new() } else { format!("({})", layer + 1) };
    operation.stack.replace('#', &counter)
}

/// The op name that DLProf makes of a function stack.
fn op_name(stack: &str) -> String {
    stack.replace(['<', '>'], "").replace('(', "[").replace(')', "]")
}
