"""Columns that are objects of pandas or NumPy, as ``simdpct.columns`` takes and returns them.

This module imports neither library: a caller that passes or requests its objects has imported it.
"""

from __future__ import annotations

import sys
from typing import Any


def to_numpy(column: Any, dtype: Any, copy: bool | None) -> Any:
    """Makes a NumPy array of a result. It has objects, unless all values are numbers or all are booleans.

    NumPy's own arrays of strings would lose NULs at their ends.
    """
    import numpy

    if copy is False:
        raise ValueError("an array of NumPy is a copy of the column")
    values = column.to_pylist()
    if dtype is None and values and all(type(value) in (int, bool) for value in values):
        return numpy.array(values, numpy.bool_ if type(values[0]) is bool else numpy.uint32)
    array = objects(column)
    return array if dtype is None else array.astype(dtype)


def objects(column: Any) -> Any:
    """Makes a NumPy array of objects of a result."""
    import numpy

    values = column.to_pylist()
    array = numpy.empty(len(values), object)
    # Sets items one by one: lists of equal length would otherwise become a second dimension.
    for row, value in enumerate(values):
        array[row] = value
    return array


def as_column(column: Any) -> tuple[Any, Any, str | None]:
    """Returns the readable form of an object of pandas or NumPy, its series if it is one, and its name.

    The readable form is an object that exports Arrow's arrays, or a list. Returns None for an object of
    another library.
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        if isinstance(column, pandas.DataFrame):
            if column.shape[1] != 1:
                raise TypeError(f"expected a column, not a table of {column.shape[1]} columns")
            column = column.iloc[:, 0]
        if isinstance(column, (pandas.Series, pandas.Index)):
            if isinstance(column, pandas.MultiIndex):
                raise TypeError("expected a column, not an index of several levels")
            series = column if isinstance(column, pandas.Series) else None
            name = column.name if isinstance(column.name, str) else None
            return _of_pandas(pandas, column), series, name
        if isinstance(column, pandas.api.extensions.ExtensionArray):
            return _of_pandas(pandas, pandas.Series(column)), None, None
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(column, numpy.ndarray):
        if column.ndim != 1:
            raise TypeError(f"expected an array of one dimension, not {column.ndim}")
        return column.tolist(), None, None
    return None, None, None


def _of_pandas(pandas: Any, column: Any) -> Any:
    """A series or index as an Arrow column if pandas stores it as one, otherwise as a list."""
    try:
        if isinstance(column.dtype, pandas.CategoricalDtype):
            import pyarrow

            return pyarrow.array(column.array, from_pandas=True)
        if hasattr(column.array, "__arrow_array__"):
            return column.array.__arrow_array__()
    except ImportError:
        pass
    return [None if missing else value for value, missing in zip(column.tolist(), column.isna())]


def like(result: Any, kind: str, series: Any) -> Any:
    """A result as a series with the index and the name of another series, and with its type if the result has
    texts."""
    from . import _pandas

    return _pandas.series(result, kind, series)
