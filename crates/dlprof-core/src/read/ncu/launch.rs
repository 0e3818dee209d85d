//! What a log says: launches, who they are, and what was measured of them.

use super::launch_figures::NcuFigures;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a row of a log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NcuForm {
    /// A metric of one launch.
    Details,
    /// One launch.
    Raw,
    /// A metric of all launches of a kernel, a size and a device.
    PerKernel,
    /// The same, with the device before the name.
    PerGpu,
    /// The same within a range.
    PerNvtx,
}

impl NcuForm {
    /// The name of the form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Details => "details",
            Self::Raw => "raw",
            Self::PerKernel => "per-kernel",
            Self::PerGpu => "per-gpu",
            Self::PerNvtx => "per-nvtx",
        }
    }

    /// Whether a row is about several launches.
    #[must_use]
    pub fn is_summary(self) -> bool {
        matches!(self, Self::PerKernel | Self::PerGpu | Self::PerNvtx)
    }
}

/// A log of Nsight Compute.
#[derive(Debug, Clone)]
pub struct NcuLog {
    /// The file, as it was named.
    pub file: Arc<str>,
    /// The form of its first table.
    pub form: NcuForm,
    /// How many tables it has: one for each process or run that was appended.
    pub blocks: u32,
    /// Its launches, or groups of launches, in the order of the file.
    pub launches: Vec<NcuLaunch>,
    /// What was odd about it.
    pub oddities: NcuOddities,
    /// How its numbers are written.
    pub numbers: NcuNumbers,
}

/// How the numbers of a log are written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NcuNumbers {
    /// Marks that stand between groups of digits.
    pub group_marks: String,
    /// Marks before decimals.
    pub decimal_marks: String,
    /// The mark before decimals of another length than `ncu` writes: another program has written the numbers.
    pub foreign_mark: Option<char>,
    /// Cells of which only a rule says that their mark is one of groups.
    pub ambiguous_cells: u64,
    /// Cells with a mark before decimals that stands between groups in other cells.
    pub contradicting_cells: u64,
}

/// What was odd about a log, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NcuOddities {
    /// Lines `==PROF==`.
    pub prof_lines: u64,
    /// Lines `==WARNING==`.
    pub warning_lines: u64,
    /// Lines `==ERROR==`.
    pub error_lines: u64,
    /// Lines before the table, of the program itself.
    pub other_lines: u64,
    /// Rows with the text of a rule.
    pub rules: u64,
    /// Records that end before their columns do.
    pub short_rows: u64,
    /// Records with more cells than there are columns.
    pub long_rows: u64,
    /// Values of a launch that stand in the log twice, with different numbers.
    pub conflicts: u64,
    /// Rows whose number of launches cannot be read.
    pub unread_counts: u64,
    /// Launches that failed under the profiler.
    pub failed_launches: u64,
    /// Tables of launches without a row of units.
    pub tables_without_units: u64,
    /// Tables of another form than the first.
    pub mixed_forms: u64,
    /// Tables whose last record is cut.
    pub truncated: u64,
    /// Cells that were cut because of their length.
    pub cut_cells: u64,
    /// Launches beyond the most that are kept, and beyond the most names and sizes by which these are added up.
    pub dropped_launches: u64,
    /// Values whose last digit is more than 1 % of them.
    pub coarse_values: u64,
}

/// A launch of a kernel, or all launches that one row of a summary is about.
#[derive(Debug, Clone)]
pub struct NcuLaunch {
    /// Which table of the log it is in, from 0.
    pub block_number: u32,
    /// Its number in the table.
    pub id: Option<i64>,
    /// The process.
    pub process_id: Option<i64>,
    /// The program.
    pub process_name: Arc<str>,
    /// The kernel, as the log spells it.
    pub kernel_name: Arc<str>,
    /// The context.
    pub context: Option<i64>,
    /// The stream.
    pub stream: Option<i64>,
    /// The device.
    pub device: Option<i64>,
    /// The compute capability, such as `8.0`.
    pub compute_capability: Option<Arc<str>>,
    /// The name of the GPU, where the log has it.
    pub gpu_name: Option<Arc<str>>,
    /// Threads of a block along x, y and z.
    pub block: Option<[u64; 3]>,
    /// Blocks along x, y and z.
    pub grid: Option<[u64; 3]>,
    /// Threads of a block.
    pub threads: Option<u64>,
    /// Blocks.
    pub blocks: Option<u64>,
    /// The ranges of NVTX around it, outermost first.
    pub ranges: Arc<[NcuRange]>,
    /// How many launches it stands for.
    pub invocations: u64,
    /// Whether it is a row of a summary, or the mean of launches beyond the most that are kept one by one.
    pub is_summary: bool,
    /// Whether it failed under the profiler, so that nothing of it is used.
    pub is_failed: bool,
    /// What follows from its metrics.
    pub figures: Box<NcuFigures>,
    /// Every metric, if all were asked for; else empty.
    pub metrics: Vec<NcuMetric>,
    /// Metrics that are no numbers, if all were asked for.
    pub texts: Vec<(Arc<str>, Arc<str>)>,
}

/// A range of NVTX.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NcuRange {
    /// Its domain.
    pub domain: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

/// A metric of a launch.
#[derive(Debug, Clone)]
pub struct NcuMetric {
    /// Its name.
    pub name: Arc<str>,
    /// Its value in the base unit; unknown if the log has none.
    pub value: Option<f64>,
    /// The smallest and the largest of a summary.
    pub extent: Option<[Option<f64>; 2]>,
    /// The base unit.
    pub unit: Arc<str>,
    /// Its parts by key.
    pub instances: Vec<(Arc<str>, f64)>,
}
