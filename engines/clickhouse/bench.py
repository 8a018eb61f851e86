#!/usr/bin/env python3
"""Times the functions of the WebAssembly module in chdb beside ClickHouse's own: bench.py MODULE.wasm TEXT...

Rows are lines of a text, in memory, up to 32 MB. CPU time of one thread, the least of ten turns, less that of the same
query without a function. Needs the Python package chdb.
"""

import resource
import sys
from pathlib import Path

import chdb

TURNS = 10
# Without it, ClickHouse computes the size of each row to split its blocks, which takes a microsecond a row.
SETTINGS = "max_threads = 1, webassembly_udf_max_input_block_size = 8192"
LEAST = 32 << 20
FUNCTIONS = ["decodeURLComponent", "wasm_decode_bytes", "wasm_decode_lossy", "decodeURLFormComponent", "wasm_form_decode_lossy",
             "encodeURLComponent", "wasm_encode", "wasm_normalize", "wasm_canonical_path"]


def seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def connect(module):
    connection = chdb.connect(":memory:?allow_experimental_webassembly_udf=1")
    connection.query(f"insert into system.webassembly_modules (name, code) select 'simdpct', code from file('{module}', RawBLOB, 'code String')")
    for statement in (Path(__file__).parent / "functions.sql").read_text().split(";"):
        if statement.strip():
            connection.query(statement)
    return connection


def main():
    connection = connect(Path(sys.argv[1]).resolve())
    print(f"ClickHouse {str(connection.query('select version()', 'TSV')).strip()}, MB/s of CPU time, one thread")
    print("| text | " + " | ".join(FUNCTIONS) + " |")
    for text in sys.argv[2:]:
        path = Path(text).resolve()
        copies = -(-LEAST // path.stat().st_size)
        connection.query("drop table if exists texts")
        connection.query("create table texts (u String) engine = Memory")
        for _ in range(copies):
            connection.query(f"insert into texts select line from file('{path}', LineAsString)")
        size = int(str(connection.query("select sum(length(u)) from texts", "TSV")))
        least = {}
        for _ in range(TURNS):
            for function in ["", *FUNCTIONS]:
                began = seconds()
                connection.query(f"select sum(length({function}(u))) from texts settings {SETTINGS}", "TSV")
                least[function] = min(least.get(function, 1e9), seconds() - began)
        print(f"| {path.name} | " + " | ".join(f"{size / 1e6 / (least[name] - least['']):.0f}" for name in FUNCTIONS) + " |")


if __name__ == "__main__":
    main()
