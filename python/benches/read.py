"""What the package costs beside the program and beside pandas, on one capture, in one run.

    python python/benches/read.py CAPTURE [ROUNDS]

CAPTURE: an export of nsys, such as `generate --kernels 1000000` writes. Times are processor seconds of the process and its children,
the best of some rounds that take turns; nothing is kept of one round for the next.
"""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

COLUMNS = [
    "iteration",
    "op_id",
    "kernel_name",
    "device_id",
    "gpu_start_ns",
    "gpu_time_ns",
    "api_start_ns",
    "tensor_cores",
]

SQL = """
    select k.start, k.end - k.start as duration, k.deviceId, k.streamId, n.value as name, k.gridX, k.blockX, k.correlationId
    from CUPTI_ACTIVITY_KIND_KERNEL k join StringIds n on n.id = k.shortName order by k.start
"""


def used() -> float:
    """Processor seconds of this process and of its children that have ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """Processor seconds, and seconds."""
    before, begin = used(), time.perf_counter()
    work()
    return used() - before, time.perf_counter() - begin


def run(code: str, *words: str) -> str:
    return subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, text=True).stdout


def main(capture: str, rounds: int) -> None:
    import dlprof_agg
    import pandas
    import pyarrow

    program = str(Path(sys.executable).with_name("dlprof-agg"))
    profile = dlprof_agg.read(capture, cache=False, iter_range="all")
    table = profile.table("kernels", columns=COLUMNS)
    every = profile.table("kernels")
    connection = sqlite3.connect(capture)

    def imports(module: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True)

    print(f"{os.path.getsize(capture) / 1e6:.0f} MB, {len(table)} kernels, {rounds} rounds")
    works: dict[str, Callable[[], object]] = {
        "python that does nothing": imports("sys"),
        "import dlprof_agg": imports("dlprof_agg"),
        "dlprof-agg (dashboard)": lambda: subprocess.run(
            [program, "--no-cache", capture], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ),
        "read and dashboard": lambda: run(
            "import sys, warnings, dlprof_agg; warnings.simplefilter('ignore'); "
            "print(dlprof_agg.read(sys.argv[1], cache=False))",
            capture,
        ),
        "read": lambda: run(
            "import sys, warnings, dlprof_agg; warnings.simplefilter('ignore'); dlprof_agg.read(sys.argv[1], cache=False)",
            capture,
        ),
        f"{len(COLUMNS)} columns of kernels to pyarrow": lambda: pyarrow.table(table),
        f"all {len(every.columns)} columns to pyarrow": lambda: pyarrow.table(every),
        f"{len(COLUMNS)} columns to pandas": lambda: table.to_pandas(),
        "pandas.read_sql of 8 columns of the rows": lambda: pandas.read_sql(SQL, connection),
    }
    best: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):
        for name, work in works.items():
            took = cost(work)
            best[name] = min(best.get(name, took), took)
    for name, (processor, wall) in best.items():
        print(f"{name:45} {processor:8.3f} CPU s {wall:8.3f} s")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5)
