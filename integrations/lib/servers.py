"""Starts servers on the loopback interface and sends them raw requests. Used by the tests of the integrations.

    with Origin() as origin, Server(["/usr/sbin/server", "--port", str(port)], port) as server:
        status, headers, body = request(port, b"/a%2fb")      # body: b"2f6125326662", what the origin got
"""

import collections
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HOST = "127.0.0.1"


def free_port():
    """A port of the loopback interface on which no process listens."""
    return free_ports(1)[0]


def free_ports(count):
    """Different ports on which no process listens."""
    listeners = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def eventually(condition):
    """Whether a condition is true within ten seconds."""
    end = time.monotonic() + 10
    while not (result := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return result


class Server:
    """A process that listens on `port` within `with`. It must stay in the foreground.

    `env` replaces the environment, `user` is the account that it runs as (only root may name one). `output()`
    has its output. At the end the process gets `stop_signal`. If it does not exit in 10 seconds, its process
    group gets SIGKILL.
    """

    def __init__(self, command, port, env=None, user=None, cwd=None, stop_signal=signal.SIGTERM, start_seconds=20):
        self.command, self.port, self.stop_signal, self.start_seconds = command, port, stop_signal, start_seconds
        self.options = {"env": env, "cwd": cwd}
        if user is not None:
            self.options |= {"user": user, "group": user, "extra_groups": []}

    def __enter__(self):
        self.file = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=self.file, stderr=self.file, start_new_session=True,
            **self.options)
        try:
            self.wait_for_port()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def wait_for_port(self):
        end = time.monotonic() + self.start_seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection((HOST, self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError(f"{self.command[0]} does not listen on port {self.port}: {self.output()}")

    def output(self):
        """Standard output and standard error so far."""
        # Reading must not move the position of the file, because the process writes there.
        with open(f"/proc/self/fd/{self.file.fileno()}", "rb") as file:
            return file.read().decode(errors="backslashreplace")

    def is_running(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Ends the process, and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(self.stop_signal)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                # The group has the id of the process. The id cannot belong to another group, because the
                # process has not been waited for.
                subprocess.run(["kill", "-KILL", "--", f"-{self.process.pid}"], check=False)
                self.process.wait()
        return self.process.returncode


class Connection:
    """Sends one request after another on a connection, and opens it again if the server has closed it."""

    def __init__(self, port, timeout=10):
        self.port, self.timeout, self.file = port, timeout, None

    def close(self):
        if self.file is not None:
            self.file.close()
            self.file = None

    def request(self, target, headers=b"Host: a\r\n", method=b"GET"):
        """Returns the status, the header fields (names in lower case) and the body. Without an answer, the
        status is 0."""
        # The server may have closed the connection in the meantime.
        for _ in range(1 if self.file is None else 2):
            try:
                if self.file is None:
                    with socket.create_connection((HOST, self.port), timeout=self.timeout) as connection:
                        self.file = connection.makefile("rwb")
                self.file.write(method + b" " + target + b" HTTP/1.1\r\n" + headers + b"\r\n")
                self.file.flush()
                line = self.file.readline()
            except ConnectionError:
                line = b""
            if line:
                return self.answer(line)
            self.file = None
        return 0, {}, b""

    def answer(self, line):
        status, fields = int(line.split()[1]), {}
        while field := self.file.readline().strip():
            name, _, value = field.decode("latin-1").partition(":")
            fields[name.lower()] = value.strip()
        if fields.get("transfer-encoding") == "chunked":
            body = b"".join(self.chunks())
        elif "content-length" in fields:
            body = self.file.read(int(fields["content-length"]))
        else:
            body = b"" if status in (204, 304) else self.file.read()
            fields.setdefault("connection", "close")
        if fields.get("connection", "").lower() == "close":
            self.close()
        return status, fields, body

    def chunks(self):
        while size := int(self.file.readline().split(b";")[0], 16):
            yield self.file.read(size)
            self.file.readline()
        while self.file.readline().strip():
            pass


def request(port, raw_target, headers=b"Host: a\r\n", method=b"GET", timeout=10):
    """Sends one request with this target, byte for byte, on a separate connection.

    Returns the status, the header fields (names in lower case) and the body. The status is 0 if the
    connection is closed without an answer.
    """
    connection = Connection(port, timeout)
    try:
        return connection.request(raw_target, headers + b"Connection: close\r\n", method)
    finally:
        connection.close()


class Origin:
    """An HTTP server that answers each request with its raw target, in hexadecimal digits. Use with `with`.

    `heads` has the last requests as the origin got them, from the request line to the empty line.
    """

    def __init__(self):
        self.listener = socket.create_server((HOST, 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.heads = collections.deque(maxlen=1000)

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        # Closing alone would not wake the thread.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        # An error of the connection, also by a malformed request, ends only this thread.
        with connection, connection.makefile("rwb") as file:
            try:
                while head := self.read_head(file):
                    self.heads.append(head)
                    line, *fields = head.split(b"\r\n")
                    # The target may contain raw spaces, so the parser may have split the line within it.
                    target = line.partition(b" ")[2]
                    body = (target.rpartition(b" HTTP/")[0] or target).hex().encode()
                    is_last = b"connection: close" in [field.lower() for field in fields]
                    file.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n" % len(body)
                               + (b"Connection: close\r\n\r\n" if is_last else b"\r\n") + body)
                    file.flush()
                    if is_last:
                        return
            except (OSError, ValueError):
                return

    @staticmethod
    def read_head(file):
        head, length = b"", 0
        while (line := file.readline(1 << 20)) not in (b"\r\n", b"\n", b""):
            head += line
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        file.read(length)
        return head


def origin_target(answer):
    """The target that an Origin got, from the answer of `request`. None if the answer is not an Origin's."""
    status, _, body = answer
    try:
        return bytes.fromhex(body.decode()) if status == 200 else None
    except ValueError:
        return None


# Pieces of targets that servers disagree on.
PIECES = [b"/", b"//", b".", b"..", b"%", b"%2", b"%2e", b"%2E", b"%2f", b"%2F", b"%5c", b"\\", b";", b"a", b"~", b"%61",
          b"%7e", b"%25", b"%252f", b"%00", b"%ff", b"%c3%a9", b"\xc3\xa9", b"\xff", b"|", b"+", b"&", b"=", b"?", b"#",
          b"%3f", b"%0d%0a"]


def random_targets(count, seed=1, pieces=PIECES):
    """Random targets that begin with a slash."""
    generator = random.Random(seed)
    for _ in range(count):
        yield b"/" + b"".join(generator.choices(pieces, k=generator.randrange(10)))


class Checks:
    """Collects differences from the expected results. `with` prints them at the end, and exits with 1 if there are
    any."""

    def __init__(self):
        self.count, self.failures = 0, []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.report()
        else:
            # Prints before the exception, which may be a consequence.
            self.print_failures()

    def equal(self, what, actual, expected):
        self.count += 1
        if actual != expected:
            self.failures.append(f"{what}: {actual!r}, expected {expected!r}")

    def true(self, what, condition):
        self.equal(what, bool(condition), True)

    def print_failures(self):
        for failure in self.failures[:50]:
            print(f"FAILED: {failure}", file=sys.stderr)

    def report(self):
        """Prints the failures, and exits with 1 if there are any."""
        self.print_failures()
        if self.failures:
            sys.exit(f"{len(self.failures)} of {self.count} checks failed")
        print(f"{self.count} checks passed")
