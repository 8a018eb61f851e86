"""The functions of the WebAssembly module in ClickHouse's chdb, against urllib.parse and ClickHouse's own functions.

engines/clickhouse/check runs it; the environment variable MODULE is the module.
"""

import json
import os
from pathlib import Path
from urllib.parse import quote, unquote

import chdb
import pytest

MODULE = Path(os.environ["MODULE"])
FUNCTIONS = Path(__file__).resolve().parents[1] / "functions.sql"
TEXTS = ["", "a%20b", "a+b", "%09%0A%0D%5Cn\t\n\\", "%22\"'", "50%", "%zz%C3", "日本%E6%97%A5", "%7e%2f", "%00", "a b?é#", "x" * 127, "%41" * 128,
         "x" * 20_000] * 300


@pytest.fixture(scope="module")
def connection():
    connection = chdb.connect(":memory:?allow_experimental_webassembly_udf=1")
    connection.query(f"insert into system.webassembly_modules (name, code) select 'simdpct', code from file('{MODULE}', RawBLOB, 'code String')")
    for statement in FUNCTIONS.read_text().split(";"):
        if statement.strip():
            connection.query(statement)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    path.write_text("".join(json.dumps({"i": i, "u": text}) + "\n" for i, text in enumerate(TEXTS)))
    return f"file('{path}', JSONEachRow, 'i UInt32, u String')"


def rows(connection, sql):
    return [json.loads(line)[0] for line in str(connection.query(sql, "JSONCompactEachRow")).splitlines()]


@pytest.mark.parametrize("size", [100, 100_000])
@pytest.mark.parametrize("function, expected", [
    ("wasm_decode_lossy", unquote),
    ("wasm_form_decode_lossy", lambda text: unquote(text.replace("+", " "))),
    ("wasm_encode", lambda text: quote(text, safe="")),
])
def test_function_is_that_of_python(connection, source, size, function, expected):
    sql = f"select {function}(u) from {source} order by i settings max_block_size = {size}"
    assert rows(connection, sql) == [expected(text) for text in TEXTS]


def test_bytes_are_those_of_clickhouse(connection, source):
    sql = f"select countIf(wasm_decode_bytes(u) = decodeURLComponent(u)), count() from {source}"
    assert str(connection.query(sql, "TSV")).split() == [str(len(TEXTS))] * 2


def test_null_stays_null(connection):
    assert rows(connection, "select wasm_decode_lossy(u) from values('u Nullable(String)', ('a%20b'), (NULL))") == ["a b", None]


def test_refused_path_is_null(connection):
    paths = [("/a/../%7eb//c", "/~b/c"), ("/../a", None), ("/%00", None), ("a", None), ("/" + "|" * 200, "/" + "%7C" * 200)]
    values = ", ".join(f"({index}, '{path}')" for index, (path, _) in enumerate(paths))
    sql = f"select wasm_canonical_path(p) from values('i UInt8, p String', {values}) order by i"
    assert rows(connection, sql) == [expected for _, expected in paths]


def test_normal_form(connection):
    assert rows(connection, "select wasm_normalize('%7e%2f%zz')") == ["~%2F%zz"]


def test_long_value_is_passed(connection):
    assert rows(connection, "select length(wasm_decode_lossy(materialize(repeat('%41', 1000000))))") == [1_000_000]
