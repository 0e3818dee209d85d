"""A campaign: cases of all kinds, one after the other, until the time is over. See tests/campaign.sh.

A case is made of a seed and a number alone, so that it can be run again. What its files are, which commands run and what is
judged beyond the promises that hold for every run (program.py) is in the file of its kind.
"""

import os
import sys
import threading
import time
from pathlib import Path

import bases
import changing
import databases
import exports
import kept
import kills
import limits
import places
import questions
import requests_of_pages
import texts
import working_folders
from case import Case
from program import Stuck
from tally import Tally

# The kinds, each as often as it stands here in every round.
ROUND = [
    ("rows", exports.rows),
    ("bytes of exports", exports.flips),
    ("rows", exports.rows),
    ("planted damage", exports.planted),
    ("bytes of DLProf databases", databases.flips),
    ("kills", kills.kills),
    ("rows", exports.rows),
    ("kept files", kept.flips),
    ("rows of DLProf databases", databases.rows),
    ("settings and baselines", texts.flips),
    ("questions", questions.ask),
    ("bytes of exports", exports.flips),
    ("kills", kills.kills),
    ("limits", limits.limits),
    ("settings and baselines", texts.flips),
    ("odd places", places.places),
    ("written while read", changing.changing),
    ("questions", questions.ask),
    ("requests to view", requests_of_pages.requests),
    ("working folders", working_folders.hostile),
]


def chosen_round():
    names = [name for name in os.environ.get("CAMPAIGN_KINDS", "").split(",") if name]
    unknown = set(names) - {name for name, _ in ROUND}
    if unknown:
        known = ", ".join(sorted({name for name, _ in ROUND}))
        sys.exit(f"unknown kinds: {', '.join(sorted(unknown))}; known: {known}")
    return [(name, run) for name, run in ROUND if not names or name in names]


def run_case(number, seed, kinds, world, tally):
    name, run = kinds[number % len(kinds)]
    case = Case(number, name, seed, world)
    try:
        run(case)
    except Stuck:
        pass
    except Exception as error:  # The campaign's own mistake must not end the night's run, nor be hidden.
        case.fault(f"the campaign itself failed: {type(error).__name__}: {error}")
    tally.add(case)
    case.close(tally)


def run_all(seed, kinds, world, tally, until):
    numbers = iter(range(sys.maxsize))
    lock = threading.Lock()

    def work():
        while time.monotonic() < until:
            with lock:
                number = next(numbers)
            run_case(number, seed, kinds, world, tally)

    jobs = int(os.environ.get("CAMPAIGN_JOBS", os.cpu_count() or 1))
    workers = [threading.Thread(target=work) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def main(arguments):
    one = None
    if arguments[0] == "--case":
        one, arguments = int(arguments[1]), arguments[1:]
    minutes = float(arguments[0])
    seed = arguments[1] if len(arguments) > 1 else "1"
    folder = Path(os.environ["CAMPAIGN_FOLDER"])
    started = time.monotonic()
    world = bases.World(folder, seed)
    kinds, tally = chosen_round(), Tally(folder / "faults", seed)
    if one is None:
        run_all(seed, kinds, world, tally, time.monotonic() + 60 * minutes)
    else:
        run_case(one, seed, kinds, world, tally)
    world.remove()
    print(tally.table((time.monotonic() - started) / 60))
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
