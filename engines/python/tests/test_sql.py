"""Functions of SQL for DuckDB, and for PySpark without it: test_spark.py runs them in Spark."""

import doctest
import pickle
import random
from functools import partial

import duckdb
import pyarrow
import pytest
import simdpct.duckdb
import simdpct.spark
from simdpct import _sql, columns

STRINGS = ["caf%C3%A9", None, "50%", "a+b", "%FF", "", "http://e/?q=a+b&n=%00", "é/%7e%2f plain text"]
OPTIONS = {"pct_encode": "path", "url_part": "query", "url_query_value": "q", "url_has": "nul,plus"}
#: Those that fail for some of the strings.
STRICT = ["pct_decode", "form_decode"]


def expected(name, strings):
    function = _sql.FUNCTIONS[name]
    option = [OPTIONS[name]] if function.takes_option else []
    return pyarrow.array(getattr(columns, function.column_function)(pyarrow.array(strings), *option)).to_pylist()


def strings_for(name):
    return [string for string in STRINGS if name not in STRICT or string not in ["50%", "%FF"]]


@pytest.mark.parametrize("module", [simdpct.duckdb, simdpct.spark])
def test_examples_run(module):
    result = doctest.testmod(module)
    assert result.attempted > 1
    assert result.failed == 0


@pytest.fixture
def connection():
    with simdpct.duckdb.register(duckdb.connect()) as connection:
        yield connection


@pytest.mark.parametrize("name", [name for name in _sql.FUNCTIONS if name != "url_finding_names"])
def test_duckdb_returns_what_columns_do(connection, name):
    strings = strings_for(name) * 1000
    table = pyarrow.table({"row": range(len(strings)), "url": pyarrow.array(strings, pyarrow.string())})
    connection.register("urls", table)
    option = f", '{OPTIONS[name]}'" if name in OPTIONS else ""
    rows = connection.sql(f"select {name}(url{option}) from urls order by row").fetchall()
    assert [row[0] for row in rows] == expected(name, strings)
    assert connection.sql(f"select {name}(url{option}) from urls where row < 0").fetchall() == []


def test_duckdb_names_findings(connection):
    rows = connection.sql("select url_finding_names(url_findings(x)) from (values ('%00'), (null)) t(x)").fetchall()
    assert rows == [(["escape", "nul", "control"],), (None,)]


def test_duckdb_error_quotes_value(connection):
    with pytest.raises(duckdb.Error, match="'50%': malformed percent-encoding"):
        connection.sql("select pct_decode('50%')").fetchall()
    with pytest.raises(duckdb.Error, match="'ref': unknown part of a URI"):
        connection.sql("select url_part('a', 'ref')").fetchall()


def test_options_of_rows_are_those_of_rows(connection):
    source = random.Random(1)
    urls = [source.choice(STRINGS[3:]) for _ in range(3000)]
    parts = [source.choice(["path", "query", "host", None]) for _ in urls]
    table = pyarrow.table({"row": range(len(urls)), "url": urls, "part": parts})
    connection.register("urls", table)
    rows = connection.sql("select url_part(url, part) from urls order by row").fetchall()
    one = lambda url, part: pyarrow.array(columns.part(pyarrow.array([url]), part))[0].as_py()  # noqa: E731
    assert [row[0] for row in rows] == [part and one(url, part) for url, part in zip(urls, parts)]
    function = _sql.FUNCTIONS["url_part"]
    nothing = function(pyarrow.array(["/a", "/b"]), pyarrow.array([None, None], pyarrow.string()))
    assert (nothing.type, nothing.to_pylist()) == (pyarrow.string(), [None, None])


def test_spark_batches_get_columns_in_one_pass():
    results = {
        "path": ("url_part", "url", "path"),
        "url": ("try_form_decode", "url"),
        "findings": ("url_findings", "url"),
        "nul": ("url_has", "url", "nul"),
    }
    batches = [pyarrow.record_batch({"n": [1, 2], "url": ["/%41?b", "%"]}), pyarrow.record_batch({"n": [3], "url": ["%00"]})]
    # As Spark sends it to its workers.
    function = pickle.loads(pickle.dumps(partial(simdpct.spark.convert, results)))
    table = pyarrow.Table.from_batches(function(iter(batches)))
    assert table.schema.names == ["n", "url", "path", "findings", "nul"]
    assert table.schema.field("findings").type == pyarrow.int64()
    assert table["url"].to_pylist() == ["/A?b", None, "\0"]
    assert table["path"].to_pylist() == ["/%41", "%", "%00"]
    assert table["nul"].to_pylist() == [False, False, True]


def test_spark_text_that_is_not_utf8_is_replaced_as_by_java():
    # Surrogates are one sequence for Java, as for its String; the others as the Unicode Standard says.
    values = [b"\xff%41", None, b"a\xed\xa0\x80b\xed\xbfc\xed\xa0", b"\xe2\x82", b"\xf0\x80\x80", b"\xc3\xa9"]
    batch = pyarrow.record_batch({"url": _unchecked(values)})
    result = next(simdpct.spark.convert({"url": ("pct_decode_lossy", "url")}, [batch]))
    assert result.column(0).to_pylist() == ["\ufffdA", None, "a\ufffdb\ufffdc\ufffd", "\ufffd", "\ufffd" * 3, "é"]


def _unchecked(values):
    """A column of strings with these bytes, as Spark sends it."""
    column = pyarrow.array(values)
    return pyarrow.Array.from_buffers(pyarrow.string(), len(column), column.buffers(), column.null_count)
