"""The checks that each filter for Envoy has to pass, in a running Envoy. Used by the tests of integrations/envoy and
integrations/proxy-wasm.

A `Filter` starts Envoy with a filter. It has the fields of Envoy's access log with which the findings and the refusal
are written, and the response code details of a refusal.
"""

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import proxies
from library import check_random_targets
from servers import Connection, Origin, free_port, origin_target, random_targets, request


@dataclass
class Filter:
    # configuration(guard) is the filter in Envoy's configuration.
    configuration: Callable
    findings: str
    refusal: str
    details: str
    modules: Path | None = None

    def start(self, folder, origin, guard, **options):
        return proxies.envoy(folder, origin, [self.configuration(guard)], modules=self.modules, **options)


def forwarded(server, target, **options):
    """The target that the origin gets, or the status."""
    answer = request(server.port, target, **options)
    return origin_target(answer) if answer[0] == 200 else answer[0]


def check_filter(checks, library, envoy_filter):
    """All checks except the README's example. Returns what Envoy has written."""
    access_log = f"%REQ(X-Name)% %RESPONSE_CODE% {envoy_filter.findings} [{envoy_filter.refusal}] %RESPONSE_CODE_DETAILS%"
    with tempfile.TemporaryDirectory() as folder, Origin() as origin:
        with envoy_filter.start(folder, origin.port, "query=nul,percent default", access_log=access_log) as server:
            requests(checks, server)
            http2(checks, server)
            # Envoy refuses these itself.
            check_random_targets(
                checks, library, "default", Connection(server.port), random_targets(1000),
                refuses=lambda target: not target.isascii() or b"#" in target or b"%25" in target or b"%00" in target)
            checks.true("Envoy runs", server.is_running())
            # The access log is complete at the end.
            server.stop()
            log, output = (Path(folder) / "access.log").read_text(), server.output()
    for line in ["canonical 200 escape,slash,unreserved,lower-hex,dot-segment,empty-segment [-] via_upstream",
                 'refused 400 escape,nul,control,dot,unreserved,lower-hex [refused: nul,control at byte 4 of path: "/%2e%00"] '
                 + envoy_filter.details]:
        checks.true(f"access log {line}", line in log)
    for line in ['simdpct: refused: nul,control at byte 1 of path: "/%00"', 'simdpct: refused: percent at byte 2 of query: "a=%2541"']:
        checks.true(f"log line {line}", line in output)
    checks.equal("lines of one refusal", output.count("/once%00"), 1)
    with_guards(checks, envoy_filter)
    return output


def requests(checks, server):
    def get(target, name=b"", **options):
        return forwarded(server, target, headers=b"Host: a\r\nX-Name: " + name + b"\r\n", **options)

    checks.equal("canonical path", get(b"/a/./%7eu//x%2fy?q=%2f", b"canonical"), b"/a/~u/x%2Fy?q=%2f")
    checks.equal("refused", [get(target) for target in [b"/%00", b"/a%zz", b"/..", b"/a%5cb", b"/%ff"]], [400] * 5)
    checks.equal("body of a refusal", request(server.port, b"/%00")[2], b"refused\n")
    checks.equal("query", [get(b"/?a=%00"), get(b"/%7e?a=%2541"), get(b"/?a=%41")], [400, 400, b"/?a=%41"])
    # The route /admin answers with 403. It is compared with the path byte for byte.
    checks.equal("route", [get(target) for target in [b"/admin", b"/%61dmin", b"//admin", b"/a/../admin", b"/%2561dmin"]],
                 [403, 403, 403, 403, b"/%2561dmin"])
    checks.equal("absolute target", get(b"http://a/x%2fy"), b"/x%2Fy")
    checks.equal("long path", get(b"/" + b"|" * 4000), b"/" + b"%7C" * 4000)
    checks.equal("asterisk", [get(b"*", method=b"OPTIONS"), get(b"*")], [404, 400])
    checks.equal("refused once", get(b"/once%00?%00"), 400)
    checks.equal("CONNECT has no path", get(b"a:80", method=b"CONNECT"), 404)
    checks.equal("refused, for the access log", get(b"/%2e%00", b"refused"), 400)


def http2(checks, server):
    def get(target):
        options = ["--silent", "--http2-prior-knowledge", "--path-as-is", "--write-out", " %{http_code} %{http_version}"]
        command = ["curl", *options, f"http://127.0.0.1:{server.port}{target}"]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

    checks.equal("HTTP/2", get("/a/./%7Eu"), b"/a/~u".hex() + " 200 2")
    checks.equal("HTTP/2, refused", get("/a%5cb"), "refused\n 400 2")


def check_example(checks, text, modules=None):
    """The configuration of a README."""
    with tempfile.TemporaryDirectory() as folder, Origin() as origin:
        port = free_port()
        for old, new in [("10000", port), ("8080", origin.port), ("/dev/stdout", f"{folder}/access.log")]:
            text = text.replace(old, str(new))
        with proxies.envoy_server(folder, text, port, modules) as server:
            targets = [b"/a/%2e%2e/x", b"/%61dmin", b"/%00", b"/?%00"]
            checks.equal("README.md", [forwarded(server, target) for target in targets], [b"/x", 403, 400, 400])
            server.stop()
            log = (Path(folder) / "access.log").read_text()
            for line in ['400 escape,nul,control [refused: nul,control at byte 1 of path: "/%00"]', "200 escape,dot,unreserved,lower-hex,dot-segment [-]"]:
                checks.true(f"README.md, access log {line}", line in log)


def with_guards(checks, envoy_filter):
    """What depends on the guard."""
    for guard, target, expected in [("report-only strict", b"/a//b", [b"/a//b", b"/%00"]),
                                    ("report-only query=nul default", b"/?%00", [b"/?%00", b"/%00"]),
                                    ("default slash=decode", b"/a%2fb", [b"/a/b", 400]), ("strict", b"/a//b", [400, 400]),
                                    ("", b"/a//b", [b"/a/b", 400])]:
        with tempfile.TemporaryDirectory() as folder, Origin() as origin, envoy_filter.start(folder, origin.port, guard) as server:
            checks.equal(guard, [forwarded(server, target), forwarded(server, b"/%00")], expected)
            if guard == "report-only strict":
                checks.true("log of report only", 'simdpct: refused: empty-segment at byte 3 of path: "/a//b", report only' in server.output())
    for guard, message in [("default slash=none", '"slash=none" at byte 8: expected keep, refuse or decode'),
                           ("query=nul,nothing default", '"query=nul,nothing" at byte 0: expected names of kinds'),
                           ("query=nul query=nul", '"query=nul" at byte 10: given twice'),
                           ("nothing", '"nothing" at byte 0: expected report-only, path=, query=, off, a preset')]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                with envoy_filter.start(folder, free_port(), guard):
                    found = "started"
            except RuntimeError as error:
                found = str(error)
        checks.true(f"{guard}: {found[-500:]}", f"simdpct: {message}" in found)
