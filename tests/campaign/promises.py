"""What is true after a run: inputs are as before, outputs are whole or absent, nothing is left."""

import os
from program import run


def judged(case, command, **how):
    """Runs a command that may fail, and judges the folders too."""
    before = case.inputs()
    result = run(case, command.words, **how)
    inputs_are_untouched(case, before, result)
    outputs_follow_the_code(case, command, result)
    nothing_is_left(case, result)
    return result


def inputs_are_untouched(case, before, result):
    after = case.inputs()
    if after != before:
        names = [str(name) for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
        case.fault(f"inputs changed: {', '.join(sorted(names))}", result)


def outputs_follow_the_code(case, command, result):
    """All files are there after success, and none after an error."""
    there = [output for output in command.outputs if (case.folder / output).exists()]
    if result.code == 0 and len(there) < len(command.outputs):
        case.fault(f"exit code 0, but only these outputs: {there}", result)
    if result.code in (2, 3, 4, 5) and there:
        case.fault(f"exit code {result.code}, but these outputs: {there}", result)


def nothing_is_left(case, result):
    """No temporary files, neither in their folder nor beside the outputs nor in the cache."""
    left = [str(path.relative_to(case.folder)) for path in (case.folder / "tmp").rglob("*")]
    left += leftovers(case)
    if left:
        case.fault(f"left behind: {', '.join(sorted(left)[:5])}", result)


def leftovers(case):
    """Unfinished files of outputs and of the cache."""
    found = []
    for folder in ("out", "in", "cache"):
        for parent, folders, files in os.walk(case.folder / folder):
            names = [name for name in folders + files
                     if ".dlprof-agg-" in name or name.startswith("writing-") or name.endswith(".tmp")]
            found += [os.path.relpath(os.path.join(parent, name), case.folder) for name in names]
    return found
