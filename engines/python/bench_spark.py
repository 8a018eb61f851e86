#!/usr/bin/env python3
"""Measures CPU seconds of Spark's functions and of simdpct.spark. `engines/python/check-spark --bench` runs
it.

Usage: bench_spark.py [--megabytes N] [--rounds N]

The data are URLs of the corpora in Parquet, the cluster has two executors on this machine. The queries take
turns. The median of the rounds counts, after two rounds for the JVM's compiler. All processes count: the
driver, the executors and the Python workers. The net cost of a query is the difference to a query that only
reads the column.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

import pandas
import pyarrow
import pyarrow.parquet
import simdpct.spark
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import StringType

CORPORA = Path(os.environ.get("SIMDPCT_CORPORA", Path(__file__).parents[3] / "shared/corpora"))

ONE = "sum(length(decoded))"
FIVE = "sum(length(decoded)), count(host), count(path), sum(length(q)), count_if(malformed)"
MALFORMED = "url rlike '%(?![0-9A-Fa-f]{2})' malformed"
OURS = {
    "decoded": ("form_decode_lossy", "url"),
    "host": ("url_part", "url", "host"),
    "path": ("url_part", "url", "path"),
    "q": ("url_query_value", "url", "q"),
    "malformed": ("url_has", "url", "malformed"),
}


def write_urls(folder, megabytes):
    """Four files of shuffled URLs. Returns their number."""
    names = ["typical_urls.txt", "nonlatin_urls.txt", "resource_urls.txt"]
    lines = [line for name in names for line in (CORPORA / name).read_text("utf-8", "replace").split("\n") if line]
    size = sum(len(line.encode()) for line in lines)
    lines *= max(1, round(megabytes * 1e6 / size))
    random.Random(1).shuffle(lines)
    for part in range(4):
        table = pyarrow.table({"url": lines[part::4]})
        pyarrow.parquet.write_table(table, f"{folder}/{part}.parquet", use_dictionary=False)
    return len(lines)


@pandas_udf(StringType())
def urllib_unquote_plus(column: pandas.Series) -> pandas.Series:
    return column.map(urllib.parse.unquote_plus, na_action="ignore")


def queries(spark):
    """The queries. Each takes the frame of URLs and returns a frame with a single row."""

    spark.udf.register("our_try_url_decode", simdpct.spark.udf("try_url_decode"))
    spark.udf.register("urllib_unquote_plus", urllib_unquote_plus)
    one_pass = {"decoded": ("try_url_decode", "url")}

    def select(expressions, results):
        return lambda frame: frame.selectExpr(*expressions).selectExpr(*results.split(", "))

    return {
        "scan": select(["url"], "sum(length(url))"),
        "one: try_url_decode of Spark": select(["try_url_decode(url) decoded"], ONE),
        "one: arrow_udf of ours": select(["our_try_url_decode(url) decoded"], ONE),
        "one: with_columns": lambda frame: simdpct.spark.with_columns(frame, **one_pass).selectExpr(ONE),
        "one: pandas_udf of urllib": select(["urllib_unquote_plus(url) decoded"], ONE),
        "five: functions of Spark": select(
            [
                "try_url_decode(url) decoded",
                "try_parse_url(url, 'HOST') host",
                "try_parse_url(url, 'PATH') path",
                "try_url_decode(try_parse_url(url, 'QUERY', 'q')) q",
                MALFORMED,
            ],
            FIVE,
        ),
        "five: arrow_udf of ours": select(
            [
                "form_decode_lossy(url) decoded",
                "url_part(url, 'host') host",
                "url_part(url, 'path') path",
                "url_query_value(url, 'q') q",
                "url_has(url, 'malformed') malformed",
            ],
            FIVE,
        ),
        "five: with_columns": lambda frame: simdpct.spark.with_columns(frame, **OURS).selectExpr(*FIVE.split(", ")),
    }


def cpu_seconds():
    """The CPU seconds of this process and all its descendants."""
    processes = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            # Skips number and name. Field 1 is the parent; the last fields are user and system time, with
            # ended children.
            processes[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    total, family = 0, [os.getpid()]
    while family:
        process = family.pop()
        total += processes.pop(process, (0, 0))[1]
        family += [child for child, (parent, _) in processes.items() if parent == process]
    return total / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not CORPORA.is_dir():
        sys.exit(f"{CORPORA} does not exist: set SIMDPCT_CORPORA, or make one by scripts/make-corpus")

    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536").getOrCreate()
    simdpct.spark.register(spark)
    with tempfile.TemporaryDirectory() as folder:
        rows = write_urls(folder, options.megabytes)
        frame = spark.read.parquet(f"file://{folder}")
        size = frame.selectExpr("sum(octet_length(url))").first()[0]
        contestants = queries(spark)
        results, cpus, walls = {}, {name: [] for name in contestants}, {name: [] for name in contestants}
        for turn in range(options.rounds + 2):
            for name, query in contestants.items():
                begin, cpu = time.perf_counter(), cpu_seconds()
                result = tuple(query(frame).first())
                wall, cpu = time.perf_counter() - begin, cpu_seconds() - cpu
                assert results.setdefault(name, result) == result
                if turn >= 2:
                    cpus[name].append(cpu)
                    walls[name].append(wall)
        load = os.getloadavg()[0]
        print(f"Spark {spark.version}, {rows} rows, {size / 1e6:.0f} MB, load {load:.1f}; medians of {options.rounds} rounds")
        print(f"{'':32} {'CPU s':>6} {'net':>6} {'wall s':>6}   result")
        scan = statistics.median(cpus["scan"])
        for name in contestants:
            cpu, wall = statistics.median(cpus[name]), statistics.median(walls[name])
            print(f"{name:32} {cpu:6.2f} {cpu - scan:6.2f} {wall:6.2f}   {results[name]}")
    spark.stop()


if __name__ == "__main__":
    main()
