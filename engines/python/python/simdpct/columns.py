"""Functions of columns: of any object that exports Arrow's arrays.

Each function takes an object with ``__arrow_c_array__`` or ``__arrow_c_stream__``, such as the
columns of pyarrow, Polars, pandas 3 and DuckDB; or a list, an array of NumPy, or a series or index of
pandas. It returns an ``Array`` or a ``ChunkedArray``: a sequence of Python objects that these libraries
accept. For a pandas series it returns a series with the same index. No other library is needed, not even
pyarrow.

Null stays null. The type and the name stay. Types are strings, large strings, string views, binary values of
these three kinds, dictionaries of them, and null. A table with one column counts as that column.

>>> from simdpct import columns
>>> columns.form_decode(['caf%C3%A9', 'a+b', None]).to_pylist()
['café', 'a b', None]
>>> import polars
>>> polars.Series(columns.form_decode(polars.Series(['caf%C3%A9', 'a+b', None]))).to_list()
['café', 'a b', None]
"""

from . import _native

__all__ = [
    "Array",
    "ChunkedArray",
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

# pickle, help() and doctest need the module in which the functions are found.
for _name in __all__:
    globals()[_name] = getattr(_native.columns, _name)
    if _name[0].islower():
        globals()[_name].__module__ = __name__
del _name
