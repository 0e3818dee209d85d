"""The program of the wheel: the same output and exit codes as the binary that Cargo builds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def binary() -> str:
    """The binary of the same source, which `python/test.sh` builds."""
    found = os.environ.get("DLPROF_BINARY")
    if found is None:
        pytest.skip("SKIPPED: DLPROF_BINARY names no binary")
    return found


def commands(sample: str, folder: Path) -> list[tuple[int, list[str]]]:
    return [
        (0, [sample]),
        (0, ["--details", sample]),
        (0, ["--format", "json", sample]),
        (0, ["--help"]),
        (0, ["show", "--help"]),
        (0, ["--version"]),
        (0, ["demo"]),
        (0, ["check", sample]),
        (0, ["show", "ops", sample, "--top", "3", "--format", "csv"]),
        (0, ["query", sample, "select count(*) from kernels"]),
        (0, ["stats", sample, "-r", "cuda_gpu_kern_sum", "-f", "csv"]),
        (0, ["rules", sample]),
        (0, ["explain", "gpu_idle_ns"]),
        (0, ["completions", "bash"]),
        (0, ["man"]),
        (0, ["gate", sample, "--baseline", sample]),
        (1, ["--fail-on", "note", sample]),
        (2, ["--no-such-option", sample]),
        (2, ["--iter-start", "5", "--iter-stop", "2", sample]),
        (2, ["show", "opps", sample]),
        (3, [str(folder / "missing.sqlite")]),
        (3, [str(folder)]),
        (4, ["export", sample, "-o", str(folder / "there.json")]),
        (5, ["--key-node", "none such", sample]),
        (5, ["--iter-start", "900", sample]),
        (0, ["profile", "--help"]),
    ]


def test_output_and_exit_codes_are_those_of_the_binary(
    sample: str, program: list[str], binary: str, tmp_path: Path
) -> None:
    (tmp_path / "there.json").write_text("mine")
    for code, words in commands(sample, tmp_path):
        ours, theirs = (
            subprocess.run([*start, *words], capture_output=True, cwd=tmp_path) for start in (program, [binary])
        )
        assert ours.returncode == theirs.returncode == code, (words, ours.stderr)
        assert (ours.stdout, ours.stderr) == (theirs.stdout, theirs.stderr), words


def test_an_inconclusive_gate_ends_with_6(
    program: list[str], binary: str, generated: Callable[..., Path]
) -> None:
    file = str(generated("none.sqlite", "--style", "none", "--kernels", "300"))
    for start in (program, [binary]):
        done = subprocess.run([*start, "gate", file, "--baseline", file, "--key-node", ""], capture_output=True)
        assert done.returncode == 6, done.stderr


def test_a_module_is_the_program_too(sample: str, program: list[str]) -> None:
    ours, module = (
        subprocess.run([*start, sample], capture_output=True, check=True).stdout
        for start in (program, [sys.executable, "-m", "dlprof_agg"])
    )
    assert ours == module and ours


def test_a_reader_that_goes_away_is_no_failure(sample: str, program: list[str]) -> None:
    words = [*program, "show", "kernels", sample, "--format", "csv"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_an_output_that_cannot_be_written_is_4(sample: str, program: list[str]) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("SKIPPED: no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([*program, sample], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 4, done.stderr


def test_ctrl_c_ends_the_program_by_the_signal(
    program: list[str], binary: str, generated: Callable[..., Path]
) -> None:
    file = str(generated("large.sqlite", "--kernels", "300000"))
    for start in ([binary], program):
        # An optimised program may have ended before the signal comes.
        for seconds in (0.3, 0.25, 0.2, 0.15, 0.12):
            process = subprocess.Popen(
                [*start, "--no-cache", "--iter-range", "all", file], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
            assert process.returncode in (-signal.SIGINT, 0), said
            assert b"Traceback" not in said
            if process.returncode != 0:
                break
        assert process.returncode == -signal.SIGINT, start
