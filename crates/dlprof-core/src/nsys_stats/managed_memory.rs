//! Managed (unified) memory: migrations and page faults.

use super::form::NsysForm;
use super::source::Source;
use super::table::{NsysCell, NsysColumn, NsysReport, NsysUnit};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// CUPTI's kinds of copies that move managed memory to a GPU, and from it.
const TO_GPU: u8 = 11;
const FROM_GPU: u8 = 12;

/// What happened at an address.
#[derive(Clone, Copy, Default)]
struct AtAddress {
    to_gpu: Option<i64>,
    from_gpu: Option<i64>,
    cpu_faults: Option<i64>,
    gpu_faults: Option<i64>,
    moved: i64,
    moving_ns: i64,
}

fn add(sum: &mut Option<i64>, value: i64) {
    *sum = Some(sum.unwrap_or(0).saturating_add(value));
}

/// By virtual address: what was moved and what faulted.
fn by_address(source: Source<'_>) -> BTreeMap<i64, AtAddress> {
    let mut addresses: BTreeMap<i64, AtAddress> = BTreeMap::new();
    for copy in source.copies() {
        let kind = source.copy_kind(copy);
        if kind != TO_GPU && kind != FROM_GPU {
            continue;
        }
        let at = addresses.entry(source.records.copies.address[source.copy_id(copy)]).or_default();
        let bytes = source.bytes(copy);
        add(if kind == TO_GPU { &mut at.to_gpu } else { &mut at.from_gpu }, bytes);
        at.moved += bytes;
        at.moving_ns += source.work_span(copy).length();
    }
    for fault in source.cpu_faults() {
        if let Some(address) = fault.address {
            add(&mut addresses.entry(address).or_default().cpu_faults, 1);
        }
    }
    for fault in source.gpu_faults() {
        if let Some(address) = fault.address {
            add(&mut addresses.entry(address).or_default().gpu_faults, fault.faults);
        }
    }
    addresses
}

/// Migrations and faults by address, the highest throughput first.
pub(super) fn by_throughput<'a>(source: Source<'a>, form: NsysForm, rows: usize) -> NsysReport<'a> {
    let bytes = |title| NsysColumn::with_unit(title, NsysUnit::Bytes);
    let throughput = match form {
        NsysForm::V2022 => NsysColumn {
            title: "Migration Throughput (MBps)",
            unit: NsysUnit::BytesPerSecond,
            shows_unit: false,
            absent: None,
        },
        _ => NsysColumn::with_unit("Migration Throughput", NsysUnit::BytesPerSecond),
    };
    let columns = vec![
        NsysColumn { title: "Virtual Address", unit: NsysUnit::Address, shows_unit: false, absent: None },
        bytes("HtoD Migration size"),
        bytes("DtoH Migration size"),
        NsysColumn::plain("CPU Page Faults"),
        // nsys prints the blank before it.
        NsysColumn::plain(if form == NsysForm::Right { "GPU Page Faults" } else { " GPU Page Faults" }),
        throughput,
    ];
    let rate = |at: &AtAddress| match (at.moving_ns, form) {
        (0, _) => None,
        (length, NsysForm::Right) => Some(at.moved as f64 * 1e9 / length as f64),
        (length, _) => Some(at.moved.saturating_mul(1_000_000_000 / length) as f64),
    };
    let mut found: Vec<(i64, AtAddress)> = by_address(source).into_iter().collect();
    found.sort_by(|(_, a), (_, b)| rate(b).unwrap_or(-1.0).total_cmp(&rate(a).unwrap_or(-1.0)));
    found.truncate(rows);
    let cells = |(address, at): (i64, AtAddress)| {
        let numbers = [at.to_gpu, at.from_gpu, at.cpu_faults, at.gpu_faults].map(NsysCell::int);
        [NsysCell::Int(address)].into_iter().chain(numbers).chain([NsysCell::real(rate(&at))]).collect()
    };
    NsysReport::of_rows(columns, found.into_iter().map(cells).collect())
}

/// Totals, and the lowest and highest address: one row. nsys knows the addresses only if there were migrations in both
/// directions and faults on both sides.
pub(super) fn totals<'a>(source: Source<'a>, form: NsysForm) -> NsysReport<'a> {
    let addresses = by_address(source);
    let sum =
        |part: fn(&AtAddress) -> Option<i64>| addresses.values().filter_map(part).reduce(i64::saturating_add);
    let to_gpu = sum(|at| at.to_gpu);
    let from_gpu = sum(|at| at.from_gpu);
    let cpu_faults = sum(|at| at.cpu_faults);
    let gpu_faults = sum(|at| at.gpu_faults);
    let are_all =
        [to_gpu, from_gpu, cpu_faults, gpu_faults].iter().all(Option::is_some) || form == NsysForm::Right;
    // Without the table of faults, nobody knows how many there were.
    let is_known = source.records.has_table("CUDA_UM_CPU_PAGE_FAULT_EVENTS");
    let bound = |address: Option<i64>| NsysCell::int(address.filter(|_| are_all));
    let bytes = |title| NsysColumn::with_unit(title, NsysUnit::Bytes);
    let address = |title| NsysColumn { title, unit: NsysUnit::Address, shows_unit: false, absent: None };
    let columns = vec![
        bytes("Total HtoD Migration Size"),
        bytes("Total DtoH Migration Size"),
        NsysColumn::plain("Total CPU Page Faults"),
        NsysColumn::plain("Total GPU PageFaults"),
        address("Minimum Virtual Address"),
        address("Maximum Virtual Address"),
    ];
    let row = vec![
        NsysCell::int(to_gpu),
        NsysCell::int(from_gpu),
        NsysCell::int(if is_known { Some(cpu_faults.unwrap_or(0)) } else { None }),
        NsysCell::int(gpu_faults),
        bound(addresses.keys().next().copied()),
        bound(addresses.keys().next_back().copied()),
    ];
    NsysReport::of_rows(columns, vec![row])
}

/// Page faults on CPUs by the instruction that caused them.
pub(super) fn cpu_faults<'a>(source: Source<'a>) -> NsysReport<'a> {
    let mut by_instruction = BTreeMap::new();
    for fault in source.cpu_faults() {
        *by_instruction.entry(fault.instruction).or_insert(0) += 1;
    }
    let mut rows: Vec<_> = by_instruction.into_iter().collect();
    rows.sort_by_key(|&(_, faults)| Reverse(faults));
    let columns = ["CPU Page Faults", "CPU Instruction Address"].map(NsysColumn::plain).into();
    let cells = |(instruction, faults)| {
        vec![NsysCell::Int(faults), source.text(instruction).map_or(NsysCell::Absent, NsysCell::text)]
    };
    NsysReport::of_rows(columns, rows.into_iter().map(cells).collect())
}
