"""Records the NVTX ranges of a loop, and keeps them as short texts: `python recording.py KIND…` writes `recorded/KIND.txt`.

    @7                thread 7 from here on
    120 step 0        120 µs after the line before, a range opens
    15                15 µs later, the innermost one closes
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import finding

#: A range that opens with its text, or one that closes: nanoseconds, thread, text or nothing.
Call = tuple[int, int, "str | None"]

INPUTS = re.compile(r", input_op_ids = \[.*\]$")

RECORDED = finding.HERE / "recorded"


def recorder(folder: Path) -> Path:
    """Compiles the library that records."""
    library = folder / "recorder.so"
    command = [finding.compiler() or "cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(finding.HERE / "recorder.c")]
    subprocess.run(command, check=True)
    return library


def record(library: Path, command: list[str], environment: dict[str, str] | None = None) -> list[Call]:
    """Runs a program and gives its NVTX calls."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ranges.txt")
        told = {"NVTX_INJECTION64_PATH": str(library), "NVTX_RECORD": str(path), **(environment or {})}
        run = subprocess.run(command, env={**os.environ, **told}, capture_output=True, text=True, timeout=600)
        if run.returncode:
            raise AssertionError(f"{command} ended with {run.returncode}:\n{run.stdout}\n{run.stderr}")
        calls = []
        for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
            time, thread, what = line.split("\t", 2)
            calls.append((int(time), int(thread), what[1:] if what.startswith("+") else None))
        return calls


def record_loop(library: Path, kind: str) -> list[Call]:
    """The NVTX calls of a loop."""
    return record(library, [sys.executable, str(finding.HERE / "loops.py"), kind])


def kept(calls: list[Call]) -> str:
    """Calls as the texts that are kept. Threads are numbered, paths of this machine are shortened; which operators made the inputs
    of others, and what PyTorch does while it compiles, is left out."""
    threads: dict[int, int] = {}
    lines, thread, before = [], None, calls[0][0] if calls else 0
    compiling: dict[int, int] = {}
    for time, system_thread, text in calls:
        inside = compiling.get(system_thread, 0)
        if inside or (text or "").startswith("dynamo,"):
            compiling[system_thread] = inside + (1 if text is not None else -1)
            if inside and compiling[system_thread]:
                continue
        number = threads.setdefault(system_thread, len(threads) + 1)
        if number != thread:
            lines.append(f"@{number}")
            thread = number
        later = (time - before) // 1000
        before += later * 1000
        lines.append(f"{later}" if text is None else f"{later} {INPUTS.sub('', text)}")
    return "\n".join(lines).replace(str(finding.HERE) + "/", "") + "\n"


def read(path: Path) -> list[Call]:
    """Calls from kept texts."""
    calls: list[Call] = []
    time, thread = 0, 0
    for line in path.read_text().splitlines():
        if line.startswith("@"):
            thread = int(line[1:])
            continue
        later, _, text = line.partition(" ")
        time += int(later) * 1000
        calls.append((time, thread, text or None))
    return calls


if __name__ == "__main__":
    RECORDED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        built = recorder(Path(made))
        for kind in sys.argv[1:]:
            calls = record_loop(built, kind)
            (RECORDED / f"{kind}.txt").write_text(kept(calls))
            print(f"{kind}: {len(calls)} calls")
