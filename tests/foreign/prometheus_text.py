#!/usr/bin/env python3
"""Reads a file with the parser of Prometheus's own client and prints it as JSON: a list of [name, labels, value].

    prometheus_text.py FILE

Ends with 1 if the file breaks a rule that parsers of files have, 77 if the package prometheus_client is not installed.
"""

import json
import sys


def main(path):
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        return 77
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    assert text.endswith("\n") and "\r" not in text, "lines end with a line feed, the last one too"
    samples, names = [], set()
    for family in text_string_to_metric_families(text):
        assert family.name not in names, f"the family {family.name} stands twice"
        names.add(family.name)
        assert family.documentation and family.type == "gauge" and family.samples, family
        for sample in family.samples:
            assert sample.name == family.name and sample.timestamp is None, sample
            assert sample.value == sample.value, f"not a number: {sample}"
            samples.append([sample.name, sample.labels, sample.value])
    seen = {(name, tuple(sorted(labels.items()))) for name, labels, _ in samples}
    assert len(seen) == len(samples), "a sample stands twice"
    json.dump(samples, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
