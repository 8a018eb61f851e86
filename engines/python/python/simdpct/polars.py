"""Expressions for Polars: the functions of ``simdpct.columns``.

They run in Polars's own threads, without Python, in eager, lazy and streaming queries. Each takes an
expression or the name of a column, of type String or Binary, and returns an expression of the same type. An
option is a ``str``, not an expression.

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
    "canonical_path",
    "cut",
    "decode",
    "decode_java",
    "decode_lossy",
    "domain",
    "encode",
    "finding_names",
    "findings",
    "form_decode",
    "form_decode_lossy",
    "form_encode",
    "has",
    "join",
    "normalize",
    "normalize_url",
    "part",
    "parts",
    "query_keys",
    "query_map",
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


def canonical_path(column: pl.Expr | str, policy: str = "default") -> pl.Expr:
    """The canonical path of each URL or request target, as a server with this policy reads it; null if the policy
    refuses it.

    As ``simdpct.columns.canonical_path``.

    >>> pl.DataFrame({'url': ['/a/%2e%2e/%62?q', '/%00']}).select(canonical_path(pl.col('url'))).to_series().to_list()
    ['/b', None]
    """
    return _expression("canonical_path", column, policy)


def cut(column: pl.Expr | str, parts: str) -> pl.Expr:
    """Each URL without some parts: ``query``, ``fragment``, and ``key:NAME`` for the pairs of a name, in which ``*``
    is any text; separated by commas.

    The rest stays as it is.

    >>> pl.DataFrame({'url': ['/a?utm_x=1&b#c']}).select(cut(pl.col('url'), 'key:utm_*,fragment')).to_series().to_list()
    ['/a?b']
    """
    return _expression("cut", column, parts)


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


def domain(column: pl.Expr | str) -> pl.Expr:
    """The registrable domain of each URL's host, by the public suffix list, in lower case and ASCII; null for an IP
    address, a public suffix, and a URL without a host.

    >>> pl.DataFrame({'url': ['https://www.Example.co.uk/', '/a']}).select(domain(pl.col('url'))).to_series().to_list()
    ['example.co.uk', None]
    """
    return _expression("domain", column)


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


def join(column: pl.Expr | str, reference: str) -> pl.Expr:
    """Each URL as the base of a reference that is resolved against it (RFC 3986 5.2); null if neither has a scheme.

    >>> pl.DataFrame({'url': ['http://e/a/b', 'c']}).select(join(pl.col('url'), '../d')).to_series().to_list()
    ['http://e/d', None]
    """
    return _expression("join", column, reference)


def normalize(column: pl.Expr | str) -> pl.Expr:
    """Normalizes the percent-encoding of each value (RFC 3986 6.2.2).

    >>> pl.DataFrame({'url': ['%7e%2f']}).select(normalize(pl.col('url'))).to_series().to_list()
    ['~%2F']
    """
    return _expression("normalize", column)


def normalize_url(column: pl.Expr | str, rules: str = "") -> pl.Expr:
    """The normal form of each URL (RFC 3986 6.2.2 and 6.2.3), so that URLs that mean the same become the same text.

    A part that has an error stays as it is.

    As ``simdpct.columns.normalize_url``.

    >>> pl.DataFrame({'url': ['HTTP://E.org:80/%7ea/../b?d&c#e']}).select(normalize_url(pl.col('url'), 'sort-query,drop-fragment')).to_series().to_list()
    ['http://e.org/b?c&d']
    """
    return _expression("normalize_url", column, rules)


def part(column: pl.Expr | str, part: str) -> pl.Expr:
    """A part of each URL: ``scheme``, ``host``, ...; null if it has none.

    >>> pl.DataFrame({'url': ['http://e.org/p', '/p']}).select(part(pl.col('url'), 'host')).to_series().to_list()
    ['e.org', None]
    """
    return _expression("part", column, part)


def parts(column: pl.Expr | str) -> pl.Expr:
    """All parts of each URL as they are, as a structure of ``scheme``, ``authority``, ``userinfo``, ``host``,
    ``port``, ``path``, ``query`` and ``fragment``.

    >>> pl.DataFrame({'url': ['http://e.org/p']}).select(parts(pl.col('url'))).to_series()[0]['host']
    'e.org'
    """
    return _expression("parts", column)


def query_keys(column: pl.Expr | str) -> pl.Expr:
    """The decoded names in the query of each URL, each once, as lists.

    Invalid UTF-8 becomes U+FFFD in strings.

    >>> pl.DataFrame({'url': ['/?b=1&a%20c&b', '/']}).select(query_keys(pl.col('url'))).to_series().to_list()
    [['b', 'a c'], []]
    """
    return _expression("query_keys", column)


def query_map(column: pl.Expr | str) -> pl.Expr:
    """The decoded pairs in the query of each URL, as maps; of several with one name, the first.

    Invalid UTF-8 becomes U+FFFD in strings.

    >>> pl.DataFrame({'url': ['/?a=1&a=2']}).select(query_map(pl.col('url'))).to_series().to_list()
    [{'a': '1'}]
    """
    return _expression("query_map", column)


def query_value(column: pl.Expr | str, key: str) -> pl.Expr:
    """The decoded value of a key in the query of each URL; null if it has none.

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
