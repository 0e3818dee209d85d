"""In which op do the ranks of a run differ most, and which needs most: with_polars.py LAKE (pip install polars)"""
import sys, polars as pl

time = pl.col("gpu_time_ns")
ops = pl.scan_parquet(f"{sys.argv[1]}/run=*/rank=*/ops.parquet", hive_partitioning=True)
of_ranks = ops.group_by("run", "op_name").agg(
    pl.col("rank").sort_by(time).last(), time.max().alias("most_ns"), time.min().alias("least_ns")
)
order = [pl.col("least_ns") - pl.col("most_ns"), "run", "op_name"]
sys.stdout.write(of_ranks.filter(pl.col("most_ns") > 0).sort(order).collect().write_csv())
