"""In which op do the ranks of a run differ most, and which needs most: with_duckdb.py LAKE (pip install duckdb)"""
import sys, duckdb

files = f"{sys.argv[1]}/run=*/rank=*/ops.parquet"
duckdb.sql(f"""
    SELECT run, op_name, arg_max(rank, gpu_time_ns) AS rank, max(gpu_time_ns) AS most_ns, min(gpu_time_ns) AS least_ns
    FROM read_parquet('{files}', hive_partitioning = true)
    GROUP BY run, op_name HAVING max(gpu_time_ns) > 0
    ORDER BY most_ns - least_ns DESC, run, op_name
""").write_csv("/dev/stdout")
