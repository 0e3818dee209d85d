//! The colours of reports and pages, by what they mean; no other file names a colour.
//!
//! One hue for a class everywhere: solid where the GPU works, hatched where it waits. Red, green and blue have a byte each.

use crate::overview::StepClass;

/// Kernels on Tensor Cores, and savings.
pub(crate) const TC: u32 = 0x000B_6B3A;
/// Other kernels; all of the GPU's work in a step.
pub(crate) const KERNEL: u32 = 0x007C_C47F;
/// Copies and memsets.
pub(crate) const MEMORY: u32 = 0x002F_74C9;
/// Communication.
pub(crate) const COMM: u32 = 0x0043_2A86;
/// The GPU waits for the CPU.
pub(crate) const CPU: u32 = 0x00B5_480B;
/// Data loading.
pub(crate) const LOADER: u32 = 0x00F4_C25F;
/// Waiting calls.
pub(crate) const SYNC: u32 = 0x0056_606F;
/// What no other class explains.
pub(crate) const OTHER: u32 = 0x00D7_7FB0;
/// What is not aggregated or not used.
pub(crate) const OUTSIDE: u32 = 0x00C3_C9D3;

/// Text, and text that matters less.
pub(crate) const TEXT: u32 = 0x0014_181F;
pub(crate) const TEXT_2: u32 = 0x0045_4E5C;
pub(crate) const TEXT_3: u32 = 0x005D_6776;
/// Thin lines, and lines between sections.
pub(crate) const LINE: u32 = 0x00E4_E7EC;
pub(crate) const LINE_2: u32 = 0x00C8_CED8;
/// Behind text, and the empty part of a bar.
pub(crate) const SUNKEN: u32 = 0x00F1_F3F6;
/// The connection between a bar and the enlarged part of it.
pub(crate) const LENS: u32 = 0x00E9_ECF2;
/// Links, and the line under the aggregated iterations.
pub(crate) const ACCENT: u32 = 0x002F_55D4;
/// What is worse, and what is remarkable: a lag of a rank, and being early.
pub(crate) const BAD: u32 = 0x00B3_261E;
pub(crate) const NOTE: u32 = 0x0038_689F;
/// The paper.
pub(crate) const SURFACE: u32 = 0x00FF_FFFF;

/// The colour of a class of a step's time.
pub(crate) fn of_class(class: StepClass) -> u32 {
    match class {
        StepClass::Gpu => KERNEL,
        StepClass::Communication => COMM,
        StepClass::Copy => MEMORY,
        StepClass::Input => LOADER,
        StepClass::Cpu => CPU,
        StepClass::Sync => SYNC,
        StepClass::Other => OTHER,
    }
}

/// The colour of what limits a kernel: `memory`, `compute` and so on.
pub(crate) fn of_bound(bound: &str) -> u32 {
    match bound {
        "memory" => MEMORY,
        "compute" => KERNEL,
        "latency" => CPU,
        "small_grid" => LOADER,
        "balanced" => COMM,
        _ => OUTSIDE,
    }
}

/// The colour of text on a fill: white on dark fills.
pub(crate) fn on(fill: u32) -> u32 {
    let is_dark = [TC, MEMORY, COMM, CPU, SYNC].contains(&fill);
    if is_dark { SURFACE } else { TEXT }
}

/// A colour between two others; 0 is the first one, 1 the second.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a colour has a byte for each part"
)]
pub(crate) fn between(from: u32, to: u32, share: f64) -> u32 {
    let (from, to) = (from.to_be_bytes(), to.to_be_bytes());
    let mut mixed = [0; 4];
    for (at, part) in mixed.iter_mut().enumerate() {
        let (from, to) = (f64::from(from[at]), f64::from(to[at]));
        *part = (from + (to - from) * share.clamp(0.0, 1.0)).round() as u8;
    }
    u32::from_be_bytes(mixed)
}

/// A colour with more than half of white: the stripes of what is hatched.
pub(crate) fn paler(color: u32) -> u32 {
    let [_, red, green, blue] = color.to_be_bytes();
    let [red, green, blue] = [red, green, blue].map(|byte| 255 - (255 - byte) / 5 * 2);
    u32::from_be_bytes([0, red, green, blue])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The light colours of the pages are those of the reports.
    #[test]
    fn pages_and_reports_have_the_same_colours() {
        let style = include_str!("../assets/page/css/base.css");
        let tokens = [
            ("tc", TC),
            ("kernel", KERNEL),
            ("memory", MEMORY),
            ("comm", COMM),
            ("cpu", CPU),
            ("loader", LOADER),
            ("sync", SYNC),
            ("other", OTHER),
            ("outside", OUTSIDE),
            ("text", TEXT),
            ("text-2", TEXT_2),
            ("text-3", TEXT_3),
            ("line", LINE),
            ("line-2", LINE_2),
            ("sunken", SUNKEN),
            ("lens", LENS),
            ("accent", ACCENT),
            ("surface", SURFACE),
            ("bad", BAD),
            ("note", NOTE),
        ];
        for (name, color) in tokens {
            let token = format!("--{name}: light-dark(#{color:06x},");
            assert!(style.contains(&token), "`{token}` is not in `base.css`");
        }
    }
}
