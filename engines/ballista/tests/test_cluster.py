"""A running cluster on loopback: one scheduler and two executors. These processes are killed and stopped.

The result of each query is compared with the result of one process. engines/ballista/check runs it; the environment
variable PROGRAMS is the folder of the programs, SCHEDULING is pull or push, SIMDPCT_CORPORA a folder of texts.
"""

import http.client
import os
import re
import socket
import subprocess
import time
from pathlib import Path

import pytest

PROGRAMS = Path(os.environ["PROGRAMS"])
BALLISTA, SQL = PROGRAMS / "simdpct-ballista", PROGRAMS / "simdpct-sql"
CLUSTER_DATA, PLAIN_EXECUTOR = PROGRAMS / "examples/cluster_data", PROGRAMS / "examples/plain_executor"
CORPORA = os.environ["SIMDPCT_CORPORA"]
SCHEDULING = os.environ["SCHEDULING"]
# An executor logs this when it begins a task.
BEGUN = {"pull": "Received task: ", "push": "Execute task  : "}[SCHEDULING]
# The hashes make tasks slow enough to be killed while they run.
HEAVY = """select u, n, size, encode(sha512(coalesce(u, '')), 'hex') as hash
    from (select try_pct_decode(url) as u, count(*) as n,
          max(octet_length(encode(sha512(coalesce(pct_decode_lossy(url), '')), 'hex'))) as size
          from urls where id % 2 = 0 group by 1)
    order by n desc, u"""
# The stages of HEAVY: the first reads files, the second groups the rows.
SCAN, GROUP = 1, 2


def until(seconds, condition, expectation):
    """Waits until a condition holds, and fails if it does not within some seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {expectation}"
        time.sleep(0.02)


def in_one_process(output, sql, table):
    # Ballista reads strings as Utf8.
    setting = "datafusion.execution.parquet.schema_force_view_types=false"
    return subprocess.run([SQL, "-c", setting, "-o", output, sql, table], stdout=subprocess.PIPE, check=True).stdout


class Process:
    """A process whose output goes to NAME.out and NAME.log."""

    def __init__(self, folder, name, command):
        self.name, self.files = name, [folder / f"{name}.out", folder / f"{name}.log"]
        with open(self.files[0], "wb") as out, open(self.files[1], "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=log)

    @property
    def out(self):
        return self.files[0].read_text(errors="replace")

    @property
    def log(self):
        return self.files[1].read_text(errors="replace")

    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        """Ends the process by SIGKILL, as if its machine had failed."""
        self.process.kill()
        self.process.wait()

    def end(self, seconds):
        """Waits until the process ends, and returns its exit status."""
        until(seconds, lambda: not self.is_running(), f"the end of {self.name}")
        return self.process.returncode

    def stop(self):
        """Ends the process by SIGTERM: it must exit successfully and remove its folder."""
        began = time.monotonic()
        self.process.terminate()
        assert self.end(15) == 0, self.log
        folder = re.search("Executor working directory: (.*)", self.log)
        assert not folder or not Path(folder[1]).exists(), folder[1]
        print(f"{self.name} ended {time.monotonic() - began:.2f} s after SIGTERM")


class Cluster:
    def __init__(self, folder):
        self.folder, self.processes, self.port, self.job = folder, {}, None, None

    def start(self, name, *command):
        self.processes[name] = Process(self.folder, name, command)
        return self.processes[name]

    def start_scheduler(self):
        scheduler = self.start("scheduler", BALLISTA, "scheduler", "--port", "0", "--scheduling", SCHEDULING,
                               "--executor-timeout", "8", "--check-interval", "2")
        until(30, lambda: "listening" in scheduler.out, "the scheduler listens")
        self.port = int(scheduler.out.split(":")[-1])

    def count_executors(self):
        """The number of executors that the scheduler knows."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            found = re.search(rb"ready: (\d+)", connection.getresponse().read())
        except OSError:
            return 0
        finally:
            connection.close()
        return int(found[1]) if found else 0

    def start_executors(self):
        """Starts the executors a and b if they are not running. Each runs one task at a time, so that both
        get tasks."""
        for name in "ab":
            if name in self.processes and self.processes[name].is_running():
                continue
            executor = self.start(name, BALLISTA, "executor", "--scheduler", f"127.0.0.1:{self.port}", "--port", "0", "--tasks", "1",
                                  "--scheduling", SCHEDULING, "--memory", "512M", "--heartbeat", "2")
            until(30, lambda: "listening" in executor.out, f"{name} listens")
        until(30, lambda: self.count_executors() == 2, "the scheduler knows both executors")
        return self.processes["a"], self.processes["b"]

    def command(self, *arguments, wait=20):
        return [BALLISTA, "query", "--scheduler", f"127.0.0.1:{self.port}", "--wait", str(wait), *arguments]

    def query(self, *arguments, status=0, wait=20):
        """Runs a query. Returns its output, or its message if it must fail."""
        run = subprocess.run(self.command(*arguments, wait=wait), stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        assert run.returncode == status, run.stderr
        return run.stderr.decode() if status else run.stdout

    def jobs(self):
        return re.findall(r"Job queued: \[([^\]]+)", self.processes["scheduler"].log)

    def start_heavy(self, data):
        """Starts the query HEAVY, and waits until it is queued."""
        before = len(self.jobs())
        query = self.start("query", *self.command("-o", "csv", HEAVY, data / "urls"))
        until(30, lambda: len(self.jobs()) > before, "the query is queued")
        self.job = self.jobs()[-1]
        return query

    def is_done(self):
        return re.search(rf"Job (finished successfully|failed): \[{self.job}\]", self.processes["scheduler"].log)

    def begun(self, name, stage):
        """The number of tasks of a stage that an executor has begun."""
        return self.processes[name].log.count(f"{BEGUN}[TID {self.job}/{stage}.")

    def finished(self, name, stage):
        return self.processes[name].log.count(f"Finished task : [TID {self.job}/{stage}.")

    def is_grouping(self):
        return self.begun("a", GROUP) + self.begun("b", GROUP) > 0

    def wait_for_scan(self, name):
        """Waits until an executor runs a task of the first stage, after it has finished another."""
        until(60, lambda: self.is_done() or 0 < self.finished(name, SCAN) < self.begun(name, SCAN), f"{name} reads files")

    def wait_for_group(self, name):
        """Waits until an executor runs a task of the second stage, and this executor has written some of the
        stage's input."""
        until(90, lambda: self.is_done() or self.finished(name, SCAN) > 0 and self.is_grouping(), "a task groups rows")


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder with the Parquet files in urls/ and dirty/, and heavy.csv: the result of HEAVY in one process."""
    folder = tmp_path_factory.mktemp("data")
    subprocess.run([CLUSTER_DATA, "make", CORPORA, folder], check=True)
    (folder / "heavy.csv").write_bytes(in_one_process("csv", HEAVY, folder / "urls"))
    return folder


@pytest.fixture
def cluster(tmp_path, request):
    """A scheduler without executors. If the test fails, prints the ends of the logs."""
    failures = request.session.testsfailed
    cluster = Cluster(tmp_path)
    try:
        cluster.start_scheduler()
        yield cluster
    finally:
        for process in cluster.processes.values():
            process.kill()
    if request.session.testsfailed > failures:
        for name, process in cluster.processes.items():
            print(f"\n--- end of {name}.log", *(line[:400] for line in process.log.splitlines()[-15:]), sep="\n")


def test_query_without_executors_fails_after_its_wait(cluster):
    assert "has had no executor for 1 s" in cluster.query("select 1", status=1, wait=1)


def test_rows_are_those_of_one_process_and_of_library(cluster, data, tmp_path):
    cluster.start_executors()
    sql = subprocess.run([CLUSTER_DATA, "query"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    rows = cluster.query("-o", "jsonl", sql, data / "urls")
    cluster.job = cluster.jobs()[-1]
    assert cluster.finished("a", SCAN) > 0 and cluster.finished("b", SCAN) > 0
    (tmp_path / "rows.jsonl").write_bytes(rows)
    subprocess.run([CLUSTER_DATA, "check", CORPORA, tmp_path / "rows.jsonl"], check=True)
    assert sorted(rows.splitlines()) == sorted(in_one_process("jsonl", sql, data / "urls").splitlines())


def test_grouped_rows_are_those_of_one_process(cluster, data):
    cluster.start_executors()
    assert cluster.query("-o", "csv", HEAVY, data / "urls") == (data / "heavy.csv").read_bytes()


def test_strict_error_reaches_client_with_value_cut_to_64_characters(cluster, data):
    cluster.start_executors()
    message = cluster.query("select id, pct_decode(url) from dirty", data / "dirty", status=1)
    value = "http://e/" + "0123456789" * 5 + "01234"
    assert f"simdpct-ballista query: pct_decode: '{value}…': malformed percent-encoding" in message
    assert "secret" not in message and message.count("\n") == 1, message


def too_late(cluster, stage):
    """Why the executor b was not killed during a stage, as the logs say."""
    if cluster.is_done():
        return "the query was done"
    if stage == SCAN and cluster.is_grouping():
        return "all files were read"
    if stage == SCAN and cluster.begun("b", SCAN) == cluster.finished("b", SCAN):
        return "one task of b was finished and the next not begun"
    return None


@pytest.mark.parametrize("stage", [SCAN, GROUP])
def test_killed_executor_changes_no_result(cluster, data, stage):
    for _ in range(3):
        _, victim = cluster.start_executors()
        began = time.monotonic()
        query = cluster.start_heavy(data)
        (cluster.wait_for_scan if stage == SCAN else cluster.wait_for_group)("b")
        killed = time.monotonic()
        victim.kill()
        reason = too_late(cluster, stage)
        if not reason:
            break
        print(f"{reason} when b was killed; once more")
        query.end(120)
    else:
        pytest.fail("b was never killed in time")
    assert query.end(60) == 0, query.log
    print(f"killed {killed - began:.2f} s after the start; the result came {time.monotonic() - killed:.2f} s later")
    assert query.files[0].read_bytes() == (data / "heavy.csv").read_bytes()
    # The results of the executor were lost, so its tasks of the first stage ran again.
    identity = victim.out.split()[1]
    assert re.search(rf"Reset \d+ tasks for (running|successful) job/stage {cluster.job}/{SCAN} on lost Executor {identity}"
                     rf"|resubmit .* its map Stage {SCAN} .* TID {cluster.job}/", cluster.processes["scheduler"].log)
    cluster.start_executors()


def test_query_fails_if_all_executors_are_killed(cluster, data):
    executors = cluster.start_executors()
    query = cluster.start_heavy(data)
    cluster.wait_for_scan("b")
    assert not cluster.is_done()
    for executor in executors:
        executor.kill()
    assert query.end(60) == 1
    assert re.search("all executors were lost|has had no executor for", query.log), query.log
    # The cluster accepts new executors.
    cluster.start_executors()


@pytest.mark.skipif(SCHEDULING == "push", reason="plain_executor asks for tasks")
def test_executor_without_functions_is_named_error(cluster, data, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    cluster.start("plain", PLAIN_EXECUTOR, str(cluster.port), str(free), tmp_path / "plain")
    until(30, lambda: cluster.count_executors() == 1, "the plain executor is known")
    message = cluster.query("select try_pct_decode(url) from urls", data / "urls", status=1)
    assert "an executor has no function try_pct_decode" in message


def test_stopped_executor_ends_and_changes_no_result(cluster, data):
    _, stopped = cluster.start_executors()
    query = cluster.start_heavy(data)
    cluster.wait_for_scan("b")
    assert not cluster.is_done()
    stopped.stop()
    assert query.end(60) == 0, query.log
    assert query.files[0].read_bytes() == (data / "heavy.csv").read_bytes()


def test_query_fails_if_scheduler_is_stopped(cluster, data):
    executors = cluster.start_executors()
    query = cluster.start_heavy(data)
    cluster.wait_for_scan("a")
    assert not cluster.is_done()
    cluster.processes["scheduler"].stop()
    assert query.end(30) == 1
    assert f"lost the scheduler at 127.0.0.1:{cluster.port}: " in query.log
    for executor in executors:
        executor.stop()
