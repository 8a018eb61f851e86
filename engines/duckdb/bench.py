"""Compares CPU seconds of decoding URLs with DuckDB's own function. `engines/duckdb/check --bench` runs it.

The texts are lines of the corpora in SIMDPCT_CORPORA, shuffled, in a Parquet file without a dictionary. Texts
that DuckDB's own function refuses are left out. The functions take turns. The minimum time of each function
counts, less the time of a scan.
"""

import os
import tempfile
import time
from pathlib import Path

import duckdb

CORPORA = Path(os.environ["SIMDPCT_CORPORA"])
ROUNDS = 7
COPIES = 20
FUNCTIONS = {
    "scan": "u",
    "url_decode": "url_decode(u)",
    "pct_decode": "pct_decode(u)",
    "try_pct_decode": "try_pct_decode(u)",
    "pct_decode_lossy": "pct_decode_lossy(u)",
    "url_encode": "url_encode(u)",
    "pct_encode": "pct_encode(u)",
    "pct_normalize": "pct_normalize(u)",
    "url_findings": "url_findings(u)::varchar",
}


def main():
    connection = duckdb.connect(config={"allow_unsigned_extensions": True, "threads": 1})
    connection.load_extension(os.environ["EXTENSION"])
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/urls.parquet"
        names = ["typical_urls.txt", "nonlatin_urls.txt", "resource_urls.txt"]
        lines = [line for name in names for line in (CORPORA / name).read_text(errors="replace").split("\n") if line]
        connection.execute("create table t as select unnest($1::varchar[]) u", [lines])
        connection.execute(
            f"copy (select u from t, range({COPIES}) where try_pct_decode(u) is not null order by hash(u))"
            f" to '{path}' (dictionary_size_limit 1)"
        )
        connection.execute("drop table t")
        summary = "select count(*), sum(strlen(u)), avg(contains(u, '%')::integer) from"
        rows, size, escaped = connection.execute(f"{summary} '{path}'").fetchone()
        print(f"DuckDB {duckdb.__version__}: {rows} rows, {size / 1e6:.0f} MB, {escaped:.0%} with '%'; CPU seconds, one thread")
        best = {}
        for _ in range(ROUNDS):
            for name, expression in FUNCTIONS.items():
                start = time.process_time()
                connection.execute(f"select sum(strlen({expression})) from '{path}'").fetchall()
                best[name] = min(best.get(name, float("inf")), time.process_time() - start)
        for name, seconds in best.items():
            print(f"{name:18} {seconds:6.2f}   net of the scan {seconds - best['scan']:6.2f}")


if __name__ == "__main__":
    main()
