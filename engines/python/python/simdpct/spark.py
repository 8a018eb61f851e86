"""Functions for PySpark, from version 4.1. Needs pyarrow, and this package in all workers.

``register`` adds functions of SQL, with the names of those for DataFusion. ``with_columns`` adds
several columns in one pass, so that the rows go to Python and back once.

For one function that Spark has itself, such as ``url_decode``, Spark is as fast. These have what it
lacks: results for dirty data, findings, normal forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow

from ._sql import FUNCTIONS, Function

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as _DataFrame
    from pyspark.sql import SparkSession as _SparkSession

__all__ = ["convert", "register", "with_columns"]

_TYPES = {"text": "string", "bits": "bigint", "names": "array<string>", "flag": "boolean"}


def _in_types_of_spark(result: Any) -> Any:
    """Spark has no unsigned numbers."""
    return result.cast(pyarrow.int64()) if result.type == pyarrow.uint32() else result


def _udf(function: Function) -> Any:
    from pyspark.sql.functions import arrow_udf

    # By their annotations Spark knows that they take whole columns.
    def one(column: pyarrow.Array) -> pyarrow.Array:
        return _in_types_of_spark(function(column))

    def two(column: pyarrow.Array, option: pyarrow.Array) -> pyarrow.Array:
        return _in_types_of_spark(function(column, option))

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
    """
    from pyspark.sql.types import DataType, StructField, StructType

    fields = {field.name: field for field in frame.schema.fields}
    for name, (function, *_) in results.items():
        fields[name] = StructField(name, DataType.fromDDL(_TYPES[FUNCTIONS[function].result]))
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
        new = {
            name: _in_types_of_spark(FUNCTIONS[function].apply(batch.column(column), *option))
            for name, (function, column, *option) in results.items()
        }
        yield pyarrow.RecordBatch.from_pydict(columns | new)
