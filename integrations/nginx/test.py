#!/usr/bin/env python3
"""Tests the module in a running nginx on the loopback interface: test.py MODULE.so. Run by scripts/check-nginx."""

import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

CONFIGURATION = r"""
load_module MODULE;
pid FOLDER/nginx.pid;
error_log FOLDER/error.log notice;
worker_processes 2;
events { worker_connections 128; }
http {
    access_log FOLDER/access.log combined;
    log_format findings '$request_uri $status $simdpct_status $simdpct_findings';
    client_body_temp_path FOLDER/body; proxy_temp_path FOLDER/proxy; fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi; scgi_temp_path FOLDER/scgi;
    proxy_cache_path FOLDER/cache keys_zone=cache:1m;
    simdpct_refuse percent;
    map $simdpct_findings $is_dirty { default clean; ~(^|,)nul(,|$) dirty; }

    # Answers with the target that it gets, and the header fields that may have been split off.
    server {
        listen 127.0.0.1:ORIGIN;
        simdpct_refuse off;
        location / { return 200 "$request_uri|$http_x"; }
    }

    server {
        listen 127.0.0.1:PORT;
        merge_slashes off;
        access_log FOLDER/findings.log findings;
        proxy_http_version 1.1;

        location / { return 200 "inherited"; }
        location /default/ { simdpct_refuse default; return 200 "default"; }
        location /off/ { simdpct_refuse off; return 200 "off"; }
        location /both/ { simdpct_refuse default slash; return 200 "both"; }
        location /args/ { simdpct_refuse_args nul percent; return 200 "args"; }
        location /status/ { simdpct_refuse slash; simdpct_refuse_status 418; return 200 "status"; }
        location /closed/ { simdpct_refuse slash; simdpct_refuse_status 444; return 200 "closed"; }
        location /dry/ { simdpct_refuse default slash; simdpct_dry_run on; return 200 "$simdpct_status"; }
        location /page/ { simdpct_refuse slash; error_page 400 /refused/%252f; return 200 "page"; }
        location /refused/ { internal; simdpct_refuse default slash percent; return 200 "refused page"; }
        location /rewritten/ { rewrite ^ /default/ last; }
        location /mirrored/ { mirror /mirror; proxy_pass http://127.0.0.1:ORIGIN/; }
        location = /mirror { internal; simdpct_refuse escape; proxy_pass http://127.0.0.1:ORIGIN/; }

        location /vars/ {
            simdpct_refuse off;
            return 200 "$simdpct_findings $simdpct_args_findings $simdpct_raw_path $simdpct_normal_path $simdpct_path";
        }
        location /decoded/ { simdpct_refuse off; return 200 "$simdpct_decoded_path"; }
        location /arg/ { return 200 "[$simdpct_arg_q]"; }
        location /map/ { return 200 "$is_dirty"; }

        location /strict/ { simdpct_path strict; return 200 "$simdpct_path"; }
        location /policy/ { simdpct_path default slash=decode; return 200 "$simdpct_path"; }
        location /policy/none/ { simdpct_path off; return 200 "none $simdpct_path"; }
        location /proxy/ {
            simdpct_refuse off;
            simdpct_path default;
            proxy_pass http://127.0.0.1:ORIGIN$simdpct_path$is_args$args;
        }
        location /split/ { simdpct_refuse off; proxy_pass http://127.0.0.1:ORIGIN$uri; }
        location /cached/ {
            simdpct_path default;
            proxy_cache cache; proxy_cache_valid 200 1m; proxy_cache_key $simdpct_path;
            add_header X-Cache $upstream_cache_status;
            proxy_pass http://127.0.0.1:ORIGIN$simdpct_path;
        }
    }

    server {
        listen 127.0.0.1:RANDOM;
        keepalive_requests 1000000;
        simdpct_path default;
        location / { return 200 "$simdpct_path"; }
    }

    server {
        listen 127.0.0.1:SECOND http2;
        simdpct_refuse default;
        location / { return 200 "$simdpct_path"; }
    }

    server {
        listen 127.0.0.1:OTHER;
        simdpct_refuse default;
        simdpct_refuse_log_level warn;
        merge_slashes on;
        location / { return 200 "$simdpct_raw_path"; }
    }
}
"""

PORTS = ["PORT", "ORIGIN", "OTHER", "RANDOM", "SECOND"]
failures = []


def check(what, actual, expected):
    if actual != expected:
        failures.append(f"{what}: {actual!r}, expected {expected!r}")


class Server:
    def __init__(self, module):
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name)
        path.chmod(0o755)
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in PORTS]
        self.ports = dict(zip(PORTS, (s.getsockname()[1] for s in sockets)))
        for each in sockets:
            each.close()
        text = CONFIGURATION.replace("MODULE", str(Path(module).resolve())).replace("FOLDER", str(path))
        for name, port in self.ports.items():
            text = text.replace(name, str(port))
        self.path, self.configuration = path, path / "nginx.conf"
        self.configuration.write_text(text)

    def command(self, *arguments, configuration=None):
        return ["/usr/sbin/nginx", "-p", str(self.path), "-e", str(self.path / "error.log"), "-c",
                str(configuration or self.configuration), *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.command("-g", "daemon off;"))
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.ports["PORT"])).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"nginx does not start: {(self.path / 'error.log').read_text()}")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(10)
        self.folder.cleanup()

    def get(self, target, port="PORT"):
        """Sends a raw target; returns the status, the head and the body. Status 0: closed without an answer."""
        with socket.create_connection(("127.0.0.1", self.ports[port]), timeout=10) as connection:
            connection.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            answer = b""
            while part := connection.recv(65536):
                answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        return (int(head[9:12]) if head else 0), head, body

    def error(self, directive):
        """The message of `nginx -t` for an invalid directive."""
        other = self.path / "other.conf"
        text = self.configuration.read_text(errors="replace")
        other.write_text(text.replace("simdpct_refuse percent;", directive, 1))
        result = subprocess.run(self.command("-t", configuration=other), capture_output=True, text=True)
        return result.returncode, result.stderr


def requests(server):
    def status(target, port="PORT"):
        return server.get(target, port)[0]

    def body(target, port="PORT"):
        return server.get(target, port)[2]

    # simdpct_refuse in each context, and inheritance.
    check("http, inherited", [status(b"/%41"), status(b"/%2541")], [200, 400])
    check("location replaces http", [status(b"/default/%2541"), status(b"/default/%5c")], [200, 400])
    check("location off", status(b"/off/%2541%5c"), 200)
    check("server replaces http", [status(b"/%2541", "OTHER"), status(b"/%0a", "OTHER")], [200, 400])
    check("default and another", [status(b"/both/%2f"), status(b"/both/%07"), status(b"/both/a")], [400, 400, 200])
    check("invalid UTF-8", [status(b"/default/%ff"), status(b"/default/\xff"), status(b"/default/%c3%a9")],
          [400, 400, 200])
    check("query", [status(b"/args/?a=%2541"), status(b"/args/?a=%41"), status(b"/%41?%2541")], [400, 200, 200])
    check("the query is none of the path's", status(b"/both/?%2f"), 200)
    check("status", [status(b"/status/%2f"), status(b"/closed/%2f"), status(b"/status/a")], [418, 0, 200])
    check("dry run", [body(b"/dry/%2f"), body(b"/dry/a")], [b"REFUSED_DRY_RUN", b"PASSED"])

    # Internal redirects and subrequests are not checked again.
    check("error page", server.get(b"/page/%2f")[2], b"refused page")
    check("rewrite", [status(b"/rewritten/%5c"), status(b"/rewritten/%2541")], [200, 400])
    check("subrequest", status(b"/mirrored/%41"), 200)

    # Variables.
    check("variables", body(b"/vars/%7eu/%2e%2e/x%2fy?a=1+%00"),
          b"escape,slash,dot,unreserved,lower-hex escape,plus,nul,control /vars/%7eu/%2e%2e/x%2fy "
          b"/vars/~u/../x%2Fy /vars/x%2Fy")
    check("no findings", body(b"/vars/a"), b"- - /vars/a /vars/a /vars/a")
    check("escaped path", body(b"/vars/\xc3\xa9").split()[-1], b"/vars/%C3%A9")
    check("decoded", body(b"/decoded/a%20b%252f"), b"/decoded/a b%2f")
    check("argument", [body(b"/arg/?p=1&q=a+b%26"), body(b"/arg/?%71=x"), body(b"/arg/?q=%zz"), body(b"/arg/")],
          [b"[a b&]", b"[x]", b"[]", b"[]"])
    check("map", [body(b"/map/%41"), body(b"/map/")], [b"clean", b"clean"])

    # Paths.
    check("strict", [status(b"/strict/a//b"), status(b"/strict/%2f"), status(b"/strict/a;b"), body(b"/strict/%7e")],
          [400, 400, 400, b"/strict/~"])
    check("policy", [body(b"/policy/%2fa"), body(b"/policy/none/%2fa"), status(b"/policy/a%5c")],
          [b"/policy/a", b"none /policy/none/%2Fa", 400])
    check("proxied", [body(b"/proxy/./%7eu//x%2fy?q=%41"), status(b"/proxy/%0d%0aX:1"), status(b"/proxy/..%5c")],
          [b"/proxy/~u/x%2Fy?q=%41|", 400, 400])
    check("nginx alone splits the request", body(b"/split/a%20HTTP/1.0%0d%0aX:1%0d%0aY:"), b"/split/a|1")
    first, second = server.get(b"/cached/~u"), server.get(b"/cached/%7Eu")
    check("cache key", [b"X-Cache: MISS" in first[1], b"X-Cache: HIT" in second[1]], [True, True])
    check("absolute target", body(b"http://a/x%41?b", "OTHER"), b"/x%41")
    check("absolute target without path", body(b"http://a?b", "OTHER"), b"/")
    check("merge_slashes", body(b"/a//b", "OTHER"), b"/a//b")


def logs(server):
    log = (server.path / "error.log").read_text(errors="replace")
    check("log line", bool(re.search(r'\[error\].*simdpct: refused slash at byte 6: "%2f", client', log)), True)
    check("log level", bool(re.search(r'\[warn\].*simdpct: refused control at byte 1: "%0a"', log)), True)
    check("log of a dry run", "dry run" in log, True)
    check("log of the path", 'simdpct: encoded-slash at byte 8: "%2f"' in log, True)
    check("crash", "exited on signal" in log, False)
    findings = (server.path / "findings.log").read_text(errors="replace")
    check("access log", "/%2541 400 REFUSED escape,percent,unreserved" in findings
          or "/%2541 400 REFUSED escape,percent\n" in findings, True)


def configuration_errors(server):
    for directive, message in [
        ("simdpct_refuse nothing;", 'invalid kind "nothing"'),
        ("simdpct_refuse nul off;", 'invalid kind "off"'),
        ("simdpct_refuse nul; simdpct_refuse nul;", "is duplicate"),
        ("simdpct_refuse;", "invalid number of arguments"),
        ("simdpct_path strict slash=none dots=keep;", 'invalid path policy "slash=none"'),
        ("simdpct_path default nginx;", 'invalid path policy "nginx"'),
        ("simdpct_path default; simdpct_path off;", "is duplicate"),
        ("simdpct_refuse_status 200;", "value must be between 400 and 599"),
        ("simdpct_dry_run maybe;", 'it must be "on" or "off"'),
    ]:
        code, text = server.error(directive)
        check(directive, (code, message in text), (1, True))
    check("the configuration itself", server.error("simdpct_refuse percent;")[0], 0)


def reload_under_load(server):
    stop, answers = threading.Event(), []

    def load():
        while not stop.is_set():
            answers.append((server.get(b"/both/%2f")[0], server.get(b"/both/a")[0]))

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
    stop.set()
    for thread in threads:
        thread.join()
    check("reload", set(answers), {(400, 200)})


def http2(server):
    def get(target):
        url = f"http://127.0.0.1:{server.ports['SECOND']}{target}"
        options = ["--silent", "--http2-prior-knowledge", "--path-as-is", "--write-out", " %{http_code} %{http_version}"]
        return subprocess.run(["curl", *options, url], capture_output=True, text=True).stdout.splitlines()[-1]

    check("HTTP/2", get("/a/./%7Eu"), "/a/~u 200 2")
    check("HTTP/2, refused", get("/a%5cb").split()[-2:], ["400", "2"])


class Connection:
    """One request after another on a connection that is opened again if the server has closed it."""

    def __init__(self, port):
        self.address, self.file = ("127.0.0.1", port), None

    def get(self, target):
        for _ in range(2):
            if self.file is None:
                self.file = socket.create_connection(self.address, timeout=10).makefile("rwb")
            try:
                self.file.write(b"GET " + target + b" HTTP/1.1\r\nHost: a\r\n\r\n")
                self.file.flush()
                line = self.file.readline()
            except ConnectionError:
                line = b""
            if line:
                return self.answer(int(line[9:12]))
            self.file = None
        return 0, b""

    def answer(self, status):
        length, closes = 0, False
        while (line := self.file.readline().lower().strip()):
            if line.startswith(b"content-length:"):
                length = int(line.split()[1])
            closes |= line == b"connection: close"
        body = self.file.read(length)
        if closes:
            self.file = None
        return status, body


def random_targets(server, count):
    """A path is refused, or its canonical form is that of itself."""
    pieces = [b"/", b"//", b".", b"..", b"%", b"%2", b"%2e", b"%2E", b"%2f", b"%5c", b"\\", b";", b"a", b"%61", b"%7e", b"%25",
              b"%252f", b"%00", b"%ff", b"%c3%a9", b"\xc3\xa9", b"\xff", b"|", b"+", b"?", b"#", b"%3f", b"%0d%0a"]
    generator, connection, statuses = random.Random(1), Connection(server.ports["RANDOM"]), {}
    for _ in range(count):
        target = b"/" + b"".join(generator.choices(pieces, k=generator.randrange(10)))
        status, body = connection.get(target)
        statuses[status] = statuses.get(status, 0) + 1
        if status == 200:
            check(f"canonical form of {target}", connection.get(body), (200, body))
            check(f"dot segments of {target}", {b".", b".."} & set(body.split(b"/")), set())
        elif status != 400:
            failures.append(f"{target}: status {status}")
    check("both answers occur", all(statuses.get(status, 0) > count / 20 for status in [200, 400]), True)


def main():
    with Server(sys.argv[1]) as server:
        requests(server)
        logs(server)
        configuration_errors(server)
        http2(server)
        random_targets(server, 10_000)
        reload_under_load(server)
        log = (server.path / "error.log").read_text(errors="replace")
        check("crash", "exited on signal" in log, False)
    for failure in failures:
        print(failure, file=sys.stderr)
    print("nginx: FAILED" if failures else "nginx: passed")
    sys.exit(bool(failures))


main()
