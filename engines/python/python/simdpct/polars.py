"""Expressions for Polars: the functions of ``simdpct.columns``.

They run in Polars's own threads, without Python, in eager, lazy and streaming queries. Each takes an
expression or the name of a column, of type String or Binary, and returns one of the same type.
An option is a ``str``, not an expression.

>>> import polars as pl
>>> from simdpct.polars import decode, query_value
>>> urls = pl.DataFrame({'url': ['/caf%C3%A9', '/?q=a+b']})
>>> urls.select(decode('url'), q=query_value('url', 'q')).to_dicts()
[{'url': '/café', 'q': None}, {'url': '/?q=a+b', 'q': 'a b'}]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import _extras

if TYPE_CHECKING:
    import polars as pl
    from polars.plugins import register_plugin_function
else:
    pl = _extras.module("polars", "polars")
    register_plugin_function = _extras.module("polars.plugins", "polars").register_plugin_function

__all__ = [
    "decode",
    "decode_java",
    "decode_lossy",
    "encode",
    "finding_names",
    "findings",
    "form_decode",
    "form_decode_lossy",
    "form_encode",
    "has",
    "normalize",
    "part",
    "query_value",
    "repair",
    "try_decode",
    "try_decode_java",
    "try_form_decode",
]

_PLUGIN_PATH = Path(__file__).parent


def _expression(function: str, column: pl.Expr | str, *options: str) -> pl.Expr:
    for option in options:
        if not isinstance(option, str):
            raise TypeError(
                f"simdpct.polars.{function}: the option is a str for all rows, not {type(option).__name__}"
                " (a column of options: simdpct.duckdb, or one expression for each option)"
            )
    return register_plugin_function(
        plugin_path=_PLUGIN_PATH,
        function_name=function,
        args=[column, *(pl.lit(option, pl.String) for option in options)],
        is_elementwise=True,
    )


def decode(column: pl.Expr | str) -> pl.Expr:
    """Percent-decodes each value; ``+`` stays. An invalid value is an error.

    >>> pl.DataFrame({'url': ['caf%C3%A9']}).select(decode(pl.col('url'))).to_series().to_list()
    ['café']
    """
    return _expression("decode", column)


def decode_java(column: pl.Expr | str) -> pl.Expr:
    """Decodes each value as ``url_decode`` of Spark does.

    >>> pl.DataFrame({'url': ['a+%C3%A9']}).select(decode_java(pl.col('url'))).to_series().to_list()
    ['a é']
    """
    return _expression("decode_java", column)


def decode_lossy(column: pl.Expr | str) -> pl.Expr:
    """Percent-decodes each value, and never fails.

    A malformed ``%`` stays, and invalid UTF-8 becomes U+FFFD.

    >>> pl.DataFrame({'url': ['%41', '50%']}).select(decode_lossy(pl.col('url'))).to_series().to_list()
    ['A', '50%']
    """
    return _expression("decode_lossy", column)


def encode(column: pl.Expr | str, set: str = "component") -> pl.Expr:
    """Percent-encodes each value for a set, as ``simdpct.columns.encode`` does.

    >>> pl.DataFrame({'url': ['a/b c']}).select(encode(pl.col('url'), 'path')).to_series().to_list()
    ['a/b%20c']
    """
    return _expression("encode", column, set)


def finding_names(column: pl.Expr | str) -> pl.Expr:
    """The names of what ``findings`` returned, as lists.

    >>> pl.DataFrame({'url': ['%00']}).select(finding_names(findings(pl.col('url')))).to_series().to_list()
    [['escape', 'nul', 'control']]
    """
    return _expression("finding_names", column)


def findings(column: pl.Expr | str) -> pl.Expr:
    """What each value contains, as a number; ``finding_names`` names it.

    >>> pl.DataFrame({'url': ['plain', None]}).select(findings(pl.col('url'))).to_series().to_list()
    [0, None]
    """
    return _expression("findings", column)


def form_decode(column: pl.Expr | str) -> pl.Expr:
    """Same as ``decode``, and ``+`` is a space.

    >>> pl.DataFrame({'url': ['a+b']}).select(form_decode(pl.col('url'))).to_series().to_list()
    ['a b']
    """
    return _expression("form_decode", column)


def form_decode_lossy(column: pl.Expr | str) -> pl.Expr:
    """Same as ``decode_lossy``, and ``+`` is a space.

    >>> pl.DataFrame({'url': ['a+b', '+%']}).select(form_decode_lossy(pl.col('url'))).to_series().to_list()
    ['a b', ' %']
    """
    return _expression("form_decode_lossy", column)


def form_encode(column: pl.Expr | str) -> pl.Expr:
    """Percent-encodes each value for a form; a space becomes ``+``.

    >>> pl.DataFrame({'url': ['a b&']}).select(form_encode(pl.col('url'))).to_series().to_list()
    ['a+b%26']
    """
    return _expression("form_encode", column)


def has(column: pl.Expr | str, kinds: str) -> pl.Expr:
    """Whether each value has a finding of these kinds: names, separated by commas.

    >>> pl.DataFrame({'url': ['%00', 'a']}).select(has(pl.col('url'), 'nul')).to_series().to_list()
    [True, False]
    """
    return _expression("has", column, kinds)


def normalize(column: pl.Expr | str) -> pl.Expr:
    """Normalizes the percent-encoding of each value (RFC 3986 6.2.2).

    >>> pl.DataFrame({'url': ['%7e%2f']}).select(normalize(pl.col('url'))).to_series().to_list()
    ['~%2F']
    """
    return _expression("normalize", column)


def part(column: pl.Expr | str, part: str) -> pl.Expr:
    """A part of each URL: ``scheme``, ``host``, ...; null if there is none.

    >>> pl.DataFrame({'url': ['http://e.org/p', '/p']}).select(part(pl.col('url'), 'host')).to_series().to_list()
    ['e.org', None]
    """
    return _expression("part", column, part)


def query_value(column: pl.Expr | str, key: str) -> pl.Expr:
    """The decoded value of a key in the query of each URL; null if there is none.

    >>> pl.DataFrame({'url': ['/?q=a+b', '/']}).select(query_value(pl.col('url'), 'q')).to_series().to_list()
    ['a b', None]
    """
    return _expression("query_value", column, key)


def repair(column: pl.Expr | str) -> pl.Expr:
    """Escapes whatever a URI must not contain.

    >>> pl.DataFrame({'url': ['/a b']}).select(repair(pl.col('url'))).to_series().to_list()
    ['/a%20b']
    """
    return _expression("repair", column)


def try_decode(column: pl.Expr | str) -> pl.Expr:
    """Percent-decodes each value; an invalid one becomes null.

    >>> pl.DataFrame({'url': ['%41', '50%']}).select(try_decode(pl.col('url'))).to_series().to_list()
    ['A', None]
    """
    return _expression("try_decode", column)


def try_decode_java(column: pl.Expr | str) -> pl.Expr:
    """Decodes each value as ``try_url_decode`` of Spark does.

    >>> pl.DataFrame({'url': ['a+b', '%']}).select(try_decode_java(pl.col('url'))).to_series().to_list()
    ['a b', None]
    """
    return _expression("try_decode_java", column)


def try_form_decode(column: pl.Expr | str) -> pl.Expr:
    """Same as ``try_decode``, and ``+`` is a space.

    >>> pl.DataFrame({'url': ['a+b', '%']}).select(try_form_decode(pl.col('url'))).to_series().to_list()
    ['a b', None]
    """
    return _expression("try_form_decode", column)
