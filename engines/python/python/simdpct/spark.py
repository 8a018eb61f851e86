"""Functions for PySpark, from version 4.1. Needs pyarrow, and this package in all workers.

``register`` adds SQL functions, with the names of the functions for DataFusion. ``udf`` returns a function
for columns of data frames. ``with_columns`` adds several columns in one pass, so that the rows go to Python
and back once.

For a single function that Spark has itself, such as ``url_decode``, Spark is as fast. Only these functions
have results for invalid data, findings and normal forms. docs/spark.md has the figures.

Spark strings may contain invalid UTF-8. Before a function runs, each invalid sequence
becomes U+FFFD, with the same sequence boundaries as in Java's decoder.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from . import _extras

# Imported before other modules of this package ask for it, so that the message names this module.
_extras.module("pyarrow", "spark")

from ._sql import FUNCTIONS, PARTS, Function, check_option
from ._sql import function as _function

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame as _DataFrame
    from pyspark.sql import SparkSession as _SparkSession
else:
    import pyarrow

__all__ = ["register", "udf", "with_columns"]

_TYPES = {
    "text": "string",
    "bits": "bigint",
    "names": "array<string>",
    "map": "map<string,string>",
    "parts": f"struct<{','.join(f'{part}:string' for part in PARTS)}>",
    "flag": "boolean",
}


def _replace_as_java(error: UnicodeError) -> tuple[str, int]:
    """An error handler that writes U+FFFD for each invalid sequence. In Java, a sequence may begin like a
    surrogate."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    sequence = error.object[error.start : error.start + 3]
    if len(sequence) < 2 or sequence[0] != 0xED or not 0xA0 <= sequence[1] <= 0xBF:
        return "\ufffd", error.end
    is_whole = len(sequence) == 3 and sequence[2] & 0xC0 == 0x80
    return "\ufffd", error.start + (3 if is_whole else 2)


codecs.register_error("simdpct.java", _replace_as_java)


def _is_text(data_type: Any) -> bool:
    return bool(pyarrow.types.is_string(data_type) or pyarrow.types.is_large_string(data_type))


def _as_text(column: Any) -> Any:
    """Makes the strings of a column valid UTF-8: Arrow requires it, but Spark does not check it."""
    if not _is_text(column.type):
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

    ``url_decode``, ``try_url_decode`` and ``url_encode`` return the same as Spark's own functions.
    """
    return _udf(_function(name))


def _udf(function: Function) -> Any:
    arrow_udf = _extras.module("pyspark.sql.functions", "spark").arrow_udf

    # The annotations tell Spark that the function takes whole columns. Spark does not count them.
    def call(*arguments: pyarrow.Array) -> pyarrow.Array:
        texts = [_as_text(argument) for argument in arguments]
        for text in texts[:1]:
            if function.result == "text" and not pyarrow.types.is_null(text.type) and not _is_text(text.type):
                raise TypeError(f"{function.name} takes a string, not {text.type}: cast the column")
        return _in_types_of_spark(function(*texts))

    call.__annotations__ = {"arguments": pyarrow.Array, "return": pyarrow.Array}
    call.__name__ = call.__qualname__ = function.name
    return arrow_udf(call, _TYPES[function.result])


def register(spark: _SparkSession) -> _SparkSession:
    """Adds functions of SQL to a session, and returns it.

    They are ``pct_decode``, ``try_pct_decode``, ``pct_decode_lossy``, ``form_decode``,
    ``try_form_decode``, ``form_decode_lossy``, ``pct_encode(s[, set])``, ``form_encode``,
    ``pct_normalize``, ``url_repair``, ``url_part(s, part)``, ``url_parts``, ``url_query_value(s, key)``,
    ``url_query_keys``, ``url_query_map``, ``url_normalize(s[, rules])``, ``url_domain``,
    ``url_join(base, reference)``, ``url_cut(s, parts)``, ``url_path_canonical(s[, policy])``,
    ``url_findings``, ``url_finding_names`` and ``url_has(s, kinds)``. Spark's own functions, such as
    ``url_decode``, stay.
    """
    for name, function in FUNCTIONS.items():
        spark.udf.register(name, _udf(function))
    return spark


def with_columns(frame: _DataFrame, **results: tuple[str, ...]) -> _DataFrame:
    """Adds columns to a data frame, or replaces them, in one pass.

    Each result is a tuple of a function's name in SQL, a column, and the option if the function takes
    one::

        with_columns(logs, decoded=("form_decode_lossy", "url"), host=("url_part", "url", "host"))

    Names work as in ``DataFrame.withColumns``. A column may be a field of a struct (``request.url``). The
    session decides whether the case of names matters. A result replaces a column of the same name. Functions,
    columns and options are checked before Spark runs anything.

    ``url_decode``, ``try_url_decode`` and ``url_encode`` return the same as Spark's own functions.
    """
    types = _extras.module("pyspark.sql.types", "spark")
    calls = [_call(name, result) for name, result in results.items()]
    same = _same_names(frame)
    for number, name in enumerate(results):
        for other in list(results)[:number]:
            if same(name, other):
                raise ValueError(f"two results have the same name: {other!r} and {name!r}")
    fields = frame.schema.fields
    # Works for all names of columns, and if two have the same name.
    places = [f"c{number}" for number in range(len(fields))]
    plain = frame.toDF(*places)
    inputs: dict[str, str] = {}
    for function, column, _ in calls:
        # Spark resolves the name, and raises an error if it is unknown or ambiguous.
        field = frame.select(column).schema.fields[0]
        _check_type(function, column, field.dataType, types)
        if column not in inputs:
            found = [place for place, other in zip(places, fields) if same(other.name, column)]
            inputs[column] = found[0] if len(found) == 1 else f"n{len(inputs)}"
    nested = [column for column, place in inputs.items() if place not in places]
    if nested:
        from pyspark.sql.functions import col

        whole = frame.select("*", *(col(column).alias(inputs[column]) for column in nested))
        plain = whole.toDF(*places, *(inputs[column] for column in nested))

    outputs: list[tuple[str, Any, Any]] = []
    replaced = set()
    for place, field in zip(places, fields):
        found_at = next((n for n, name in enumerate(results) if same(field.name, name)), None)
        if found_at is None:
            outputs.append((field.name, field.dataType, place))
        else:
            replaced.add(found_at)
            outputs.append((list(results)[found_at], None, found_at))
    outputs += [(name, None, number) for number, name in enumerate(results) if number not in replaced]
    schema = types.StructType()
    sources: list[str | int] = []
    for number, (_, data_type, source) in enumerate(outputs):
        if data_type is None:
            data_type = types.DataType.fromDDL(_TYPES[calls[source][0].result])
        schema.add(f"c{number}", data_type)
        sources.append(source)
    in_arrow = [(function.name, inputs[column], option) for function, column, option in calls]
    return plain.mapInArrow(partial(_convert, in_arrow, sources), schema).toDF(*(name for name, _, _ in outputs))


def _call(name: str, result: tuple[str, ...]) -> tuple[Function, str, str | None]:
    """Checks and returns the function, column and option of a result."""
    if not isinstance(result, (tuple, list)) or not 2 <= len(result) <= 3:
        raise TypeError(f"{name}: expected a function's name, a column and possibly an option, not {result!r}")
    if not all(isinstance(part, str) for part in result):
        raise TypeError(f"{name}: expected str for the function, the column and the option, not {result!r}")
    function = _function(result[0])
    option = result[2] if len(result) == 3 else None
    check_option(function, option)
    return function, result[1], option


def _same_names(frame: _DataFrame) -> Callable[[str, str], bool]:
    """Whether two names are the same, as the session compares them."""
    if str(frame.sparkSession.conf.get("spark.sql.caseSensitive", "false")).lower() == "true":
        return lambda one, other: one == other
    return lambda one, other: one.lower() == other.lower()


def _check_type(function: Function, column: str, data_type: Any, types: Any) -> None:
    if function.column_function == "finding_names":
        if not isinstance(data_type, (types.IntegralType, types.NullType)):
            raise TypeError(f"{function.name} takes the numbers of url_findings, not {data_type.simpleString()}: {column}")
    elif not isinstance(data_type, (types.StringType, types.CharType, types.VarcharType, types.NullType)):
        raise TypeError(f"{function.name} takes a string, not {data_type.simpleString()}: cast the column {column}")


def _convert(
    calls: list[tuple[str, str, str | None]], outputs: list[str | int], batches: Iterable[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    """The function that ``with_columns`` passes to ``mapInArrow``.

    An output is the name of a column and the number of a call. A call is a function, a column and an option.
    """
    for batch in batches:
        texts = {column: _as_text(batch.column(column)) for _, column, _ in calls}
        results = [
            _in_types_of_spark(_function(name).apply(texts[column], option)) for name, column, option in calls
        ]
        columns = [results[output] if isinstance(output, int) else batch.column(output) for output in outputs]
        yield pyarrow.RecordBatch.from_arrays(columns, [f"c{number}" for number in range(len(columns))])
