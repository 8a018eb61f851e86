"""The SQL functions that simdpct.duckdb and simdpct.spark register. Needs pyarrow."""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass
from typing import Any

from . import _extras

_native: Any = importlib.import_module("._native", __package__)
pyarrow = _extras.module("pyarrow", "duckdb", "spark")


@dataclass(frozen=True)
class Function:
    """A function of pyarrow's columns, and of a column of options if the function takes an option."""

    #: In SQL.
    name: str
    #: In ``simdpct.columns``.
    column_function: str
    #: What it returns: "text", "flag", "bits", "names", "map" or "parts".
    result: str = "text"
    #: What the option is, if it takes one.
    option: str | None = None
    #: Whether it may be called without the option.
    is_option_optional: bool = False

    def __call__(self, *arguments: Any) -> Any:
        """Applies the function to a ``pyarrow.Array`` or ``ChunkedArray``, and to such a column of options if
        it takes an option."""
        most = 1 if self.option is None else 2
        if not (most - self.is_option_optional <= len(arguments) <= most):
            expected = {(1, False): "1 argument", (2, False): "2 arguments", (2, True): "1 or 2 arguments"}
            text = "the text" if self.option is None else f"the text and {self.option}"
            raise TypeError(
                f"{self.name} takes {expected[most, self.is_option_optional]} ({text}), not {len(arguments)}"
            )
        return self.apply(*arguments)

    def apply(self, column: Any, option: Any = None) -> Any:
        """Applies the function to a column. The option is a ``str`` for all rows, or a column. Returns an
        array."""
        column = _in_one_piece(column)
        if self.column_function == "finding_names":
            column = column.cast(pyarrow.uint32())
        elif self.result in ["text", "names", "map", "parts"] and pyarrow.types.is_null(column.type):
            column = column.cast(pyarrow.string())
        if option is not None and not isinstance(option, str):
            option = _in_one_piece(option)
        return pyarrow.array(_native.sql.apply(self.name, column, option))


def _in_one_piece(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column


def function(name: str) -> Function:
    """Finds a function by its name in SQL. The error lists similar names."""
    found = ALL_FUNCTIONS.get(name) if isinstance(name, str) else None
    if found is not None:
        return found
    near = difflib.get_close_matches(str(name).lower(), ALL_FUNCTIONS, n=3, cutoff=0.5)
    others = " or ".join(near) if near else "one of " + ", ".join(ALL_FUNCTIONS)
    raise ValueError(f"unknown function {name!r}: did you mean {others}?")


def _by_name(*functions: Function) -> dict[str, Function]:
    return {function.name: function for function in functions}


#: By their names in SQL, which are those in DataFusion.
FUNCTIONS = _by_name(
    Function("pct_decode", "decode"),
    Function("try_pct_decode", "try_decode"),
    Function("pct_decode_lossy", "decode_lossy"),
    Function("form_decode", "form_decode"),
    Function("try_form_decode", "try_form_decode"),
    Function("form_decode_lossy", "form_decode_lossy"),
    Function("pct_encode", "encode", option="a set", is_option_optional=True),
    Function("form_encode", "form_encode"),
    Function("pct_normalize", "normalize"),
    Function("url_repair", "repair"),
    Function("url_part", "part", option="a part"),
    Function("url_parts", "parts", "parts"),
    Function("url_query_value", "query_value", option="a key"),
    Function("url_query_keys", "query_keys", "names"),
    Function("url_query_map", "query_map", "map"),
    Function("url_normalize", "normalize_url", option="rules", is_option_optional=True),
    Function("url_domain", "domain"),
    Function("url_join", "join", option="a reference"),
    Function("url_cut", "cut", option="the parts to cut"),
    Function("url_path_canonical", "canonical_path", option="a policy", is_option_optional=True),
    Function("url_findings", "findings", "bits"),
    Function("url_finding_names", "finding_names", "names"),
    Function("url_has", "has", "flag", option="kinds of findings"),
)

#: In Spark's exact meaning, by Spark's names.
SPARK_FUNCTIONS = _by_name(
    Function("url_decode", "decode_java"),
    Function("try_url_decode", "try_decode_java"),
    Function("url_encode", "form_encode"),
)

ALL_FUNCTIONS = FUNCTIONS | SPARK_FUNCTIONS

#: The fields of what ``url_parts`` returns.
PARTS = ["scheme", "authority", "userinfo", "host", "port", "path", "query", "fragment"]


def check_option(function: Function, option: str | None) -> None:
    """Raises ``ValueError`` if the function does not take the option."""
    _native.sql.check_option(function.name, option)
