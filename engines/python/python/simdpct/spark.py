"""Functions for PySpark, from version 4.1. Needs pyarrow, and this package in all workers.

``register`` adds functions of SQL, with the names of those for DataFusion. ``udf`` returns one for
columns of data frames. ``with_columns`` adds several columns in one pass, so that the rows go to
Python and back once.

For one function that Spark has itself, such as ``url_decode``, Spark is as fast. These have what it
lacks: results for dirty data, findings, normal forms. docs/spark.md has the figures.

A string of Spark may contain bytes that are not UTF-8. They become U+FFFD before anything else, one
for what Java's decoder replaces by one.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow

from ._sql import FUNCTIONS, SPARK_FUNCTIONS, Function

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as _DataFrame
    from pyspark.sql import SparkSession as _SparkSession

__all__ = ["convert", "register", "udf", "with_columns"]

_TYPES = {"text": "string", "bits": "bigint", "names": "array<string>", "flag": "boolean"}
_ALL_FUNCTIONS = FUNCTIONS | SPARK_FUNCTIONS


def _replace_as_java(error: UnicodeError) -> tuple[str, int]:
    """An error handler: U+FFFD for each ill-formed sequence, which for Java may begin like a surrogate."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    sequence = error.object[error.start : error.start + 3]
    if len(sequence) < 2 or sequence[0] != 0xED or not 0xA0 <= sequence[1] <= 0xBF:
        return "\ufffd", error.end
    is_whole = len(sequence) == 3 and sequence[2] & 0xC0 == 0x80
    return "\ufffd", error.start + (3 if is_whole else 2)


codecs.register_error("simdpct.java", _replace_as_java)


def _as_text(column: Any) -> Any:
    """A column of strings that are UTF-8: Arrow promises it, Spark does not check it."""
    if not (pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type)):
        return column
    try:
        column.validate(full=True)
    except pyarrow.ArrowInvalid:
        is_large = pyarrow.types.is_large_string(column.type)
        values = column.cast(pyarrow.large_binary() if is_large else pyarrow.binary()).to_pylist()
        texts = [None if value is None else value.decode("utf-8", "simdpct.java") for value in values]
        return pyarrow.array(texts, column.type)
    return column


def _in_types_of_spark(result: Any) -> Any:
    """Spark has no unsigned numbers."""
    return result.cast(pyarrow.int64()) if result.type == pyarrow.uint32() else result


def udf(name: str) -> Any:
    """The function of this name in SQL, for columns of data frames.

    Options are columns too, mostly ``lit``::

        logs.select(udf("url_has")("url", lit("nul")))

    ``url_decode``, ``try_url_decode`` and ``url_encode`` return what Spark's own functions do.
    """
    return _udf(_ALL_FUNCTIONS[name])


def _udf(function: Function) -> Any:
    from pyspark.sql.functions import arrow_udf

    # By their annotations Spark knows that they take whole columns.
    def one(column: pyarrow.Array) -> pyarrow.Array:
        return _in_types_of_spark(function(_as_text(column)))

    def two(column: pyarrow.Array, option: pyarrow.Array) -> pyarrow.Array:
        return _in_types_of_spark(function(_as_text(column), option))

    return arrow_udf(two if function.takes_option else one, _TYPES[function.result])


def register(spark: _SparkSession) -> _SparkSession:
    """Adds functions of SQL to a session, and returns it.

    They are ``pct_decode``, ``try_pct_decode``, ``pct_decode_lossy``, ``form_decode``,
    ``try_form_decode``, ``form_decode_lossy``, ``pct_encode(s, set)``, ``form_encode``,
    ``url_normalize``, ``url_repair``, ``url_part(s, part)``, ``url_query_value(s, key)``,
    ``url_findings``, ``url_finding_names`` and ``url_has(s, kinds)``. Those of Spark, such as
    ``url_decode``, stay.
    """
    for name, function in FUNCTIONS.items():
        spark.udf.register(name, _udf(function))
    return spark


def with_columns(frame: _DataFrame, **results: tuple[str, ...]) -> _DataFrame:
    """Adds columns to a data frame, or replaces them, in one pass.

    Each result is a tuple of a function's name in SQL, the name of a column, and the option if the
    function takes one::

        with_columns(logs, decoded=("form_decode_lossy", "url"), host=("url_part", "url", "host"))

    ``url_decode``, ``try_url_decode`` and ``url_encode`` return what Spark's own functions do.
    """
    from pyspark.sql.types import DataType, StructField, StructType

    fields = {field.name: field for field in frame.schema.fields}
    for name, (function, *_) in results.items():
        fields[name] = StructField(name, DataType.fromDDL(_TYPES[_ALL_FUNCTIONS[function].result]))
    return frame.mapInArrow(partial(convert, results), StructType(list(fields.values())))


def convert(
    results: dict[str, tuple[str, ...]], batches: Iterable[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    """Adds columns to each batch, or replaces them: what ``with_columns`` gives to ``mapInArrow``.

    >>> batch = pyarrow.record_batch({'url': ['http://e/%41', '%']})
    >>> next(convert({'path': ('url_part', 'url', 'path'), 'url': ('try_pct_decode', 'url')}, [batch])).to_pylist()
    [{'url': 'http://e/A', 'path': '/%41'}, {'url': None, 'path': '%'}]
    """
    for batch in batches:
        columns = dict(zip(batch.schema.names, batch.columns))
        texts = {column: _as_text(columns[column]) for _, column, *_ in results.values()}
        new = {
            name: _in_types_of_spark(_ALL_FUNCTIONS[function].apply(texts[column], *option))
            for name, (function, column, *option) in results.items()
        }
        yield pyarrow.RecordBatch.from_pydict(columns | new)
