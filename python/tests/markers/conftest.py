"""What the tests of markers share."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import as_export  # noqa: E402
import finding  # noqa: E402
import recording  # noqa: E402

finding.package()


class Shown:
    """What the program shows of an export."""

    def __init__(self, program: str, export: Path, key_node: str | None) -> None:
        self._program = program
        self._key_node = [] if key_node is None else ["--key-node", key_node]
        self._export = str(export)

    def _run(self, *arguments: str) -> str:
        command = [self._program, *arguments, "--no-cache", "--iter-range", "all", *self._key_node]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def table(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self._run("show", name, self._export, "--format", "csv"))))

    def ops(self) -> list[dict[str, str]]:
        return self.table("ops")

    def names(self) -> set[str]:
        return {op["op_name"] for op in self.ops()}

    def launches(self) -> list[dict[str, str]]:
        """DLProf's report of iterations: a row per launch, with the parameters and the output of its op."""
        with tempfile.TemporaryDirectory() as folder:
            self._run("reports", self._export, "--reports", "iteration", "--output-path", folder)
            (report,) = Path(folder).glob("*iteration*.csv")
            return list(csv.DictReader(report.read_text().splitlines()[1:]))


@pytest.fixture(scope="session")
def show(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Shown]:
    """Makes an export of recorded ranges and gives what the program shows of it."""
    program = finding.program()
    if program is None:
        finding.skip("no program `dlprof-agg`: install the wheel, or `cargo build`, or set $DLPROF_BINARY")
    folder = tmp_path_factory.mktemp("exports")

    def shown(calls: list[recording.Call], name: str, *, key_node: str | None = "step", **options: bool) -> Shown:
        # Of a few steps on a busy machine any range may look as regular as the steps: only recorded times are left to the finder.
        path = folder / f"{name}.sqlite"
        as_export.write(calls, path, **options)
        return Shown(str(program), path, key_node)

    return shown


@pytest.fixture(scope="session")
def torch() -> Any:
    try:
        import torch
    except ImportError:
        finding.skip("PyTorch is not installed: its markers are tested on recorded texts alone")
    return torch


@pytest.fixture(scope="session")
def library(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled recorder."""
    if finding.compiler() is None:
        finding.skip("no C compiler: NVTX calls cannot be recorded")
    if not hasattr(torch._C, "_nvtx"):
        finding.skip("this build of PyTorch has no NVTX: that of PyPI has, also without a GPU")
    return recording.recorder(tmp_path_factory.mktemp("recorder"))


@pytest.fixture(scope="session")
def loop(library: Path) -> Callable[[str], list[recording.Call]]:
    """Runs a loop, once for all tests, and gives its NVTX calls."""
    known: dict[str, list[recording.Call]] = {}

    def calls(kind: str) -> list[recording.Call]:
        if kind not in known:
            known[kind] = recording.record_loop(library, kind)
        return known[kind]

    return calls
