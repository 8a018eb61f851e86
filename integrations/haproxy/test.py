#!/usr/bin/env python3
"""Tests the converters in a running HAProxy on the loopback interface: test.py simdpct.so. simdpct_haproxy.lua is in its folder."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
from servers import Checks, Connection, Origin, Server, free_ports, origin_target, random_targets, request

CONFIGURATION = r"""
global
    log stdout format raw local0
    lua-prepend-path MODULES/?.so cpath
    lua-prepend-path MODULES/?.lua
    lua-load-per-thread FOLDER/paths.lua
    nbthread 2

defaults
    mode http
    log global
    timeout connect 5s
    timeout client 5s
    timeout server 5s
    default_backend origin

backend origin
    server origin 127.0.0.1:ORIGIN

README

# The same frontend, which accepts raw bytes that HAProxy itself would refuse.
frontend invalid
    bind 127.0.0.1:INVALID
    option accept-invalid-http-request
    http-request set-var(txn.refused) pathq,lua.simdpct_refused(default)
    http-request set-var(txn.target) pathq,lua.simdpct_target(default)
    log-format "%{+Q}r %ST %[var(txn.refused)]"
    http-request deny deny_status 400 unless { var(txn.target) -m beg / }
    http-request set-path %[var(txn.target),field(1,?)]

frontend http2
    bind 127.0.0.1:SECOND proto h2
    http-request set-var(txn.target) pathq,lua.simdpct_target(default)
    http-request deny deny_status 400 unless { var(txn.target) -m beg / }
    http-request set-path %[var(txn.target),field(1,?)]

frontend api
    bind 127.0.0.1:API
    http-request set-var(txn.target) pathq,lua.simdpct_target(api)
    http-request deny deny_status 400 unless { var(txn.target) -m beg / }
    http-request set-path %[var(txn.target),field(1,?)]

frontend lax
    bind 127.0.0.1:LAX
    http-request set-path %[pathq,lua.simdpct_target(lax),field(1,?)]

# A guard without a policy: kinds in the path and in the query.
frontend kinds
    bind 127.0.0.1:KINDS
    http-request set-var(txn.refused) pathq,lua.simdpct_refused(kinds)
    log-format "%{+Q}r %ST %[var(txn.refused)]"
    http-request deny deny_status 400 unless { var(txn.refused) -m str -- - }

# Report only.
frontend report
    bind 127.0.0.1:REPORT
    http-request set-var(txn.refused) pathq,lua.simdpct_refused(report)
    http-request set-var(txn.target) pathq,lua.simdpct_target(report)
    http-request return status 202 if { path,lua.simdpct_findings -m str -- - }
    log-format "report %{+Q}r %ST %[var(txn.refused)] %[var(txn.target)]"
    http-request deny deny_status 400 unless { var(txn.target) -m beg / }
    http-request set-path %[var(txn.target),field(1,?)]

# Report only without rules, as in README.md.
frontend ruleless
    bind 127.0.0.1:RULELESS
    http-request set-var(txn.refused) pathq,lua.simdpct_refused(report)
    log-format "ruleless %{+Q}r %ST %[var(txn.refused)]"

# Counts the decisions of guards.
frontend decisions
    bind 127.0.0.1:DECISIONS
    http-request set-var(txn.none) path,lua.decisions
    http-request set-var(txn.target) pathq,lua.simdpct_target(default)
    http-request set-var(txn.refused) pathq,lua.simdpct_refused(default)
    http-request set-var(txn.one) path,lua.decisions
    http-request set-var(txn.other) pathq,lua.simdpct_target(strict)
    http-request set-var(txn.two) path,lua.decisions
    log-format "decisions %[var(txn.none)] %[var(txn.one)] %[var(txn.two)] %[var(txn.target)] %[var(txn.refused)] %[var(txn.other)]"

# An undefined name denies everything.
frontend unknown
    bind 127.0.0.1:UNKNOWN
    http-request set-var(txn.target) pathq,lua.simdpct_target(nobody)
    http-request deny deny_status 400 unless { var(txn.target) -m beg / }
"""

DEFINITIONS = r"""
local simdpct, decisions = require("simdpct"), 0
local decide = simdpct.decide
simdpct.decide = function(...)
    decisions = decisions + 1
    return decide(...)
end
core.register_converters("decisions", function() return tostring(decisions) end)

require("simdpct_haproxy") {
    api = "default slash=refuse",
    lax = "default refuse=",
    kinds = "off path=default,percent query=slash",
    report = "report-only strict",
}
"""

# The frontend of README.md, with the policy `default`.
README = (Path(__file__).parent / "README.md").read_text()
FRONTEND = re.search(r"^frontend main\n.*?(?=^```)", README, re.M | re.S)[0].replace("(api)", "(default)").replace(":80", "127.0.0.1:MAIN")

PORTS = ["MAIN", "INVALID", "SECOND", "API", "LAX", "KINDS", "REPORT", "UNKNOWN", "RULELESS", "DECISIONS"]
checks = Checks()
check = checks.equal


class HAProxy(Server):
    def __init__(self, module, origin):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.ports = dict(zip(PORTS, free_ports(len(PORTS))))
        (self.path / "paths.lua").write_text(DEFINITIONS)
        text = CONFIGURATION.replace("MODULES", str(Path(module).resolve().parent)).replace("FOLDER", str(self.path))
        text = text.replace("README\n", FRONTEND)
        for port, number in {**self.ports, "ORIGIN": origin.port}.items():
            text = text.replace(f":{port}", f":{number}")
        self.text = text
        super().__init__(self.arguments("main.cfg", text, "-db"), self.ports["MAIN"])

    def arguments(self, name, text, *options):
        (self.path / name).write_text(text)
        return ["/usr/sbin/haproxy", *options, "-f", str(self.path / name)]

    def get(self, port, target, **options):
        return request(self.ports[port], target, **options)

    def stop(self):
        """Ends HAProxy; a crash is a failure."""
        checks.true("HAProxy is running", self.is_running())
        return super().stop()


def requests(haproxy):
    def origin(port, target):
        """The target that the origin got, or the status if it got none."""
        answer = haproxy.get(port, target)
        got = origin_target(answer)
        return answer[0] if got is None else got

    for target, expected in [
        (b"/a/%2e%2e/%7eu//x%2fy?q=%2e", b"/~u/x%2Fy?q=%2e"), (b"/%41", b"/A"), (b"/a%252fb", b"/a%252fb"),
        (b"/a%3fb%23", b"/a%3Fb%23"), (b"/a?b?c", b"/a?b?c"), (b"/a;x=1/..;/b", b"/b"), (b"/|", b"/%7C"),
        (b"/..%5cx", 400), (b"/a%0d%0aX:1", 400), (b"/../x", 400), (b"/%zz", 400), (b"/%ff", 400), (b"/%00", 400),
        # HAProxy's own path,url_dec lets this pass.
        (b"/%61dmin", 403), (b"/x/..%2fadmin", 400), (b"/x/%2e%2e/admin", 403), (b"/admin%zz", 400),
        (b"/caf\xc3\xa9", 400), (b"/" + b"%7c" * 2000, b"/" + b"%7C" * 2000),
    ]:
        check(f"{target}", origin("MAIN", target), expected)
    check("raw bytes", [origin("INVALID", target) for target in [b"/caf\xc3\xa9", b"/" + b"\xc3\xa9" * 500, b"/\xff"]],
          [b"/caf%C3%A9", b"/" + b"%C3%A9" * 500, 400])
    check("the query stays as it is", [origin("MAIN", b"/%7e?a?\x7f|%7e"), origin("INVALID", b"/?caf\xc3\xa9")],
          [b"/~?a?\x7f|%7e", b"/?caf\xc3\xa9"])
    check("raw #", [origin("INVALID", target) for target in [b"/a#b", b"/a?b#c", b"/#/admin"]], [400] * 3)
    check("a policy with a name", [origin("API", target) for target in [b"/%2f", b"/%7e", b"/%5c"]], [400, b"/~", 400])
    check("no header is split off", origin("LAX", b"/a%20HTTP/1.0%0d%0aX:1"), b"/a%20HTTP/1.0%0D%0AX:1")
    check("kinds", [origin("KINDS", target) for target in [b"/%2541", b"/%41", b"/%2f?%2541", b"/?%2f", b"/%07", b"/%5c"]],
          [400, b"/%41", b"/%2f?%2541", 400, 400, 400])
    check("report only", [origin("REPORT", target) for target in [b"/%2f//a", b"/%7e"]], [b"/%2f//a", b"/%7e"])
    for target, method in [(b"/%2f//a?%zz", b"GET"), (b"*", b"OPTIONS"), (b"http://a", b"GET")]:
        check(f"report only without rules, {target}", origin_target(haproxy.get("RULELESS", target, method=method)), target)
    for target in [b"/a//b", b"/a%00"]:
        haproxy.get("DECISIONS", target)
    check("a rule on no findings", origin("REPORT", b"/a"), 202)
    check("an unknown name", origin("UNKNOWN", b"/"), 400)
    check("absolute target", [origin("MAIN", b"http://a/x/%2e%2e/%7e?b"), origin("MAIN", b"http://a/%5c")], [b"http://a/~?b", 400])
    check("OPTIONS *", haproxy.get("MAIN", b"*", method=b"OPTIONS")[0], 400)


def logs(haproxy):
    lines = haproxy.output().splitlines()
    for line in [
        '127.0.0.1 "GET /..%5cx HTTP/1.1" 400 escape,backslash,lower-hex,dot-segment refused: backslash at byte 3 of path: "/..%5cx"',
        '127.0.0.1 "GET /%zz HTTP/1.1" 400 malformed refused: malformed at byte 1 of path: "/%zz"',
        '127.0.0.1 "GET /%41 HTTP/1.1" 200 escape,unreserved -',
        '127.0.0.1 "GET /a?b?c HTTP/1.1" 200 - -',
        '"GET /%2541 HTTP/1.1" 400 refused: percent at byte 1 of path: "/%2541"',
        '"GET /?%2f HTTP/1.1" 400 refused: slash at byte 0 of query: "%2f"',
        'report "GET /%2f//a HTTP/1.1" 200 refused: encoded-slash at byte 1 of path: "/%2f//a", report only /%2f//a',
        'report "GET /%7e HTTP/1.1" 200 - /%7e',
    ]:
        checks.true(f"log line: {line}", line in lines)
    check("lines of a refusal", len([line for line in lines if "ruleless" in line and "/%2f//a?%zz" in line]), 1)
    found = [line.split(" ", 4) for line in lines if line.startswith("decisions ")]
    check("decisions", [(int(one) - int(none), int(two) - int(one), answers) for _, none, one, two, answers in found],
          [(1, 1, "/a/b - -"), (1, 1, '- refused: nul,control at byte 2 of path: "/a%00" -')])
    checks.true("escaped bytes", any(line.endswith(r' 400 refused: invalid-utf8 at byte 1 of path: "/\xff"') for line in lines))
    checks.true("log of an unknown name", any('unknown guard "nobody"' in line for line in lines))


def configuration_errors(haproxy):
    for old, new, message in [
        ("slash=refuse", "slash=none", '"slash=none" at byte 8: expected keep, refuse or decode'),
        ("default,percent", "default,nothing", '"path=default,nothing" at byte 4: expected names of kinds'),
        ("api = ", "api ", "paths.lua"),
    ]:
        (haproxy.path / "paths.lua").write_text(DEFINITIONS.replace(old, new))
        result = subprocess.run(haproxy.arguments("main.cfg", haproxy.text, "-c"), capture_output=True, text=True)
        check(new, (result.returncode, message in result.stderr), (1, True))


def http2(haproxy):
    def get(target):
        options = ["--silent", "--http2-prior-knowledge", "--path-as-is", "--write-out", " %{http_code} %{http_version}"]
        url = f"http://127.0.0.1:{haproxy.ports['SECOND']}{target}"
        return subprocess.run(["curl", *options, url], capture_output=True, text=True).stdout.split()

    # HAProxy forwards the absolute form of a request that came by HTTP/2 as origin form.
    check("HTTP/2", get("/a/./%7Eu"), [b"/a/~u".hex(), "200", "2"])
    check("HTTP/2, refused", get("/a%5cb")[-2:], ["400", "2"])


def randomly(haproxy, count):
    """A target is refused, or the origin gets a path that is its own canonical form and has no dot segments."""
    connection, statuses = Connection(haproxy.ports["INVALID"]), {}
    for target in random_targets(count):
        answer = connection.request(target)
        statuses[answer[0]] = statuses.get(answer[0], 0) + 1
        got = origin_target(answer)
        if got is not None:
            check(f"canonical form of {target}", origin_target(connection.request(got)), got)
            check(f"dot segments of {target}", {b".", b".."} & set(got.partition(b"?")[0].split(b"/")), set())
    check("statuses", set(statuses), {200, 400})
    checks.true("both occur", all(number > count / 20 for number in statuses.values()))


def main():
    with checks, Origin() as origin, HAProxy(sys.argv[1], origin) as haproxy:
        requests(haproxy)
        logs(haproxy)
        configuration_errors(haproxy)
        http2(haproxy)
        randomly(haproxy, 5_000)


if __name__ == "__main__":
    main()
