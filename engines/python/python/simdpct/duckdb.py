"""Functions of SQL for DuckDB. Needs pyarrow.

DuckDB calls them with many rows at a time. They have the names of the functions for DataFusion:
``pct_decode``, ``try_pct_decode``, ``pct_decode_lossy``, ``form_decode``, ``try_form_decode``,
``form_decode_lossy``, ``pct_encode(s[, set])``, ``form_encode``, ``pct_normalize``, ``url_repair``,
``url_part(s, part)``, ``url_parts``, ``url_query_value(s, key)``, ``url_query_keys``, ``url_query_map``,
``url_normalize(s[, rules])``, ``url_domain``, ``url_join(base, reference)``, ``url_cut(s, parts)``,
``url_path_canonical(s[, policy])``, ``url_findings``, ``url_finding_names`` and ``url_has(s, kinds)``.

>>> import duckdb
>>> import simdpct.duckdb
>>> connection = simdpct.duckdb.register(duckdb.connect())
>>> connection.sql("select try_pct_decode(x), url_part(x, 'host') from (values ('http://e/%41'), ('%')) t(x)").fetchall()
[('http://e/A', 'e'), (None, None)]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _extras

# Imported before other modules of this package ask for it, so that the message names this module.
_extras.module("pyarrow", "duckdb")

from ._sql import FUNCTIONS, PARTS, Function

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["register"]

_TYPES = {
    "text": "VARCHAR",
    "bits": "UINTEGER",
    "names": "VARCHAR[]",
    "map": "MAP(VARCHAR, VARCHAR)",
    "parts": f"STRUCT({', '.join(f'{part} VARCHAR' for part in PARTS)})",
    "flag": "BOOLEAN",
}


def register(connection: DuckDBPyConnection) -> DuckDBPyConnection:
    """Adds all functions to a connection, and returns it.

    >>> import duckdb
    >>> register(duckdb.connect()).sql("select form_decode('a+%C3%A9')").fetchall()
    [('a é',)]
    """
    func = _extras.module("duckdb.func", "duckdb")
    for name, function in FUNCTIONS.items():
        parameters: list[Any] = ["UINTEGER" if function.column_function == "finding_names" else "VARCHAR"]
        if function.option is not None and not function.is_option_optional:
            parameters.append("VARCHAR")
        # Null stays null. Without SPECIAL, an invalid value could not become null.
        connection.create_function(
            name, _udf(function), parameters, _TYPES[function.result], type=func.ARROW, null_handling=func.SPECIAL
        )
    return connection


def _udf(function: Function) -> Callable[..., Any]:
    """DuckDB counts the parameters. A name has one list of parameters."""
    if function.is_option_optional:
        return lambda *arguments: function(*arguments)
    if function.option is not None:
        return lambda column, options: function(column, options)
    return lambda column: function(column)
