//! Steps that a generator plants come out, in whatever way they are marked.

use super::drawing::{Drawing, done, in_short};
use proptest::prelude::*;

/// A training run.
#[derive(Debug, Clone)]
struct Run {
    steps: usize,
    layers: usize,
    kernels_per_layer: usize,
    prologue: usize,
    warm_up: usize,
    /// Work after the steps.
    epilogue: usize,
    marks: Marks,
    reads: bool,
    /// Every so many steps take three times as long; 0 for none.
    slow_every: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Marks {
    None,
    Step,
    NumberedStep,
    Parts,
    Layers,
}

fn run() -> impl Strategy<Value = Run> {
    let marks = prop_oneof![
        Just(Marks::None),
        Just(Marks::Step),
        Just(Marks::NumberedStep),
        Just(Marks::Parts),
        Just(Marks::Layers)
    ];
    let sizes = (5..30_usize, 3..13_usize, 8..20_usize, 0..300_usize, 0..3_usize, 0..40_usize);
    (sizes, marks, any::<bool>(), prop_oneof![Just(0), 5..12_usize]).prop_map(
        |((steps, layers, kernels_per_layer, prologue, warm_up, epilogue), marks, reads, slow_every)| Run {
            steps,
            layers,
            kernels_per_layer,
            prologue,
            warm_up,
            epilogue,
            marks,
            reads,
            slow_every,
        },
    )
}

fn maybe_range(d: &mut Drawing, is_marked: bool, text: &str, body: impl FnOnce(&mut Drawing)) {
    if is_marked { done(d.range(text, body)) } else { body(d) }
}

fn draw_step(d: &mut Drawing, run: &Run) {
    let parts = run.marks == Marks::Parts;
    maybe_range(d, parts, "forward", |d| {
        d.kernels("embed", 2, 10);
        for number in 0..run.layers {
            maybe_range(d, run.marks == Marks::Layers, &format!("layer_{number}"), |d| {
                d.kernels("fwd", run.kernels_per_layer, 20);
            });
        }
    });
    maybe_range(d, parts, "backward", |d| {
        d.kernels("loss", 3, 10);
        (0..run.layers).for_each(|_| done(d.kernels("bwd", run.kernels_per_layer + 3, 30)));
    });
    maybe_range(d, parts, "optimizer", |d| done(d.kernels("adam", 4, 25)));
    if run.reads {
        d.copy_out(2);
    }
}

fn draw(run: &Run) -> Drawing {
    let mut d = Drawing::new();
    for _ in 0..run.prologue {
        let at = d.random(23);
        d.kernel(&format!("init{at}"), 3);
    }
    for number in 0..run.steps {
        let text = if run.marks == Marks::NumberedStep { format!("step {number}") } else { "step".into() };
        let is_marked = matches!(run.marks, Marks::Step | Marks::NumberedStep);
        let slow =
            if run.slow_every > 0 && number % run.slow_every == run.slow_every - 1 { 6_000 } else { 15 };
        maybe_range(&mut d, is_marked, &text, |d| {
            d.wait(if number < run.warm_up { 30_000 } else { slow }).copy_in(4);
            draw_step(d, run);
        });
    }
    d.settle().wait(5_000);
    for _ in 0..run.epilogue {
        let at = d.random(7);
        d.kernel(&format!("save{at}"), 3);
    }
    d
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn planted_steps_come_out(run in run()) {
        let found = draw(&run).find();
        prop_assert_eq!(in_short(&found).0, vec![run.steps], "{:#?}", found);
    }
}
