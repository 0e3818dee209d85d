"""Which ops need most of the GPUs in all captures: with_ray.py CAPTURE… (pip install dlprof-agg ray)"""
import sys
from collections import Counter

import ray


@ray.remote(max_retries=3)  # a worker that dies is replaced: its capture is read again
def of(file):
    import dlprof_agg

    ops = dlprof_agg.read(file, threads=1).table("ops", columns=["op_name", "gpu_time_ns"])
    return [(row["op_name"], row["gpu_time_ns"]) for row in ops if row["gpu_time_ns"]]


total = Counter()
ray.init(log_to_driver=False)  # RAY_ADDRESS names a cluster; without it, this machine
for rows in ray.get([of.remote(file) for file in sys.argv[1:]]):
    for name, ns in rows:
        total[name] += ns
for name, ns in sorted(total.items(), key=lambda row: (-row[1], row[0])):
    print(f"{ns},{name}")
