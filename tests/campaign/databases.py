"""Cases with damaged DLProf databases."""

import damage
import rows as rows_of
from commands import any_command
from promises import judged

COMMANDS = 4


def flips(case):
    """A database whose bytes are damaged."""
    file = case.copy(case.random.choice(case.world.databases), "run.sqlite")
    case.note(damage.bytes_of(case.folder / file, case.random))
    try_all(case, file)


def rows(case):
    """A database whose rows, columns or tables are damaged."""
    file = case.copy(case.random.choice(case.world.databases), "run.sqlite")
    case.note(rows_of.damage(case.folder / file, case.random))
    try_all(case, file)


def try_all(case, file):
    for _ in range(COMMANDS):
        judged(case, any_command(case, file))
