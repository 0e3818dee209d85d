#!/usr/bin/env python3
"""Reads a folder with TensorBoard's own reader and prints what it finds as JSON: tag -> list of [step, wall time, value].

    tensorboard_events.py LOGDIR

Ends with 77 if the package tensorboard is not installed.
"""

import json
import sys


def main(folder):
    try:
        from tensorboard.backend.event_processing import event_multiplexer
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        return 77
    # 0: keep every value.
    runs = event_multiplexer.EventMultiplexer(size_guidance={"scalars": 0})
    runs.AddRunsFromDirectory(folder)
    runs.Reload()
    found = {}
    for run, kinds in runs.Runs().items():
        others = [kind for kind, tags in kinds.items() if tags and kind != "scalars"]
        assert not others, others
        found[run] = {
            tag: [[event.step, event.wall_time, event.value] for event in runs.Scalars(run, tag)]
            for tag in kinds["scalars"]
        }
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
