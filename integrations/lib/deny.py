#!/usr/bin/env python3
"""The test "rule against origin" (integrations/lib/rules.py) for a server with a rule that denies a prefix.

Without the module, some targets pass the rule; with it, none passes. A guard that only reports changes no
request. A guard without a policy changes no request that it accepts.

usage: deny.py SERVER MODULE [--targets NUMBER]      (needs the Python package h2)
"""

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
import modules
from readings import below
from rules import POLICIES, SEED, RecordingOrigin, check_rule, passes_rule, summary
from servers import Checks

PROTOCOLS = ["HTTP/1.1", "HTTP/2"]
ADMIN = below(b"/admin")

# Header fields whose values differ from request to request, or from server to server.
CHANGING = rb"(?i)^(x-varnish|via|x-request-id|uber-trace-id|client-ip):"


class Rules:
    """The tests of a server. `outcomes` collects the outcomes of targets sent to the server with its module
    on."""

    def __init__(self, name, module, count):
        self.name, self.module, self.count = name, module, count
        self.outcomes, self.checks = [], Checks()
        self.protocols = PROTOCOLS[:1] if name in modules.WITHOUT_HTTP2 else PROTOCOLS

    def start(self, folder, origin, guard):
        return modules.SERVERS[self.name](Path(folder), origin.port, guard, self.module, denies=True)

    def policies(self):
        for policy in POLICIES:
            with tempfile.TemporaryDirectory() as folder, RecordingOrigin() as origin, self.start(folder, origin, policy) as server:
                for protocol in self.protocols:
                    self.rule(self.name, origin, server, policy, protocol)

    def rule(self, name, origin, server, policy, protocol):
        self.outcomes.append(check_rule(self.checks, name, origin, server.port, policy, ADMIN, count=self.count, protocol=protocol))

    def readme(self):
        """The configuration of the module's README."""
        start, policy = modules.README[self.name]
        with tempfile.TemporaryDirectory() as folder, RecordingOrigin() as origin, \
                start(Path(folder), origin.port, self.module) as server:
            for protocol in self.protocols:
                self.rule(f"README of {self.name}", origin, server, policy, protocol)

    def sent(self, origin, guard, protocol):
        """Sends the targets. Returns the outcome, and for each target the status and the head that the origin
        got."""
        with tempfile.TemporaryDirectory() as folder, self.start(folder, origin, guard) as server:
            heads = {}
            take, origin.take = origin.take, lambda: [heads.setdefault(request[0], request) for request in take()]
            outcome = passes_rule(origin, server.port, "default", ADMIN, self.count, protocol)
            del origin.take
        seen = {}
        for number, (target, answer) in enumerate(zip(outcome.targets, outcome.answers)):
            head = heads[number][2].split(b"\r\n") if number in heads else []
            seen[target] = answer.status, [line for line in head if not re.match(CHANGING, line)]
        return outcome, seen

    def unchanged(self):
        for protocol in self.protocols:
            what = f"{self.name}, {protocol}, seed {SEED}"
            with RecordingOrigin() as origin:
                plain, expected = self.sent(origin, None, protocol)
                # Self-test of this test.
                self.checks.true(f"{what}: targets pass the rule without the module", len(plain.bypasses) > 5)
                for policy in ["default", "strict"]:
                    _, found = self.sent(origin, f"{modules.REPORT_ONLY}{policy}", protocol)
                    self.checks.equal(f"{what}: targets that report only changes, {policy}", differences(expected, found)[:3], [])
                _, found = self.sent(origin, "off", protocol)
            # A guard refuses a raw "#" and other forms under every policy.
            differing = [difference for difference in differences(expected, found)
                         if difference[2] != (400, []) or difference[0].startswith(b"/") and b"#" not in difference[0]]
            self.checks.equal(f"{what}: targets changed without a policy", differing[:3], [])


def differences(expected, found):
    """The targets with another status, or with another head at the origin. Varnish may reset a stream of
    HTTP/2 (status 0) after the origin has got the request."""
    return [(target, one, found[target]) for target, one in expected.items()
            if one != found[target] and not (one[1] == found[target][1] != [] and 0 in (one[0], found[target][0]))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server", choices=modules.README)
    parser.add_argument("module", type=Path)
    parser.add_argument("--targets", type=int, default=2_000)
    arguments = parser.parse_args()
    began, rules = time.monotonic(), Rules(arguments.server, arguments.module.resolve(), arguments.targets)
    with rules.checks:
        rules.policies()
        rules.readme()
        rules.unchanged()
    print(f"{summary(arguments.server, rules.outcomes)}; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
