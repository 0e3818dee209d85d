//! What a GPU can do and how well a launch fills it: occupancy, waves, peaks.
//!
//! ```text
//! block, registers, shared memory ──► Occupancy: blocks and warps that fit a multiprocessor (SM)
//! grid, occupancy, SMs            ──► Waves:     rounds of blocks, and the share of the time that is lost
//! name, clock, SMs, bandwidth     ──► DevicePeaks: the most FLOP/s and bytes/s of the GPU
//! ```
//!
//! Everything here is a pure function of plain numbers and does not depend on captures.

mod boards;
mod known;
mod limits;
mod losses;
mod matching;
mod occupancy;
mod peak_row;
mod peaks;
mod rates;
mod table;
mod user;
mod waves;

pub(crate) use boards::has_tensor_cores;
pub use limits::SmLimits;
pub use losses::{LossShare, LossSum};
pub use occupancy::{BlockResources, Limiter, Limiters, Occupancy};
pub use peak_row::{Grade, PeakRow, Peaks};
pub use peaks::{DevicePeaks, PeakSource, device_peaks};
pub use table::PeakTable;
pub use user::UserGpu;
pub use waves::{LaunchFill, Waves};
