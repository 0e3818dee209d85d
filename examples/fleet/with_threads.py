"""Which ops need most of the GPUs in all captures: with_threads.py CAPTURE… (pip install dlprof-agg)"""
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import dlprof_agg


def of(file):
    ops = dlprof_agg.read(file, threads=1).table("ops", columns=["op_name", "gpu_time_ns"])
    return [(row["op_name"], row["gpu_time_ns"]) for row in ops if row["gpu_time_ns"]]


total = Counter()
with ThreadPoolExecutor() as pool:
    for rows in pool.map(of, sys.argv[1:]):
        for name, ns in rows:
            total[name] += ns
for name, ns in sorted(total.items(), key=lambda row: (-row[1], row[0])):
    print(f"{ns},{name}")
