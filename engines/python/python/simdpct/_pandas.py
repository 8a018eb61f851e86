"""``Series``: the result of ``simdpct.columns`` for a series of pandas."""

from __future__ import annotations

from typing import Any

import pandas

from ._objects import objects as numpy_objects


class Series(pandas.Series):
    """A series of pandas with the index and the name of its source.

    It also has ``to_pylist``, like the other results of ``simdpct.columns``.
    """

    @property
    def _constructor(self) -> type[pandas.Series]:
        return pandas.Series

    def to_pylist(self) -> list[Any]:
        """All values, with ``None`` for missing ones."""
        return [None if missing is True else value for value, missing in zip(self.tolist(), self.isna().tolist())]


def series(result: Any, kind: str, like: pandas.Series) -> Series:
    """The series of a result. The kind is "text", "number", "flag" or "other"."""
    values = _values(result, kind, like.dtype)
    # Sets the type, because pandas would guess a type for objects.
    return Series(values, index=like.index, name=like.name, dtype=values.dtype, copy=False)


def _values(result: Any, kind: str, dtype: Any) -> Any:
    """The values in the form that pandas stores.

    Texts have the type of the source. Numbers and flags have a type with missing values.
    """
    if isinstance(dtype, pandas.ArrowDtype):
        arrow = _arrow(result)
        return pandas.array(arrow, pandas.ArrowDtype(arrow.type))
    if kind == "number":
        return pandas.array(result.to_pylist(), "UInt32")
    if kind == "flag":
        return pandas.array(result.to_pylist(), "boolean")
    if kind == "text" and isinstance(dtype, pandas.StringDtype):
        try:
            return dtype.__from_arrow__(_arrow(result))
        except ImportError:
            return pandas.array(result.to_pylist(), dtype)
    if isinstance(dtype, pandas.CategoricalDtype):
        # Does not use the codes, because two categories may have become equal.
        return pandas.Categorical(result.to_pylist())
    return numpy_objects(result)


def _arrow(result: Any) -> Any:
    import pyarrow

    return pyarrow.chunked_array([result] if hasattr(result, "__arrow_c_array__") else result)
