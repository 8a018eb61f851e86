"""Functions of SQL in DataFusion's Python package."""

import doctest

import datafusion
import pyarrow
import pytest
import simdpct.datafusion
from simdpct import _sql
from test_sql import OPTIONS, expected, strings_for

DEFAULTS = {"pct_encode": "component", "url_normalize": "", "url_path_canonical": "default"}


@pytest.fixture
def context():
    return simdpct.datafusion.register(datafusion.SessionContext())


def test_examples_run():
    result = doctest.testmod(simdpct.datafusion)
    assert result.attempted > 4
    assert result.failed == 0


@pytest.mark.parametrize("name", [name for name in _sql.FUNCTIONS if name != "url_finding_names"])
def test_datafusion_returns_what_columns_do(context, name):
    strings = strings_for(name) * 1000
    batch = pyarrow.record_batch({"row": range(len(strings)), "url": pyarrow.array(strings, pyarrow.string())})
    context.register_record_batches("urls", [[batch.slice(0, 100), batch.slice(100)]])
    option = f", '{OPTIONS[name]}'" if name in OPTIONS else ""
    rows = context.sql(f"select {name}(url{option}) as x from urls order by row").to_pydict()["x"]
    rows = [dict(row) if row is not None and name == "url_query_map" else row for row in rows]
    assert rows == expected(name, strings)
    assert context.sql(f"select {name}(url{option}) as x from urls where row < 0").to_pydict() == {"x": []}


@pytest.mark.parametrize("name", DEFAULTS)
def test_option_that_is_the_default_is_that_of_columns(context, name):
    value = "/a/../%7Eb c"
    function = _sql.FUNCTIONS[name]
    plain = function(pyarrow.array([value])).to_pylist()
    assert context.sql(f"select {name}('{value}', '{DEFAULTS[name]}') as x").to_pydict()["x"] == plain
    assert context.sql(f"select {name}('{value}', null) as x").to_pydict()["x"] == [None]


def test_findings_are_named(context):
    names = context.sql("select url_finding_names(url_findings('%00')) as x").to_pydict()
    assert names == {"x": [["escape", "nul", "control"]]}


def test_error_quotes_value(context):
    with pytest.raises(Exception, match="'50%': malformed percent-encoding"):
        context.sql("select pct_decode('50%')").collect()
