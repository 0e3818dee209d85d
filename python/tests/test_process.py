"""The process: threads, fork, Ctrl-C, memory, import."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dlprof_agg
import pytest


def run(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a new process, however long a busy machine takes for it."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code), *words], capture_output=True, text=True)


def test_threads_read_and_ask_at_the_same_time(sample: str) -> None:
    expected = str(dlprof_agg.read(sample))
    shared = dlprof_agg.read(sample)
    part = str(shared.range(20, 29))

    def work(at: int) -> tuple[str, str, int]:
        profile = dlprof_agg.read(sample, threads=1 + at % 3)
        return str(profile), str(shared.range(20, 29)), len(list(shared.table("kernels")))

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(24)))
    assert {result[0] for result in results} == {expected}
    assert {result[1] for result in results} == {part}
    assert len({result[2] for result in results}) == 1


def test_reading_leaves_the_interpreter_to_others(generated: Callable[..., Path]) -> None:
    file = generated("large.sqlite", "--kernels", "300000")
    ticks = 0
    is_done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not is_done.wait(0.001):
            ticks += 1

    other = threading.Thread(target=count)
    other.start()
    begin = time.monotonic()
    dlprof_agg.read(file, cache=False)
    took = time.monotonic() - begin
    is_done.set()
    other.join()
    # Far fewer than one per millisecond, because the machine may be busy; none if the lock were held.
    assert ticks > took * 1000 / 50, (ticks, took)


def test_use_after_fork_raises_at_once(sample: str) -> None:
    code = """
        import os, sys, dlprof_agg
        profile = dlprof_agg.read(sys.argv[1])
        table = profile.table("kernels")
        child = os.fork()
        if child == 0:
            uses = [lambda: dlprof_agg.read(sys.argv[1]), lambda: profile.range(1, 2), lambda: len(table),
                    lambda: profile.verdict, lambda: table.__arrow_c_stream__(), lambda: profile.findings,
                    lambda: dlprof_agg.gate(sys.argv[1], sys.argv[1]), lambda: dlprof_agg.ranks(sys.argv[1])]
            for use in uses:
                try:
                    use()
                except dlprof_agg.UsageError as error:
                    assert "forked" in error.message and "spawn" in error.hint
                else:
                    os._exit(9)
            del profile, table, uses, use
            os._exit(7)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), len(table) > 0, profile.range(1, 2).iterations.aggregated)
    """
    done = run(code, sample)
    assert done.stdout == "7 True 2\n", done.stderr


def test_children_may_read_where_the_parent_has_not(sample: str) -> None:
    code = """
        import multiprocessing, sys, dlprof_agg
        def work(path):
            return dlprof_agg.read(path).iterations.aggregated
        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(set(pool.map(work, [sys.argv[1]] * 6)))
    """
    done = run(code, sample)
    assert done.stdout.startswith("{") and done.stdout.count(",") == 0, (done.stdout, done.stderr)


def test_ctrl_c_ends_a_read(generated: Callable[..., Path]) -> None:
    file = generated("large.sqlite", "--kernels", "300000")
    code = """
        import sys, time, dlprof_agg
        print("begins", flush=True)
        begin = time.monotonic()
        try:
            while True:
                dlprof_agg.read(sys.argv[1], cache=False)
        except KeyboardInterrupt:
            pass
        print("ended", flush=True)
        # The library can be used afterwards.
        print(dlprof_agg.read(sys.argv[2]).iterations.count > 0)
    """
    sample = str(Path(__file__).resolve().parents[2] / "testdata" / "sample.sqlite")
    words = [sys.executable, "-c", textwrap.dedent(code), str(file), sample]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        # A read that cannot be ended would be repeated for ever.
        assert process.stdout.readline() == "ended\n"
        assert process.stdout.readline() == "True\n"
    assert process.returncode == 0


def test_the_library_changes_nothing_of_the_process(sample: str) -> None:
    code = """
        import signal, sys
        before = {number: signal.getsignal(number) for number in signal.valid_signals()}
        def status():
            # Signals beyond 31 are the C library's own, for threads.
            lines = open("/proc/self/status") if sys.platform == "linux" else []
            masks = [line.split(":") for line in lines if line.startswith(("SigBlk", "SigIgn", "SigCgt"))]
            return [(name, int(mask, 16) & 0x7FFFFFFF) for name, mask in masks]
        masks = status()
        import dlprof_agg
        dlprof_agg.read(sys.argv[1]).findings
        assert before == {number: signal.getsignal(number) for number in signal.valid_signals()}
        assert masks == status()
        print("same")
    """
    done = run(code, sample)
    assert done.stdout == "same\n", done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="SKIPPED: reads /proc")
def test_many_reads_leave_nothing(sample: str) -> None:
    code = """
        import gc, os, sys, dlprof_agg
        def memory():
            gc.collect()
            return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        def rounds(count):
            for _ in range(count):
                profile = dlprof_agg.read(sys.argv[1], threads=2)
                table = profile.range(20, 29).table("kernels", columns=["kernel_name", "gpu_time_ns"])
                table.__arrow_c_stream__(), table.__arrow_c_schema__(), profile.findings
                try:
                    dlprof_agg.read(sys.argv[1], key_node="none such")
                except dlprof_agg.RequestError:
                    pass
        rounds(30)
        first, files, tasks = memory(), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
        rounds(120)
        print(memory() - first, len(os.listdir("/proc/self/fd")) - files, len(os.listdir("/proc/self/task")) - tasks)
    """
    done = run(code, sample)
    assert done.returncode == 0, done.stderr
    grown, files, tasks = map(int, done.stdout.split())
    # 120 reads: a leak of one profile of this sample (about 1 MB) per read would be 120 MB.
    assert grown < 24 << 20 and files <= 0 and tasks <= 2, done.stdout


def test_import_needs_no_other_library() -> None:
    code = """
        import sys, dlprof_agg
        print(sorted({"numpy", "pandas", "pyarrow", "polars", "torch", "IPython", "jax"} & set(sys.modules)))
    """
    assert run(code).stdout == "[]\n"


def test_the_number_of_cores_does_not_show(sample: str) -> None:
    texts = {str(dlprof_agg.read(sample, threads=threads, cache=False)) for threads in (1, 2, 7)}
    assert len(texts) == 1
    assert os.path.exists(sample)


def test_ctrl_c_while_reports_are_written_leaves_nothing_half_written(sample: str, tmp_path: Path) -> None:
    code = """
        import sys, dlprof_agg
        profile = dlprof_agg.read(sys.argv[1], cache=False)
        while True:
            profile.to_report(sys.argv[2], overwrite=True)
    """
    out = tmp_path / "out"
    out.mkdir()
    words = [sys.executable, "-c", textwrap.dedent(code), sample, str(out / "report.json")]
    for _ in range(3):
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
            # What is not complete yet stands in a folder of its own beside the report.
            while not any(name.name.startswith(".dlprof-agg-") for name in out.iterdir()):
                assert process.poll() is None
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
        assert process.returncode != 0
        assert {name.name for name in out.iterdir()} <= {"report.json"}


@pytest.mark.parametrize("threads", [-1, 257, 2**40])
def test_threads_are_as_many_as_on_the_command_line(sample: str, threads: int) -> None:
    with pytest.raises(dlprof_agg.UsageError, match=f"`threads={threads}` is out of bounds"):
        dlprof_agg.read(sample, threads=threads)
    assert dlprof_agg.read(sample, threads=256).iterations.count > 0
