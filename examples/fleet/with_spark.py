"""In which op do the ranks of a run differ most, and which needs most: with_spark.py LAKE (pip install pyspark; Java 17)"""
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("lake").getOrCreate()
ops = spark.read.option("basePath", sys.argv[1]).parquet(f"{sys.argv[1]}/run=*/rank=*/ops.parquet")
ops.createOrReplaceTempView("ops")
rows = spark.sql("""
    SELECT run, op_name, max_by(rank, gpu_time_ns) AS rank, max(gpu_time_ns) AS most_ns, min(gpu_time_ns) AS least_ns
    FROM ops GROUP BY run, op_name HAVING max(gpu_time_ns) > 0
    ORDER BY most_ns - least_ns DESC, run, op_name
""")
print("\n".join(",".join(map(str, row)) for row in [rows.columns, *rows.collect()]))
