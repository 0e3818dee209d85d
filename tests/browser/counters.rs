//! A log of Nsight Compute for a capture: a launch of every name and size.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Columns after name and size, with the amount of the first row; later rows have more of what is counted. No Tensor Cores run.
const METRICS: [(&str, &str, u64); 9] = [
    ("gpu__time_duration.sum", "ns", 2000),
    ("dram__bytes_read.sum", "byte", 4096),
    ("dram__bytes_write.sum", "byte", 1024),
    ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", 0),
    ("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst", 0),
    ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", 9000),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", 40),
    ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", 70),
    ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%", 0),
];

/// Writes a log with a launch of every name and size of a capture. The first has no FLOP.
pub(crate) fn write_log(capture: &Path, log: &Path) -> Result<PathBuf, Box<dyn Error>> {
    const SIZES: &str = "long_kernel_name,grid_x,grid_y,grid_z,block_x,block_y,block_z";
    let output = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"))
        .args([
            "show",
            "kernels",
            "--iter-range",
            "all",
            "--format",
            "csv",
            "--no-cache",
            "-q",
            "--columns",
            SIZES,
        ])
        .arg(capture)
        .output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut rows = csv::Reader::from_reader(output.stdout.as_slice());
    let signatures: BTreeSet<Vec<String>> =
        rows.deserialize().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let mut writer = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_path(log)?;
    let own = ["ID", "Kernel Name", "Block Size", "Grid Size"];
    writer.write_record(own.into_iter().chain(METRICS.map(|(name, ..)| name)))?;
    writer.write_record([""; 4].into_iter().chain(METRICS.map(|(_, unit, _)| unit)))?;
    for (number, row) in (0_u64..).zip(&signatures) {
        let size = |from: usize| format!("({}, {}, {})", row[from], row[from + 1], row[from + 2]);
        let counted = METRICS.map(|(_, unit, amount)| match unit {
            "inst" => amount * number,
            "byte" => amount * (1 + number),
            _ => amount,
        });
        let head = [number.to_string(), row[0].clone(), size(4), size(1)];
        writer.write_record(head.into_iter().chain(counted.map(|amount| amount.to_string())))?;
    }
    writer.flush()?;
    Ok(log.to_owned())
}
