"""Compares the functions of udf.xml in ClickHouse's chdb with urllib.parse.

engines/clickhouse/check runs it; the environment variable UDF is a folder with udf.xml and pct.
"""

import json
import os
from urllib.parse import quote, unquote

import chdb
import pytest

UDF = os.environ["UDF"]
TEXTS = ["", None, "a%20b", "a+b", "%09%0A%0D%5Cn\t\n\\", "%22\"'", "50%", "%zz%FF%C3", "日本%E6%97%A5", "%7e%2f", "%00", "a b?é#"] * 300
FUNCTIONS = {
    "pct_decode_lossy": unquote,
    "form_decode_lossy": lambda text: unquote(text.replace("+", " ")),
    "pct_encode": lambda text: quote(text, safe=""),
}


def query(sql):
    lines = str(chdb.query(sql, "JSONCompactEachRow", udf_path=UDF)).splitlines()
    return [json.loads(line)[0] for line in lines]


@pytest.fixture(scope="module", params=["one block", "several blocks"])
def source(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    path.write_text("".join(json.dumps({"i": i, "u": text}) + "\n" for i, text in enumerate(TEXTS)))
    table = f"file('{path}', JSONEachRow, 'i UInt32, u Nullable(String)')"
    size = 100 if request.param == "several blocks" else 100_000
    return lambda function: f"select {function}(u) from {table} order by i settings max_block_size = {size}"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_function_is_that_of_python(source, function):
    expected = [None if text is None else FUNCTIONS[function](text) for text in TEXTS]
    assert query(source(function)) == expected


def test_results_of_many_threads_and_blocks_are_those_of_rows(tmp_path):
    """Each process answers block after block. Several processes run at the same time."""
    path = tmp_path / "texts.jsonl"
    texts = [f"%4{row % 10}{'x' * (row % 300)}\0\n{row}%" for row in range(100_000)]
    path.write_text("".join(json.dumps({"u": text}) + "\n" for text in texts))
    sql = (
        f"select count(), countIf(pct_decode_lossy(u) = decodeURLComponent(u)), uniqExact(pct_decode_lossy(u)) "
        f"from file('{path}', JSONEachRow, 'u Nullable(String)') settings max_block_size = 1000, max_threads = 8"
    )
    (line,) = str(chdb.query(sql, "JSONCompactEachRow", udf_path=UDF)).splitlines()
    assert json.loads(line) == [100_000, 100_000, len({unquote(text) for text in texts})]


def test_long_value_is_passed():
    sql = "select length(pct_decode_lossy(repeat('%41', 1000000)))"
    assert query(sql) == [1_000_000]


def test_urls_are_normalized_and_repaired(source):
    normalized = query(source("pct_normalize"))[: len(TEXTS) // 300]
    assert normalized[8:] == ["日本%E6%97%A5", "~%2F", "%00", "a b?é#"]
    repaired = query(source("url_repair"))[: len(TEXTS) // 300]
    assert (repaired[1], repaired[6], repaired[11]) == (None, "50%25", "a%20b?%C3%A9#")
