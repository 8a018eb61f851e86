"""The crawl queries on small tables: each engine returns the rows that plain Python computes, without the functions under test.

engines/queries/check runs it. TABLES is the folder that engines/queries/generate has written, ONLY a comma-separated list of engines that
must be there; without it, missing engines are skipped. The modules engines.py and expected.py are beside this file.
"""

import os
import re
from collections import Counter
from pathlib import Path

import pyarrow.parquet
import pytest
from engines import ENGINES, QUERIES, sql_of
from expected import EXPECTED

TABLES = Path(os.environ["TABLES"])
ONLY = [name for name in os.environ.get("ONLY", "").split(",") if name]


@pytest.fixture(scope="module", params=ENGINES, ids=lambda engine: engine.name)
def engine(request, tmp_path_factory):
    if ONLY and request.param.name not in ONLY:
        pytest.skip("not asked for")
    lacks = request.param.lacks()
    if lacks:
        assert not ONLY, f"missing: {lacks}"
        pytest.skip(f"missing: {lacks}")
    with request.param(TABLES, tmp_path_factory.mktemp(request.param.name)) as running:
        yield running


@pytest.fixture(scope="module")
def tables():
    return {name: pyarrow.parquet.read_table(TABLES / name).to_pylist() for name in ("known", "crawl", "access")}


def test_every_query_is_checked():
    assert {path.stem for path in QUERIES.glob("*.sql")} == set(EXPECTED)
    engines = {engine.name for engine in ENGINES}
    for variant in QUERIES.glob("*/*.sql"):
        assert variant.parent.name in engines and variant.stem in EXPECTED, variant


@pytest.mark.parametrize("query", EXPECTED)
def test_rows_of_query_are_those_of_plain_python(engine, tables, query):
    columns, rows = EXPECTED[query](tables)
    sql = sql_of(query, engine.name)
    got = engine.rows(sql, columns)
    assert len(rows) > 20
    missing, surplus = Counter(rows) - Counter(got), Counter(got) - Counter(rows)
    assert not missing and not surplus, (list(missing)[:5], list(surplus)[:5])
    # Only a query that sorts its result promises an order.
    if re.search(r"^order by", sql, re.M):
        assert got == rows


def test_tables_have_what_the_queries_look_for(tables):
    """Otherwise the other tests could not fail."""
    urls = Counter(row["url"] for row in tables["crawl"])
    contents = Counter(row["content_digest"] for row in tables["crawl"])
    assert len(contents) < len(urls) < len(tables["crawl"])
    domains = {row["url_host_private_domain"] for row in tables["crawl"]}
    assert None in domains and any(domain and domain.endswith(".github.io") for domain in domains)
    for text in (r"%(?![0-9A-Fa-f]{2})", "%25[0-9A-F]{2}", "^HTTPS:", ":443/", r"/\./", "/x/[.][.]/", "%[0-9a-f][a-f]", r"[?&]\w+=[^&]*[+]"):
        assert any(re.search(text, url) for url in urls), text


@pytest.mark.parametrize("query", EXPECTED)
def test_page_has_the_columns_and_first_rows(tables, query):
    page = (QUERIES.parents[1] / "docs/crawl-queries" / f"{query}.md").read_text()
    columns, rows = EXPECTED[query](tables)
    described, shown = (re.findall(r"^\| (.*) \|$", part, re.M) for part in page.split("\n## First rows\n"))
    assert [line.split(" | ")[0].strip("`") for line in described[1:]] == list(columns)
    if len(tables["crawl"]) != 20_000:
        pytest.skip("the pages show rows of tables with 20,000 rows")
    if query == "new-urls":
        rows = sorted(rows, key=lambda row: (-row[2], row[0]))
    texts = [" | ".join("" if value is None else str(value) for value in row) for row in [columns, *rows]]
    assert shown[0] == texts[0] and len(shown) > 3
    assert shown[1:] == texts[1 : len(shown)]
    total = re.search(r"(?i)\bof ([\d,]+)\.$", page, re.M)
    assert not total or total[1] == f"{len(rows):,}"
