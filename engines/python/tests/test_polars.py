"""Expressions for Polars."""

import doctest
import random
import threading

import polars as pl
import pytest
import simdpct.polars
from simdpct import columns

STRINGS = ["caf%C3%A9", None, "50%", "a+b", "%FF", "", "/?q=a+b&n=%00", "é/%7e%2f plain text that is long"]
OPTIONS = {
    "encode": ("path",),
    "part": ("query",),
    "query_value": ("q",),
    "has": ("nul,plus",),
    "normalize_url": ("sort-query, drop-query:n*",),
    "join": ("../b?c",),
    "cut": ("key:q,fragment",),
    "canonical_path": ("rfc3986",),
}
#: Of columns without values, where it is not null.
TEXTS = pl.List(pl.String)
PARTS = ["scheme", "authority", "userinfo", "host", "port", "path", "query", "fragment"]
TYPES = {
    "findings": pl.UInt32,
    "has": pl.Boolean,
    "finding_names": TEXTS,
    "query_keys": TEXTS,
    "query_map": pl.Map(pl.String, pl.String),
    "parts": pl.Struct(dict.fromkeys(PARTS, pl.String)),
}


def test_examples_run():
    result = doctest.testmod(simdpct.polars)
    assert result.attempted > len(simdpct.polars.__all__)
    assert result.failed == 0


def test_every_function_of_columns_is_an_expression():
    assert simdpct.polars.__all__ == [name for name in columns.__all__ if name[0].islower()]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("dtype", [pl.String, pl.Binary], ids=str)
@pytest.mark.parametrize("name", [n for n in simdpct.polars.__all__ if n != "finding_names"])
def test_results_are_those_of_columns(name, dtype, engine):
    source = random.Random(1)
    strings = [source.choice(STRINGS) for _ in range(5000)]
    if name in ["decode", "form_decode", "decode_java"]:
        strings = [string for string in strings if string not in ["50%", "%FF"]]
    column = pl.Series("url", strings).cast(dtype)
    options = OPTIONS.get(name, ())
    expected = pl.Series("url", getattr(columns, name)(column, *options))
    expression = getattr(simdpct.polars, name)
    pieces = pl.concat([column[:7], column[7:7], column[7:]], rechunk=False).to_frame()
    query = pieces.lazy().select(expression("url", *options), again=expression(pl.col("url"), *options))
    assert query.collect_schema() == {"url": expected.dtype, "again": expected.dtype}
    result = query.collect(engine=engine)
    assert result["url"].equals(expected, check_dtypes=True)
    assert result["again"].to_list() == expected.to_list()
    assert pieces.clear().select(expression("url", *options)).schema == {"url": expected.dtype}


@pytest.mark.parametrize("name", simdpct.polars.__all__)
def test_column_without_values_passes(name):
    frame = pl.DataFrame({"url": [None] * 3})
    result = frame.lazy().select(getattr(simdpct.polars, name)("url", *OPTIONS.get(name, ())))
    assert result.collect_schema() == {"url": TYPES.get(name, pl.Null)}
    assert result.collect()["url"].to_list() == [None] * 3


def test_expression_takes_part_in_queries():
    frame = pl.DataFrame({"k": [1, 1, 2], "url": ["/%41", "/a", "/%42"]})
    decoded = simdpct.polars.decode("url")
    assert frame.filter(decoded == "/A")["k"].to_list() == [1]
    grouped = frame.group_by("k").agg(decoded.sort()).sort("k")
    assert grouped["url"].to_list() == [["/A", "/a"], ["/B"]]
    assert frame.select(pl.lit("%41").pipe(simdpct.polars.decode)).item() == "A"
    assert frame.select(decoded.over("k"))["url"].to_list() == ["/A", "/a", "/B"]
    names = simdpct.polars.finding_names(simdpct.polars.findings("url"))
    assert frame.select(names)["url"].to_list() == [["escape", "unreserved"], [], ["escape", "unreserved"]]


@pytest.mark.parametrize("expression, message", [
    (simdpct.polars.decode("url"), "'50%': malformed percent-encoding: '%' without two hexadecimal digits at byte 2"),
    (simdpct.polars.encode("url", "pth"), "unknown set 'pth': expected component"),
    (simdpct.polars.part("url", "rf"), "'rf': unknown part of a URI"),
    (simdpct.polars.has("url", "null"), "'null': unknown kind of finding"),
    (simdpct.polars.decode("number"), "expected String or Binary, not Int64: cast the column"),
    (simdpct.polars.finding_names("url"), "expected the numbers that findings returns, not Utf8View"),
])
def test_error_says_what_is_wrong(expression, message):
    with pytest.raises(pl.exceptions.ComputeError) as error:
        pl.DataFrame({"url": ["a", "50%"], "number": [1, 2]}).select(expression)
    assert message in str(error.value)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("option", [pl.col("url"), pl.lit("path"), 1, None, b"path"], ids=lambda option: type(option).__name__)
def test_option_that_is_no_text_raises_type_error(name, option):
    with pytest.raises(TypeError, match=f"^simdpct.polars.{name}: the option is a str for all rows, not {type(option).__name__} "):
        getattr(simdpct.polars, name)("url", option)


def test_threads_have_errors_of_their_own():
    results = {}

    def work(number):
        frame = pl.DataFrame({"url": [f"{number}%"]})
        for _ in range(50):
            try:
                frame.select(simdpct.polars.decode("url"))
            except pl.exceptions.ComputeError as error:
                results.setdefault(number, set()).add(f"'{number}%'" in str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: {True} for number in range(4)}


def resident_memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_memory_is_not_leaked():
    column = pl.DataFrame({"url": ["%41" * 100_000] * 10})
    query = lambda: column.select(simdpct.polars.decode("url"), b=simdpct.polars.part("url", "path"))  # noqa: E731
    for _ in range(5):
        query()
    before = resident_memory()
    for _ in range(200):
        query()
    assert resident_memory() - before < 50_000_000
