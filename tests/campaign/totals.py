"""Totals of kernels by SQLite itself, against those of the program: equal, or the program says why not."""

import json
import sqlite3

from program import run

# A graph whose nodes were not traced counts as one kernel.
KERNELS = ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"]
# SQLite gives up after so many steps: a view that never ends is nobody's total.
MOST_STEPS = 200


def judge(case, capture, usual):
    """`usual`: the codes of diagnostics that the capture has while it is not damaged."""
    expected = by_sqlite(case.folder / capture)
    # The cache is not used, so that every run reads the file.
    result = run(case, ["show", "launch_stats", "--format", "json", "--no-cache", "-v", capture])
    if result.code != 0 or expected is None:
        return
    row = json.loads(result.text)[0]
    found = (row["kernels"], row["kernel_ns"] or 0)
    if found != expected and not result.diagnostics - usual:
        case.fault(f"kernels and their time are {found}, but SQLite reads {expected}, and no diagnostic says so", result)


def by_sqlite(path):
    """Number and sum of durations; None if SQLite cannot read them, or if they are not all plain times."""
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    steps = iter(range(MOST_STEPS))
    database.set_progress_handler(lambda: next(steps, None) is None, 100_000)
    database.text_factory = bytes
    try:
        names = {name.lower() for (name,) in database.execute("SELECT name FROM sqlite_schema")}
        times = []
        for table in KERNELS:
            if table.lower().encode() in names:
                times += database.execute(f"SELECT start, end FROM {table}").fetchall()
    # Python cannot decode SQLite's message where it quotes damaged bytes.
    except (sqlite3.Error, MemoryError, OverflowError, UnicodeDecodeError):
        return None
    finally:
        database.close()
    if not all(isinstance(start, int) and isinstance(end, int) for start, end in times):
        # The program must say that it leaves them out or reads them as missing: any other total than this is judged.
        return len(times), None
    return len(times), sum(end - start for start, end in times)


def usual_diagnostics(case, base):
    """What the program says of the capture while it is not damaged; found once."""
    sayings = case.world.sayings
    if base not in sayings:
        sayings[base] = run(case, ["show", "launch_stats", "--format", "json", "--no-cache", "-v", base]).diagnostics
    return sayings[base]
