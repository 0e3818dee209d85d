#!/usr/bin/env python3
"""Reads collapsed stacks and a speedscope file, and compares them with the table kernel_names as CSV.

    stacks.py FOLDED SPEEDSCOPE CSV

Ends with 0 if they agree, 1 with what differs, 77 if the package jsonschema is not installed.
It knows nothing of dlprof-agg but the two formats: Brendan Gregg's lines `frame;frame N`, and speedscope's schema.
"""

import collections
import csv
import json
import os
import re
import sys

# The escapes of collapsed stacks, as docs/formats.md describes them.
ESCAPE = re.compile(r"\\(\\|x[0-9a-f]{2})")


def unescape(name):
    return ESCAPE.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), name)


def folded(path):
    """The weights by stack. flamegraph.pl takes a second number at the end of a line for another sample."""
    stacks = collections.Counter()
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            found = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line.rstrip("\n"))
            assert found, f"not a line of collapsed stacks: {line!r}"
            assert not re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", found[1]), f"two numbers: {line!r}"
            stack = tuple(unescape(frame) for frame in found[1].split(";"))
            assert stack not in stacks, f"a stack stands twice: {line!r}"
            stacks[stack] += int(found[2])
    return stacks


def speedscope(path):
    """The weights by stack, after a check against speedscope's schema."""
    import jsonschema

    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    with open(os.path.join(os.path.dirname(__file__), "speedscope-schema.json"), encoding="utf-8") as file:
        jsonschema.validate(document, json.load(file))
    (profile,) = document["profiles"]
    assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds", profile["unit"]
    assert len(profile["samples"]) == len(profile["weights"]), "every sample has a weight"
    assert profile["endValue"] - profile["startValue"] == sum(profile["weights"]), "the weights fill the profile"
    names = [frame["name"] for frame in document["shared"]["frames"]]
    assert len(set(names)) == len(names), "a frame stands twice"
    stacks = collections.Counter()
    for sample, weight in zip(profile["samples"], profile["weights"]):
        stacks[tuple(names[frame] for frame in sample)] += weight
    return stacks


def main(folded_path, speedscope_path, csv_path):
    try:
        stacks = speedscope(speedscope_path)
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        return 77
    lines = folded(folded_path)
    assert stacks == lines, f"{set(stacks.items()) ^ set(lines.items())}"
    kernels = collections.Counter()
    memory = 0
    for stack, weight in stacks.items():
        if re.fullmatch(r"\[(copy .*|memset)\]", stack[-1]):
            memory += weight
        else:
            kernels[stack[-1]] += weight
    with open(csv_path, encoding="utf-8", newline="") as file:
        expected = {row["long_kernel_name"]: int(row["gpu_time_ns"]) for row in csv.DictReader(file)}
    assert dict(kernels) == expected, f"{set(kernels.items()) ^ set(expected.items())}"
    print(f"{len(stacks)} stacks, {len(kernels)} kernel names, {sum(kernels.values())} ns of kernels, {memory} ns of memory")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
