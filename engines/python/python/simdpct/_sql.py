"""Functions of SQL: what simdpct.duckdb and simdpct.spark register. Needs pyarrow."""

from dataclasses import dataclass
from typing import Any

import pyarrow
import pyarrow.compute

from . import columns


@dataclass(frozen=True)
class Function:
    """A function of pyarrow's columns, and of a column of options if it takes one."""

    #: In ``simdpct.columns``.
    column_function: str
    #: What it returns: "text", "flag", "bits" or "names".
    result: str = "text"
    takes_option: bool = False

    def __call__(self, column: Any, options: Any = None) -> Any:
        """Applies it to a ``pyarrow.Array`` or ``ChunkedArray``, and returns the same."""
        if options is None:
            return self.apply(column)
        distinct = options.unique()
        if len(distinct) == 1 and distinct.null_count == 0:
            return self.apply(column, distinct[0].as_py())
        return self._apply_each(column, options, distinct)

    def apply(self, column: Any, *option: str) -> Any:
        """Applies it to a column, with one option for all rows."""
        if self.column_function == "finding_names":
            column = column.cast(pyarrow.uint32())
        result = getattr(columns, self.column_function)(column, *option)
        if isinstance(column, pyarrow.ChunkedArray):
            return pyarrow.chunked_array(result)
        return pyarrow.array(result)

    def _apply_each(self, column: Any, options: Any, distinct: Any) -> Any:
        """Each option is applied to its rows, and the results are put in the order of the rows."""
        rows: list[Any] = []
        results: list[Any] = []
        for option in distinct.drop_null():
            rows.append(pyarrow.compute.indices_nonzero(pyarrow.compute.equal(options, option)))
            result = self.apply(column.take(rows[-1]), option.as_py())
            results.extend(result.chunks if isinstance(result, pyarrow.ChunkedArray) else [result])
        if not rows:
            empty = self.apply(column.slice(0, 0), _ANY_OPTION[self.column_function])
            return pyarrow.nulls(len(column), empty.type)
        order = pyarrow.concat_arrays(rows)
        # Rows without an option have no place in the results, and so are null.
        places = pyarrow.compute.index_in(pyarrow.array(range(len(column)), order.type), order)
        return pyarrow.chunked_array(results).take(places).combine_chunks()


#: A valid option, for the type of a result without rows.
_ANY_OPTION = {"encode": "component", "part": "path", "query_value": "", "has": "nul"}

#: By their names in SQL, which are those in DataFusion.
FUNCTIONS = {
    "pct_decode": Function("decode"),
    "try_pct_decode": Function("try_decode"),
    "pct_decode_lossy": Function("decode_lossy"),
    "form_decode": Function("form_decode"),
    "try_form_decode": Function("try_form_decode"),
    "form_decode_lossy": Function("form_decode_lossy"),
    "pct_encode": Function("encode", takes_option=True),
    "form_encode": Function("form_encode"),
    "url_normalize": Function("normalize"),
    "url_repair": Function("repair"),
    "url_part": Function("part", takes_option=True),
    "url_query_value": Function("query_value", takes_option=True),
    "url_findings": Function("findings", "bits"),
    "url_finding_names": Function("finding_names", "names"),
    "url_has": Function("has", "flag", takes_option=True),
}

#: In Spark's exact meaning, by Spark's names.
SPARK_FUNCTIONS = {
    "url_decode": Function("decode_java"),
    "try_url_decode": Function("try_decode_java"),
    "url_encode": Function("form_encode"),
}
