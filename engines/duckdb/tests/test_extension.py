"""Compares the extension in DuckDB with urllib.parse and regular expressions.

engines/duckdb/check runs it; the environment variable EXTENSION is the path of the extension.
"""

import os
import random
import re
from pathlib import Path
from urllib.parse import quote, quote_plus, unquote_to_bytes

import duckdb
import pytest

EXTENSION = os.environ["EXTENSION"]
CORPORA = Path(os.environ.get("SIMDPCT_CORPORA", "../../../shared/corpora"))
UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
TRIPLET = re.compile("%[0-9A-Fa-f]{2}")


class Invalid(Exception):
    """The value cannot be decoded."""


def decode(text):
    if "%" in TRIPLET.sub("", text):
        raise Invalid
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise Invalid from None


def decode_or_none(text):
    try:
        return decode(text)
    except Invalid:
        return None


def decode_lossy(text):
    return unquote_to_bytes(text).decode(errors="replace")


def spaces(text):
    return text.replace("+", " ")


def normalize(text):
    def triplet(match):
        byte = chr(int(match[0][1:], 16))
        # A digit after a malformed '%' and at most one digit might complete a new triplet.
        start = match.start()
        follows = re.search(r"%[0-9A-Fa-f]?\Z", text[max(0, start - 2) : start])
        may_complete = follows and byte in "0123456789ABCDEFabcdef"
        return byte if byte in UNRESERVED and not may_complete else match[0].upper()

    return TRIPLET.sub(triplet, text)


# Functions that never fail: their expressions, and the same in Python.
FUNCTIONS = {
    "try_pct_decode(u)": decode_or_none,
    "pct_decode_lossy(u)": decode_lossy,
    "try_form_decode(u)": lambda text: decode_or_none(spaces(text)),
    "form_decode_lossy(u)": lambda text: decode_lossy(spaces(text)),
    "pct_encode(u)": lambda text: quote(text, safe=""),
    "pct_encode(u, 'component')": lambda text: quote(text, safe=""),
    "pct_encode(u, '/:')": lambda text: quote(text, safe="/:"),
    "form_encode(u)": lambda text: quote_plus(text, safe="*").replace("~", "%7E"),
    "pct_normalize(u)": normalize,
    "url_has(u, 'escape')": lambda text: bool(TRIPLET.search(text)),
    "url_has(u, 'malformed')": lambda text: "%" in TRIPLET.sub("", text),
    "url_has(u, 'slash, nul')": lambda text: bool(re.search("%2[Ff]|%00", text)),
    "url_has(u, 'plus')": lambda text: "+" in text,
    "url_findings(u) & 1": lambda text: int(bool(TRIPLET.search(text))),
    "url_part(u, 'fragment')": lambda text: text.partition("#")[2] if "#" in text else None,
    "url_query_value(u, 'q')": lambda text: query_value(text, "q"),
}


def query_value(text, key):
    before, mark, query = text.partition("#")[0].partition("?")
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if pair and decode_lossy(spaces(name)) == key:
            return decode_lossy(spaces(value))
    return None


PIECES = [
    *("a", "b", "~", "*", "/", "?q=", "&q=", "#", "+", " ", "é", "日本", "😀", "\0", "\n", "http://example.com/"),
    *("%", "%2", "%zz", "%%", "%41", "%2f", "%2F", "%00", "%25", "%7e", "%C3%A9", "%c3%a9", "%E6%97%A5"),
    *("%FF", "%C3", "%ED%A0%80", "%F0%9F%98%80", "%F0%9F", "long text that is not in a string_t"),
]


def random_texts(count, seed):
    """NULL, empty texts, and texts of all lengths around 12, where DuckDB's strings become pointers."""
    source = random.Random(seed)
    texts = ["", None, "x" * 11, "x" * 12, "x" * 13, "%41" * 12, "%41" * 13, "%C3%A9" * 6, "é" * 6, "é" * 7]
    while len(texts) < count:
        kind = source.random()
        if kind < 0.1:
            texts.append(None)
        elif kind < 0.5:
            # Nothing to decode: the row is kept.
            texts.append("".join(source.choices("abc/é", k=source.randrange(40))))
        elif kind < 0.99:
            texts.append("".join(source.choices(PIECES, k=source.randrange(8))))
        else:
            texts.append("".join(source.choices(PIECES, k=500)))
    return texts


def connect(path=":memory:", **config):
    connection = duckdb.connect(path, config={"allow_unsigned_extensions": True, **config})
    connection.load_extension(EXTENSION)
    return connection


@pytest.fixture()
def connection():
    with connect() as connection:
        yield connection


def fill(connection, texts, name="t"):
    """A table of numbered texts. `executemany` would take a second for 1000 rows."""
    connection.execute(f"create or replace table {name} (i integer, u varchar)")
    connection.execute(f"insert into {name} select unnest(range(len($1))), unnest($1::varchar[])", [texts])


def rows(connection, expression, source="t", where="true"):
    return connection.execute(f"select i, {expression} from {source} where {where} order by i").fetchall()


def expected(texts, function):
    return [(i, None if text is None else function(text)) for i, text in enumerate(texts)]


@pytest.mark.parametrize("expression", FUNCTIONS)
@pytest.mark.parametrize("count", [1, 2047, 2048, 2049, 10000])
def test_function_on_random_texts_is_that_of_python(connection, expression, count):
    texts = random_texts(10, 0)[:count] + random_texts(count, count)[10:]
    fill(connection, texts)
    assert rows(connection, expression) == expected(texts, FUNCTIONS[expression])


@pytest.mark.parametrize("name", ["pct", "form"])
def test_strict_function_on_valid_texts_is_try_function(connection, name):
    convert = spaces if name == "form" else str
    texts = [t for t in random_texts(10000, 1) if t is None or decode_or_none(convert(t)) is not None]
    assert len(texts) > 3000
    fill(connection, texts)
    assert rows(connection, f"{name}_decode(u)") == expected(texts, lambda text: decode(convert(text)))


@pytest.mark.parametrize("expression", FUNCTIONS)
def test_function_on_real_urls_is_that_of_python(connection, expression):
    if not (CORPORA / "hostile.txt").exists():
        pytest.skip(f"no texts in {CORPORA}")
    texts = []
    for name in ["typical_urls.txt", "nonlatin_urls.txt", "hostile.txt"]:
        lines = (CORPORA / name).read_bytes().split(b"\n")
        texts += [line.decode(errors="replace") for line in lines[:: max(1, len(lines) // 5000)]]
    fill(connection, texts)
    assert rows(connection, expression) == expected(texts, FUNCTIONS[expression])


@pytest.mark.parametrize("expression", FUNCTIONS)
def test_rows_of_selection_are_converted(connection, expression):
    texts = random_texts(10000, 2)
    fill(connection, texts)
    selected = [row for row in expected(texts, FUNCTIONS[expression]) if row[0] % 3 == 0]
    assert rows(connection, expression, where="i % 3 = 0") == selected


@pytest.mark.parametrize("text", ["", "short", "%41%42", "kept: longer than a string_t", "%41 longer than a string_t", None])
@pytest.mark.parametrize("expression", FUNCTIONS)
def test_constant_vector_is_converted(connection, expression, text):
    value = None if text is None else FUNCTIONS[expression](text)
    # A parameter is a constant for the planner. A column of a joined row is a constant in the executor only.
    for source in ["(select $1::varchar u from range(5000))", "(select u from range(5000), (select $1::varchar u))"]:
        query = f"select {expression} x, u, count(*) from {source} group by all"
        assert connection.execute(query, [text]).fetchall() == [(value, text, 5000)]


@pytest.mark.parametrize("storage", ["table", "parquet"])
def test_dictionary_vector_is_converted(tmp_path, storage):
    values = ["%41 longer than a string_t", "kept: longer than a string_t", "%42", "kept", "", None, "%C3%A9%zz"]
    texts = [values[i % len(values)] for i in range(50000)]
    with connect(str(tmp_path / "file.db")) as connection:
        fill(connection, texts)
        connection.execute("checkpoint")
        source = "t"
        if storage == "parquet":
            source = f"'{tmp_path}/t.parquet'"
            connection.execute(f"copy t to {source}")
            encodings = f"select encodings from parquet_metadata({source}) where path_in_schema = 'u'"
        else:
            encodings = "select compression from pragma_storage_info('t') where column_name = 'u'"
        # Older versions choose another encoding for a table.
        if storage == "parquet" or int(duckdb.__version__.split(".")[0]) >= 2:
            assert any("DICT" in row[0] for row in connection.execute(encodings).fetchall())
        for expression, function in FUNCTIONS.items():
            assert rows(connection, expression, source) == expected(texts, function)
        # A value of the dictionary that no row of the query has is not an error.
        query = f"select count(case when u like '%zz%' then null else pct_decode(u) end) from {source}"
        assert connection.execute(query).fetchall() == [(sum(text not in (None, values[-1]) for text in texts),)]


@pytest.mark.parametrize("value", ["kept: longer than a string_t", "%41 longer than a string_t", "kept", "%41"])
def test_input_is_as_before(connection, value):
    """The result may share the memory of the argument."""
    texts = [value] * 3000 + [None]
    fill(connection, texts)
    found = connection.execute("select u, pct_decode(u) d, upper(u), pct_normalize(pct_decode(u)) from t order by i").fetchall()
    decoded = decode(value)
    assert found == [(value, decoded, value.upper(), decoded)] * 3000 + [(None,) * 4]


def test_result_outlives_its_input(connection):
    """Strings are kept by aggregates, sorting, joins, lists and tables, on several threads."""
    texts = random_texts(100_000, 3)
    fill(connection, texts)
    connection.execute("set threads = 4")
    connection.execute("create table r as select i, pct_decode_lossy(u) d, try_pct_decode(u) v from t")
    connection.execute("drop table t")
    assert rows(connection, "d", "r") == expected(texts, decode_lossy)
    assert rows(connection, "v", "r") == expected(texts, decode_or_none)
    fill(connection, texts)
    listed = connection.execute("select list(pct_decode_lossy(u) order by i) from t").fetchall()[0][0]
    assert listed == [None if text is None else decode_lossy(text) for text in texts]
    joined = connection.execute("select count(*) from t a join t b on pct_normalize(a.u) = pct_normalize(b.u) and a.i = b.i")
    assert joined.fetchall() == [(sum(text is not None for text in texts),)]
    grouped = connection.execute("select pct_decode_lossy(u) d, count(*) from t where u is not null group by d").fetchall()
    counts = {}
    for text in texts:
        if text is not None:
            counts[decode_lossy(text)] = counts.get(decode_lossy(text), 0) + 1
    assert dict(grouped) == counts


def test_short_result_equals_literal(connection):
    """DuckDB compares all 12 bytes of a short string, and the first 4 of a long one."""
    fill(connection, ["%61%62", "ab", "longer than a string%5Ft", "%61bcdefghijk"])
    query = "select i from t where pct_decode(u) in ('ab', 'longer than a string_t', 'abcdefghijk') order by i"
    assert connection.execute(query).fetchall() == [(0,), (1,), (2,), (3,)]


def test_options_may_be_columns(connection):
    query = """
        select i, pct_encode('/a b~', s), url_has('%00+', k), url_part('http://h/p', p)
        from (values (0, 'path', 'nul', 'host'), (1, 'path', 'plus', 'HOST'), (2, NULL, NULL, NULL),
                     (3, 'form', 'slash', 'query'), (4, '/ ', 'nul,slash', 'path')) t(i, s, k, p) order by i
    """
    assert connection.execute(query).fetchall() == [
        (0, "/a%20b~", True, "h"),
        (1, "/a%20b~", True, "h"),
        (2, None, None, None),
        (3, "%2Fa+b%7E", False, None),
        (4, "/a b~", True, "/p"),
    ]


def test_findings_are_kinds_of_url_has(connection):
    with pytest.raises(duckdb.InvalidInputException) as error:
        connection.execute("select url_has('a', 'null')")
    names = re.split(", | or ", str(error.value).partition("expected ")[2])
    assert (names[0], len(names)) == ("escape", 20)
    texts = [text for text in random_texts(5000, 4) if text is not None]
    fill(connection, texts)
    on_request = {"dot-segment", "empty-segment", "double", "unicode"}
    for bit, name in enumerate(names):
        if name not in on_request:
            query = f"select count(*) from t where url_has(u, '{name}') <> (url_findings(u) & (1 << {bit}) <> 0)"
            assert connection.execute(query).fetchall() == [(0,)], name
    assert connection.execute("select url_has('/a/../b', 'dot-segment'), url_has('%2541', 'double')").fetchall() == [(True, True)]


@pytest.mark.parametrize("count", [1, 2048, 2049, 10000])
def test_finding_names_are_those_of_bits(connection, count):
    """Names of up to 13 bytes: DuckDB stores them inline or by a pointer."""
    with pytest.raises(duckdb.InvalidInputException) as error:
        connection.execute("select url_has('a', 'null')")
    names = re.split(", | or ", str(error.value).partition("expected ")[2])
    assert {12, 13} <= {len(name) for name in names}
    source = random.Random(count)
    # Includes bits without a kind, and all bits.
    numbers = [None if source.random() < 0.1 else source.getrandbits(source.randrange(33)) for _ in range(count)]
    numbers[0] = 2**32 - 1
    connection.execute("create table n (i integer, f uinteger)")
    connection.execute("insert into n select unnest(range(len($1))), unnest($1::uinteger[])", [numbers])
    expected_names = [
        (i, None if number is None else [name for bit, name in enumerate(names) if number >> bit & 1])
        for i, number in enumerate(numbers)
    ]
    assert rows(connection, "url_finding_names(f)", "n") == expected_names
    selected = [row for row in expected_names if row[0] % 3 == 1]
    assert rows(connection, "url_finding_names(f)", "n", "i % 3 = 1") == selected


def test_finding_names_of_texts(connection):
    fill(connection, ["%00", None, "", "/a%2Fb+c"] * 2000)
    names = [["escape", "nul", "control"], None, [], ["escape", "plus", "slash"]] * 2000
    assert rows(connection, "url_finding_names(url_findings(u))") == list(enumerate(names))
    # Constants, lists that outlive their vector, and empty lists.
    assert connection.execute("select url_finding_names(9), url_finding_names(null)").fetchall() == [(["escape", "nul"], None)]
    counts = "select k, count(*) from (select unnest(url_finding_names(url_findings(u))) k from t) group by k order by k"
    assert connection.execute(counts).fetchall() == [("control", 2000), ("escape", 4000), ("nul", 2000), ("plus", 2000), ("slash", 2000)]
    assert rows(connection, "url_finding_names(url_findings(u))", where="i < 0") == []


def test_repair_makes_valid_uri(connection):
    fill(connection, ["http://example.com/a b/100%?q=\"é\"#a#b", "/valid", None, ""])
    repaired = ["http://example.com/a%20b/100%25?q=%22%C3%A9%22#a%23b", "/valid", None, ""]
    assert rows(connection, "url_repair(u)") == list(enumerate(repaired))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("pct_decode('50%')", "pct_decode: '50%': malformed percent-encoding: '%' without two hexadecimal digits at byte 2 (try_"),
        ("form_decode('a+%FF')", "form_decode: 'a+%FF': the decoded bytes are not valid UTF-8 at byte 2 (try_form_decode"),
        ("pct_decode('%' || repeat('é', 63))", f"pct_decode: '%{'é' * 63}': malformed"),
        ("pct_decode('%' || repeat('é', 64))", f"pct_decode: '%{'é' * 63}…': malformed"),
        ("pct_decode('a' || chr(10) || chr(0) || '''%')", "pct_decode: 'a\\n\\0\\'%': malformed"),
        ("pct_encode('a', 'pth')", "pct_encode: unknown set 'pth': expected component"),
        ("pct_encode('a', 'é')", "pct_encode: invalid set 'é': only ASCII"),
        ("url_has('a', 'nul,null')", "url_has: 'null': unknown kind"),
        ("url_part('a', 'rf')", "url_part: 'rf': unknown part of a URI: expected scheme"),
    ],
)
def test_error_quotes_value(connection, query, message):
    with pytest.raises(duckdb.InvalidInputException) as error:
        connection.execute(f"select {query}").fetchall()
    assert message in str(error.value)
    # The connection works as before.
    assert connection.execute("select pct_decode('%41')").fetchall() == [("A",)]


def test_error_is_that_of_invalid_row(connection):
    texts = ["kept"] * 2000 + ["%41"] * 3000 + ["%zz row 5000", "%yy"]
    fill(connection, texts)
    with pytest.raises(duckdb.InvalidInputException, match="'%zz row 5000': malformed"):
        connection.execute("select pct_decode(u) from t").fetchall()


def test_empty_table_has_no_rows(connection):
    fill(connection, [])
    for expression in FUNCTIONS:
        assert rows(connection, expression) == []


def test_types_of_results(connection):
    query = "select typeof(pct_decode('a')), typeof(url_findings('a')), typeof(url_has('a', 'nul')), typeof(url_finding_names(1))"
    assert connection.execute(query).fetchall() == [("VARCHAR", "UINTEGER", "BOOLEAN", "VARCHAR[]")]


@pytest.mark.parametrize("query", ["pct_decode()", "pct_decode('a', 'b')", "url_has('a')", "pct_encode('a', 'path', 'c')"])
def test_wrong_number_of_arguments_is_refused(connection, query):
    with pytest.raises(duckdb.BinderException):
        connection.execute(f"select {query}")


def test_long_value_is_converted(connection):
    """40 MB in one row, and rows that take several batches."""
    count = 10_000_000
    query = "select pct_decode(repeat('%61b', $1)) = repeat('ab', $1), length(pct_encode(repeat('é', $1)))"
    assert connection.execute(query, [count]).fetchall() == [(True, 6 * count)]
    query = "select count(*), bool_and(pct_decode(u) = repeat('ab', 20_000_000)) from (select repeat('%61b', 20_000_000) || i[1:0] u from (select i::varchar i from range(5) r(i)))"
    assert connection.execute(query).fetchall() == [(5, True)]


def test_two_databases_load_it():
    with connect() as first, connect() as second:
        for connection in [first, second]:
            assert connection.execute("select pct_decode('%41')").fetchall() == [("A",)]


# The results for bytes, by the same functions of Python.
BLOB_FUNCTIONS = {
    "try_pct_decode(b)": lambda value: None if b"%" in re.sub(b"%[0-9A-Fa-f]{2}", b"", value) else unquote_to_bytes(value),
    "pct_decode_lossy(b)": unquote_to_bytes,
    "form_decode_lossy(b)": lambda value: unquote_to_bytes(value.replace(b"+", b" ")),
    "pct_encode(b)": lambda value: quote(value, safe="").encode(),
    "pct_encode(b, '/:')": lambda value: quote(value, safe="/:").encode(),
    "url_part(b, 'fragment')": lambda value: value.partition(b"#")[2] if b"#" in value else None,
    "url_query_value(b, 'q')": lambda value: bytes_query_value(value, b"q"),
    "url_has(b, 'plus')": lambda value: b"+" in value,
    "url_has(b, 'nul')": lambda value: b"%00" in value,
}


def bytes_query_value(value, key):
    query = value.partition(b"#")[0].partition(b"?")[2]
    for pair in query.split(b"&"):
        name, _, found = (unquote_to_bytes(part.replace(b"+", b" ")) for part in pair.partition(b"="))
        if pair and name == key:
            return found
    return None


@pytest.mark.parametrize("expression", BLOB_FUNCTIONS)
def test_blobs_are_converted_to_any_bytes(connection, expression):
    source = random.Random(3)
    pieces = [b"%", b"%41", b"%FF", b"%00", b"%C3%A9", b"\xff", b"\0", "é".encode(), b"+", b"?q=", b"&q=", b"#", b"/", b"plain text of some length"]
    values = [b"".join(source.choices(pieces, k=source.randrange(7))) for _ in range(5000)] + [None]
    connection.execute("create or replace table blobs (i integer, b blob)")
    connection.executemany("insert into blobs values (?, ?)", list(enumerate(values[-200:])))
    function = BLOB_FUNCTIONS[expression]
    rows = connection.execute(f"select {expression} from blobs order by i").fetchall()
    assert [row[0] for row in rows] == [None if value is None else function(value) for value in values[-200:]]


def test_type_of_result_is_that_of_argument(connection):
    query = "select typeof(pct_decode('a')), typeof(pct_decode('a'::blob)), typeof(url_part('a'::blob, 'path'))"
    assert connection.execute(query).fetchone() == ("VARCHAR", "BLOB", "BLOB")
    assert connection.execute("select pct_decode(?), pct_decode(?)", ["%41", b"%FF"]).fetchone() == ("A", b"\xff")
    with pytest.raises(duckdb.Error, match="'%': malformed"):
        connection.execute("select pct_decode('%'::blob)").fetchall()


def test_functions_and_types_are_listed(connection):
    rows = connection.execute("select function_name, parameter_types, return_type from duckdb_functions() where function_name = 'url_part'").fetchall()
    assert sorted(rows) == [("url_part", ["BLOB", "VARCHAR"], "BLOB"), ("url_part", ["VARCHAR", "VARCHAR"], "VARCHAR")]


SPLIT = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)


def parts(url):
    """The parts of RFC 3986, appendix B, without the parts of the authority."""
    scheme, authority, path, query, fragment = SPLIT.fullmatch(url).groups()
    return {"scheme": scheme, "authority": authority, "path": path, "query": query, "fragment": fragment}


def pairs(url):
    """Reads a form as browsers do."""
    query = parts(url)["query"] or ""
    split = [pair.partition("=") for pair in query.split("&") if pair]
    return [(decode_lossy(spaces(name)), decode_lossy(spaces(value))) for name, _, value in split]


def first_of_each(pairs):
    found = {}
    for name, value in pairs:
        found.setdefault(name, value)
    return found


def random_urls(count, seed):
    source = random.Random(seed)
    pieces = ["a", "b", "=", "=", "&", "&", "+", "%41", "%e2%82%ac", "%", "%FF", "é", "/", "#", "?", "a long name, or value"]
    starts = ["/?", "http://user@example.com:80/p?", "//h?", "", "?"]
    def url():
        return source.choice(starts) + "".join(source.choice(pieces) for _ in range(source.randrange(20)))
    return [None if source.random() < 0.1 else url() for _ in range(count)]


@pytest.mark.parametrize("count", [1, 2047, 2048, 2049, 10000])
def test_lists_maps_and_structures_are_those_of_python(connection, count):
    urls = random_urls(count, count)
    fill(connection, urls)
    assert rows(connection, "url_query_keys(u)") == expected(urls, lambda url: list(first_of_each(pairs(url))))
    assert rows(connection, "url_query_map(u)") == expected(urls, lambda url: first_of_each(pairs(url)))
    found = rows(connection, "url_parts(u)")
    assert [(i, url and {name: url[name] for name in parts("")}) for i, url in found] == expected(urls, parts)
    # Fields of structures and entries of maps, alone and after a filter.
    fragments = [row for row in expected(urls, lambda url: parts(url)["fragment"]) if row[0] % 3 == 1]
    assert rows(connection, "(url_parts(u)).fragment", where="i % 3 = 1") == fragments
    values = expected(urls, lambda url: first_of_each(pairs(url)).get("a"))
    assert rows(connection, "url_query_map(u)['a']") == values
    assert rows(connection, "url_query_value(u, 'a')") == values


def test_structures_of_the_authority_and_of_bytes(connection):
    query = "select url_parts('http://u@h:80/a?b#c'), url_parts(null), url_query_map('/?%FF=%00'::blob), url_query_keys('/?%FF'::blob)"
    (of_url, of_null, of_bytes, keys), = connection.execute(query).fetchall()
    assert of_url == {
        "scheme": "http", "authority": "u@h:80", "userinfo": "u", "host": "h", "port": "80", "path": "/a", "query": "b", "fragment": "c"
    }
    assert (of_null, of_bytes, keys) == (None, {b"\xff": b"\x00"}, [b"\xff"])
    assert connection.execute("select url_parts('/\\xFF'::blob).path").fetchall() == [(b"/\xff",)]
    types = "select typeof(url_query_keys('a')), typeof(url_query_map('a'::blob)), typeof(url_parts('a')) like 'STRUCT(scheme VARCHAR, %'"
    assert connection.execute(types).fetchall() == [("VARCHAR[]", "MAP(BLOB, BLOB)", True)]


@pytest.mark.parametrize(("expression", "result"), [
    ("url_normalize('HTTP://Bücher.Example:80/%7ea/../é?b&a#c')", "http://xn--bcher-kva.example/%C3%A9?b&a#c"),
    ("url_normalize('http://h/?b&utm_a&a#c', 'sort-query, drop-query:utm_*, drop-fragment')", "http://h/?a&b"),
    ("url_normalize('HTTP://a b/%7e')", "http://a b/~"),
    ("url_domain('https://www.Example.co.uk:8080/')", "example.co.uk"),
    ("url_domain('http://127.0.0.1/')", None),
    ("url_join('http://h/a/b', '../c')", "http://h/c"),
    ("url_join('a', 'b')", None),
    ("url_cut('/a?utm_x&b#c', 'key:utm_*,fragment')", "/a?b"),
    ("url_path_canonical('/a/%2e%2e/%62?c')", "/b"),
    ("url_path_canonical('/%00')", None),
    ("url_path_canonical('//a', 'rfc3986')", "//a"),
    ("url_part('http://h/a.tar.gz?b', 'FILE')", "/a.tar.gz?b"),
    ("url_part('/a/b', 'segment:-1')", "b"),
    ("url_part('/a.gz', 'extension')", "gz"),
    ("url_part('/?A=%31', 'key:A')", "1"),
])
def test_functions_of_urls_return_known_values(connection, expression, result):
    assert connection.execute(f"select {expression}").fetchall() == [(result,)]
