#!/usr/bin/env python3
"""Makes a Delta log in which writers raced, as test/data/logs/shipments is one.

Nothing that builds or tests deltacc runs this: the log is in the tree.  It needs
Java 17, pyspark 4.1 (pip install pyspark) and the jars of Delta Lake 4.4
(io.delta:delta-spark_4.1_2.13:4.4.0 and what it depends on, from Maven Central):

    make_races.py DIRECTORY JAR...

writes the table DIRECTORY/shipments, and the statements that Delta aborted to
DIRECTORY/shipments/failed-jobs.jsonl.  Who wins a race is left to chance, so no
two runs are the same.
"""
import json
import os
import shutil
import sys
import threading
import time

from pyspark.sql import SparkSession

if len(sys.argv) < 3:
    sys.exit(__doc__)
directory = os.path.abspath(sys.argv[1])
table = f"{directory}/shipments"
name = f"delta.`{table}`"
shutil.rmtree(table, ignore_errors=True)

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.jars", ",".join(sys.argv[2:]))
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.databricks.delta.snapshotPartitions", "2")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")

failed = []


def rows(first, count, region):
    return (
        f"SELECT id AS shipment_id, '{region}' AS region, CASE WHEN id % 3 = 0 THEN 'open' ELSE 'sent' END AS status, "
        f"CAST((id * 37 % 10000) / 7.0 AS DECIMAL(10,2)) AS weight, "
        f"TIMESTAMP'2026-08-01 00:00:00' + make_dt_interval(0, 0, 0, id) AS updated_at FROM range({first}, {first + count}, 1, 1)"
    )


def run(job, statement):
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    started = int(time.time() * 1000)
    try:
        session.sql(statement)
    except Exception as e:  # what Delta raises comes through py4j
        java = getattr(e, "java_exception", None)
        kind = java.getClass().getSimpleName() if java else type(e).__name__
        message = java.toString() if java else str(e)
        failed.append(
            {"table": "shipments", "job": job, "started_at": started, "failed_at": int(time.time() * 1000),
             "statement": statement.replace(directory, "/lake"), "exception": kind,
             "message": message.replace(directory, "/lake")}
        )
        print("aborted", job, kind, flush=True)


def race(*jobs):
    threads = [threading.Thread(target=run, args=job) for job in jobs]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def insert(first, count, region):
    return ("ingest", f"INSERT INTO {name} {rows(first, count, region)}")


def update(job, region, low, high, status):
    return (job, f"UPDATE {name} SET status = '{status}' WHERE region = '{region}' AND shipment_id BETWEEN {low} AND {high}")


def delete(job, condition):
    return (job, f"DELETE FROM {name} WHERE {condition}")


def merge(job, condition, first, count, region, clauses="WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"):
    return (job, f"MERGE INTO {name} t USING ({rows(first, count, region)}) s ON {condition} {clauses}")


spark.sql(
    f"CREATE TABLE {name} (shipment_id BIGINT, region STRING, status STRING, weight DECIMAL(10,2), updated_at TIMESTAMP) "
    "USING delta PARTITIONED BY (region) TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
)
for n, region in enumerate(("APAC", "EU", "US")):
    for part in range(4):
        spark.sql(insert(100000 * n + 1000 * part, 1000, region)[1])

by_key = "s.shipment_id = t.shipment_id"
by_region = by_key + " AND t.region = '{0}'"

# other partitions
race(update("status-eu", "EU", 100000, 100400, "held"), update("status-us", "US", 200000, 200400, "held"))
race(merge("sync-eu", by_region.format("EU"), 100200, 500, "EU"), delete("purge", "region = 'APAC' AND shipment_id BETWEEN 0 AND 200"))
race(merge("sync-eu", by_region.format("EU"), 101000, 300, "EU"), merge("sync-us", by_region.format("US"), 201000, 300, "US"))
# one partition, other files
race(update("status-eu", "EU", 100000, 100100, "late"), update("status-eu-2", "EU", 103000, 103100, "late"))
race(delete("purge", "region = 'US' AND shipment_id BETWEEN 203000 AND 203999"), update("status-us", "US", 201000, 201100, "late"))
race(update("status-apac", "APAC", 1000, 1100, "held"), update("status-apac-2", "APAC", 3000, 3100, "held"), insert(4000, 500, "APAC"))
# a condition that is a join only
race(merge("sync-all", by_key, 102000, 300, "EU"), insert(204000, 500, "US"))
race(merge("sync-all", by_key, 202000, 300, "US"), update("status-eu", "EU", 101000, 101200, "sent"))
race(merge("sync-all", by_key + " AND s.region = t.region", 1500, 300, "APAC"), update("status-us", "US", 200000, 200100, "sent"), insert(5000, 100, "APAC"))
# appends
race(insert(104000, 500, "EU"), insert(205000, 500, "US"), insert(6000, 200, "APAC"))
race(merge("sync-eu", by_region.format("EU"), 103500, 300, "EU"), insert(105000, 400, "EU"))
race(update("status-apac", "APAC", 2000, 2100, "late"), insert(7000, 300, "APAC"))
race(delete("purge", "region = 'EU' AND shipment_id % 50 = 7"), insert(206000, 300, "US"), merge("sync-us", by_region.format("US"), 201500, 200, "US"))
# files that are moved
race(("compact", f"OPTIMIZE {name} WHERE region = 'APAC'"), insert(8000, 300, "APAC"))
race(("compact", f"OPTIMIZE {name} WHERE region = 'US'"), update("status-us", "US", 202000, 202100, "held"))
race(("compact", f"OPTIMIZE {name} WHERE region = 'EU'"), merge("sync-us", by_region.format("US"), 205000, 100, "US"))
# everything is read
race(merge("mirror", by_region.format("EU"), 100000, 200, "EU", "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED BY SOURCE AND t.shipment_id < 0 THEN DELETE"),
     update("status-apac", "APAC", 3000, 3050, "sent"))
race(("reload", f"INSERT INTO {name} REPLACE WHERE region = 'APAC' {rows(0, 800, 'APAC')}"),
     merge("sync-eu", by_region.format("EU"), 104000, 100, "EU"), update("status-us", "US", 200500, 200600, "late"))
race(merge("sync-us", by_region.format("US"), 204000, 200, "US"), delete("purge", "region = 'EU' AND shipment_id BETWEEN 105000 AND 105050"),
     insert(9000, 50, "APAC"))

with open(f"{table}/failed-jobs.jsonl", "w") as out:
    for job in sorted(failed, key=lambda j: j["started_at"]):
        out.write(json.dumps(job) + "\n")
spark.stop()
