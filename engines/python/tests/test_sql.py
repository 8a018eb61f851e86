"""SQL functions for DuckDB, and for PySpark without a cluster; test_spark.py runs them in Spark."""

import doctest
import pickle
import random
import time
from functools import partial

import duckdb
import pyarrow
import pytest
import simdpct.duckdb
import simdpct.spark
from simdpct import _sql, columns

STRINGS = ["caf%C3%A9", None, "50%", "a+b", "%FF", "", "http://e/?q=a+b&n=%00", "é/%7e%2f plain text"]
OPTIONS = {
    "pct_encode": "path",
    "url_part": "query",
    "url_query_value": "q",
    "url_has": "nul,plus",
    "url_normalize": "sort-query, drop-query:n*",
    "url_join": "../b?c",
    "url_cut": "key:q,fragment",
    "url_path_canonical": "rfc3986",
}
#: Those that fail for some of the strings.
STRICT = ["pct_decode", "form_decode"]


def expected(name, strings):
    function = _sql.FUNCTIONS[name]
    option = [OPTIONS[name]] if function.option else []
    values = pyarrow.array(getattr(columns, function.column_function)(pyarrow.array(strings), *option)).to_pylist()
    # Engines turn a map into a `dict`, pyarrow into a list of pairs.
    return [value if value is None else dict(value) for value in values] if function.result == "map" else values


def strings_for(name):
    return [string for string in STRINGS if name not in STRICT or string not in ["50%", "%FF"]]


def test_examples_run():
    result = doctest.testmod(simdpct.duckdb)
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
    with pytest.raises(duckdb.Error, match="'rf': unknown part of a URI"):
        connection.sql("select url_part('a', 'rf')").fetchall()


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


@pytest.mark.parametrize("urls, options, name", [
    ([f"/?k{row}=v{row}" for row in range(20_000)], [f"k{row}" for row in range(20_000)], "url_query_value"),
    (["http://e.org/a?b"] * 20_000, ["host", "path"] * 10_000, "url_part"),
])
def test_time_of_options_of_rows_is_linear(urls, options, name):
    function = _sql.FUNCTIONS[name]

    def least(count):
        columns = pyarrow.array(urls[:count]), pyarrow.array(options[:count])
        times = []
        for _ in range(5):
            start = time.perf_counter()
            function(*columns)
            times.append(time.perf_counter() - start)
        return min(times)

    # With 16 times as many rows, quadratic time would be 256 times as long.
    assert least(20_000) < 100 * least(1_250)


def test_error_of_engine_has_no_row():
    """A position within a chunk means nothing to a user."""
    for function, arguments in [("pct_decode", ()), ("form_decode", ()), ("url_decode", ())]:
        with pytest.raises(ValueError, match=f"^{function}: '50%': malformed percent-encoding: .* at byte 2 "):
            _sql.function(function)(pyarrow.array(["a", "50%"]), *arguments)


@pytest.mark.parametrize("sql, message", [
    ("url_part('a', 'rf')", "url_part: 'rf': unknown part of a URI: expected scheme"),
    ("url_part('a', x) from (values ('rf'), ('host')) t(x)", "url_part: 'rf': unknown part of a URI: expected scheme"),
    ("url_has('a', 'null')", "url_has: 'null': unknown kind of finding: expected escape"),
    ("pct_encode('a', 'pth')", "pct_encode: unknown set 'pth': expected component"),
    ("pct_encode('a', 1)", "pct_encode: the second argument is a string, not Int32"),
    ("pct_encode('a', 'path', 'b')", "pct_encode takes 1 or 2 arguments (the text and a set), not 3"),
    ("pct_decode('50%')", "pct_decode: '50%': malformed percent-encoding"),
])
def test_duckdb_error_names_function(connection, sql, message):
    with pytest.raises(duckdb.Error) as error:
        connection.sql(f"select {sql}").fetchall()
    assert message in str(error.value)
    assert "<lambda>" not in str(error.value)


def test_option_of_encode_may_be_left_out(connection):
    connection.execute("create table texts as select * from (values ('a/b c'), (null)) t(x)")
    rows = connection.sql("select pct_encode(x), pct_encode(x, 'path'), pct_encode(x, null), pct_encode(null) from texts").fetchall()
    assert rows == [("a%2Fb%20c", "a/b%20c", None, None), (None, None, None, None)]


@pytest.mark.parametrize("name, near", [("pct_decod", "pct_decode"), ("URL_PART", "url_part"), ("url_host", "url_"), ("xyz", "one of pct_decode")])
def test_unknown_function_lists_near_ones(name, near):
    with pytest.raises(ValueError, match=f"^unknown function '{name}': did you mean .*{near}"):
        _sql.function(name)


def test_functions_count_arguments():
    column = pyarrow.array(["a"])
    for name, function in _sql.ALL_FUNCTIONS.items():
        for count in range(4):
            least = 1 if function.option is None or function.is_option_optional else 2
            if not least <= count <= (1 if function.option is None else 2):
                with pytest.raises(TypeError, match=rf"^{name} takes .* argument.*, not {count}$"):
                    function(*[column] * count)


def test_spark_batches_get_columns_in_one_pass():
    calls = [("url_part", "c1", "path"), ("try_form_decode", "c1", None), ("url_findings", "c1", None), ("url_has", "c1", "nul")]
    batches = [
        pyarrow.record_batch({"c0": [1, 2], "c1": ["/%41?b", "%"]}),
        pyarrow.record_batch({"c0": [3], "c1": ["%00"]}),
    ]
    # Sends the column as Spark does to its workers.
    function = pickle.loads(pickle.dumps(partial(simdpct.spark._convert, calls, ["c0", 1, 0, 2, 3])))
    table = pyarrow.Table.from_batches(function(iter(batches)))
    assert table.schema.field("c3").type == pyarrow.int64()
    assert table["c0"].to_pylist() == [1, 2, 3]
    assert table["c1"].to_pylist() == ["/A?b", None, "\0"]
    assert table["c2"].to_pylist() == ["/%41", "%", "%00"]
    assert table["c4"].to_pylist() == [False, False, True]


def test_spark_text_that_is_not_utf8_is_replaced_as_by_java():
    # In Java, an encoded surrogate is one sequence. Other sequences are as in the Unicode Standard.
    values = [b"\xff%41", None, b"a\xed\xa0\x80b\xed\xbfc\xed\xa0", b"\xe2\x82", b"\xf0\x80\x80", b"\xc3\xa9"]
    batch = pyarrow.record_batch({"c0": _unchecked(values)})
    result = next(simdpct.spark._convert([("pct_decode_lossy", "c0", None)], [0], [batch]))
    assert result.column(0).to_pylist() == ["\ufffdA", None, "a\ufffdb\ufffdc\ufffd", "\ufffd", "\ufffd" * 3, "é"]


def _unchecked(values):
    """A column of strings with these bytes, as Spark sends it."""
    column = pyarrow.array(values)
    return pyarrow.Array.from_buffers(pyarrow.string(), len(column), column.buffers(), column.null_count)
