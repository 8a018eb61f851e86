"""Functions of Arrow columns, with the objects of pyarrow, Polars, pandas and DuckDB."""

import doctest
import gc
import inspect
import itertools
import pickle
import random
import re
import sys
import threading
import time
import urllib.parse

import duckdb
import numpy
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


@pytest.mark.parametrize("pieces", [[STRINGS], [STRINGS[:3], [], STRINGS[3:]], [[], []], []], ids=len)
@pytest.mark.parametrize("name, options, data_type", [
    ("decode_lossy", (), pyarrow.string()),
    ("decode_lossy", (), pyarrow.large_binary()),
    ("decode_lossy", (), pyarrow.binary_view()),
    ("part", ("query",), pyarrow.string_view()),
    ("encode", (), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
    ("has", ("plus",), pyarrow.string()),
    ("findings", (), pyarrow.large_string()),
], ids=str)
def test_result_is_a_sequence(name, options, data_type, pieces):
    kind = data_type.value_type if isinstance(data_type, pyarrow.DictionaryType) else data_type
    column = pyarrow.chunked_array([pyarrow.array(piece, kind) for piece in pieces], kind)
    if kind != data_type:
        column = column.dictionary_encode()
    for source in [column, *([column.chunk(0)] if len(pieces) == 1 else [])]:
        result = getattr(columns, name)(source, *options)
        expected = values(result)
        assert result.to_pylist() == list(result) == expected
        assert [type(value) for value in result] == [type(value) for value in expected]
        assert len(result) == len(expected)
        assert list(reversed(result)) == expected[::-1]
        assert [result[row] for row in range(len(expected))] == expected
        assert [result[-1 - row] for row in range(len(expected))] == expected[::-1]
        for start, end, step in itertools.product([None, 0, 2, 3, -1, -4, 99], [None, 0, 3, 7, -2, 99], [None, 1, 2, 3, -1, -2]):
            part = result[start:end:step]
            assert type(part) is type(result)
            assert part.to_pylist() == values(part) == expected[start:end:step], (start, end, step)
        for row in [len(expected), -len(expected) - 1]:
            with pytest.raises(IndexError, match=f"^index {row} is out of range of a column of {len(expected)} rows$"):
                result[row]
        with pytest.raises(TypeError, match="^expected an integer or a slice as index, not str$"):
            result["url"]
        array = numpy.asarray(result)
        assert array.shape == (len(expected),)
        assert array.tolist() == expected
        # Acts as pyarrow does when it makes a table.
        assert pyarrow.table({"d": result})["d"].type == pyarrow.chunked_array([result] if hasattr(result, "__arrow_c_array__") else result).type


def test_lists_are_rows_and_nothing_else():
    names = columns.finding_names(columns.findings(["%00", "a b", None]))
    assert numpy.asarray(names).tolist() == [["escape", "nul", "control"], ["illegal"], None]
    # NumPy's own strings end before NUL.
    assert numpy.asarray(columns.decode(["a%00"])).tolist() == ["a\0"]
    assert numpy.asarray(columns.decode([b"a%00"])).tolist() == [b"a\0"]
    assert numpy.asarray(columns.has(["+", "a"], "plus")).dtype == bool
    assert numpy.asarray(columns.findings(["+", "a"])).dtype == numpy.uint32


@pytest.mark.parametrize("column", [
    list(STRINGS),
    tuple(STRINGS),
    numpy.array(STRINGS, object),
    numpy.array(STRINGS, numpy.dtypes.StringDType(na_object=None)),
    pandas.Index(STRINGS),
    pandas.Index(STRINGS, dtype=object),
    pandas.array(STRINGS, "string"),
    pandas.Series(STRINGS).array,
    pandas.Categorical(STRINGS),
    [float("nan") if text is None else text for text in STRINGS],
    [pandas.NA if text is None else text for text in STRINGS],
], ids=lambda column: type(column).__name__)
def test_sequences_are_columns(column):
    result = columns.decode_lossy(column)
    assert result.to_pylist() == mapped(urllib.parse.unquote, STRINGS)
    assert columns.part(column, "query").to_pylist()[6] == "q=a+b&n=%00"
    assert columns.finding_names(columns.findings(column).to_pylist()).to_pylist() == columns.finding_names(columns.findings(column)).to_pylist()


def test_arrays_of_numpy_are_columns():
    assert columns.encode(numpy.array(["a b", "é"])).to_pylist() == ["a%20b", "%C3%A9"]
    assert columns.encode(numpy.array([b"a b", b"\xff"])).to_pylist() == [b"a%20b", b"%FF"]
    assert columns.decode(numpy.array(["%41%42", "b"])[::-1]).to_pylist() == ["b", "AB"]
    with pytest.raises(TypeError, match="^expected an array of one dimension, not 2$"):
        columns.decode(numpy.array([["a"]]))
    with pytest.raises(TypeError, match="^expected an array of one dimension, not 0$"):
        columns.decode(numpy.array("a"))
    with pytest.raises(TypeError, match="^row 0: expected str, bytes or None, not float$"):
        columns.decode(numpy.array([1.5]))


@pytest.mark.parametrize("source, name", [
    (polars.Series("url", ["%41"]), "url"),
    (polars.DataFrame({"url": ["%41"]}), "url"),
    (polars.Series(["%41"]), None),
    (pyarrow.table({"url": ["%41"]}), "url"),
    (pyarrow.record_batch({"url": ["%41"]}), "url"),
    (pyarrow.array(["%41"]), None),
    (pandas.Index(["%41"], name="url"), "url"),
    (pandas.Index(["%41"], name=("a", 1)), None),
    (["%41"], None),
], ids=lambda source: type(source).__name__)
def test_name_is_kept(source, name):
    result = columns.decode(source)
    assert result.name == name
    assert result[:1].name == result[::-1].name == columns.encode(result).name == name
    assert polars.Series(result).name == (name or "")
    assert polars.DataFrame({"d": result}).to_dict(as_series=False) == {"d": ["A"]}
    for table in [pyarrow.table({"d": result}), pyarrow.table([result], names=["d"]), pyarrow.table({"n": [1]}).append_column("d", result)]:
        assert table["d"].to_pylist() == ["A"]
    assert repr(result).startswith(f"<simdpct.columns.{type(result).__name__}: " + (f'"{name}", 1 rows' if name else "1 rows"))


@pytest.mark.parametrize("source", [
    pyarrow.nulls(3),
    pyarrow.chunked_array([pyarrow.nulls(2), pyarrow.nulls(1)]),
    pyarrow.table({"url": pyarrow.nulls(3)}),
    polars.Series([None] * 3),
    pandas.Series([None] * 3, dtype=object),
    [None] * 3,
], ids=lambda source: type(source).__name__)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_column_without_values_passes(name, source):
    options = {
        "encode": ("path",),
        "part": ("host",),
        "query_value": ("q",),
        "has": ("nul",),
        "join": ("a",),
        "cut": ("query",),
    }.get(name, ())
    result = getattr(columns, name)(source, *options)
    assert result.to_pylist() == [None] * 3
    if not isinstance(source, pandas.Series):
        parts = ["scheme", "authority", "userinfo", "host", "port", "path", "query", "fragment"]
        types = {
            "findings": pyarrow.uint32(),
            "has": pyarrow.bool_(),
            "finding_names": pyarrow.list_(pyarrow.string()),
            "query_keys": pyarrow.list_(pyarrow.string()),
            "query_map": pyarrow.map_(pyarrow.string(), pyarrow.string()),
            "parts": pyarrow.struct([(part, pyarrow.string()) for part in parts]),
        }
        data_type = pyarrow.field(result).type
        assert data_type == types.get(name, pyarrow.null())
        assert polars.Series(result).to_list() == [None] * 3


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


EXPECTED = "expected an Arrow array (with __arrow_c_array__ or __arrow_c_stream__), a list, an array of NumPy or a column of pandas"


@pytest.mark.parametrize("column, message", [
    ("text", f"{EXPECTED}, not str"),
    (b"text", f"{EXPECTED}, not bytes"),
    ({"%41"}, f"{EXPECTED}, not set"),
    (None, f"{EXPECTED}, not NoneType"),
    (["%41", 1], "row 1: expected str or None, not int"),
    ([None, b"%41", "%41"], "row 2: expected bytes or None, not str"),
    ([None, "%41", float("nan"), 1.5], "row 3: expected str or None, not float"),
    ([["%41"]], "row 0: expected str, bytes or None, not list"),
    ([True], "row 0: expected str, bytes or None, not bool"),
    (pyarrow.array([1]), "expected strings, binary values or a dictionary of them, not Int64"),
    (pyarrow.chunked_array([], pyarrow.int8()), "expected strings, binary values or a dictionary of them, not Int8"),
    (pyarrow.table({"a": ["x"], "b": ["y"]}), "expected a column, not a table of 2 columns"),
    (pyarrow.array([{"a": "x"}, None]), "expected a column, not a struct with nulls"),
])
def test_wrong_column_raises_type_error(column, message):
    with pytest.raises(TypeError, match="^" + re.escape(message) + "$"):
        columns.decode(column)


@pytest.mark.parametrize("name, parameter", [
    ("canonical_path", "policy"), ("cut", "parts"), ("encode", "set"), ("has", "kinds"), ("join", "reference"),
    ("normalize_url", "rules"), ("part", "part"), ("query_value", "key"),
])
@pytest.mark.parametrize("argument", [1, b"path", None, ["path"]])
def test_argument_of_another_type_raises_type_error_with_the_name_of_the_function(name, parameter, argument):
    message = f"simdpct.columns.{name}: {parameter} is a str, not {type(argument).__name__}"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        getattr(columns, name)(["a"], argument)
    assert parameter in inspect.signature(getattr(columns, name)).parameters


@pytest.mark.parametrize("call, message", [
    (lambda column: columns.encode(column, "pth"), "unknown set 'pth': expected component, path-segment"),
    (lambda column: columns.encode(column, "é"), "invalid set 'é': only ASCII characters can be kept"),
    (lambda column: columns.part(column, "rf"), "'rf': unknown part of a URI: expected scheme"),
    (lambda column: columns.has(column, "null"), "'null': unknown kind of finding: expected escape"),
])
def test_wrong_option_raises_value_error(call, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call(pyarrow.array(["a"]))


class Capsules:
    """An object with the capsules of another object."""

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
    """Whether this thread goes on while another thread decodes."""
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
            # The values are unchanged. Unlike pyarrow's export, this export does not release the interpreter.
            column = columns.normalize(column)
            # The other thread may be done before the system runs this thread.
            assert any(is_released_during_work(column) for _ in range(100))
    finally:
        sys.setswitchinterval(before)


chunks_table = pyarrow.table({"row": range(len(STRINGS)), "url": STRINGS})
