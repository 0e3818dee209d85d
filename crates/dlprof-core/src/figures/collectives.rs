//! Collectives of a process, by what they exchange: bytes, ranks, and the bandwidth that follows. Traces of torch.profiler say how
//! many elements, captures of nsys what NCCL recorded.
//!
//! The bandwidth of the bus is that of NCCL's own tests: what has to cross the slowest link, whatever the algorithm. Of one rank a
//! kernel also waits for the others, so that the fastest call of a kind says more about the network than the mean.

use crate::base::ids::WorkId;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::read::facts::Collective;
use std::cmp::Reverse;

/// The kernels of a collective with the same operands and group: a row of table `collectives`.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectiveStats {
    /// What is exchanged.
    pub collective: Collective,
    /// Number of kernels.
    pub calls: u64,
    /// Bytes that a kernel exchanges; none if the input does not say.
    pub bytes: Option<u64>,
    /// Sum of the durations of the kernels.
    pub gpu_time_ns: Ns,
    /// The shortest one.
    pub min_ns: Ns,
}

impl CollectiveStats {
    /// GB/s that cross the slowest link, of the shortest kernel; none if bytes or ranks are not known.
    #[must_use]
    pub fn bus_gb_per_s(&self) -> Option<f64> {
        let bytes =
            count_to_f64(self.bytes?) * bus_factor(&self.collective.name, self.collective.group_size?)?;
        (self.min_ns > 0).then(|| bytes / to_f64(self.min_ns))
    }
}

/// What crosses the slowest link, as a multiple of the bytes of the collective; none if that is not known of it.
fn bus_factor(name: &str, ranks: u64) -> Option<f64> {
    let (one, all) = (count_to_f64(ranks.checked_sub(1)?), count_to_f64(ranks));
    Some(match kind_of(name)? {
        "allreduce" => 2.0 * one / all,
        "allgather" | "reducescatter" | "alltoall" => one / all,
        _ => 1.0,
    })
}

/// The kind of collective that a name of PyTorch means: `_allgather_base` is an all-gather.
fn kind_of(name: &str) -> Option<&'static str> {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let kinds = [
        "allreduce",
        "allgather",
        "reducescatter",
        "alltoall",
        "broadcast",
        "bcast",
        "send",
        "recv",
        "gather",
        "scatter",
        "reduce",
    ];
    kinds.into_iter().find(|kind| plain.contains(kind))
}

/// Bytes of a collective, as NCCL's tests count them: of all ranks together where data is gathered or scattered.
fn bytes_of(collective: &Collective) -> Option<u64> {
    // NCCL records bytes, and of these collectives those of one rank.
    if let Some(bytes) = collective.given_bytes.max(collective.got_bytes) {
        let is_of_one = ["allgather", "reducescatter", "alltoall", "gather", "scatter"]
            .contains(&kind_of(&collective.name)?);
        return if is_of_one { bytes.checked_mul(collective.group_size?) } else { Some(bytes) };
    }
    let element = bytes_per_element(&collective.data_type)?;
    let elements = match (collective.in_elements, collective.out_elements) {
        (Some(given), Some(got)) => given.max(got),
        (given, got) => given.or(got)?,
    };
    elements.checked_mul(element)
}

/// Bytes of the message of one rank: of gathering what it gives, of scattering what it gets. What it sends to single ranks and gets
/// from these is added up.
pub(crate) fn bytes_of_rank(collective: &Collective) -> Option<u64> {
    let (given, got) = (collective.given_bytes, collective.got_bytes);
    if given.is_some() || got.is_some() {
        return given.unwrap_or(0).checked_add(got.unwrap_or(0));
    }
    let elements = [collective.in_elements, collective.out_elements].into_iter().flatten();
    let elements = elements.filter(|&elements| elements > 0).min()?;
    elements.checked_mul(bytes_per_element(&collective.data_type)?)
}

/// Bytes of an element by the name that PyTorch gives its type in collectives.
fn bytes_per_element(data_type: &str) -> Option<u64> {
    let known: &[(&str, u64)] = &[
        ("Byte", 1),
        ("Char", 1),
        ("Bool", 1),
        ("Short", 2),
        ("Half", 2),
        ("BFloat16", 2),
        ("Int", 4),
        ("Float", 4),
        ("Long", 8),
        ("Double", 8),
        ("ComplexFloat", 8),
        ("ComplexDouble", 16),
    ];
    let found = known.iter().find(|(name, _)| *name == data_type).map(|(_, bytes)| *bytes);
    found.or_else(|| data_type.starts_with("Float8").then_some(1))
}

/// The collectives whose calls start in windows, most GPU time first. Windows are disjoint and in order.
pub(crate) fn collectives(capture: &CaptureContents, windows: &[Span]) -> Vec<CollectiveStats> {
    let is_inside = |time: Ns| {
        let next = windows.partition_point(|window| window.start <= time);
        next > 0 && time < windows[next - 1].end
    };
    let distinct = &capture.about.collectives;
    let mut sums: Vec<Option<CollectiveStats>> = vec![None; distinct.len()];
    let rows = capture.collectives.work.iter().zip(&capture.collectives.collective[..]);
    for (&work, &at) in rows {
        let Some(collective) = distinct.get(at as usize).filter(|_| is_inside(start_of(capture, work)))
        else {
            continue;
        };
        let length = capture.work.span[work].length();
        let sum = sums[at as usize].get_or_insert_with(|| CollectiveStats {
            collective: collective.clone(),
            calls: 0,
            bytes: bytes_of(collective),
            gpu_time_ns: 0,
            min_ns: Ns::MAX,
        });
        sum.calls += 1;
        sum.gpu_time_ns += length;
        sum.min_ns = sum.min_ns.min(length);
    }
    let mut rows: Vec<CollectiveStats> = sums.into_iter().flatten().collect();
    rows.sort_by_key(|row| Reverse(row.gpu_time_ns));
    rows
}

/// Why there are none: nothing was exchanged, or nothing says what.
pub(crate) fn why_none(capture: &CaptureContents, exchanges: bool, untold: bool) -> &'static str {
    match (capture.recorder.is_torch_profiler(), exchanges) {
        (_, false) if untold => {
            "no kernel of the aggregated iterations is known to exchange data between processes, and the names of kernels that take \
             10 % of the kernel time and more do not tell"
        }
        (_, false) => "no kernel of the aggregated iterations exchanges data between processes",
        (true, true) => {
            "the trace does not say what its collectives exchange; PyTorch 2.1 and later record it. `show kernel-names` has their times"
        }
        (false, true) => match capture.notes.lacks_payloads {
            true => {
                "NCCL recorded what it exchanges, but this export leaves it out: `nsys export --include-blobs=true` has it. `show \
                     kernel-names` has the times"
            }
            false => {
                "the capture does not say what its collectives exchange: NCCL records that as payloads of its NVTX ranges, which \
                     exports of newer versions of nsys have. `show kernel-names` has their times"
            }
        },
    }
}

/// When a kernel was launched; where that was not recorded, when it started.
fn start_of(capture: &CaptureContents, work: WorkId) -> Ns {
    let call = capture.launches.api[work].some();
    call.map_or(capture.work.span[work].start, |call| capture.api_calls.span[call].start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidth_is_that_of_the_slowest_link() {
        let row = |name: &str, given, got| CollectiveStats {
            collective: Collective {
                name: name.into(),
                data_type: "Float".into(),
                in_elements: Some(given),
                out_elements: Some(got),
                group_size: Some(4),
                ..Collective::default()
            },
            calls: 1,
            bytes: None,
            gpu_time_ns: 100,
            min_ns: 100,
        };
        let bandwidth = |row: CollectiveStats| {
            let bytes = bytes_of(&row.collective);
            (bytes, CollectiveStats { bytes, ..row }.bus_gb_per_s())
        };
        assert_eq!(bandwidth(row("allreduce", 100, 100)), (Some(400), Some(6.0)));
        assert_eq!(bandwidth(row("_allgather_base", 25, 100)), (Some(400), Some(3.0)));
        assert_eq!(bandwidth(row("reduce_scatter_tensor_coalesced", 100, 25)), (Some(400), Some(3.0)));
        assert_eq!(bandwidth(row("all_to_all", 100, 100)), (Some(400), Some(3.0)));
        assert_eq!(bandwidth(row("broadcast", 100, 100)), (Some(400), Some(4.0)));
        assert_eq!(bandwidth(row("barrier", 1, 1)).1, None);
        let of_nccl = |name: &str, group_size, bytes: [Option<u64>; 2]| {
            let [given_bytes, got_bytes] = bytes;
            let said =
                Collective { name: name.into(), group_size, given_bytes, got_bytes, ..Collective::default() };
            (bytes_of(&said), bytes_of_rank(&said))
        };
        assert_eq!(of_nccl("ncclAllReduce", None, [Some(100), None]), (Some(100), Some(100)));
        assert_eq!(of_nccl("ncclAllGather", Some(4), [Some(100), None]), (Some(400), Some(100)));
        assert_eq!(of_nccl("ncclReduceScatter", None, [Some(100), None]), (None, Some(100)));
        assert_eq!(of_nccl("ncclRecv, ncclSend", Some(2), [Some(10), Some(30)]), (Some(30), Some(40)));
        assert_eq!(of_nccl("ncclAllReduce", Some(4), [None, None]), (None, None));
        assert_eq!(bytes_per_element("Float8_e4m3fn"), Some(1));
        assert_eq!(bytes_per_element("Unknown"), None);
    }
}
