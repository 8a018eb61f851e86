"""Files of pyarrow and DuckDB through pct, and back. usage: columns.py check|bench PCT [URLS]"""

import itertools
import os
import resource
import subprocess
import sys
import tempfile
import time
from urllib.parse import unquote

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

URLS = ["/caf%C3%A9", None, "%41", "plain", "", "a%20b", "%F0%9F%98%80", "%2541"]


def table(count):
    """Columns of many types, of which `url`, `tags` and `large` are to be decoded."""
    urls = [URLS[row % len(URLS)] for row in range(count)]
    tags = [None if row % 5 == 0 else urls[row : row + row % 3] for row in range(count)]
    return pa.table(
        {
            "id": pa.array(range(count), pa.int64()),
            "url": pa.array(urls, pa.string()),
            "tags": pa.array(tags, pa.list_(pa.string())),
            "large": pa.array(urls, pa.large_string()),
            "category": pa.array(urls, pa.string()).dictionary_encode(),
            "raw": pa.array([None if url is None else url.encode() for url in urls], pa.binary()),
            "time": pa.array(range(count), pa.timestamp("us", tz="Europe/Berlin")),
            "place": pa.array([{"x": row, "name": urls[row]} for row in range(count)]),
            "price": pa.array(range(count), pa.decimal128(20, 2)),
        }
    ).replace_schema_metadata({"note": "%41"})


def decoded(expected, names):
    def decode(value):
        if isinstance(value, list):
            return [decode(one) for one in value]
        return None if value is None else unquote(value)

    for name in names:
        at = expected.schema.get_field_index(name)
        values = pa.array([decode(value) for value in expected[name].to_pylist()], expected.schema.field(at).type)
        expected = expected.set_column(at, expected.schema.field(at), values)
    return expected


def check(pct):
    names = ["url", "tags", "large", "category"]
    arguments = [pct, "decode", "--strict", "-c", ",".join(names)]
    settings = itertools.product(
        [1, 1000], ["none", "snappy", "gzip", "zstd", "lz4"], [True, False], ["1.0", "2.0"], [False, True]
    )
    done = 0
    for count, compression, dictionary, version, index in settings:
        original = table(count)
        pq.write_table(
            original,
            "in.parquet",
            compression=compression,
            use_dictionary=dictionary,
            data_page_version=version,
            write_page_index=index,
            row_group_size=300,
        )
        subprocess.run(arguments + ["in.parquet", "-o", "out.parquet"], check=True)
        found = pq.read_table("out.parquet")
        # pyarrow names the elements of lists as Parquet does.
        unchanged = pq.read_table("in.parquet")
        assert found.schema.equals(unchanged.schema, check_metadata=True), (compression, dictionary, version)
        assert found.to_pylist() == decoded(unchanged, names).to_pylist(), (compression, dictionary, version)
        before, after = pq.ParquetFile("in.parquet"), pq.ParquetFile("out.parquet")
        assert before.schema.equals(after.schema)
        assert before.metadata.created_by == after.metadata.created_by
        assert before.metadata.metadata == after.metadata.metadata
        assert after.metadata.row_group(0).column(1).compression == before.metadata.row_group(0).column(1).compression
        rows = duckdb.sql("select url from 'out.parquet' order by id").fetchall()
        assert [url for (url,) in rows] == found["url"].to_pylist()
        done += 1

    original = table(1000)
    for stream, compression in itertools.product([False, True], [None, "lz4", "zstd"]):
        options = pa.ipc.IpcWriteOptions(compression=compression)
        make = pa.ipc.new_stream if stream else pa.ipc.new_file
        with make("in.arrow", original.schema, options=options) as writer:
            writer.write_table(original, max_chunksize=300)
        names = ["url", "large", "category"]
        arguments = [pct, "decode", "--strict", "-c", ",".join(names)]
        os.replace("in.arrow", "in")
        subprocess.run(arguments + ["in", "-o", "out"], check=True)
        with (pa.ipc.open_stream if stream else pa.ipc.open_file)("out") as reader:
            found = reader.read_all()
        expected = decoded(original, names)
        assert found.schema.equals(original.schema, check_metadata=True)
        assert found.to_pylist() == expected.to_pylist()
        done += 1

    duckdb.sql("copy (select 'a%20b' || i as url, i from range(300000) t(i)) to 'in.parquet' (row_group_size 50000)")
    subprocess.run([pct, "decode", "-c", "url", "in.parquet", "--append", "-o", "out.parquet"], check=True)
    good = duckdb.sql("select count(*) from 'out.parquet' where url_decoded = 'a b' || i and url = 'a%20b' || i")
    assert good.fetchall() == [(300000,)]
    original = table(10)
    pq.write_table(original, "in.parquet")
    subprocess.run([pct, "decode", "-c", "url,large", "--append", "in.parquet", "-o", "out.parquet"], check=True)
    found = pq.read_table("out.parquet")
    assert found["url_decoded"].to_pylist() == decoded(original, ["url"])["url"].to_pylist()
    assert found.schema.field("large_decoded").type == pa.large_string()
    assert found.schema.field("time").type == original.schema.field("time").type
    print(f"{done + 2} files of pyarrow and DuckDB: passed")


def seconds(arguments):
    """Minimum wall and CPU time of three runs."""
    runs = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(arguments, check=True, stderr=subprocess.DEVNULL)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(wall for wall, _ in runs), min(cpu for _, cpu in runs)


def bench(pct, urls):
    lines = open(urls, encoding="utf-8", errors="replace").read().splitlines()
    rows = [lines[row % len(lines)] for row in range(1_000_000)]
    length = sum(map(len, rows))
    columns = {"id": list(range(len(rows))), "time": ["2015-05-17T10:05:03"] * len(rows), "url": rows}
    pq.write_table(pa.table(columns), "in.parquet", compression="zstd", row_group_size=100_000)
    print(f"a million rows, {length / 1e6:.0f} MB of typical URLs, zstd")
    python = sys.executable
    programs = {
        "pct decode": [pct, "decode", "-q", "-c", "url", "in.parquet", "-o", "out.parquet"],
        "pct decode -j 1": [pct, "decode", "-q", "-j", "1", "-c", "url", "in.parquet", "-o", "out.parquet"],
        "pyarrow: read, write": [
            python, "-c", "import pyarrow.parquet as p; p.write_table(p.read_table('in.parquet'), 'o', compression='zstd')",
        ],
        "DuckDB: url_decode": [
            python, "-c", "import duckdb; duckdb.sql(\"copy (select * replace (coalesce(try(url_decode(url)), url) as url) "
            "from 'in.parquet') to 'o' (format parquet, compression zstd)\")",
        ],
    }
    for name, arguments in programs.items():
        wall, cpu = seconds(arguments)
        print(f"{name:<24} {wall:6.2f} s  {cpu:6.2f} s of CPU time")


if __name__ == "__main__":
    action, pct, *others = sys.argv[1:]
    others = [os.path.abspath(path) for path in others]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        {"check": check, "bench": bench}[action](pct, *others)
