"""engines/queries/generate: the same rows for the same seed, in any number of files, in bounded memory, like real URLs."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet
import pytest

GENERATE = Path(__file__).parents[1] / "generate"
# The public schema of the columnar index (flat), without the columns of its folders. Parquet has the types in its own names.
TEXTS = """url_surtkey url url_host_name url_host_tld url_host_2nd_last_part url_host_3rd_last_part url_host_4th_last_part
    url_host_5th_last_part url_host_registry_suffix url_host_registered_domain url_host_private_suffix url_host_private_domain
    url_protocol url_path url_query content_digest content_mime_type content_mime_detected warc_filename warc_segment""".split()
SCHEMA = {**dict.fromkeys(TEXTS, "string"), "url_port": "int32", "fetch_status": "int16", "fetch_time": "timestamp[ms, tz=UTC]",
          "warc_record_offset": "int32", "warc_record_length": "int32"}  # fmt: skip


def generate(folder, *arguments):
    subprocess.run([sys.executable, GENERATE, folder, *map(str, arguments)], check=True)
    return folder


def read(folder, table="crawl"):
    return pyarrow.parquet.read_table(folder / table)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return generate(tmp_path_factory.mktemp("small"), "--rows", 3001, "--files", 3)


@pytest.mark.parametrize("table", ["known", "crawl", "access"])
def test_rows_do_not_depend_on_files_or_process(small, tmp_path, table):
    other = generate(tmp_path, "--rows", 3001, "--files", 1, "--tables", table)
    assert [path.name for path in tmp_path.iterdir()] == [table]
    assert len(list((small / table).iterdir())) == 3
    assert read(small, table).num_rows == 3001
    assert read(small, table).equals(read(other, table))


def test_other_seed_makes_other_rows(small, tmp_path):
    other = generate(tmp_path, "--rows", 3001, "--seed", 1, "--tables", "crawl")
    assert len(set(read(small)["url"].to_pylist()) & set(read(other)["url"].to_pylist())) < 10


@pytest.mark.parametrize("table", ["known", "crawl"])
def test_schema_is_that_of_columnar_index(small, table):
    assert {field.name: str(field.type) for field in read(small, table).schema} == SCHEMA


def test_more_rows_than_files_is_not_needed(tmp_path):
    assert read(generate(tmp_path, "--rows", 1, "--files", 3), "access").num_rows == 1


@pytest.mark.parametrize("arguments", [["--rows", "0"], ["--rows", "1", "--files", "0"], ["--rows", "1", "--tables", "x"]])
def test_invalid_argument_is_refused(tmp_path, arguments):
    assert subprocess.run([sys.executable, GENERATE, tmp_path, *arguments], stderr=subprocess.PIPE, check=False).returncode == 2


def test_shares_are_those_of_real_urls(tmp_path):
    table = read(generate(tmp_path, "--rows", 100_000, "--tables", "crawl"))
    urls, hosts = table["url"].to_pylist(), Counter(table["url_host_name"].to_pylist())

    def share(pattern):
        return sum(bool(re.search(pattern, url)) for url in urls) / len(urls)

    # Of typical_urls.txt; other spellings of a URL, which that list does not have, add some triplets.
    assert 0.045 < share("%[0-9A-Fa-f]{2}") < 0.065
    assert 0.15 < share("[?]") < 0.20
    assert 0.0001 < share("%(?![0-9A-Fa-f]{2})") < 0.0006
    assert 0.0007 < share("%25[0-9A-Fa-f]{2}") < 0.0016
    assert 0.03 < hosts.most_common(1)[0][1] / len(urls) < 0.05
    assert 0.08 < len(hosts) / len(urls) < 0.17


def test_memory_does_not_grow_with_rows(tmp_path):
    def peak(rows):
        # A process of its own reports the peak of its child.
        script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        command = [sys.executable, "-c", script, sys.executable, GENERATE, tmp_path, "--rows", str(rows), "--tables", "crawl"]
        return int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) * 1024

    # As a table in memory, 400,000 rows more would take 270 MB. The columns of 66,000 hosts more take 20 MB.
    assert peak(550_000) - peak(150_000) < 100e6
