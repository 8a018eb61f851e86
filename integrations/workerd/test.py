#!/usr/bin/env python3
"""Tests the guard of a worker in a running workerd on the loopback interface: test.py FOLDER/guard.js, beside node_modules.
Run by integrations/check."""

import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import proxies
from library import Library, check_random_targets
from servers import Checks, Connection, Origin, origin_target, random_targets, request

# Answers with the path that the handler gets, in the field x-path.
WORKER = """
import { guarded } from './guard.js';
export default guarded(GUARD, async (request, path, env) => {
    const answer = new Response((await env.ORIGIN.fetch(request)).body, { headers: { 'x-path': path } });
    return path === '/admin' ? new Response('denied\\n', { status: 403 }) : answer;
});
"""


def start(folder, origin, guard, module):
    return proxies.workerd(folder, origin, WORKER.replace("GUARD", repr(guard)), module)


def forwarded(server, target, **options):
    """The target that the origin gets, or the status."""
    answer = request(server.port, target, **options)
    return origin_target(answer) if answer[0] == 200 else answer[0]


def requests(checks, server):
    def get(target, **options):
        return forwarded(server, target, **options)

    checks.equal("canonical path", get(b"/a/./%7eu//x%2fy?q=%2f"), b"/a/~u/x%2Fy?q=%2f")
    checks.equal("path of the handler", request(server.port, b"/a/./%7eu//x%2fy?q=%2f")[1]["x-path"], "/a/~u/x%2Fy")
    checks.equal("refused", [get(target) for target in [b"/%00", b"/a%zz", b"/..", b"/a%5cb", b"/a\\b", b"/%ff"]], [400] * 6)
    checks.equal("body of a refusal", request(server.port, b"/%00")[2], b"refused\n")
    checks.equal("query", [get(b"/?a=%00"), get(b"/%7e?a=%2541"), get(b"/?a=%41'|")], [400, 400, b"/?a=%41'|"])
    checks.equal("query of a changed path", get(b"/%7e?a='|+%20"), b"/~?a=%27|+%20")
    checks.equal("rule of the handler", [get(target) for target in [b"/admin", b"/%61dmin", b"//admin", b"/a/../admin", b"/%2561dmin"]],
                 [403, 403, 403, 403, b"/%2561dmin"])
    checks.equal("absolute target", get(b"http://other/x%2fy"), b"/x%2Fy")
    checks.equal("asterisk", [get(b"*", method=b"OPTIONS"), get(b"*")], [400, 400])
    checks.equal("host with user information", get(b"/", headers=b"Host: u@a\r\n"), 400)
    checks.equal("refused once", get(b"/once%00?%00"), 400)
    checks.equal("body of a request", get(b"/%7e", method=b"POST", headers=b"Host: a\r\nContent-Length: 0\r\n"), b"/~")


def with_guards(checks, module):
    """What depends on the guard."""
    for guard, target, expected in [("report-only strict", b"/a//b", [b"/a//b", b"/%00"]),
                                    ("report-only query=nul default", b"/?%00", [b"/?%00", b"/%00"]),
                                    ("default slash=decode", b"/a%2fb", [b"/a/b", 400]), ("strict", b"/a//b", [400, 400]),
                                    ("", b"/a//b", [b"/a/b", 400]), ("nginx", b"/a\\b", [b"/a\\b", 400]),
                                    # The URL Standard would make "/a/~" of it.
                                    ("nginx", b"/a\\%7e", [400, 400]), ("envoy", b"/a\\%7e", [b"/a/~", 400])]:
        with tempfile.TemporaryDirectory() as folder, Origin() as origin, start(folder, origin.port, guard, module) as server:
            checks.equal(f"{guard}: {target}", [forwarded(server, target), forwarded(server, b"/%00")], expected)
            if target == b"/a\\%7e" and guard == "nginx":
                checks.true("log of another path", "simdpct: refused: the URL Standard reads" in server.output())
            if guard == "report-only strict":
                checks.true("log of report only", 'simdpct: refused: empty-segment at byte 3 of path: "/a//b", report only' in server.output())
    for guard, message in [("default slash=none", "no guard: default slash=none, at byte 8"),
                           ("rfc3986 dot-segments=keep", "dot-segments=keep: workerd resolves dot segments")]:
        with tempfile.TemporaryDirectory() as folder, Origin() as origin:
            try:
                # workerd may listen before it has run the worker.
                with start(folder, origin.port, guard, module) as server:
                    answered, found = forwarded(server, b"/"), server.output()
            except RuntimeError as error:
                answered, found = 0, str(error)
        checks.equal(f"{guard}: no answer", answered, 0)
        checks.true(f"{guard}: {found[-500:]}", message in found)


def main():
    module, checks, library = Path(sys.argv[1]).resolve(), Checks(), Library(Path(os.environ["SIMDPCT_PREFIX"]))
    with tempfile.TemporaryDirectory() as folder, Origin() as origin, \
            start(folder, origin.port, "query=nul,percent default", module) as server:
        requests(checks, server)
        # workerd refuses some of these itself, and drops a raw `#` and what follows.
        check_random_targets(
            checks, library, "default", Connection(server.port), random_targets(1000), differs=lambda target: b"#" in target,
            refuses=lambda target: not target.isascii() or any(part in target for part in [b"#", b"|", b"%25", b"%00"]))
        checks.true("workerd runs", server.is_running())
        server.stop()
        output = server.output()
    for line in ['simdpct: refused: nul,control at byte 1 of path: "/%00"', 'simdpct: refused: percent at byte 2 of query: "a=%2541"']:
        checks.true(f"log line {line}", line in output)
    checks.equal("lines of one refusal", output.count("/once%00"), 1)
    with_guards(checks, module)
    checks.report()


main()
