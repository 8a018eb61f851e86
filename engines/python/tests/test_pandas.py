"""Functions of columns on series of pandas 2 or 3, with and without pyarrow."""

import pickle
import subprocess
import sys
import urllib.parse

import pytest
from simdpct import columns

pandas = pytest.importorskip("pandas")

STRINGS = ["caf%C3%A9", None, "50%", "a+b", "%FF", ""]
DECODED = [None if string is None else urllib.parse.unquote(string) for string in STRINGS]
INDEX = [10, 30, 20, 5, 7, 99]


def has_pyarrow():
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


DTYPES = [None, object, "str", "string", "string[python]", "category"]
if has_pyarrow():
    DTYPES += ["string[pyarrow]", "large_string[pyarrow]"]


def values(series):
    return [None if missing else value for value, missing in zip(series.tolist(), series.isna())]


def series_of(dtype):
    strings = pandas.Series(STRINGS, index=INDEX, name="url", dtype=object)
    # In pandas 2, "str" makes a text of None.
    if dtype == "str" and pandas.__version__ < "3":
        return strings
    if dtype is None:
        return pandas.Series(STRINGS, index=INDEX, name="url")
    if dtype == "large_string[pyarrow]":
        import pyarrow

        dtype = pandas.ArrowDtype(pyarrow.large_string())
    return strings.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_series_keeps_index_name_and_type(dtype):
    series = series_of(dtype)
    result = columns.decode_lossy(series)
    assert isinstance(result, pandas.Series)
    assert result.index.equals(series.index)
    assert result.name == "url"
    assert result.to_pylist() == values(result) == DECODED
    assert result.dtype == series.dtype if dtype != "category" else result.dtype.name == "category"
    assert len(result) == 6
    # And in a frame.
    frame = pandas.DataFrame({"url": series})
    assert values(frame.assign(d=columns.decode_lossy(frame.url)).d) == DECODED
    assert values(frame.assign(d=columns.decode_lossy(frame[["url"]])).d) == DECODED
    # Assignment goes by index, not by place.
    half = frame[frame.index > 9]
    frame["half"] = columns.decode_lossy(half.url)
    assert values(frame.half) == [text if row > 9 else None for text, row in zip(DECODED, INDEX)]
    assert values(pandas.Series(result)) == DECODED
    assert pandas.Series(result).index.equals(series.index)
    assert columns.encode(result).to_pylist()[0] == "caf%C3%A9"
    assert pickle.loads(pickle.dumps(result)).to_pylist() == DECODED
    assert type(result[result.index > 0]) is pandas.Series


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numbers_flags_and_lists_have_missing_values(dtype):
    series = series_of(dtype)
    found = columns.findings(series)
    flags = columns.has(series, "plus,invalid-utf8")
    names = columns.finding_names(found)
    for result in [found, flags, names]:
        assert result.index.equals(series.index)
        assert result.to_pylist()[1] is None
    assert flags.to_pylist() == [False, None, False, True, True, False]
    assert [None if row is None else list(row) for row in names.to_pylist()][2:4] == [["malformed"], ["plus"]]
    assert series[flags.fillna(False).astype(bool)].tolist() == ["a+b", "%FF"]


def test_bytes_are_of_objects():
    series = pandas.Series([b"%FF", None], index=[2, 1])
    result = columns.decode(series)
    assert (result.to_pylist(), result.index.tolist()) == ([b"\xff", None], [2, 1])


def test_column_as_sequence_is_taken():
    """A result for a list, not a series, becomes a column by its place."""
    result = columns.decode_lossy(STRINGS)
    frame = pandas.DataFrame({"n": range(6)}, index=INDEX)
    assigned = frame.assign(d=result)
    assert (values(assigned.d), assigned.index.tolist()) == (DECODED, INDEX)
    assert values(pandas.Series(result, index=INDEX)) == values(pandas.DataFrame({"d": result}).d) == DECODED
    frame["e"] = columns.decode_lossy(pandas.Index(STRINGS))
    assert values(frame.e) == DECODED
    frame.index = columns.findings(["%41"] * 6)
    assert frame.index.tolist() == columns.findings(["%41"] * 6).to_pylist()


def test_empty_series_is_taken():
    for dtype in DTYPES:
        result = columns.decode(series_of(dtype)[:0])
        assert (result.to_pylist(), result.name) == ([], "url")


@pytest.mark.parametrize("column, message", [
    (pandas.DataFrame({"a": ["x"], "b": ["y"]}), "^expected a column, not a table of 2 columns$"),
    (pandas.Series([1, 2]), "^expected strings, binary values or a dictionary of them, not U?Int"),
    (pandas.Series(["a", 1], dtype=object), "^row 1: expected str or None, not int$"),
    (pandas.MultiIndex.from_tuples([("a", "b")]), "^expected a column, not an index of several levels$"),
])
def test_wrong_column_raises_type_error(column, message):
    with pytest.raises(TypeError, match=message):
        columns.decode(column)


def test_pandas_is_not_imported():
    program = "import sys; from simdpct import columns; columns.decode(['a']); assert not {'pandas', 'numpy', 'pyarrow'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
