"""Which ops need most of the GPUs in all captures: with_dask.py SCHEDULER CAPTURE… (pip install dlprof-agg 'dask[distributed]')"""
import sys
from collections import Counter

from dask.distributed import Client


def of(file):
    import dlprof_agg

    ops = dlprof_agg.read(file, threads=1).table("ops", columns=["op_name", "gpu_time_ns"])
    return [(row["op_name"], row["gpu_time_ns"]) for row in ops if row["gpu_time_ns"]]


total = Counter()
client = Client(sys.argv[1])  # tcp://host:8786, where every worker sees the captures under the same names
for rows in client.gather(client.map(of, sys.argv[2:])):  # a worker that dies is replaced: its captures are read again
    for name, ns in rows:
        total[name] += ns
for name, ns in sorted(total.items(), key=lambda row: (-row[1], row[0])):
    print(f"{ns},{name}")
