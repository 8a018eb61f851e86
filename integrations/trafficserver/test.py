#!/usr/bin/env python3
"""Tests the plugin in a running Traffic Server on the loopback interface: test.py MODULE.so. Run by
integrations/check."""

import os
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import proxies
from library import Library, check_random_targets
from servers import HOST, Checks, Connection, Origin, origin_target, random_targets, request

# The configuration of README.md.
ARGUMENTS = proxies.readme(Path(__file__).parent, "text").removeprefix("simdpct.so")
LOGGING = proxies.readme(Path(__file__).parent, "yaml")


def forwarded(server, target, **options):
    """The target that the origin gets, or the status."""
    answer = request(server.port, target, **options)
    return origin_target(answer) if answer[0] == 200 else answer[0]


def requests(checks, server, origin):
    def get(target, **options):
        return forwarded(server, target, **options)

    checks.equal("canonical path", get(b"/a/./%7eu//x%2fy?q=%2f"), b"/a/~u/x%2Fy?q=%2f")
    checks.equal("refused", [get(target) for target in [b"/%00", b"/a%zz", b"/..", b"/a%5cb", b"/%ff"]], [400] * 5)
    checks.equal("body of a refusal", request(server.port, b"/%00")[2], b"refused\n")
    checks.equal("query", [get(b"/?a=%00"), get(b"/?a=%2541"), get(b"/?a=%41")], [400, 400, b"/?a=%41"])
    checks.equal("parameters", [get(b"/a;b"), get(b"/a;b/../c;d"), get(b"/a/..;/b;c"), get(b"/;a/b")],
                 [b"/a;b", b"/c;d", b"/b;c", b"/b"])
    checks.equal("fragment", [get(b"/a#b"), get(b"/a#b?c"), get(b"/a?b#c")], [400, 400, 400])
    checks.equal("refused once", get(b"/once%00?%00"), 400)
    checks.equal("remap rule", [get(target) for target in [b"/%61dmin/x", b"//admin/x", b"/a/../admin/x", b"/%2561dmin/x"]],
                 [b"/forbidden/x"] * 3 + [b"/%2561dmin/x"])
    checks.equal("absolute target", get(b"http://a/x%2fy"), b"/x%2Fy")
    checks.equal("long path", get(b"/" + b"|" * 4000), b"/" + b"%7C" * 4000)
    # Fields whose names begin with '@' belong to the plugin.
    forged = b"@Simdpct-Findings: forged\r\n@Simdpct-Refusal: forged\r\n"
    get(b"/forged", headers=b"Host: a\r\n" + 2 * forged)
    checks.true("no field of its own is sent", b"simdpct" not in b"".join(origin.heads).lower())


def wait_for(path, text):
    """Returns the contents of a log once it contains this text, or after five seconds."""
    for _ in range(50):
        found = path.read_text(errors="backslashreplace") if path.exists() else ""
        if text in found:
            break
        time.sleep(0.1)
    return found


def logs(checks, folder):
    log = wait_for(Path(folder) / "log/diags.log", "percent at byte 2 of query")
    for line in ['[simdpct] refused: nul,control at byte 1 of path: "/%00"', '[simdpct] refused: percent at byte 2 of query: "a=%2541"']:
        checks.true(f"log line {line}", line in log)
    checks.equal("lines of one refusal", log.count("/once%00"), 1)
    log = wait_for(Path(folder) / "log/paths.log", "/forged")
    for line in ['/forged 200 - [-]', '400 escape,nul,control [refused: nul,control at byte 1 of path: "/%00"]',
                 "200 escape,slash,unreserved,lower-hex [-]"]:
        checks.true(f"access log {line}", line in log)


def with_options(checks, module):
    """Checks that depend on the options of the plugin."""
    for options, expected in [("report-only strict", [b"/a//b", b"/%00"]), ("default slash=decode", [b"/a/b", 400]),
                              ("strict", [400, 400])]:
        target = b"/a%2fb" if "slash" in options else b"/a//b"
        with tempfile.TemporaryDirectory() as folder, Origin() as origin, \
                proxies.traffic_server(folder, f"map / http://{HOST}:{origin.port}/\n", f"{module} {options}\n") as server:
            checks.equal(options, [forwarded(server, target), forwarded(server, b"/%00")], expected)
            if "report" in options:
                log = wait_for(Path(folder) / "log/diags.log", "%00")
                checks.true("log of report only", '[simdpct] refused: empty-segment at byte 3 of path: "/a//b", report only' in log)
    for options, message in [("default slash=none", '"slash=none" at byte 8: expected keep, refuse or decode'),
                             ("query=nul,nothing default", '"query=nul,nothing" at byte 0: expected names of kinds')]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                with proxies.traffic_server(folder, "", f"{module} {options}\n"):
                    found = "started"
            except RuntimeError as error:
                found = str(error) + wait_for(Path(folder) / "log/diags.log", message)
        checks.true(f"{options}: {found[-500:]}", message in found)


def main():
    module, checks, library = Path(sys.argv[1]).resolve(), Checks(), Library(Path(os.environ["SIMDPCT_PREFIX"]))
    with tempfile.TemporaryDirectory() as folder, Origin() as origin:
        backend = f"http://{HOST}:{origin.port}"
        remap = f"map http://a/admin/ {backend}/forbidden/\nmap http://a/ {backend}/\nmap http://localhost/ {backend}/\n"
        with proxies.traffic_server(folder, remap, f"{module}{ARGUMENTS}", LOGGING) as server:
            requests(checks, server, origin)
            # Traffic Server itself drops empty parameters and an empty fragment, and refuses raw bytes from
            # 0x80.
            check_random_targets(checks, library, "default", Connection(server.port), random_targets(1000),
                                 differs=lambda target: target.partition(b"?")[0].rstrip(b"#").endswith(b";") or b"#" in target,
                                 refuses=lambda target: not target.isascii() or b"#" in target or b"%25" in target
                                 or b"%00" in target)
            logs(checks, folder)
            checks.true("Traffic Server runs", server.is_running())
    with_options(checks, module)
    checks.report()


main()
