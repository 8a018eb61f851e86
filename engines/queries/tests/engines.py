"""The engines that run the crawl queries. Each has `rows(sql, columns)`, which returns a list of tuples in the order of the result.

Each is a context manager, made with the folder of the tables and a folder for files of its own. Environment variables name what it needs:
PROGRAMS, the folder of simdpct-sql and simdpct-ballista, and EXTENSION, the DuckDB extension. `lacks()` says what is missing.
"""

import http.client
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

QUERIES = Path(__file__).parents[1]
TABLES = ("crawl", "known", "access")
# No query on small tables takes so long, also in a debug build on a busy machine.
LIMIT = 120


def sql_of(query, engine):
    """The text of a query: the variant for the engine, if it has one."""
    variant = QUERIES / engine / f"{query}.sql"
    return (variant if variant.exists() else QUERIES / f"{query}.sql").read_text()


def program(name):
    path = Path(os.environ.get("PROGRAMS", "")) / name
    return path if "PROGRAMS" in os.environ and path.is_file() else None


def lines(output, columns):
    """Rows of JSON Lines, in which a NULL is left out."""
    found = [json.loads(line) for line in output.splitlines()]
    assert all(set(row) <= set(columns) for row in found[:1]), (columns, found[:1])
    return [tuple(row.get(column) for column in columns) for row in found]


class Engine:
    def __init__(self, tables, folder):
        self.tables, self.folder = tables, folder

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def arguments(self):
        return [self.tables / table for table in TABLES]

    def run(self, *command):
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False)
        assert run.returncode == 0, run.stderr.decode(errors="replace")
        return run.stdout


class DataFusion(Engine):
    name = "datafusion"

    @staticmethod
    def lacks():
        return None if program("simdpct-sql") else "simdpct-sql in $PROGRAMS"

    def rows(self, sql, columns):
        return lines(self.run(program("simdpct-sql"), "-o", "jsonl", sql, *self.arguments()), columns)


class Ballista(Engine):
    """A scheduler and two executors on loopback."""

    name = "ballista"

    @staticmethod
    def lacks():
        return None if program("simdpct-ballista") else "simdpct-ballista in $PROGRAMS"

    def start(self, name, *arguments):
        """Starts a part, and waits until it listens; its port."""
        files = [self.folder / f"{name}.{end}" for end in ("out", "log")]
        with open(files[0], "wb") as out, open(files[1], "wb") as log:
            process = subprocess.Popen([program("simdpct-ballista"), *arguments, "--port", "0"], stdin=subprocess.DEVNULL, stdout=out, stderr=log)
        self.processes.append(process)
        self.until(lambda: "listening" in files[0].read_text(), f"{name} does not listen: see {files[1]}")
        return int(files[0].read_text().split(":")[-1])

    @staticmethod
    def until(condition, message):
        end = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < end, message
            time.sleep(0.05)

    def count_executors(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return int(connection.getresponse().read().split(b":")[-1].split()[0])
        except (OSError, ValueError):
            return 0
        finally:
            connection.close()

    def __enter__(self):
        self.processes = []
        try:
            self.port = self.start("scheduler", "scheduler")
            for name in ("a", "b"):
                self.start(name, "executor", "--scheduler", f"127.0.0.1:{self.port}", "--tasks", "1", "--memory", "512M", "--work-dir", self.folder)
            self.until(lambda: self.count_executors() == 2, "the scheduler does not know both executors")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def rows(self, sql, columns):
        command = [program("simdpct-ballista"), "query", "--scheduler", f"127.0.0.1:{self.port}", "--wait", "20", "--timeout", str(LIMIT - 20)]
        return lines(self.run(*command, "-o", "jsonl", sql, *self.arguments()), columns)


class DuckDB(Engine):
    name = "duckdb"

    @staticmethod
    def lacks():
        if not Path(os.environ.get("EXTENSION", "/")).is_file():
            return "the extension in $EXTENSION"
        return None if importlib.util.find_spec("duckdb") else "the package duckdb"

    def __enter__(self):
        import duckdb

        self.connection = duckdb.connect(config={"allow_unsigned_extensions": True})
        self.connection.execute(f"load '{os.environ['EXTENSION']}'")
        for table in TABLES:
            self.connection.execute(f"create view {table} as from '{self.tables}/{table}/*.parquet'")
        return self

    def __exit__(self, *_):
        self.connection.close()

    def rows(self, sql, columns):
        result = self.connection.execute(sql)
        assert [column[0] for column in result.description] == list(columns)
        return result.fetchall()


class Spark(Engine):
    """Local, with two threads."""

    name = "spark"

    @staticmethod
    def lacks():
        if not all(importlib.util.find_spec(package) for package in ("pyspark", "simdpct")):
            return "the packages pyspark and simdpct"
        return None if shutil.which("java") else "Java"

    def __enter__(self):
        import simdpct.spark
        from pyspark.sql import SparkSession

        os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.warehouse.dir", str(self.folder / "warehouse"))
        self.session = builder.getOrCreate()
        simdpct.spark.register(self.session)
        for table in TABLES:
            self.session.read.parquet(str(self.tables / table)).createOrReplaceTempView(table)
        return self

    def __exit__(self, *_):
        self.session.stop()

    def rows(self, sql, columns):
        frame = self.session.sql(sql)
        assert frame.columns == list(columns)
        return [tuple(row) for row in frame.collect()]


ENGINES = (DataFusion, Ballista, DuckDB, Spark)
