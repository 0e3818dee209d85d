"""Logs of Nsight Compute beside a capture."""

from __future__ import annotations

from pathlib import Path

import dlprof_agg
import pytest

#: A kernel of the sample whose name says Tensor Cores, and whose counters say that they were idle.
KERNEL = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn"

LOG = f"""==PROF== Connected to process 7
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",\
"gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum","sm__inst_executed_pipe_tensor_op_hmma.sum",\
"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
"","","","","","","","","","","us","Kbyte","Kbyte","inst","%"
"0","7","python","host","{KERNEL}","1","7","(9, 9, 9)","(1, 1, 1)","0","31.500000","100.000000","50.000000","0","0"
""".replace("\\\n", "")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "run.ncu.csv"
    file.write_text(LOG)
    return file


def uses_tensor_cores(profile: dlprof_agg.Profile) -> list[object]:
    table = profile.table("kernel_names", columns=["tensor_cores"], where=f"long_kernel_name = '{KERNEL}'")
    return [row["tensor_cores"] for row in table]


def test_what_was_measured_counts(sample: str, log: Path) -> None:
    assert uses_tensor_cores(dlprof_agg.read(sample)) == ["true"]
    for given in (log, str(log), [log]):
        assert uses_tensor_cores(dlprof_agg.read(sample, ncu=given)) == ["false"]
    # Another range of the same profile has them too.
    assert uses_tensor_cores(dlprof_agg.read(sample, ncu=log).range(20, 29)) == ["false"]


def test_tables_of_counters_are_tables(sample: str, log: Path) -> None:
    profile = dlprof_agg.read(sample, ncu=log)
    launches = profile.table("ncu_launches", columns=["duration_ns", "dram_bytes"])
    assert list(launches) == [{"duration_ns": 31_500, "dram_bytes": 150_000}]


def test_what_is_no_log_is_refused(sample: str, tmp_path: Path) -> None:
    other = tmp_path / "x.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(dlprof_agg.InputError) as refused:
        dlprof_agg.read(sample, ncu=other)
    assert refused.value.exit_code == 3


def test_what_was_read_is_never_written_over(sample: str, log: Path, tmp_path: Path) -> None:
    capture = tmp_path / "run.sqlite"
    capture.write_bytes(Path(sample).read_bytes())
    kept = {file: file.read_bytes() for file in (log, capture)}
    profile = dlprof_agg.read(capture, ncu=log)
    baseline = dlprof_agg.baseline([dlprof_agg.baseline([capture], ncu=log), sample])
    for write in (
        lambda: profile.to_report(log, format="json", overwrite=True),
        lambda: baseline.save(log, overwrite=True),
        lambda: baseline.save(capture, overwrite=True),
    ):
        with pytest.raises(dlprof_agg.UsageError, match="input"):
            write()
    assert {file: file.read_bytes() for file in kept} == kept


def test_runs_take_logs(sample: str, log: Path, tmp_path: Path) -> None:
    unreadable = tmp_path / "other.csv"
    unreadable.write_text("a,b\n1,2\n")
    for work in (
        lambda ncu: dlprof_agg.compare(sample, sample, ncu=ncu),
        lambda ncu: dlprof_agg.gate(sample, sample, ncu=ncu),
    ):
        work(log)
        with pytest.raises(dlprof_agg.InputError):
            work(unreadable)
