"""Functions of Arrow columns, with the objects of pyarrow, Polars, pandas and DuckDB."""

import doctest
import gc
import pickle
import random
import re
import sys
import threading
import time
import urllib.parse

import duckdb
import pandas
import polars
import pyarrow
import pytest
from simdpct import columns

FUNCTIONS = [name for name in columns.__all__ if name[0].islower()]
STRINGS = ["caf%C3%A9", None, "50%", "a+b", "%FF", "", "/?q=a+b&n=%00", "é/%7e%2f plain text that is long"]


def values(column):
    """The values of a result, whatever its class."""
    if hasattr(column, "__arrow_c_array__"):
        return pyarrow.array(column).to_pylist()
    return pyarrow.chunked_array(column).to_pylist()


def strict_or_none(value):
    try:
        decoded = re.sub(b"%(..)", lambda triplet: bytes([int(triplet[1], 16)]), value.encode(), flags=re.DOTALL)
        return None if b"%" in re.sub(b"%[0-9A-Fa-f]{2}", b"", value.encode()) else decoded.decode()
    except ValueError:
        return None


def random_strings(seed, count=2000):
    source = random.Random(seed)
    pieces = ["%", "%4", "%41", "%2B", "+", " ", "a", "/", "é", "%C3%A9", "%C3", "%00", "\n", "plain text"]
    return [
        None if source.random() < 0.1 else "".join(source.choices(pieces, k=source.randrange(9)))
        for _ in range(count)
    ]


def mapped(function, strings):
    return [None if string is None else function(string) for string in strings]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_docstring_run(name):
    function = getattr(columns, name)
    assert (function.__name__, function.__module__) == (name, "simdpct.columns")
    assert pickle.loads(pickle.dumps(function)) is function
    names = {name: getattr(columns, name) for name in FUNCTIONS}
    tests = doctest.DocTestFinder().find(function, name, globs={"pyarrow": pyarrow, **names})
    assert sum(len(test.examples) for test in tests) > 0
    for test in tests:
        assert doctest.DocTestRunner().run(test).failed == 0


def test_examples_of_module_run():
    names = {name: getattr(columns, name) for name in FUNCTIONS}
    result = doctest.testmod(columns, extraglobs={"pyarrow": pyarrow, **names})
    assert result.attempted > 2
    assert result.failed == 0


@pytest.mark.parametrize("seed", range(5))
def test_results_are_those_of_urllib(seed):
    strings = random_strings(seed)
    column = pyarrow.array(strings)
    assert values(columns.decode_lossy(column)) == mapped(urllib.parse.unquote, strings)
    assert values(columns.form_decode_lossy(column)) == mapped(urllib.parse.unquote_plus, strings)
    quote = lambda string: urllib.parse.quote(string, safe="")  # noqa: E731
    assert values(columns.encode(column)) == mapped(quote, strings)
    assert values(columns.encode(column, "/")) == mapped(urllib.parse.quote, strings)
    assert values(columns.try_decode(column)) == mapped(strict_or_none, strings)
    plus = lambda string: strict_or_none(string.replace("+", " "))  # noqa: E731
    assert values(columns.try_form_decode(column)) == mapped(plus, strings)
    binary = column.cast(pyarrow.binary())
    assert values(columns.decode_lossy(binary)) == mapped(urllib.parse.unquote_to_bytes, strings)


@pytest.mark.parametrize("data_type", [
    pyarrow.string(),
    pyarrow.large_string(),
    pyarrow.string_view(),
    pyarrow.binary(),
    pyarrow.large_binary(),
    pyarrow.binary_view(),
    pyarrow.dictionary(pyarrow.int16(), pyarrow.string()),
], ids=str)
def test_type_and_slices_are_kept(data_type):
    plain = pyarrow.array(STRINGS)
    column = plain.dictionary_encode().cast(data_type) if "dict" in str(data_type) else plain.cast(data_type)
    for part in [column, column.slice(1), column.slice(3, 2), column.slice(8)]:
        decoded = pyarrow.array(columns.decode_lossy(part))
        decoded.validate(full=True)
        assert decoded.type == data_type
        text = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in decoded.to_pylist()]
        expected = [v.decode() if isinstance(v, bytes) else v for v in part.to_pylist()]
        assert text == mapped(urllib.parse.unquote, expected)
        assert values(columns.has(part, "plus")) == mapped(lambda string: "+" in string, expected)


@pytest.mark.parametrize("name, options, expected", [
    ("form_encode", (), mapped(lambda string: urllib.parse.quote_plus(string).replace("~", "%7E"), STRINGS)),
    ("decode_lossy", (), mapped(urllib.parse.unquote, STRINGS)),
    ("part", ("query",), [None] * 6 + ["q=a+b&n=%00", None]),
    ("query_value", ("q",), [None] * 6 + ["a b", None]),
    ("has", ("nul, plus",), [False, None, False, True, False, False, True, False]),
    ("normalize", (), STRINGS[:7] + ["é/~%2F plain text that is long"]),
])
def test_result_does_not_depend_on_library(name, options, expected):
    function = getattr(columns, name)
    chunks = pyarrow.chunked_array([STRINGS[:3], [], STRINGS[3:]])
    inputs = [
        pyarrow.array(STRINGS),
        chunks,
        pyarrow.table({"url": chunks}),
        pyarrow.record_batch({"url": STRINGS}),
        pyarrow.RecordBatchReader.from_batches(
            pyarrow.schema({"url": pyarrow.string()}), pyarrow.table({"url": chunks}).to_batches()
        ),
        polars.Series("url", STRINGS),
        polars.concat([polars.Series(STRINGS[:3]), polars.Series(STRINGS[3:])], rechunk=False),
        polars.DataFrame({"url": STRINGS}),
        pandas.Series(STRINGS, dtype="str"),
        duckdb.sql("select url from chunks_table order by row"),
    ]
    for column in inputs:
        result = function(column, *options)
        assert values(result) == expected, type(column)
        assert len(result) == len(expected)
        assert polars.Series(result).to_list() == expected


def test_result_is_argument_of_every_library():
    for column in [pyarrow.array(STRINGS), polars.Series(STRINGS)]:
        once = columns.try_decode(column)
        again = columns.encode(once)
        assert values(again)[0] == "caf%C3%A9"
        assert polars.Series(again)[0] == "caf%C3%A9"
        assert pandas.Series.from_arrow(again)[0] == "caf%C3%A9"
        encoded = pyarrow.table({"url": pyarrow.array(values(again))})
        assert duckdb.sql("select url from encoded").fetchall()[0] == ("caf%C3%A9",)


def test_result_of_same_type_is_array_or_stream():
    array, stream = columns.decode(pyarrow.array(["%41"])), columns.decode(polars.Series(["%41"]))
    assert (type(array), type(stream)) == (columns.Array, columns.ChunkedArray)
    assert repr(array) == "<simdpct.columns.Array: 1 rows, Utf8>"
    assert repr(stream) == "<simdpct.columns.ChunkedArray: 1 rows, Utf8View>"
    # Each export is a new one.
    assert values(stream) == values(stream) == ["A"]
    assert pyarrow.field(array).type == pyarrow.string()
    assert pyarrow.field(stream).type == pyarrow.string_view()


def test_unchanged_column_shares_memory():
    column = pyarrow.array(["plain", None, "text"])
    shared = pyarrow.array(columns.decode(column))
    assert shared.buffers()[2].address == column.buffers()[2].address
    del column
    gc.collect()
    assert shared.to_pylist() == ["plain", None, "text"]


def test_findings_have_names():
    found = columns.findings(polars.Series(["plain", None, "%00"]))
    assert pyarrow.chunked_array(found).type == pyarrow.uint32()
    assert values(columns.finding_names(found)) == [[], None, ["escape", "nul", "control"]]
    with pytest.raises(TypeError, match="^expected the numbers that findings returns, not Utf8$"):
        columns.finding_names(pyarrow.array(["a"]))


@pytest.mark.parametrize("name", ["decode", "form_decode", "decode_java"])
def test_invalid_value_is_quoted_with_its_row(name):
    function = getattr(columns, name)
    with pytest.raises(ValueError, match="^row 1: '50%': "):
        function(pyarrow.array(["a", "50%"]))
    # Rows are counted across the pieces.
    with pytest.raises(ValueError, match="^row 3: '%': "):
        function(pyarrow.chunked_array([["a", None], [], ["b", "%"], ["%%"]]))
    with pytest.raises(ValueError, match="^row 0: '%x{63}…': "):
        function(pyarrow.array(["%" + "x" * 100]))


@pytest.mark.parametrize("column, message", [
    ("text", "expected an Arrow array (with __arrow_c_array__ or __arrow_c_stream__), not str"),
    (["%41"], "expected an Arrow array (with __arrow_c_array__ or __arrow_c_stream__), not list"),
    (pyarrow.array([1]), "expected strings, binary values or a dictionary of them, not Int64"),
    (pyarrow.chunked_array([], pyarrow.int8()), "expected strings, binary values or a dictionary of them, not Int8"),
    (pyarrow.table({"a": ["x"], "b": ["y"]}), "expected a column, not a table of 2 columns"),
    (pyarrow.array([{"a": "x"}, None]), "expected a column, not a struct with nulls"),
])
def test_wrong_column_raises_type_error(column, message):
    with pytest.raises(TypeError, match="^" + re.escape(message) + "$"):
        columns.decode(column)


@pytest.mark.parametrize("call, message", [
    (lambda column: columns.encode(column, "pth"), "unknown set 'pth': expected component, path-segment"),
    (lambda column: columns.encode(column, "é"), "invalid set 'é': only ASCII characters can be kept"),
    (lambda column: columns.part(column, "ref"), "'ref': unknown part of a URI: expected scheme"),
    (lambda column: columns.has(column, "null"), "'null': unknown kind of finding: expected escape"),
])
def test_wrong_option_raises_value_error(call, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call(pyarrow.array(["a"]))


class Capsules:
    """An object whose capsules are those of others."""

    def __init__(self, array=None, stream=None):
        if array is not None:
            self.__arrow_c_array__ = lambda requested_schema=None: array
        if stream is not None:
            self.__arrow_c_stream__ = lambda requested_schema=None: stream


def test_capsule_is_consumed_once():
    array = Capsules(array=pyarrow.array(["%41"]).__arrow_c_array__())
    stream = Capsules(stream=pyarrow.chunked_array([["%41"]]).__arrow_c_stream__())
    for column in [array, stream]:
        assert values(columns.decode(column)) == ["A"]
        with pytest.raises(ValueError, match="^the capsule was consumed before$"):
            columns.decode(column)


def test_wrong_capsules_raise_errors():
    schema, array = pyarrow.array(["%41"]).__arrow_c_array__()
    for capsules in [(array, schema), (schema, schema), (1, 2), (schema,), None, ()]:
        with pytest.raises((ValueError, TypeError, IndexError)):
            columns.decode(Capsules(array=capsules or 0))
    with pytest.raises(ValueError):
        columns.decode(Capsules(stream=array))
    assert values(columns.decode(Capsules(array=(schema, array)))) == ["A"]


def test_error_of_producer_is_passed_on():
    def batches():
        yield pyarrow.record_batch({"url": ["%41"]})
        raise RuntimeError("the producer failed")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"url": pyarrow.string()}), batches())
    with pytest.raises(ValueError, match="the producer failed"):
        columns.decode(reader)


def test_unconsumed_results_are_released():
    column = pyarrow.array(["%41" * 1000] * 100)
    before = pyarrow.total_allocated_bytes()
    for _ in range(100):
        columns.decode(column).__arrow_c_array__()
        columns.decode(pyarrow.chunked_array([column.slice(1), column.slice(0)])).__arrow_c_stream__()
    references = sys.getrefcount(column)
    gc.collect()
    assert pyarrow.total_allocated_bytes() - before < 1_000_000
    assert references < 10


def is_released_during_work(column):
    """Whether this thread goes on while another one decodes."""
    turns = 0
    seen = []

    def work():
        seen.append(turns)
        result = columns.decode(column)
        seen.append(turns)
        assert values(result)[-1][:3] == "/%:"

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        turns += 1
        # Lets the other thread have the interpreter.
        time.sleep(0)
    return seen[1] > seen[0]


def test_interpreter_is_released_during_work():
    array = pyarrow.array(["%2F%25%3A and some plain text" * 100] * 1_000)
    before = sys.getswitchinterval()
    # A thread that keeps the interpreter is not interrupted.
    sys.setswitchinterval(1000)
    try:
        for column in [array, pyarrow.chunked_array([array])]:
            # Unchanged, but other than pyarrow's, its export does not release the interpreter.
            column = columns.normalize(column)
            # The other thread may be done before the system gives this one a turn.
            assert any(is_released_during_work(column) for _ in range(100))
    finally:
        sys.setswitchinterval(before)


chunks_table = pyarrow.table({"row": range(len(STRINGS)), "url": STRINGS})
