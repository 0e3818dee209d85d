"""Checks a trace by the rules of the Trace Event Format, and its kernels against a table.

    python3 trace.py TRACE [KERNEL_NAMES]

TRACE is a file that `dlprof-agg export` wrote, packed or not. KERNEL_NAMES is what `dlprof-agg show kernel_names --format json`
printed for the same capture and range: calls and time of every kernel name must be equal. Only the standard library is used, and
nothing of the program. Prints what was found as JSON; fails with the first rule that is broken.

The rules are those of the format's description and of what Perfetto's importer does with an event:

- M: `process_name` and `thread_name` have a name, the two sort indexes a number; each stands once, before the first event.
- X: `ts` and `dur` are not negative. On one thread events lie in each other or follow each other. Perfetto misplaces others.
- s, f: an id is a number; each starts once and ends once; both ends lie in an event of their thread, with bp "e" at the end; the
  event at the start is an API call, the one at the end is GPU work.
- C: every value is a finite number.
- Numbers of threads and processes fit 32 bits; a number of a thread stands for one thread, because Perfetto names threads by it.
"""

import bisect
import gzip
import json
import math
import sys
from collections import defaultdict
from decimal import Decimal

WORK = {"kernel", "copy", "memset"}
KINDS = WORK | {"iteration", "range", "op", "api", "mpi", "os", "profiler"}
NAMES = {"process_name": "name", "thread_name": "name"}
INDEXES = {"process_sort_index": "sort_index", "thread_sort_index": "sort_index"}
MEMBERS = {
    "M": ({"ph", "pid", "tid", "name", "args"}, set()),
    "X": ({"ph", "pid", "tid", "ts", "dur", "name", "cat"}, {"args"}),
    "s": ({"ph", "pid", "tid", "ts", "id", "name", "cat"}, set()),
    "f": ({"ph", "pid", "tid", "ts", "id", "name", "cat", "bp"}, set()),
    "C": ({"ph", "pid", "tid", "ts", "name", "args"}, set()),
}


def need(holds, rule, event=None):
    if not holds:
        raise SystemExit(f"{rule}: {json.dumps(event, default=str)}" if event is not None else rule)


def nanoseconds(value, event):
    """A time in microseconds as whole nanoseconds; the text of the number must say no more."""
    ns = Decimal(value) * 1000
    need(ns == ns.to_integral_value() and ns >= 0, "a time is whole nanoseconds from 0 on", event)
    return int(ns)


def read(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        def once(pairs):
            need(len({key for key, _ in pairs}) == len(pairs), "a member stands once", pairs)
            return dict(pairs)
        return json.load(file, parse_float=Decimal, object_pairs_hook=once)


class Trace:
    def __init__(self):
        self.named = {}
        self.process_of = {}
        self.slices = defaultdict(list)
        self.flows = defaultdict(dict)
        self.counters = defaultdict(list)

    def event(self, event):
        phase = event.get("ph")
        need(phase in MEMBERS, "a known phase", event)
        required, optional = MEMBERS[phase]
        need(required <= event.keys() <= required | optional, "the members of its phase", event)
        for key in ("pid", "tid"):
            need(type(event[key]) is int and 0 < event[key] < 2**32, "numbers of threads fit 32 bits", event)
        need(type(event["name"]) is str and event["name"] is not None, "a name is a text", event)
        need(isinstance(event.get("args", {}), dict), "args is an object", event)
        getattr(self, {"M": "metadata", "X": "slice", "s": "flow", "f": "flow", "C": "counter"}[phase])(event)

    def metadata(self, event):
        key = NAMES.get(event["name"]) or INDEXES.get(event["name"])
        need(key is not None and set(event["args"]) == {key}, "known metadata", event)
        value = event["args"][key]
        need(type(value) is (str if event["name"] in NAMES else int), "a name or a number", event)
        of = event["tid"] if event["name"].startswith("thread") else event["pid"]
        need((event["name"], of) not in self.named, "metadata stands once", event)
        self.named[event["name"], of] = value
        if event["name"].startswith("thread"):
            need(event["pid"] == self.process_of.setdefault(of, event["pid"]), "a thread has one process", event)

    def has_names(self, event, of_thread):
        need(("process_name", event["pid"]) in self.named, "a process is named before its first event", event)
        if of_thread:
            need(("thread_name", event["tid"]) in self.named, "a thread is named before its first event", event)
            need(self.process_of[event["tid"]] == event["pid"], "a thread has one process", event)

    def slice(self, event):
        self.has_names(event, True)
        need(event["cat"] in KINDS, "a known category", event)
        start = nanoseconds(event["ts"], event)
        self.slices[event["pid"], event["tid"]].append((start, start + nanoseconds(event["dur"], event), event))

    def flow(self, event):
        self.has_names(event, True)
        need(type(event["id"]) is int, "the id of an arrow is a number", event)
        need(event.get("bp", "e") == "e", "an arrow ends in the event around it", event)
        ends = self.flows[event["id"]]
        need(event["ph"] not in ends, "an arrow starts once and ends once", event)
        ends[event["ph"]] = event

    def counter(self, event):
        self.has_names(event, False)
        need(event["args"], "a counter has a value", event)
        for value in event["args"].values():
            is_number = isinstance(value, (int, Decimal)) and not isinstance(value, bool)
            need(is_number and math.isfinite(value), "the value of a counter is a number", event)
        self.counters[event["pid"], event["name"]].append(nanoseconds(event["ts"], event))

    def check_nesting(self):
        """In order of time, of equal times in order of the file, as Perfetto sorts them."""
        for slices in self.slices.values():
            slices.sort(key=lambda slice: slice[0])
            open_slices = []
            for start, end, event in slices:
                while open_slices and open_slices[-1][0] <= start:
                    open_slices.pop()
                around = open_slices[-1] if open_slices else None
                need(around is None or end <= around[0], "events of a thread lie in each other or follow", event)
                need(around is None or event["cat"] not in WORK, "work of a stream does not lie in other work", event)
                open_slices.append((end, event))

    def around(self, event):
        """The categories of the events of a thread that a time lies in."""
        slices = self.slices[event["pid"], event["tid"]]
        time = nanoseconds(event["ts"], event)
        last = bisect.bisect_right(slices, time, key=lambda slice: slice[0])
        found = set()
        for start, end, other in reversed(slices[:last]):
            if end >= time:
                found.add(other["cat"])
            if start < time and found:
                break
        return found

    def check_flows(self):
        for ends in self.flows.values():
            need(set(ends) == {"s", "f"}, "an arrow has two ends", list(ends.values()))
            need("api" in self.around(ends["s"]), "an arrow starts in an API call", ends["s"])
            need(self.around(ends["f"]) & WORK, "an arrow ends in GPU work", ends["f"])

    def check_counters(self):
        for name, times in self.counters.items():
            need(times == sorted(times), f"the readings of {name} are in order")

    def of_category(self, category):
        for slices in self.slices.values():
            yield from (slice for slice in slices if slice[2]["cat"] == category)

    def kernels(self):
        totals = defaultdict(lambda: [0, 0])
        for start, end, event in self.of_category("kernel"):
            total = totals[event["args"].get("long_kernel_name", "")]
            total[0] += 1
            total[1] += end - start
        return {name: tuple(total) for name, total in totals.items()}


def main(path, table=None):
    document = read(path)
    need(document.keys() == {"displayTimeUnit", "otherData", "traceEvents"}, "the members of the file")
    need(document["displayTimeUnit"] in ("ms", "ns"), "a known unit")
    trace = Trace()
    for event in document["traceEvents"]:
        trace.event(event)
    trace.check_nesting()
    trace.check_flows()
    trace.check_counters()
    kernels = trace.kernels()
    if table is not None:
        with open(table, encoding="utf-8") as file:
            expected = {row["long_kernel_name"]: (row["calls"], row["gpu_time_ns"]) for row in json.load(file)}
        different = {name for name in expected.keys() | kernels.keys() if expected.get(name) != kernels.get(name)}
        need(not different, f"totals of kernels differ: {sorted(different)[:3]}")
    found = {kind: sum(1 for _ in trace.of_category(kind)) for kind in sorted(KINDS)}
    found |= {"arrows": len(trace.flows), "counters": len(trace.counters), "kernel_names": len(kernels)}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
