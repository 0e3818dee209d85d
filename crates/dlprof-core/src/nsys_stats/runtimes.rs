//! Summaries of OpenACC, OpenMP and MPI, and every MPI call.

use super::form::NsysForm;
use super::grouped_rows::{Groups, SumTitles, time_summary};
use super::source::Source;
use super::table::{NsysCell, NsysColumn, NsysReport, NsysUnit};
use crate::read::facts::MPI_SOURCES;
use crate::read::facts::global_ids::{pid, tid};

/// OpenACC events by name and place in the source.
pub(super) fn openacc<'a>(source: Source<'a>, form: NsysForm) -> NsysReport<'a> {
    let mut groups: Groups<String> = Groups::new();
    for event in source.runtime_events(&source.records.openacc) {
        let name = source.text(event.name).unwrap_or("");
        let key = match event.source {
            Some((file, line)) => format!("{name}@{}:{line}", source.text(file).unwrap_or("")),
            None => name.to_owned(),
        };
        groups.add(key, Some(event.span.length()));
    }
    let titles = SumTitles { count: ["Num Calls"; 2], last: vec![NsysColumn::plain("Name")] };
    let rows = groups.by_total(Clone::clone);
    let report = time_summary(form, titles, rows, |name| vec![NsysCell::text(name.clone())]);
    if form == NsysForm::V2022 { report.with_first_title("Time(%)") } else { report }
}

/// OpenMP events by table and name.
pub(super) fn openmp<'a>(source: Source<'a>, form: NsysForm) -> NsysReport<'a> {
    let mut groups = Groups::new();
    for event in source.runtime_events(&source.records.openmp) {
        groups.add((event.table, event.name), Some(event.span.length()));
    }
    let titles = SumTitles { count: ["Count"; 2], last: vec![NsysColumn::plain("Name")] };
    time_summary(form, titles, groups.by_total(|key| *key), move |&(_, name)| {
        vec![source.text(name).map_or(NsysCell::Absent, NsysCell::text)]
    })
}

/// MPI calls by table and function.
pub(super) fn mpi_summary<'a>(source: Source<'a>, form: NsysForm) -> NsysReport<'a> {
    let mut groups = Groups::new();
    for call in source.mpi_calls() {
        groups.add((MPI_SOURCES[call.table], source.text(call.name)), Some(call.span.length()));
    }
    let last = ["Source", "Name"].map(NsysColumn::plain).into();
    let titles = SumTitles { count: ["Instances"; 2], last };
    time_summary(form, titles, groups.by_total(|key| *key), |&(table, name)| {
        vec![NsysCell::text(table), name.map_or(NsysCell::Absent, NsysCell::text)]
    })
}

/// Every MPI call, in order of start.
pub(super) fn mpi_trace<'a>(source: Source<'a>) -> NsysReport<'a> {
    let mut calls: Vec<_> = source.mpi_calls().collect();
    calls.sort_by_key(|call| call.span.start);
    let mut columns: Vec<NsysColumn> =
        ["Start", "End", "Duration"].map(|title| NsysColumn::with_unit(title, NsysUnit::Time)).into();
    columns.extend(["Event", "Pid", "Tid", "Tag", "Rank", "PeerRank", "RootRank"].map(NsysColumn::plain));
    let sizes = ["Size", "CollSendSize", "CollRecvSize"];
    columns.extend(sizes.map(|title| NsysColumn::with_unit(title, NsysUnit::Bytes)));
    NsysReport::new(columns, calls.len(), move |row| {
        let call = calls[row];
        let [tag, peer, root, sent, received] = call.numbers;
        let is_collective = MPI_SOURCES[call.table] == "collectives";
        let rank = call.global_tid.and_then(|thread| source.records.mpi_ranks.get(&thread).copied());
        vec![
            NsysCell::Int(call.span.start),
            NsysCell::Int(call.span.end),
            NsysCell::Int(call.span.length()),
            source.text(call.name).map_or(NsysCell::Absent, NsysCell::text),
            NsysCell::int(call.global_tid.map(pid)),
            NsysCell::int(call.global_tid.map(tid)),
            NsysCell::int(tag),
            NsysCell::int(rank),
            NsysCell::int(peer),
            NsysCell::int(root),
            NsysCell::int(sent.filter(|_| !is_collective)),
            NsysCell::int(sent.filter(|_| is_collective)),
            NsysCell::int(received),
        ]
    })
}
