"""``Series``: the result of ``simdpct.columns`` for a series of pandas."""

from __future__ import annotations

from typing import Any

import pandas

from ._objects import objects as numpy_objects


class Series(pandas.Series):
    """A series of pandas with the index and the name of its source.

    It has ``to_pylist`` besides, as the other results of ``simdpct.columns`` have.
    """

    @property
    def _constructor(self) -> type[pandas.Series]:
        return pandas.Series

    def to_pylist(self) -> list[Any]:
        """All values, with ``None`` for missing ones."""
        return [None if missing is True else value for value, missing in zip(self.tolist(), self.isna().tolist())]


def series(result: Any, kind: str, like: pandas.Series) -> Series:
    """The series of a result, of a kind: "text", "number", "flag" or "other"."""
    values = _values(result, kind, like.dtype)
    # By its type, or pandas would guess one for objects.
    return Series(values, index=like.index, name=like.name, dtype=values.dtype, copy=False)


def _values(result: Any, kind: str, dtype: Any) -> Any:
    """The values as pandas keeps them.

    Texts have the type of those that they are made of. Numbers and flags are of a type that has missing
    values.
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
        # Not by its codes: two categories may have become equal.
        return pandas.Categorical(result.to_pylist())
    return numpy_objects(result)


def _arrow(result: Any) -> Any:
    import pyarrow

    return pyarrow.chunked_array([result] if hasattr(result, "__arrow_c_array__") else result)
