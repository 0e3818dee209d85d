"""Which ops need most of the GPUs in all captures: with_spark_captures.py CAPTURE… (pip install dlprof-agg pyspark pandas pyarrow; Java 17)"""
import sys

from pyspark.sql import SparkSession


def of(batches):
    import dlprof_agg
    import pyarrow

    for batch in batches:
        for file in batch.column(0).to_pylist():
            ops = pyarrow.table(dlprof_agg.read(file, threads=1).table("ops", columns=["op_name", "gpu_time_ns"]))
            # Spark knows no dictionaries.
            yield from ops.cast(pyarrow.schema([("op_name", "string"), ("gpu_time_ns", "int64")])).to_batches()


spark = SparkSession.builder.appName("captures").getOrCreate()
files = spark.createDataFrame([(file,) for file in sys.argv[1:]], "file string").repartition(len(sys.argv) - 1)
ops = files.mapInArrow(of, "op_name string, gpu_time_ns long").where("gpu_time_ns > 0")
rows = ops.groupBy("op_name").sum("gpu_time_ns").collect()
for row in sorted(rows, key=lambda row: (-row[1], row[0])):
    print(f"{row[1]},{row[0]}")
