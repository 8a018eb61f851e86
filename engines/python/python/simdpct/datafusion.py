"""Functions of SQL for DataFusion's Python package. Needs pyarrow.

They have the names and the meaning of the functions for DataFusion in Rust: ``pct_decode``, ``url_part(s,
part)`` and all others in the list of ``simdpct.duckdb``.

>>> import datafusion
>>> import simdpct.datafusion
>>> context = simdpct.datafusion.register(datafusion.SessionContext())
>>> context.sql("select url_part('http://e/%41', 'host') as host").to_pydict()
{'host': ['e']}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _extras

# Imported before other modules of this package ask for it, so that the message names this module.
pyarrow: Any = _extras.module("pyarrow", "datafusion")

from ._sql import FUNCTIONS, PARTS, Function

if TYPE_CHECKING:
    from datafusion import SessionContext

__all__ = ["register"]


def register(context: SessionContext) -> SessionContext:
    """Adds all functions to a session, and returns it.

    A function of DataFusion's Python package has a fixed number of arguments, so options are required:
    ``pct_encode(s, 'component')``, ``url_normalize(s, '')``, ``url_path_canonical(s, 'default')``.

    >>> import datafusion
    >>> register(datafusion.SessionContext()).sql("select form_decode('a+%C3%A9') as x").to_pydict()
    {'x': ['a é']}
    """
    datafusion = _extras.module("datafusion", "datafusion")
    text = pyarrow.string()
    types = {
        "text": text,
        "bits": pyarrow.uint32(),
        "names": pyarrow.list_(text),
        "map": pyarrow.map_(text, text),
        "parts": pyarrow.struct([(part, text) for part in PARTS]),
        "flag": pyarrow.bool_(),
    }
    for name, function in FUNCTIONS.items():
        first = pyarrow.uint32() if function.column_function == "finding_names" else text
        parameters = [first] if function.option is None else [first, text]
        result = types[function.result]
        context.register_udf(datafusion.udf(_udf(function), parameters, result, "immutable", name))
    return context


def _udf(function: Function) -> Any:
    """DataFusion reads the number of parameters from the signature."""
    if function.option is None:
        return lambda column: function(column)
    return lambda column, options: function(column, options)
