//! What the rows of an export say beyond what the analysis needs. Read only if reports ask for it: a second pass over the
//! large tables, in the same order and without the same rows, so that every row has the position of its facts.

mod gpu_work;
mod host_calls;
mod mpi;
mod nvtx;
mod runtimes;
mod small;

pub(crate) use runtimes::{OPENACC as OPENACC_TABLES, OPENMP as OPENMP_TABLES};

use super::{TableSource, string_ids};
use crate::base::Error;
use crate::base::ids::StrId;
use crate::base::time::Ns;
use crate::columns::StringPool;
use crate::read::facts::{NvtxEventsBuilder, Records};

/// How much is read of every row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowDetail {
    /// What the analysis needs.
    #[default]
    Analysis,
    /// What reports that print rows as nsys does need, too.
    Records,
}

/// Tables of which only these records are made.
pub(crate) const RECORD_TABLES: [&str; 25] = [
    small::COPY_LABELS,
    small::MEMORY_LABELS,
    small::MPI_RANKS,
    runtimes::OPENACC_LABELS,
    runtimes::OPENACC[0],
    runtimes::OPENACC[1],
    runtimes::OPENACC[2],
    runtimes::OPENMP[0],
    runtimes::OPENMP[1],
    runtimes::OPENMP[2],
    runtimes::OPENMP[3],
    runtimes::OPENMP[4],
    runtimes::OPENMP[5],
    runtimes::OPENMP[6],
    runtimes::OPENMP[7],
    runtimes::OPENMP[8],
    runtimes::OPENMP[9],
    runtimes::OPENMP[10],
    runtimes::OPENMP[11],
    runtimes::OPENMP[12],
    runtimes::OPENMP[13],
    runtimes::OPENMP[14],
    runtimes::OPENMP[15],
    runtimes::OPENMP[16],
    runtimes::OPENMP[17],
];

/// The records as read; texts that only they have are kept aside.
pub(super) struct RawRecords {
    records: Records,
    nvtx: NvtxEventsBuilder,
    nvtx_texts: StringPool,
}

/// Reads the records.
pub(super) fn read(source: &TableSource<'_>) -> Result<RawRecords, Error> {
    let ((nvtx, api_calls), gpu_work) = rayon::join(
        || rayon::join(|| nvtx::read(source), || host_calls::read_api_calls(source)),
        || gpu_work::read(source),
    );
    let (nvtx, nvtx_texts) = nvtx?;
    let gpu_work = gpu_work?;
    let mut records = Records {
        tables: source.database.columns_by_table(),
        api_calls: api_calls?,
        work: gpu_work.work,
        kernels: gpu_work.kernels,
        copies: gpu_work.copies,
        memsets: gpu_work.memsets,
        os_calls: host_calls::read_os_calls(source)?,
        ..Records::default()
    };
    small::read(source, &mut records)?;
    runtimes::read(source, &mut records)?;
    mpi::read(source, &mut records)?;
    Ok(RawRecords { records, nvtx, nvtx_texts })
}

impl RawRecords {
    /// Adds the texts that were kept aside to a pool whose first `base` texts are those of table `StringIds`.
    pub(super) fn merge_names(&mut self, pool: &mut StringPool, base: usize) {
        string_ids::merge(pool, base, &self.nvtx_texts, self.nvtx.text.iter_mut());
    }

    /// The records.
    pub(super) fn finish(self, time_shift: Ns) -> Records {
        Records { time_shift, nvtx: self.nvtx.finish(), ..self.records }
    }
}

/// The text of an id of table `StringIds`; none for NULL and unknown ids.
fn name(source: &TableSource<'_>, id: Option<i64>) -> StrId {
    id.and_then(|id| source.names.by_id(id)).unwrap_or(StrId::NONE)
}
