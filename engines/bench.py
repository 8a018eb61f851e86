#!/usr/bin/env python3
"""Measures what a function of URLs costs in data engines; engines/bench runs it.

Usage: bench.py make FOLDER MEGABYTES CORPORA      the texts, as Parquet files
       bench.py engine NAME THREADS FOLDER PASS    one engine: a line of JSON for each run
       bench.py page FOLDER PASSES                 all engines in turns, and the page

The environment variables EXTENSION and UDF are the path of DuckDB's extension and the folder with
udf.xml and pct.
"""

import ctypes
import datetime
import importlib.metadata
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FILES = 4
#: Number of runs of a query in one process. The best run counts.
RUNS = 3


def make(folder, megabytes, corpora):
    """Shuffled URLs that decode to UTF-8. Other URLs would end the query in some functions."""
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet
    from simdpct import columns

    names = ["typical_urls.txt", "nonlatin_urls.txt", "resource_urls.txt"]
    lines = [line for name in names for line in (corpora / name).read_text("utf-8", "replace").split("\n") if line]
    column = pyarrow.array(lines)
    column = column.filter(pyarrow.compute.is_valid(pyarrow.array(columns.try_decode(column))))
    copies = max(FILES, round(megabytes * 1e6 / pyarrow.compute.sum(pyarrow.compute.binary_length(column)).as_py()))
    source = random.Random(1)
    folder.mkdir(parents=True)
    for file in range(FILES):
        rows = [row for row in range(len(column)) for _ in range(copies // FILES + (file < copies % FILES))]
        source.shuffle(rows)
        table = pyarrow.table({"u": column.take(pyarrow.array(rows))})
        pyarrow.parquet.write_table(table, folder / f"{file}.parquet", use_dictionary=False, row_group_size=1 << 18)


class Query:
    """A function: its label, and how to run it. A slow function runs once, in the first pass."""

    def __init__(self, label, run, is_slow=False):
        self.label, self.run, self.is_slow = label, run, is_slow


def datafusion(threads, folder):
    """The Python package as a function of pyarrow's arrays: one call for 8192 rows."""
    import pyarrow
    from datafusion import SessionConfig, SessionContext, col, udf
    from datafusion import functions as functions_of_sql
    from simdpct import columns

    config = SessionConfig().with_target_partitions(threads)
    # Reads strings as arrays with offsets. With views, DataFusion's scan takes more than twice as long.
    config = config.set("datafusion.execution.parquet.schema_force_view_types", "false")
    context = SessionContext(config)
    context.register_parquet("t", str(folder))

    def sql(name, function):
        def apply(column):
            return pyarrow.array(function(column))

        context.register_udf(udf(apply, [pyarrow.string()], pyarrow.string(), "immutable", name))
        return lambda: context.sql(f"select sum(octet_length({name}(u))) from t").collect()[0].column(0)[0].as_py()

    def of_spark():
        from datafusion.functions import spark

        frame = context.table("t").select(spark.url_decode(col("u")).alias("u"))
        total = functions_of_sql.sum(functions_of_sql.octet_length(col("u")))
        return frame.aggregate([], [total]).collect()[0].column(0)[0].as_py()

    return [
        Query("", lambda: context.sql("select sum(octet_length(u)) from t").collect()[0].column(0)[0].as_py()),
        Query("url_decode of datafusion-spark", of_spark),
        Query("pct_decode of simdpct", sql("pct_decode", columns.decode)),
        Query("form_decode of simdpct", sql("form_decode", columns.form_decode)),
        Query("pct_decode_lossy of simdpct", sql("pct_decode_lossy", columns.decode_lossy)),
    ]


def polars(threads, folder):
    """The expressions of simdpct.polars. Polars has no such function of its own."""
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars
    import simdpct.polars as functions

    frame = polars.scan_parquet(folder / "*.parquet")

    def select(expression):
        return lambda: frame.select(expression.str.len_bytes().cast(polars.Int64).sum()).collect(engine="streaming").item()

    return [
        Query("", select(polars.col("u"))),
        Query("decode of simdpct", select(functions.decode("u"))),
        Query("form_decode of simdpct", select(functions.form_decode("u"))),
        Query("decode_lossy of simdpct", select(functions.decode_lossy("u"))),
    ]


def duckdb(threads, folder):
    """The extension."""
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": True, "threads": threads})
    connection.load_extension(os.environ["EXTENSION"])

    def select(expression):
        return lambda: int(connection.execute(f"select sum(strlen({expression})) from '{folder}/*.parquet'").fetchone()[0])

    return [
        Query("", select("u")),
        Query("url_decode of DuckDB", select("url_decode(u)")),
        Query("pct_decode of simdpct", select("pct_decode(u)")),
        Query("form_decode of simdpct", select("form_decode(u)")),
        Query("pct_decode_lossy of simdpct", select("pct_decode_lossy(u)")),
    ]


def clickhouse(threads, folder):
    """ClickHouse in chdb. pct is an executable function: a child process uses its CPU seconds."""
    import chdb

    def select(expression):
        sql = f"select sum(length({expression})) from file('{folder}/*.parquet', Parquet, 'u String') settings max_threads = {threads}"
        return lambda: int(str(chdb.query(sql, "TabSeparated", udf_path=os.environ["UDF"])))

    return [
        Query("", select("u")),
        Query("decodeURLComponent of ClickHouse", select("decodeURLComponent(u)")),
        Query("decodeURLFormComponent of ClickHouse", select("decodeURLFormComponent(u)")),
        Query("pct_decode_lossy by running pct", select("assumeNotNull(pct_decode_lossy(u))"), is_slow=True),
    ]


def python(threads, folder):
    """Columns of pyarrow, with a thread for each file."""
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet
    from simdpct import columns
    from urllib.parse import unquote

    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)

    def total(function):
        def of_file(path):
            count = 0
            for batch in pyarrow.parquet.ParquetFile(path).iter_batches(1 << 16, use_threads=False):
                lengths = pyarrow.compute.binary_length(function(batch.column(0)))
                count += pyarrow.compute.sum(lengths).as_py()
            return count

        def run():
            with ThreadPoolExecutor(threads) as pool:
                return sum(pool.map(of_file, sorted(folder.glob("*.parquet"))))

        return run

    def of_columns(function):
        return total(lambda column: pyarrow.array(function(column)))

    return [
        Query("", total(lambda column: column)),
        Query("unquote of urllib.parse, in a list", total(lambda column: pyarrow.array([unquote(u) for u in column.to_pylist()])), is_slow=True),
        Query("columns.decode of simdpct", of_columns(columns.decode)),
        Query("columns.form_decode of simdpct", of_columns(columns.form_decode)),
        Query("columns.decode_lossy of simdpct", of_columns(columns.decode_lossy)),
    ]


ENGINES = {
    "DataFusion": (datafusion, "datafusion"),
    "Polars": (polars, "polars"),
    "DuckDB": (duckdb, "duckdb"),
    "ClickHouse": (clickhouse, "chdb"),
    "Python, pyarrow": (python, "pyarrow"),
}


def cpu_seconds():
    """User and system time, including children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def disable_huge_pages():
    """Disables transparent huge pages for this process. On a virtual machine that returns
    free memory to its host, clearing the same 300 huge pages took 0.05 s or 0.9 s, which is
    more than the work that is measured. With small pages it always takes 0.1 s.
    """
    PR_SET_THP_DISABLE = 41
    assert ctypes.CDLL(None, use_errno=True).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0


def run_engine(name, threads, folder, pass_number):
    disable_huge_pages()
    queries = ENGINES[name][0](threads, folder)
    for turn in range(RUNS):
        # Repeats the scan at the end, because its time is subtracted from all others.
        for query in [*queries, queries[0]]:
            if turn + pass_number == 0 or not query.is_slow:
                begin, cpu = time.perf_counter(), cpu_seconds()
                result = query.run()
                figures = {"cpu": cpu_seconds() - cpu, "wall": time.perf_counter() - begin, "result": result}
                print(json.dumps({"label": query.label, **figures}), flush=True)


def measure(folder, passes):
    """The minimum CPU and wall times of each query: {(engine, threads, label): [cpu, wall]}."""
    best, sums = {}, set()
    for turn in range(passes):
        for engine in ENGINES:
            for threads in [1, 2]:
                print(f"pass {turn + 1}: {engine}, {threads}", file=sys.stderr)
                command = [sys.executable, __file__, "engine", engine, str(threads), str(folder), str(turn)]
                lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
                # Other code may print too.
                for run in [json.loads(line) for line in lines if line.startswith('{"label"')]:
                    key = (engine, threads, run["label"])
                    least = best.get(key, [float("inf")] * 2)
                    best[key] = [min(least[0], run["cpu"]), min(least[1], run["wall"])]
                    sums.add((run["label"] != "", run["result"]))
    # A scan reads the texts undecoded, and all functions decode them to the same lengths.
    assert len(sums) == 2, f"the results differ: {sums}"
    return best, dict(sums)


def net(best, engine, threads, label):
    """CPU seconds, less the CPU seconds of the scan."""
    return best[engine, threads, label][0] - best[engine, threads, ""][0]


#: The minimum difference that is not noise, as a share of the scan's time.
LEAST_SHARE = 0.1

#: The targets: the function, its peer, and the minimum ratio of speeds.
TARGETS = [
    (("DataFusion", "pct_decode of simdpct"), ("ClickHouse", "decodeURLComponent of ClickHouse"), 2.5),
    (("DataFusion", "pct_decode of simdpct"), ("DuckDB", "url_decode of DuckDB"), 8),
    (("Polars", "decode of simdpct"), ("ClickHouse", "decodeURLComponent of ClickHouse"), 2.5),
    (("Polars", "decode of simdpct"), ("DuckDB", "url_decode of DuckDB"), 8),
    (("DuckDB", "pct_decode of simdpct"), ("DuckDB", "url_decode of DuckDB"), 3),
]


def machine():
    fields = dict(re.findall(r"^([^:\n]+):\s*(.*)$", subprocess.check_output(["lscpu"], text=True), re.MULTILINE))
    has_avx512 = "AVX-512" if "avx512bw" in fields.get("Flags", "") else "no AVX-512"
    return f"{fields.get('Model name', 'an unnamed CPU')}, {os.cpu_count()} CPUs, {has_avx512}"


def page(folder, passes):
    loads = [os.getloadavg()[0]]
    best, sums = measure(folder, passes)
    loads.append(os.getloadavg()[0])
    yield from render(folder, passes, best, sums, loads)


def render(folder, passes, best, sums, loads):
    import pyarrow.compute
    import pyarrow.dataset

    urls = pyarrow.dataset.dataset(folder)
    escaped = urls.count_rows(filter=pyarrow.compute.match_substring(pyarrow.dataset.field("u"), "%"))
    rows = urls.count_rows()
    size = sum(path.stat().st_size for path in folder.glob("*.parquet"))
    versions = ", ".join(f"{package} {importlib.metadata.version(package)}" for _, package in ENGINES.values())
    yield f"""# Decoding in data engines

Written by `engines/bench`, from one run; not to be edited. [engines.md](engines.md) documents the functions.

- Texts: {rows:,} URLs of the corpora, shuffled, {sums[False] / 1e6:.0f} MB, {escaped / rows:.0%} with a `%`; {FILES} Parquet files without
  dictionaries, {size / 1e6:.0f} MB. All decode to UTF-8, because some functions end the query if one does not.
- Query: `select sum(octet_length(f(u)))`. All functions return {sums[True]:,} bytes.
- "CPU, net": CPU seconds (user and system, of all threads) of the query, less the CPU seconds of a query that only reads the column. "Wall": the whole time of the query.
- The minimum of {passes} passes of {RUNS} runs each; functions that run Python for each row, or another program, ran once. In a pass, the engines
  take turns, each in a separate process without transparent huge pages: clearing the same huge pages takes 0.05 or 0.9 s.
- DataFusion calls our Python package once for 8192 rows. Polars calls its plugin, DuckDB its extension.
- Machine: {machine()}; load {loads[0]:.1f} at the start, {loads[1]:.1f} at the end, of which the benchmark is up to 2. Other work makes wall times too long.
- {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC; Python {sys.version.split()[0]}, {versions}
"""
    if max(loads) > 2 * os.cpu_count():
        yield "**Provisional: the machine had much other work. Differences of less than half a second are noise.**\n"
    yield "| engine | function | CPU, net, 1 thread | wall | CPU, net, 2 threads | wall |\n|---|---|---:|---:|---:|---:|"
    for engine, threads, label in best:
        if threads == 1:
            one, two = best[engine, 1, label], best[engine, 2, label]
            if label:
                cells = [net(best, engine, 1, label), one[1], net(best, engine, 2, label), two[1]]
                name = f"**{label}**" if "simdpct" in label else label
            else:
                cells, name = [one[0], one[1], two[0], two[1]], "the scan itself, not net"
            yield f"| {engine} | {name} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |"
    yield """
## Targets

CPU seconds, net of the scan, one thread.

| function | compared with | times as fast | wanted | |
|---|---|---:|---:|---|"""
    for ours, theirs, wanted in TARGETS:
        cost = net(best, ours[0], 1, ours[1])
        if cost < LEAST_SHARE * best[ours[0], 1, ""][0]:
            ratio, verdict = "–", "not known: ours is in the noise of the scan"
        else:
            ratio = net(best, theirs[0], 1, theirs[1]) / cost
            ratio, verdict = f"{ratio:.1f}", "met" if ratio >= wanted else "**not met**"
        yield f"| {ours[0]}: {ours[1]} | {theirs[0]}: {theirs[1]} | {ratio} | {wanted} | {verdict} |"


def main():
    command, *arguments = sys.argv[1:]
    if command == "make":
        make(Path(arguments[0]), int(arguments[1]), Path(arguments[2]))
    elif command == "engine":
        run_engine(arguments[0], int(arguments[1]), Path(arguments[2]), int(arguments[3]))
    else:
        print("\n".join(page(Path(arguments[0]), int(arguments[1]))))


if __name__ == "__main__":
    main()
