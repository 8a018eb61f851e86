"""Runs the programs of a cluster as docs/cluster.md describes: a scheduler and two executors on loopback.

usage: check-cluster.py FOLDER
"""

import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = 20_000
QUERY = "select url_part(url, 'host') as host, count(*) as n, count(distinct url_normalize(url)) as urls from urls group by 1 order by 1"


@contextlib.contextmanager
def running(*arguments):
    """Starts a process, and waits for its first line of output. Ends it by its id."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def main():
    folder = Path(sys.argv[1])
    ballista, sql = folder / "simdpct-ballista", folder / "simdpct-sql"
    with tempfile.TemporaryDirectory() as data, contextlib.ExitStack() as stack:
        urls = Path(data) / "urls"
        urls.mkdir()
        for part in range(4):
            lines = (f"http://h{row % 7}.example/%7e{row % 100:02}/{'%2F' * (row % 3)}" for row in range(part, ROWS, 4))
            (urls / f"{part}.csv").write_text("url\n" + "\n".join(lines) + "\n")
        # Port 0 means a free port, which the line names.
        line = stack.enter_context(running(ballista, "scheduler", "--port", "0"))
        address = line.rpartition(" ")[2]
        assert line.startswith("scheduler listening on 127.0.0.1:"), line
        for number in range(2):
            work = Path(data) / f"work{number}"
            work.mkdir()
            line = stack.enter_context(
                running(ballista, "executor", "--port", "0", "--grpc-port", "0", "--scheduler", address, "--work-dir", work))
            assert line.startswith("executor "), line
        cluster = subprocess.run([ballista, "query", "--scheduler", address, "-o", "csv", QUERY, urls],
                                 check=True, capture_output=True, text=True, timeout=300).stdout
        alone = subprocess.run([sql, "-o", "csv", QUERY, urls], check=True, capture_output=True, text=True, timeout=300).stdout
    assert cluster == alone and len(cluster.splitlines()) == 8, (cluster, alone)
    assert sum(int(line.split(",")[1]) for line in cluster.splitlines()[1:]) == ROWS, cluster


main()
