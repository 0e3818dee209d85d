"""Checks a profile by the rules of the Firefox Profiler's processed format, version 57, and its kernels against a table.

    python3 firefox.py PROFILE [KERNEL_NAMES]

PROFILE is a file that `dlprof-agg export` wrote, packed or not. KERNEL_NAMES is what `dlprof-agg show kernel_names --format json`
printed for the same capture and range: calls and time of every kernel name must be equal. Only the standard library is used, and
nothing of the program. Prints what was found as JSON; fails with the first rule that is broken.

The rules are those of the format's types: the members of each object, the columns of each table with equal lengths, and places
that lie inside the table that they refer to. A stack stands behind its caller. Samples are in order of time. Every marker has a
schema that names each of its members.
"""

import gzip
import json
import sys
from collections import Counter, defaultdict
from decimal import Decimal

VERSION = 57
COLORS = {
    "transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown", "magenta", "red", "lightred", "darkgrey",
    "grey",
}
FORMATS = {"string", "integer", "bytes", "list", "decimal", "percentage", "unique-string", "nanoseconds"}
THREAD = {
    "processType", "processName", "processStartupTime", "processShutdownTime", "registerTime", "unregisterTime", "pausedRanges",
    "showMarkersInTimeline", "name", "isMainThread", "pid", "tid", "samples", "markers", "stackTable", "frameTable", "funcTable",
    "resourceTable", "nativeSymbols",
}
COLUMNS = {
    "samples": {"stack", "time"},
    "markers": {"data", "name", "startTime", "endTime", "phase", "category"},
    "stackTable": {"frame", "prefix"},
    "frameTable": {
        "address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "line", "column",
    },
    "funcTable": {"name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber"},
    "resourceTable": {"lib", "name", "host", "type"},
    "nativeSymbols": {"libIndex", "address", "name", "functionSize"},
}


def need(holds, rule, found=None):
    if not holds:
        raise SystemExit(f"{rule}: {json.dumps(found, default=str)[:300]}" if found is not None else rule)


def read(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        return json.load(file, parse_float=Decimal)


def places(values, length, rule, none=None):
    for value in values:
        need(value == none or (type(value) is int and 0 <= value < length), f"{rule} is a place in its table", value)


def nanoseconds(milliseconds):
    ns = Decimal(milliseconds) * 1_000_000
    need(ns == ns.to_integral_value(), "a time is whole nanoseconds", milliseconds)
    return int(ns)


def check_meta(meta):
    need(meta["preprocessedProfileVersion"] == VERSION, "the version", meta["preprocessedProfileVersion"])
    for key in ("interval", "startTime", "processType", "version"):
        need(isinstance(meta[key], (int, Decimal)), f"{key} is a number", meta[key])
    need(isinstance(meta["product"], str) and meta["stackwalk"] in (0, 1), "product and stackwalk")
    need(any(category["color"] == "grey" for category in meta["categories"]), "there is a grey category")
    for category in meta["categories"]:
        need(category["color"] in COLORS and category["subcategories"][0] == "Other", "a category", category)
    schemas = {}
    for schema in meta["markerSchema"]:
        need(schema["name"] not in schemas and isinstance(schema["display"], list), "a schema stands once", schema)
        keys = [field["key"] for field in schema["fields"]]
        need(len(keys) == len(set(keys)), "a field stands once", schema)
        need(all(field["format"] in FORMATS for field in schema["fields"]), "a known format", schema)
        schemas[schema["name"]] = set(keys)
    return schemas


def check_table(thread, name):
    table = thread[name]
    extra = {"samples": {"weight", "weightType"}}.get(name, set())
    need(table.keys() == COLUMNS[name] | extra | {"length"}, f"the columns of {name}", sorted(table))
    for column in COLUMNS[name]:
        need(len(table[column]) == table["length"], f"{name}.{column} has as many rows as the table says")
    return table


def check_stacks(thread, texts, libs, categories):
    samples, stacks, frames, funcs, resources, symbols = (
        check_table(thread, name)
        for name in ("samples", "stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols")
    )
    places(samples["stack"], stacks["length"], "the stack of a sample")
    need(samples["weight"] is None and samples["weightType"] == "samples", "samples have no weight")
    times = [nanoseconds(time) for time in samples["time"]]
    need(times == sorted(times), "samples are in order of time")
    places(stacks["frame"], frames["length"], "the frame of a stack")
    for at, prefix in enumerate(stacks["prefix"]):
        need(prefix is None or 0 <= prefix < at, "a stack is behind its caller", prefix)
    stands_once = set(zip(stacks["prefix"], stacks["frame"]))
    need(len(stands_once) == stacks["length"], "a stack stands once")
    places(frames["func"], funcs["length"], "the function of a frame")
    places(frames["category"], len(categories), "the category of a frame")
    places(funcs["name"], len(texts), "the name of a function")
    places(funcs["resource"], resources["length"], "the resource of a function", none=-1)
    places(resources["name"], len(texts), "the name of a resource")
    places(resources["lib"], len(libs), "the library of a resource")
    need(symbols["length"] == 0, "no symbols are left to find")


def check_markers(thread, texts, categories, schemas):
    markers = check_table(thread, "markers")
    places(markers["name"], len(texts), "the name of a marker")
    places(markers["category"], len(categories), "the category of a marker")
    need(set(markers["phase"]) <= {1}, "every marker is an interval")
    for data, start, end in zip(markers["data"], markers["startTime"], markers["endTime"]):
        need(0 <= nanoseconds(start) <= nanoseconds(end), "a marker ends behind its start", data)
        need(data["type"] in schemas, "a marker has a schema", data)
        need(data.keys() - {"type"} <= schemas[data["type"]], "the schema names every member of a marker", data)
        yield data, nanoseconds(end) - nanoseconds(start)


def main(path, table=None):
    profile = read(path)
    need(profile.keys() == {"meta", "libs", "shared", "threads"}, "the members of a profile", sorted(profile))
    schemas, categories = check_meta(profile["meta"]), profile["meta"]["categories"]
    texts = profile["shared"]["stringArray"]
    need(all(isinstance(text, str) for text in texts) and len(texts) == len(set(texts)), "a text stands once")
    kinds, kernels, threads, samples = Counter(), defaultdict(lambda: [0, 0]), set(), 0
    for thread in profile["threads"]:
        need(thread.keys() == THREAD, "the members of a thread", sorted(thread.keys() ^ THREAD))
        need(isinstance(thread["pid"], str) and type(thread["tid"]) is int, "pid is a text, tid a number", thread["name"])
        need((thread["pid"], thread["tid"]) not in threads, "a thread stands once", thread["name"])
        threads.add((thread["pid"], thread["tid"]))
        check_stacks(thread, texts, profile["libs"], categories)
        samples += thread["samples"]["length"]
        for data, ns in check_markers(thread, texts, categories, schemas):
            kinds[data["type"]] += 1
            if data["type"] == "kernel":
                total = kernels[data.get("long_kernel_name", "")]
                total[0] += 1
                total[1] += ns
    if table is not None:
        with open(table, encoding="utf-8") as file:
            expected = {row["long_kernel_name"]: (row["calls"], row["gpu_time_ns"]) for row in json.load(file)}
        found = {name: tuple(total) for name, total in kernels.items()}
        different = {name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)}
        need(not different, f"totals of kernels differ: {sorted(different)[:3]}")
    print(json.dumps(dict(sorted(kinds.items())) | {"threads": len(threads), "samples": samples}))


if __name__ == "__main__":
    main(*sys.argv[1:])
