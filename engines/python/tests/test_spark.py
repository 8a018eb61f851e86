"""simdpct.spark in a cluster of PySpark: two executors, each a process with separate Python workers.

engines/python/check-spark runs it. Spark compares its own functions with ours, row by row; the texts are in
Parquet files that the executors read.
"""

import os
import random
import sys
import time
from pathlib import Path
from urllib.parse import unquote

import pyarrow
import pyarrow.parquet
import pytest
from simdpct import _sql, columns

pytest.importorskip("pyspark", reason="PySpark is 500 MB: engines/python/check-spark installs it")

import simdpct.spark
from pyspark.sql import Row, SparkSession, functions
from test_sql import OPTIONS, STRINGS, expected, strings_for

CORPORA = Path(os.environ.get("SIMDPCT_CORPORA", Path(__file__).parents[4] / "shared/corpora"))
#: What Java's decoder reads differently from others, and where it stops.
OF_JAVA = ["%+4", "%-0", "%-1", "%+", "%4", "%", "%zz", "%0x", "%4+", "%F0%9F", "%ED%A0%80", "%ED%A0%BD%ED%B8%80", "%C0%AF"]
PIECES = [*OF_JAVA, "%41", "%e2%82%ac", "%F0%9F%98%80", "a", "b", "+", " ", "é", "😀", "\0", "*", "~", "-._", "%2B", "%25"]
SPARK_FUNCTIONS = list(_sql.SPARK_FUNCTIONS)


@pytest.fixture(scope="module")
def spark():
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        # Both executors take part from the first task on.
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    simdpct.spark.register(session)
    for name in SPARK_FUNCTIONS:
        session.udf.register(f"our_{name}", simdpct.spark.udf(name))
    yield session
    session.stop()


def texts_of_corpora():
    """Lines, and fields of the log."""
    texts = []
    for path in sorted(CORPORA.glob("*.txt")):
        texts += path.read_text("utf-8", "replace").split("\n")
    log = (CORPORA / "access.log").read_text("utf-8", "replace").split("\n")
    return texts + [field for line in log for field in line.split('"')[1::2]]


def random_texts():
    source = random.Random(1)
    return ["".join(source.choices(PIECES, k=source.randrange(12))) for _ in range(20_000)]


def write(folder, values, data_type):
    """A folder of Parquet files with numbered values and NULL in every seventh row. Each file is a task."""
    values = [None if row % 7 == 3 else value for row, value in enumerate(values)]
    size = -(-len(values) // 4)
    for part, start in enumerate(range(0, len(values), size)):
        piece = pyarrow.array(values[start : start + size], data_type)
        table = pyarrow.table({"row": range(start, start + len(piece)), "url": piece})
        pyarrow.parquet.write_table(table, folder / f"{part}.parquet")
    return values


@pytest.fixture(scope="module", params=["random", "corpora"])
def texts(request, spark, tmp_path_factory):
    """A data frame of texts, and a list of the same texts."""
    if request.param == "corpora" and not (CORPORA / "hostile.txt").exists():
        pytest.skip(f"no texts in {CORPORA}")
    folder = tmp_path_factory.mktemp(request.param)
    values = write(folder, random_texts() if request.param == "random" else texts_of_corpora(), pyarrow.string())
    frame = spark.read.parquet(f"file://{folder}")
    frame.createOrReplaceTempView("texts")
    return frame, values


def test_tasks_run_in_both_executors(spark):
    def folder_of_worker(batches):
        for batch in batches:
            time.sleep(0.5)
            yield pyarrow.record_batch({"folder": [os.getcwd()] * len(batch)})

    frame = spark.range(8, numPartitions=8).mapInArrow(folder_of_worker, "folder string")
    assert frame.distinct().count() == 2


def compare(frame, values, theirs, ours):
    """Spark's column equals ours in each row, and is not trivial."""
    assert frame.where(f"not ({theirs} <=> {ours})").select("row", "url", theirs, ours).limit(3).collect() == []
    counts = frame.selectExpr("count(*)", f"count({theirs})", f"count_if({theirs} <> url)").first()
    assert counts[0] == len(values)
    assert counts[1] > len(values) / 10
    assert counts[2] > 1000


@pytest.mark.parametrize("name", ["try_url_decode", "url_encode"])
def test_arrow_udf_equals_function_of_spark(spark, texts, name):
    _, values = texts
    frame = spark.sql(f"select row, url, {name}(url) theirs, our_{name}(url) ours from texts")
    compare(frame, values, "theirs", "ours")


def test_map_in_arrow_equals_functions_of_spark(spark, texts):
    _, values = texts
    frame = spark.sql("select *, try_url_decode(url) decoded, url_encode(url) encoded from texts")
    frame = simdpct.spark.with_columns(frame, ours=("try_url_decode", "url"), coded=("url_encode", "url"))
    assert frame.columns == ["row", "url", "decoded", "encoded", "ours", "coded"]
    compare(frame, values, "decoded", "ours")
    compare(frame, values, "encoded", "coded")


def test_strict_functions_are_equal_where_spark_decodes(spark, texts):
    _, values = texts
    valid = spark.sql("select * from texts where try_url_decode(url) is not null")
    frame = valid.selectExpr("row", "url", "url_decode(url) theirs", "our_url_decode(url) ours")
    frame = simdpct.spark.with_columns(frame, again=("url_decode", "url"))
    valid_rows = [None] * valid.count()
    assert len(values) > len(valid_rows) > len(values) / 10
    compare(frame, valid_rows, "theirs", "ours")
    compare(frame, valid_rows, "theirs", "again")


def test_lossy_and_findings_answer_where_spark_aborts(spark, texts):
    frame, values = texts
    with pytest.raises(Exception, match="CANNOT_DECODE_URL"):
        spark.sql("select max(url_decode(url)) from texts").collect()
    results = simdpct.spark.with_columns(
        frame,
        lossy=("form_decode_lossy", "url"),
        findings=("url_findings", "url"),
        malformed=("url_has", "url", "malformed"),
    ).selectExpr("row", "url", "lossy", "findings", "malformed", "try_url_decode(url) decoded")
    table = results.orderBy("row").toArrow()
    assert table["url"].to_pylist() == values
    assert table["lossy"].to_pylist() == [value if value is None else unquote(value.replace("+", " ")) for value in values]
    findings = pyarrow.array(columns.findings(pyarrow.array(values, pyarrow.string())))
    assert table["findings"].to_pylist() == findings.to_pylist()
    # Spark refuses malformed values only. It accepts some malformed values: `%+4` in Java's dialect.
    refused = [row for row in zip(values, table["decoded"].to_pylist(), table["malformed"].to_pylist()) if row[0] and row[1] is None]
    assert len(refused) > 100
    assert all(malformed for _, _, malformed in refused)


@pytest.mark.parametrize("name", ["form_decode", "our_url_decode"])
def test_strict_error_quotes_value(spark, name):
    frame = spark.createDataFrame([("fine",), ("50%",)], "url string")
    with pytest.raises(Exception, match=r"'50%': "):
        frame.selectExpr(f"{name}(url)").collect()
    with pytest.raises(Exception, match=r"'50%': "):
        simdpct.spark.with_columns(frame, url=(name.removeprefix("our_"), "url")).collect()
    # The executors go on.
    assert frame.selectExpr("form_decode_lossy(url) x").orderBy("x").first().x == "50%"


def test_strings_that_are_not_utf8_are_read_as_spark_does(spark, tmp_path):
    """Spark casts bytes to strings without a check."""
    source = random.Random(2)
    broken = [b"\xff", b"\xc3", b"\xa9", b"\xe2\x82", b"\xed\xa0\x80", b"\xed\xb0\x80", b"\xed\xa0", b"\xf0\x9f", b"\xf0\x80\x80", b"\xf4\x90", b"\xc0\xaf"]
    pieces = broken + [piece.encode() for piece in ["a", "+", "é", "😀", "%41", "%C3", "%A9", "%", "%4", "~"]]
    write(tmp_path, [b"".join(source.choices(pieces, k=source.randrange(8))) for _ in range(5_000)], pyarrow.binary())
    frame = spark.read.parquet(f"file://{tmp_path}").selectExpr("row", "cast(url as string) url")
    frame = frame.selectExpr(
        "*", "try_url_decode(url) theirs", "our_try_url_decode(url) ours", "url_encode(url) encoded", "our_url_encode(url) coded"
    )
    frame = simdpct.spark.with_columns(frame, again=("try_url_decode", "url"), lossy=("form_decode_lossy", "url"))
    for theirs, ours in [("theirs", "ours"), ("theirs", "again"), ("encoded", "coded")]:
        assert frame.where(f"not ({theirs} <=> {ours})").selectExpr("hex(url)", theirs, ours).limit(3).collect() == []
    assert frame.selectExpr("count(theirs)").first()[0] > 1000
    assert frame.where("url is not null and not is_valid_utf8(lossy)").count() == 0


@pytest.mark.parametrize("name", [name for name in _sql.FUNCTIONS if name != "url_finding_names"])
def test_function_returns_what_columns_do(spark, name):
    strings = strings_for(name)
    frame = spark.createDataFrame([(row, url) for row, url in enumerate(strings)], "row int, url string")
    option = [functions.lit(OPTIONS[name])] if name in OPTIONS else []
    in_sql = functions.call_function(name, "url", *option).alias("x")
    of_frames = simdpct.spark.udf(name)("url", *option).alias("y")
    rows = frame.select("row", in_sql, of_frames).orderBy("row").collect()

    def plain(value):
        """A structure is a ``Row`` in Spark, a ``dict`` in Arrow."""
        return value.asDict() if isinstance(value, Row) else value

    assert [plain(row.x) for row in rows] == [plain(row.y) for row in rows] == expected(name, strings)


def test_findings_are_named(spark):
    frame = spark.createDataFrame([(0, "%00"), (1, None)], "row int, url string").orderBy("row")
    names = frame.selectExpr("url_finding_names(url_findings(url)) as x").collect()
    assert [row.x for row in names] == [["escape", "nul", "control"], None]


def test_columns_are_replaced_and_added_in_one_pass(spark):
    frame = spark.createDataFrame([("http://e/%41?b",), (None,)], "url string")
    result = simdpct.spark.with_columns(
        frame, url=("pct_decode", "url"), host=("url_part", "url", "host"), findings=("url_findings", "url")
    )
    assert result.columns == ["url", "host", "findings"]
    bits = pyarrow.array(columns.findings(pyarrow.array(["http://e/%41?b"])))[0].as_py()
    rows = sorted((tuple(row) for row in result.collect()), key=str)
    assert rows == [("http://e/A?b", "e", bits), (None,) * 3]


def test_option_of_encode_may_be_left_out(spark):
    row = spark.sql("select pct_encode('a/b c') a, pct_encode('a/b c', 'path') b, pct_encode(cast(null as string)) c").first()
    assert tuple(row) == ("a%2Fb%20c", "a/b%20c", None)
    with pytest.raises(Exception, match=r"url_part takes 2 arguments \(the text and a part\), not 1"):
        spark.sql("select url_part('a')").collect()
    with pytest.raises(Exception, match="pct_decode takes a string, not int32: cast the column"):
        spark.sql("select pct_decode(1)").collect()


def test_options_of_rows_take_linear_time(spark):
    frame = spark.range(20_000).selectExpr("concat('/?k', id, '=v', id) url", "concat('k', id) key", "id")
    assert frame.where("url_query_value(url, key) <> concat('v', id)").count() == 0
    start = time.perf_counter()
    assert frame.where("url_query_value(url, key) = concat('v', id)").count() == 20_000
    # When the options of each batch were compared with each other, it took 2.5 s.
    assert time.perf_counter() - start < 2


def test_error_has_no_row_of_a_batch(spark):
    frame = spark.createDataFrame([("a",)] * 10 + [("50%",)], "url string")
    for query in [frame.selectExpr("pct_decode(url)"), simdpct.spark.with_columns(frame, d=("pct_decode", "url"))]:
        with pytest.raises(Exception, match=r"pct_decode: '50%': malformed") as error:
            query.collect()
        assert "row " not in str(error.value).split("'50%'")[0][-20:]


@pytest.mark.parametrize("names, results, of_spark", [
    # (columns of the frame), (names of the results): each is compared with withColumns of Spark.
    (["n", "url", "z"], ["url"], "new"),
    (["n", "url", "z"], ["URL"], "new"),
    (["n", "Url", "z"], ["added", "url", "Last"], "new"),
    (["url", "n", "N"], ["n"], "new"),
    (["url", "n", "N"], ["other"], "new"),
    (["url", "a.b", "c`d", ""], ["a.b", "x y", "e.f"], "new"),
])
@pytest.mark.parametrize("is_case_sensitive", [False, True])
def test_names_are_those_of_with_columns_of_spark(spark, names, results, of_spark, is_case_sensitive):
    spark.conf.set("spark.sql.caseSensitive", str(is_case_sensitive).lower())
    try:
        column = next(name for name in names if name.lower() == "url")
        frame = spark.createDataFrame([("/%41", ) * len(names)], "struct<" + ",".join(f"c{n}: string" for n in range(len(names))) + ">").toDF(*names)
        theirs = frame.withColumns({name: functions.lit("new") for name in results})
        ours = simdpct.spark.with_columns(frame, **{name: ("pct_decode", column) for name in results})
        assert ours.columns == theirs.columns
        assert [value == "/A" for value in ours.first()] == [value == of_spark for value in theirs.first()]
        assert set(ours.first()) <= {"/A", "/%41"}
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_column_is_looked_up_as_by_spark(spark):
    frame = spark.sql("select named_struct('url', '/%41', 'N', named_struct('deep', '%42')) request, '%43' as `a.b`, '%44' as Url")
    result = simdpct.spark.with_columns(
        frame, a=("pct_decode", "request.url"), b=("pct_decode", "request.n.deep"), c=("pct_decode", "`a.b`"), d=("pct_decode", "URL")
    )
    assert result.columns == ["request", "a.b", "Url", "a", "b", "c", "d"]
    assert tuple(result.select("a", "b", "c", "d").first()) == ("/A", "B", "C", "D")
    assert result.first().request.asDict(recursive=True) == {"url": "/%41", "N": {"deep": "%42"}}
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        with pytest.raises(Exception, match="URL"):
            simdpct.spark.with_columns(frame, d=("pct_decode", "URL"))
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


@pytest.mark.parametrize("result, error, message", [
    (("pct_decode", "ulr"), Exception, "UNRESOLVED_COLUMN.*`ulr`"),
    (("pct_decode", "twice"), Exception, "AMBIGUOUS_REFERENCE"),
    (("pct_decod", "url"), ValueError, "unknown function 'pct_decod': did you mean pct_decode"),
    (("url_part", "url", "rf"), ValueError, "url_part: 'rf': unknown part of a URI: expected scheme"),
    (("url_part", "url"), ValueError, "url_part: needs a second argument"),
    (("pct_decode", "url", "x"), ValueError, "pct_decode takes no second argument"),
    (("pct_decode", "number"), TypeError, "pct_decode takes a string, not bigint: cast the column number"),
    (("url_finding_names", "url"), TypeError, "url_finding_names takes the numbers of url_findings, not string: url"),
    ("pct_decode", TypeError, "x: expected a function's name, a column and possibly an option, not 'pct_decode'"),
    (("url_part", "url", 1), TypeError, "x: expected str for the function, the column and the option"),
])
def test_driver_says_what_is_wrong(spark, result, error, message):
    """Before anything runs."""
    frame = spark.sql("select 'a' url, 1L number, 'b' twice, 'c' twice")
    with pytest.raises(error, match=message):
        simdpct.spark.with_columns(frame, x=result)
    with pytest.raises(ValueError, match="unknown function 'url_prt': did you mean url_part"):
        simdpct.spark.udf("url_prt")
    with pytest.raises(ValueError, match="two results have the same name: 'x' and 'X'"):
        simdpct.spark.with_columns(frame, x=("pct_decode", "url"), X=("pct_decode", "url"))
