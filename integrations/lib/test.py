#!/usr/bin/env python3
"""Tests the oracle and the clients of the test "rule against origin"."""

import sys

sys.dont_write_bytecode = True

from readings import Readings, below, matches
from rules import RecordingOrigin, check_rule, passes_rule
from servers import Checks
from targets import random_targets
from wire import send

# Policy, target, and the paths as which an origin may read it.
READINGS = [
    ("default", b"/a/b?c/../d", {b"/a/b"}),
    ("default", b"/%61%2Fb", {b"/a/b"}),
    ("default", b"/%2561", {b"/%61"}),
    ("default", b"/%zz%", {b"/%zz%"}),
    ("default", b"/a/./b/../c/", {b"/a/c/"}),
    ("default", b"/a/..", {b"/"}),
    ("default", b"/../../a/.", {b"/a/"}),
    ("default", b"/a/%2e%2E%2fb", {b"/b"}),
    ("default", b"//a//b/", {b"/a/b/"}),
    ("default", b"/a//../b", {b"/a/b", b"/b"}),
    ("default", b"/a/..;x/b;y", {b"/b;y"}),
    ("default", b"/a/..%3B/b", {b"/b"}),
    ("default", b"/a\\..%5Cb", {b"/b"}),
    ("default", b"/a/..%3F/b", {b"/a/..?/b"}),
    ("default", b"/x#/../a", {b"/x", b"/a"}),
    ("default", b"http://host", {b"/"}),
    ("default", b"http://host?/a", {b"/"}),
    ("default", b"HTTP://u@host:1/a/../b", {b"/b"}),
    ("strict", b"/;x/a;y\\b", {b"/a/b"}),
    ("rfc3986", b"//a//../b;c\\d", {b"//a/b;c\\d"}),
    ("rfc3986 parameters=strip", b"/a;b/..;c/d;e", {b"/d"}),
    ("nginx", b"/a/..;/b\\..", {b"/a/..;/b\\.."}),
    ("envoy", b"/a\\..;\\b;", {b"/b;"}),
    ("lighttpd", b"/a;//b", {b"/a;/b"}),
    ("empty-segments=keep", b"//a", {b"//a"}),
    ("", b"//a", {b"/a"}),
]


def main():
    with Checks() as checks, RecordingOrigin() as origin:
        for policy, target, paths in READINGS:
            checks.equal(f"readings of {target} under {policy}", Readings(policy).of(target), paths)
        rule = below(b"/admin")
        checks.equal("below", [rule(path) for path in [b"/admin", b"/admin/", b"/admin/x", b"/adminx", b"/x/admin"]],
                     [True, True, True, False, False])
        checks.equal("matches", [matches(rb"\.php$")(path) for path in [b"/a.php", b"/a.php/", b"/.php\n"]], [True, False, True])

        targets = list(random_targets(300, seed=1))
        checks.equal("the same targets for a seed", targets, list(random_targets(300, seed=1)))
        answers = send("HTTP/1.1", origin.port, targets)
        checks.equal("pipelined answers", [bytes.fromhex(answer.body.decode()) for answer in answers], targets)
        checks.equal("recorded targets", sorted((number, target) for number, target, _ in origin.take()),
                     list(enumerate(targets)))

        # Without a server in between, no rule is enforced.
        outcome = passes_rule(origin, origin.port, "default", rule, count=500)
        checks.true("bypasses are found", len(outcome.bypasses) > 50)
        failing = Checks()
        check_rule(failing, "none", origin, origin.port, "default", rule, count=500)
        checks.true("and fail the test", any("passed the rule" in failure for failure in failing.failures))
        checks.true("as does a rule that denies nothing", any("denied more than" in failure for failure in failing.failures))


if __name__ == "__main__":
    main()
