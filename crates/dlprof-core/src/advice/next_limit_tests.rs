//! What findings say of the time that is left once the first one is acted upon.

use super::Judged;
use super::idle_tests::{MS, finding};
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

/// Ten steps of 30 ms, of which GPUs compute a product for 24 ms and then two elementwise kernels; the host launches for a part of
/// each and waits for the rest.
fn steps() -> Judged {
    let mut drawn = Drawn::new();
    drawn.a100();
    for step in 0..10 {
        let start = MS + step * (30 * MS + 50_000);
        drawn.range("train_step", start - 1_000..start + 30 * MS + 20_000);
        let last = start + 4 * MS;
        drawn.launch(start..start + 5_000, "ampere_sgemm_128x64_tn", start + 10_000..start + 24 * MS);
        drawn.launch(start + MS..start + MS + 5_000, "elementwise_add", start + 24 * MS..start + 27 * MS);
        drawn.launch(last..last + 5_000, "elementwise_mul", start + 27 * MS..start + 30 * MS);
        drawn.api_call("cudaDeviceSynchronize", last + 6_000..start + 30 * MS + 5_000, NO_CORRELATION);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("train_step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

/// A fifth of the kernel time today, and half of it then.
#[test]
fn elementwise_kernels_are_judged_on_what_faster_products_leave() {
    let judged = steps();
    let words = finding(&judged, "elementwise_kernels").expect("half of what is left").problem.to_string();
    assert!(words.contains("take 20.0% of the kernel time (50.0% once"), "{words}");
    assert!(words.contains(" once matrix math uses Tensor Cores)"), "{words}");
}
