"""Cases in which the export is still being written, or written again, while it is read."""

import os
import sqlite3
import threading

from program import run

COMMAND = ["show", "launch_stats", "--format", "json", "--no-cache"]


def changing(case):
    """Either the figures of before or of after, or an error; never something between."""
    random = case.random
    capture = case.copy(random.choice(case.world.large))
    path = case.folder / capture
    before = run(case, [*COMMAND, capture])
    deed, seconds = random.choice([remove_rows, grow, cut_off, replace, overwrite]), random.random() * max(before.cpu_seconds,
                                                                                                           0.02)
    case.note(f"during the next command, after {seconds:.3f} s: {deed.__name__}")
    done = threading.Timer(seconds, deed, [path, random])
    done.start()
    during = run(case, [*COMMAND, capture])
    done.join()
    after = run(case, [*COMMAND, capture])
    if during.code == 0 and deed is not overwrite and during.text not in (before.text, after.text):
        case.fault(f"figures of a file that was changed while it was read ({deed.__name__})", during)


def remove_rows(path, random):
    """As another program does that has the file open."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid % 2 = 0")
    database.close()


def grow(path, random):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL")
    database.close()


def cut_off(path, random):
    os.truncate(path, random.randrange(path.stat().st_size))


def replace(path, random):
    """The usual way to write a file anew."""
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes()[: random.randrange(path.stat().st_size)])
    os.replace(other, path)


def overwrite(path, random):
    """Bytes of which SQLite knows nothing; only that the program survives is judged."""
    with open(path, "r+b") as file:
        file.seek(random.randrange(path.stat().st_size))
        file.write(random.randbytes(1 << 16))
