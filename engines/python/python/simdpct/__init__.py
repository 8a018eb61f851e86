"""Fast drop-ins for functions of ``urllib.parse``.

Arguments, results and exceptions are the same as in the running Python's functions:

>>> import simdpct
>>> simdpct.unquote('caf%C3%A9')
'café'
>>> simdpct.urlencode({'q': 'fish & chips'})
'q=fish+%26+chips'
"""

try:
    from . import _native
except ImportError as _error:
    if "subinterpreter" not in str(_error):
        raise
    raise ImportError(
        "simdpct works in one interpreter of a process, and another one has imported it: subinterpreters are not supported"
    ) from _error
from ._native import (
    parse_qs,
    parse_qsl,
    quote,
    quote_from_bytes,
    quote_plus,
    unquote,
    unquote_plus,
    unquote_to_bytes,
    urlencode,
)

__all__ = [
    "parse_qs",
    "parse_qsl",
    "quote",
    "quote_from_bytes",
    "quote_plus",
    "unquote",
    "unquote_plus",
    "unquote_to_bytes",
    "urlencode",
]
__version__ = _native.__version__

# pickle, help() and doctest need the module in which the functions are found.
for _name in __all__:
    getattr(_native, _name).__module__ = __name__
del _name
