//! What limits steps once the first finding is acted upon.

use super::idle_tests::{MS, finding};
use super::{Judged, verdict_detail};
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

/// Ten steps of 30 ms, of which GPUs compute a product for 24 ms and then two elementwise kernels; the host launches for a part of
/// each and waits for the rest.
fn steps(host_ms: Ns) -> Judged {
    let mut drawn = Drawn::new();
    drawn.a100();
    for step in 0..10 {
        let start = MS + step * (30 * MS + 50_000);
        drawn.range("train_step", start - 1_000..start + 30 * MS + 20_000);
        let last = start + host_ms * MS;
        drawn.launch(start..start + 5_000, "ampere_sgemm_128x64_tn", start + 10_000..start + 24 * MS);
        drawn.launch(start + MS..start + MS + 5_000, "elementwise_add", start + 24 * MS..start + 27 * MS);
        drawn.launch(last..last + 5_000, "elementwise_mul", start + 27 * MS..start + 30 * MS);
        drawn.api_call("cudaDeviceSynchronize", last + 6_000..start + 30 * MS + 5_000, NO_CORRELATION);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("train_step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

/// TF32 takes as much of the products as the host waits: of the 12 ms that are left it works 12.
#[test]
fn the_host_limits_what_faster_products_leave() {
    let said = verdict_detail(&steps(12)).to_string();
    assert!(said.starts_with("GPU-bound "), "{said}");
    assert!(said.contains("Then the host limits: outside of waits it works 12."), "{said}");
    let said = verdict_detail(&steps(4)).to_string();
    assert!(said.starts_with("GPU-bound ") && !said.contains("Then the host limits"), "{said}");
}

/// A fifth of the kernel time today, and half of it then.
#[test]
fn elementwise_kernels_are_judged_on_what_faster_products_leave() {
    let judged = steps(4);
    let words = finding(&judged, "elementwise_kernels").expect("half of what is left").problem.to_string();
    assert!(words.contains("take 20.0% of the kernel time (50.0% after the change"), "{words}");
    assert!(words.contains(" after the change that `fp32_matrix` names)"), "{words}");
}
