//! One operation of the training loop, with the ranges of the style around it, and the backward pass.

use super::{PendingNode, STEP_LEAD, Trainer};
use crate::catalog::{ALL_REDUCE, Operation, Work};
use crate::options::Style;
use crate::trace::{Api, CopyKind, Direction, Ns, Text};
use crate::worker::Suspended;

impl Trainer<'_> {
    /// Runs an operation with the ranges of the style around it.
    pub(super) fn operation(&mut self, operation: &'static Operation, layer: usize) {
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
    pub(super) fn marked_operation(&mut self, operation: &'static Operation, layer: usize) -> Ns {
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

    /// Runs `body` in a range that is not an op call.
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
    pub(super) fn backward_pass(&mut self) {
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
