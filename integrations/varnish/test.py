#!/usr/bin/env python3
"""Tests the module in a running Varnish on the loopback interface: test.py MODULE.so. Run by integrations/check."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import proxies
from library import Library, check_random_targets
from servers import Checks, Connection, Origin, free_port, origin_target, random_targets, request

VCL = """
import simdpct from "MODULE";
import std;

sub vcl_init {
    new paths = simdpct.guard("query=nul,percent default");
    new strict = simdpct.guard("strict");
    new slashes = simdpct.guard("default slash=decode refuse=nul");
    new reported = simdpct.guard("report-only strict");
}

sub vcl_recv {
    set req.http.X-Findings = simdpct.findings(req.url);
    if (req.http.X-Policy == "strict") {
        if (!strict.accepts(req.url)) { return (synth(400)); }
        set req.url = strict.canonical(req.url);
    } else if (req.http.X-Policy == "slashes") {
        if (!slashes.accepts(req.url)) { return (synth(400)); }
        set req.url = slashes.canonical(req.url);
    } else if (req.http.X-Policy == "reported") {
        if (!reported.accepts(req.url)) { return (synth(500)); }
        set req.url = reported.canonical(req.url);
    } else if (req.http.X-Policy == "repeated") {
        if (!paths.accepts(req.url) && !paths.accepts(req.url)) { return (synth(400)); }
        set req.url = paths.canonical(req.url);
    } else if (req.http.X-Policy == "changed") {
        if (!strict.accepts("/x") || !paths.accepts("/y") || !paths.accepts(req.url)) { return (synth(400)); }
        set req.url = paths.canonical(req.url + "/%7e");
    } else if (req.http.X-Policy == "other") {
        if (!paths.accepts(req.url)) { return (synth(400)); }
        set req.url = strict.canonical(req.url);
    } else if (req.http.X-Policy == "rollback") {
        if (!paths.accepts(req.url)) { return (synth(400)); }
        std.rollback(req);
        set req.url = "/b%7e";
        set req.url = paths.canonical(req.url);
    } else if (req.http.X-Policy == "unchecked") {
        set req.url = paths.canonical(req.url);
    } else {
        if (!paths.accepts(req.url)) { return (synth(400, "Bad Request")); }
        set req.url = paths.canonical(req.url);
    }
    if (req.url ~ "^/admin") { return (synth(403)); }
    if (req.url ~ "^/cached/") { return (hash); }
    return (pass);
}

sub vcl_backend_response { set beresp.ttl = 60s; }
sub vcl_deliver { set resp.http.X-Hits = obj.hits; }
"""


def requests(checks, server, origin):
    def answer(target, policy=b"", **options):
        return request(server.port, target, b"Host: a\r\nX-Policy: " + policy + b"\r\n", **options)

    def forwarded(target, policy=b""):
        found = answer(target, policy)
        return origin_target(found) if found[0] == 200 else found[0]

    checks.equal("canonical path", forwarded(b"/a/./%7eu//x%2fy?q=%2f"), b"/a/~u/x%2Fy?q=%2f")
    checks.equal("refused", [forwarded(target) for target in [b"/%00", b"/a%zz", b"/..", b"/a%5cb", b"/%ff"]], [400] * 5)
    checks.equal("query", [forwarded(b"/?a=%00"), forwarded(b"/?a=%2541"), forwarded(b"/?a=%41")], [400, 400, b"/?a=%41"])
    checks.equal("empty query", forwarded(b"/a?"), b"/a?")
    checks.equal("raw #", [forwarded(target) for target in [b"/a#b", b"/a?b#c", b"/#/admin"]], [400] * 3)
    checks.equal("strict", [forwarded(b"/a//b", b"strict"), forwarded(b"/%41?%2541", b"strict")], [400, b"/A?%2541"])
    checks.equal("options", [forwarded(b"/a%2fb", b"slashes"), forwarded(b"/%00", b"slashes")], [b"/a/b", 400])
    checks.equal("report only", [forwarded(b"/a//b%2f", b"reported"), forwarded(b"/%00", b"reported")], [b"/a//b%2f", b"/%00"])
    checks.equal("canonical without accepts fails closed", [forwarded(b"/%00", b"unchecked"), forwarded(b"/%41", b"unchecked")],
                 [503, b"/A"])
    checks.equal("one decision for the same URL", [forwarded(b"/once%00", b"repeated"), forwarded(b"/%7e", b"repeated")],
                 [400, b"/~"])
    checks.equal("another decision for another URL", [forwarded(b"/a", b"changed"), forwarded(b"/a%00", b"changed")],
                 [b"/a/~", 400])
    checks.equal("another decision of another guard", [forwarded(b"/a//b", b"other"), forwarded(b"/%7e", b"other")], [503, b"/~"])
    checks.equal("after a rollback", forwarded(b"/a%41", b"rollback"), b"/b~")
    checks.equal("access rule", [forwarded(target) for target in [b"/%61dmin", b"//admin", b"/a/../admin", b"/%2561dmin"]],
                 [403, 403, 403, b"/%2561dmin"])
    checks.equal("cache key", [answer(target)[1]["x-hits"] for target in [b"/cached/~u", b"/cached/%7Eu", b"/cached/./~u"]],
                 ["0", "1", "2"])
    checks.equal("absolute target", forwarded(b"http://a/x%2fy"), b"/x%2Fy")
    # Varnish forwards these targets unchanged: "^/admin" would not match.
    others = [b"https://a/admin", b"x://a/admin", b"HTTPS://a/x", b"http://a", b"http://a?x", b"*", b"a"]
    checks.equal("other forms", [forwarded(target) for target in others], [400] * len(others))
    checks.equal("other forms, report only", [forwarded(target, b"reported") for target in others[:5]], others[:5])
    # The escaped form would be three times as long, but the workspace has 64 KiB.
    checks.equal("long path", forwarded(b"/" + b"|" * 4000), b"/" + b"%7C" * 4000)

    forwarded(b"/%2e/%7e")
    checks.true("findings", b"\r\nX-Findings: escape,dot,unreserved,lower-hex,dot-segment\r\n" in origin.heads[-1])
    forwarded(b"/a?%00", b"strict")
    checks.true("no findings", b"\r\nX-Findings: -\r\n" in origin.heads[-1])


def logs(checks, folder):
    log = subprocess.run(["varnishlog", "-n", folder, "-d", "-i", "VCL_Log"], capture_output=True, text=True, check=True).stdout
    for line in ['simdpct: refused: nul,control at byte 1 of path: "/%00"', 'simdpct: refused: percent at byte 2 of query: "a=%2541"',
                 'simdpct: refused: empty-segment at byte 3 of path: "/a//b%2f", report only', 'simdpct: refused: empty-segment at byte 3 of path: "/a//b"\n']:
        checks.true(f"log line {line}", line in log)
    checks.true("log line of a form", 'simdpct: refused: not-absolute at byte 0 of target: "x://a/admin"\n' in log)
    checks.equal("lines of one refusal", log.count('simdpct: refused: nul,control at byte 5 of path: "/once%00"'), 1)


def example(checks, module):
    """The configuration of README.md, and its line for varnishncsa."""
    with tempfile.TemporaryDirectory() as folder, Origin() as origin:
        vcl = proxies.readme(Path(__file__).parent, "vcl").replace("8080", str(origin.port))
        with proxies.varnish(folder, vcl.replace("import simdpct;", f'import simdpct from "{module}";')) as server:
            found = [request(server.port, target) for target in [b"/a/%2e%2e/x", b"/%61dmin", b"/%00", b"/?%00", b"/%2f"]]
            checks.equal("README.md", [answer[0] for answer in found], [200, 403, 400, 400, 400])
            checks.equal("README.md, path", origin_target(found[0]), b"/x")
            checks.equal("README.md, asterisk", origin_target(request(server.port, b"*", method=b"OPTIONS")), b"*")
            command = re.search(r"^\$ varnishncsa -F '(.*)'$", (Path(__file__).parent / "README.md").read_text(), re.M)[1]
            command = ["varnishncsa", "-n", folder, "-d", "-F", command]
            log = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            line = '400 escape,nul,control "refused: nul,control at byte 1 of path: \\"/%00\\""'
            checks.true(f"README.md, log line in {log}", line in log)


def invalid_configurations(checks, module):
    for argument, message in [('"default slash=none"', '"slash=none" at byte 8: expected keep, refuse or decode'),
                              ('"nothing"', '"nothing" at byte 0: expected report-only, path=, query=, off, a preset'),
                              ('"default query=nul,nothing"', '"query=nul,nothing" at byte 8: expected names of kinds')]:
        vcl = proxies.varnish_backend(free_port()) + f'import simdpct from "{module}";\n' \
            f"sub vcl_init {{ new paths = simdpct.guard({argument}); }}\n"
        with tempfile.TemporaryDirectory() as folder:
            try:
                with proxies.varnish(folder, vcl):
                    output = "started"
            except RuntimeError as error:
                output = str(error)
        checks.true(f"{argument}: {output[-500:]}", message in output)


def main():
    module, checks, library = Path(sys.argv[1]).resolve(), Checks(), Library(Path(os.environ["SIMDPCT_PREFIX"]))
    with tempfile.TemporaryDirectory() as folder, Origin() as origin:
        vcl = proxies.varnish_backend(origin.port) + VCL.replace("MODULE", str(module))
        with proxies.varnish(folder, vcl) as server:
            requests(checks, server, origin)
            check_random_targets(checks, library, "default", Connection(server.port), random_targets(1000),
                                 refuses=lambda target: b"#" in target or b"%25" in target.partition(b"?")[2] or b"%00" in target)
            logs(checks, folder)
            checks.true("Varnish runs", server.is_running() and "Panic" not in server.output())
    example(checks, module)
    invalid_configurations(checks, module)
    checks.report()


main()
