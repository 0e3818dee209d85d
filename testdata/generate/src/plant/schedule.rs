//! The iterations of a planted capture: which scenes, in which order, and when.

use super::book::Book;
use super::choice::{IdleCause, Plant, Planted};
use super::kernels::COMPUTE;
use super::records::{MemoryRow, NamedRow, Records, SampleRow, SwitchRow};
use super::stage::{CALL, LATENCY, LAUNCH, Lane, NO_RANGE, RUN, Stage};
use super::{FIRST_ITERATION, Planned, STATIC_BYTES, processes};
use crate::trace::{Ns, Span, Trace};

/// How long every GPU works at the start of an iteration.
const HEAD: Ns = 30_000;
/// How long a capture goes on before the first and after the last iteration.
const MARGIN: Ns = 20_000;
/// An idle GPU waits longer than this for a launch, so that the launching thread was not on its way to it.
const LEAST_ITERATION: Ns = 1_500_000;

/// What is laid out so far.
struct Schedule<'a> {
    plants: &'a [Plant],
    records: Records,
    book: Book,
    /// By GPU that works.
    lanes: Vec<Lane>,
    /// The GPU that works only at the start and at the end.
    idle: Option<Lane>,
    /// The thread of the process without GPU work.
    worker: usize,
    iterations: usize,
}

/// A capture with the scenes of `plants` in every iteration.
pub(super) fn plan(plants: &[Plant], iterations: usize, gpus: usize, sm_count: i64) -> Planned {
    let has = |what: Planted| plants.iter().any(|plant| plant.what == what);
    let used_gpus = gpus + usize::from(has(Planted::IdleGpu));
    let all_gpus = used_gpus + usize::from(has(Planted::UnusedGpu));
    let trace = processes(used_gpus);
    let lane = |number: usize| Lane::new(number, [2 * number, 2 * number + 1], FIRST_ITERATION, sm_count);
    let mut schedule = Schedule {
        plants,
        records: Records::default(),
        book: Book::new(iterations, all_gpus, trace.threads.len()),
        lanes: (0..gpus).map(lane).collect(),
        idle: has(Planted::IdleGpu).then(|| lane(gpus)),
        worker: 2 * used_gpus,
        iterations,
    };
    let mut windows: Vec<Span> = Vec::new();
    schedule.before();
    for iteration in 0..iterations {
        let start = windows.last().map_or(FIRST_ITERATION, |last| last.stop);
        let stop = schedule.iteration(iteration, start);
        windows.push(Span { start, stop });
        let unused = schedule.book.gpus[iteration].iter_mut().skip(used_gpus);
        unused.for_each(|sums| sums.idle("unused", stop - start));
    }
    let end = windows.last().map_or(FIRST_ITERATION, |last| last.stop);
    schedule.behind(&trace, end);
    let Schedule { records, book, .. } = schedule;
    let cpu_starts = windows.iter().map(|window| window.start).collect();
    Planned { trace, records, book, iterations: windows, cpu_starts, used_gpus }
}

impl Schedule<'_> {
    /// The amount of something in an iteration on a GPU.
    fn amount(plant: &Plant, iteration: usize, gpu: usize) -> Ns {
        plant.value + i64::try_from(iteration * 1_009 + gpu * 37).unwrap_or(0)
    }

    fn plant_of(&self, what: Planted) -> Option<Plant> {
        self.plants.iter().find(|plant| plant.what == what).copied()
    }

    /// What happens before the first iteration.
    fn before(&mut self) {
        let has_memory = self.plant_of(Planted::Memory).is_some();
        let has_host = self.plant_of(Planted::Host).is_some();
        for lane in self.lanes.iter().chain(&self.idle) {
            if has_memory && Some(lane.number) != self.idle.as_ref().map(|idle| idle.number) {
                let time = FIRST_ITERATION - 900_000;
                let row =
                    MemoryRow { time, process: lane.number, kind: 5, operation: 0, bytes: STATIC_BYTES };
                self.records.memory.push(row);
            }
            if has_host {
                let time = FIRST_ITERATION - 400_000;
                self.records.switches.push(SwitchRow { time, thread: lane.main, is_in: true });
                self.book.threads[lane.main].is_scheduled = true;
            }
        }
        if has_host {
            // No GPU waits yet, so it counts nowhere.
            let time = FIRST_ITERATION - 1_000;
            self.records.samples.push(SampleRow { time, thread: self.worker, frames: &[] });
        }
    }

    /// Lays out an iteration on all GPUs; returns its end.
    fn iteration(&mut self, iteration: usize, start: Ns) -> Ns {
        let is_last = iteration + 1 == self.iterations;
        let edge = self.plant_of(Planted::Idle(IdleCause::Edge));
        let Self { plants, records, book, lanes, worker, .. } = self;
        let mut stop = start + LEAST_ITERATION;
        for lane in lanes.iter_mut() {
            let edge = edge.map_or(0, |plant| Self::amount(&plant, iteration, lane.number));
            let mut stage = Stage { lane, records, book, iteration: Some(iteration) };
            if iteration == 0 {
                stage.first_kernel(edge);
            }
            stage.head(start);
            for plant in *plants {
                let amount = Self::amount(plant, iteration, stage.lane.number);
                stage.scene(plant.what, amount, *worker, start);
            }
            stage.follow(stage.lane.main, COMPUTE, NO_RANGE);
            stage.run(RUN);
            stop = stop.max(stage.lane.now + if is_last { edge } else { 0 });
        }
        for lane in lanes.iter_mut() {
            let edge =
                edge.filter(|_| is_last).map_or(0, |plant| Self::amount(&plant, iteration, lane.number));
            let mut stage = Stage { lane, records, book, iteration: Some(iteration) };
            stage.run(stop - edge - stage.lane.now);
            if edge > 0 {
                stage.end();
                stage.edge(edge);
            }
        }
        if let Some(lane) = &mut self.idle {
            let (records, book) = (&mut self.records, &mut self.book);
            Stage { lane, records, book, iteration: Some(iteration) }.idle_gpu(stop, is_last);
        }
        stop
    }

    /// What happens after the last iteration.
    fn behind(&mut self, trace: &Trace, end: Ns) {
        let Self { records, book, lanes, idle, .. } = self;
        for lane in lanes.iter_mut().chain(idle.iter_mut()) {
            let mut stage = Stage { lane, records, book, iteration: None };
            stage.run(MARGIN);
            stage.end();
        }
        // Where the next iteration would start.
        let span = Span { start: end, stop: end + 2_000 };
        self.records.ranges.push(NamedRow { span, thread: 0, name: "train_step" });
        for thread in 0..trace.threads.len() {
            if self.book.threads[thread].is_scheduled {
                let row = SwitchRow { time: end + 2 * MARGIN, thread, is_in: false };
                self.records.switches.push(row);
            }
        }
    }
}

impl Stage<'_> {
    /// The first kernel of the GPU: at some time of the first iteration, else just before it.
    fn first_kernel(&mut self, edge: Ns) {
        if edge > 0 {
            self.edge(edge);
        }
        let (from, iteration) = if edge > 0 { (0, self.iteration) } else { (-MARGIN, None) };
        let inside = std::mem::replace(&mut self.iteration, iteration);
        let start = self.lane.now;
        self.lane.now += from;
        let call = self.span(-LATENCY, CALL - LATENCY);
        let correlation = self.call(self.lane.main, LAUNCH, call);
        self.begin(COMPUTE, Some((correlation, call)), NO_RANGE);
        self.lane.now = start;
        self.iteration = inside;
    }

    /// Time of the iteration before the first or after the last item of the GPU.
    fn edge(&mut self, ns: Ns) {
        self.lane.now += ns;
        if let Some(sums) = self.sums() {
            sums.idle("edge", ns);
        }
    }

    /// The ranges at the start of the iteration; the first process has the one that delimits iterations.
    fn head(&mut self, start: Ns) {
        if self.lane.number == 0 {
            let span = Span { start, stop: start + 2_000 };
            self.records.ranges.push(self.named(span, "train_step"));
        }
        let span = Span { start: start + 3_000, stop: start + 5_000 };
        self.records.ranges.push(self.named(span, "forward"));
        self.run(HEAD);
    }

    fn scene(&mut self, what: Planted, amount: Ns, worker: usize, start: Ns) {
        match what {
            Planted::Idle(cause) => self.idle(cause, amount),
            Planted::Overlap => self.overlap(amount),
            Planted::Copies => self.copies(amount),
            Planted::Loose => self.loose(amount),
            Planted::Host => self.host(amount, worker),
            Planted::Memory => self.memory(amount, start),
            Planted::Metrics => self.metrics(start),
            Planted::Kernels => self.kernels(amount),
            Planted::IdleGpu | Planted::UnusedGpu | Planted::Ahead => {}
        }
    }

    /// The GPU that works at the start of the first iteration and at the end of the last, and nothing tells why not between.
    fn idle_gpu(&mut self, stop: Ns, is_last: bool) {
        if self.iteration == Some(0) {
            self.first_kernel(0);
            self.run(HEAD);
            self.end();
        }
        let main = self.lane.main;
        if !is_last {
            let ns = stop - self.lane.now;
            self.gap(&[("unknown", ns)]);
            self.book.threads[main].waiting_ns += ns;
            return;
        }
        let ns = stop - HEAD - LATENCY - self.lane.now;
        let call = self.span(ns, ns + CALL);
        let correlation = self.call(main, LAUNCH, call);
        self.gap(&[("unknown", ns), ("launch", LATENCY)]);
        self.book.threads[main].waiting_ns += ns + CALL;
        if let Some(sums) = self.sums() {
            sums.cpu_in_long_gaps_ns += LATENCY;
        }
        self.begin(COMPUTE, Some((correlation, call)), NO_RANGE);
        self.run(HEAD);
    }
}
