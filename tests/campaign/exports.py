"""Cases with damaged exports: all commands in turn, and totals against SQLite's."""

import damage
import rows as rows_of
import totals
from commands import any_command
from promises import judged
from program import run

# Commands of a case.
COMMANDS = 3


def rows(case):
    """A capture whose rows, columns or tables are damaged."""
    base = case.world.any_capture(case.random)
    usual = totals.usual_diagnostics(case, base)
    capture = case.copy(base, "run.sqlite")
    case.note(rows_of.damage(case.folder / capture, case.random))
    try_all(case, capture, usual)


def flips(case):
    """A capture whose bytes are damaged."""
    base = case.world.any_capture(case.random)
    usual = totals.usual_diagnostics(case, base)
    capture = case.copy(base, "run.sqlite")
    case.note(damage.bytes_of(case.folder / capture, case.random))
    try_all(case, capture, usual)


def planted(case):
    """A capture that the generator damaged; in half of the cases its rows are damaged further."""
    base = case.random.choice(case.world.damaged)
    case.note(f"generated with --damage {base.stem}")
    capture = case.copy(base, "run.sqlite")
    for ending in ("-wal", "-journal"):
        beside = base.with_name(base.name + ending)
        if beside.exists():
            case.copy(beside, f"run.sqlite{ending}")
    if case.random.random() < 0.5 and not list((case.folder / "in").glob("*-*")):
        case.note(rows_of.damage(case.folder / capture, case.random))
    try_all(case, capture, set())


def try_all(case, capture, usual):
    totals.judge(case, capture, usual)
    for _ in range(COMMANDS):
        judged(case, any_command(case, capture))
    if case.random.random() < 0.3:
        the_same_with_other_threads(case, capture)


def the_same_with_other_threads(case, capture):
    """What is printed depends neither on threads nor on memory nor on the cache."""
    command = ["show", case.random.choice(case.world.tables), "--format", "csv", capture]
    first = run(case, [*command, "--threads", "1", "--no-cache"])
    second = run(case, [*command, "--threads", "5", "--memory", "64M"])
    if first.code is not None and (first.code, first.text) != (second.code, second.text):
        case.fault("one thread prints something else than five", second)
