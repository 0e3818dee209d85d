"""Cases in which exports are killed: outputs are whole or absent, and what is left is removed."""

import hashlib
import os
import shutil
import signal
import time

from case import digest
from commands import Command, export
from program import run, signal_after
from promises import inputs_are_untouched, leftovers, nothing_is_left

SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
# How long a file must lie there to be nobody's, in seconds.
AGE = 7200
# Kills of a case.
KILLS = 3
BEFORE = b"what was there before\n"


def kills(case):
    """Exports once for the right content, then is killed at random moments, then exports again."""
    random = case.random
    capture = case.copy(random.choice(case.world.large))
    command = export(case, capture, number=random.choice([1, 1, 2, 3]))
    command = Command([*command.words, "--force", *random.choice([[], ["--no-cache"]])], command.outputs)
    started = time.monotonic()
    first = run(case, command.words)
    lasted = time.monotonic() - started
    if first.code != 0:
        case.fault(f"an export that nobody disturbs ends with {first.code}", first)
        return
    whole = contents(case, command)
    for _ in range(KILLS):
        kill(case, command, whole, random.random() * 1.1 * lasted)


def kill(case, command, whole, moment):
    random = case.random
    number = random.choice(SIGNALS)
    empty(case, command, keep_files=random.random() < 0.3)
    if random.random() < 0.3:
        shutil.rmtree(case.folder / "cache")
        (case.folder / "cache").mkdir()
    before = case.inputs()
    case.note(f"the next command gets {number.name} after {moment:.3f} s")
    result = run(case, command.words, interrupt=signal_after(moment, number))
    inputs_are_untouched(case, before, result)
    outputs_are_whole_or_as_before(case, command, whole, number, result)
    if number != signal.SIGKILL:
        nothing_is_left(case, result)
    age(case)
    again = run(case, command.words)
    if again.code != 0 or contents(case, command) != whole:
        case.fault(f"after {number.name} the same export ends with {again.code}, or writes something else", again)
    if leftovers(case):
        case.fault(f"the export after {number.name} did not remove {leftovers(case)[:3]}", again)


def empty(case, command, keep_files):
    """Removes what was written; or leaves files of another content in the place of the outputs."""
    for output in command.outputs:
        path = case.folder / output
        if path.is_dir():
            shutil.rmtree(path)
        elif keep_files and "step-summary" not in path.name:
            path.write_bytes(BEFORE)
        else:
            path.unlink(missing_ok=True)


def contents(case, command):
    """Digests of all outputs. A summary of a step is added to what is there, so only that it is there counts."""
    found = {}
    for output in command.outputs:
        path = case.folder / output
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            found[str(file.relative_to(case.folder))] = content(file)
    return found


def content(path):
    if not path.exists():
        return None
    return "added" if "step-summary" in path.name else digest(path)


def outputs_are_whole_or_as_before(case, command, whole, number, result):
    for name, found in contents(case, command).items():
        if found not in (None, hashlib.sha256(BEFORE).hexdigest(), whole.get(name)):
            size = (case.folder / name).stat().st_size
            case.fault(f"{number.name} left a part of {os.path.basename(name)}: {size} bytes", result)


def age(case):
    """Makes all files and folders look as if they had been left long ago."""
    then = time.time() - AGE
    for folder in ("out", "cache", "tmp"):
        for parent, folders, files in os.walk(case.folder / folder):
            for name in folders + files:
                os.utime(os.path.join(parent, name), (then, then), follow_symlinks=False)
