"""Times delta-rs and DuckDB on a log, in turn with deltacc (in the server that the
environment names), and prints the results as SQL for bench.results.

    rivals.py TABLE RUNS COLUMNS
"""
import json
import os
import statistics
import subprocess
import sys
import time

import deltalake
import duckdb

table, runs, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
log = os.path.join(table, "_delta_log", "00000000000000000000.json")

server = subprocess.Popen(["psql", "-X", "-q", "-tA", "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ours():
    # The server's own clock, without the way there.
    server.stdin.write("SELECT bench.once('SELECT pg_column_size(body::deltacc.actions) FROM bench.raw_text');\n")
    server.stdin.flush()
    return float(server.stdout.readline())


def clocked(what):
    def run():
        started = time.perf_counter()
        what()
        return (time.perf_counter() - started) * 1000
    return run


duck = duckdb.connect()
duck.execute("SET threads = 1")

# The path and two columns' statistics, which is all that one read needs.
KEEP = f"""
CREATE OR REPLACE TABLE kept AS
SELECT add.path AS path,
    (stats -> '$.minValues.long_1')::BIGINT AS long_least, (stats -> '$.maxValues.long_1')::BIGINT AS long_greatest,
    (stats -> '$.minValues.double_2')::DOUBLE AS double_least, (stats -> '$.maxValues.double_2')::DOUBLE AS double_greatest
FROM (
    SELECT add, add.stats::JSON AS stats
    FROM read_json('{log}', format = 'newline_delimited', columns = {{'add': 'STRUCT(path VARCHAR, stats VARCHAR)'}})
    WHERE add IS NOT NULL)
"""

contenders = {
    "ours": ours,
    "delta-rs": clocked(lambda: deltalake.DeltaTable(table)),
    "DuckDB": clocked(lambda: duck.execute(KEEP)),
}
took = {name: [] for name in contenders}
for run in range(runs + 1):
    for name, once in contenders.items():
        ms = once()
        if run > 0:
            took[name].append(ms)

median = {name: statistics.median(times) for name, times in took.items()}
files = duck.execute("SELECT count(*) FROM kept").fetchone()[0]
for name, rival, at_most in (
    ("delta-rs", f"delta-rs {deltalake.__version__} loads the log", 1.0),
    ("DuckDB", f"DuckDB {duckdb.__version__}, one thread, keeps path and two columns, indexes nothing", 1.5),
):
    print(f"SELECT bench.enter(1, 'raw text to deltacc.actions, {columns} columns indexed', {files}, "
          f"{median['ours']}, '{rival}', {median[name]}, {at_most});")
