"""Counts, and which faults are kept."""

import re
import shutil
import sys
import threading
from collections import Counter, defaultdict

from case import MOST_ALIKE


class Tally:
    def __init__(self, folder, seed):
        self.folder, self.seed, self.faults = folder / f"seed-{seed}", seed, 0
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.lock = threading.Lock()
        self.alike = Counter()
        self.kinds = defaultdict(Kind)

    def add(self, case):
        with self.lock:
            self.kinds[case.kind].add(case)
            self.faults += len(case.faults)
            for text, where, _ in case.faults:
                if self.alike[signature(case.kind, text)] < MOST_ALIKE:
                    print(f"FAULT case {case.number} of seed {self.seed}, {case.kind}: {text}{where}", file=sys.stderr,
                          flush=True)

    def keeps(self, case):
        """Whether a fault of the case was not seen often enough yet."""
        with self.lock:
            names = {signature(case.kind, text) for text, _, _ in case.faults}
            is_new = any(self.alike[name] < MOST_ALIKE for name in names)
            self.alike.update(names)
            return is_new

    def table(self, minutes):
        lines = [
            f"Campaign of {minutes:.0f} minutes, seed {self.seed}:",
            "",
            "| kind | cases | runs | exit 0 | 1, 6 | 2 | 3 | 4 | 5 | by signal | most CPU s | most MB | faults |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ]
        total = Kind()
        for name, kind in sorted(self.kinds.items()):
            lines.append(kind.row(name))
            total.merge(kind)
        lines.append(total.row("all"))
        if self.faults:
            lines += ["", f"Faults are in {self.folder}:", ""]
            lines += [f"- {count} × {name}" for name, count in self.alike.most_common()]
        return "\n".join(lines)


class Kind:
    def __init__(self):
        self.cases = self.runs = self.faults = 0
        self.codes = Counter()
        self.cpu_seconds = self.memory_mb = 0.0

    def add(self, case):
        self.cases += 1
        self.runs += len(case.runs)
        self.faults += len(case.faults)
        for run in case.runs:
            self.codes[run.code if run.code is not None and 0 <= run.code <= 6 else "signal"] += 1
            self.cpu_seconds = max(self.cpu_seconds, run.cpu_seconds)
            self.memory_mb = max(self.memory_mb, run.memory_mb)

    def merge(self, other):
        self.cases, self.runs, self.faults = self.cases + other.cases, self.runs + other.runs, self.faults + other.faults
        self.codes.update(other.codes)
        self.cpu_seconds = max(self.cpu_seconds, other.cpu_seconds)
        self.memory_mb = max(self.memory_mb, other.memory_mb)

    def row(self, name):
        codes = self.codes
        counts = [self.cases, self.runs, codes[0], codes[1] + codes[6], codes[2], codes[3], codes[4], codes[5], codes["signal"]]
        cells = [f"{count:,}" for count in counts]
        return f"| {name} | {' | '.join(cells)} | {self.cpu_seconds:.1f} | {self.memory_mb:,.0f} | {self.faults:,} |"


def signature(kind, text):
    """What is wrong, without numbers, so that one fault is not kept a thousand times."""
    return f"{kind}: {re.sub(r'[0-9]+', 'N', text)[:120]}"
