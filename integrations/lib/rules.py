"""The test "rule against origin": a server forwards the path on which it decides.

A server with its module on, before an origin, has a rule that denies some paths, and gets random targets. No
request may reach the origin if the origin may read its target as a denied path, whatever path the rule saw.

    checks = Checks()
    with RecordingOrigin() as origin, Server(...) as server:  # answers /admin and paths below it with 403
    check_rule(checks, "HAProxy", origin, server.port, "default slash=refuse", below(b"/admin"))

A rule is any function of a decoded and resolved path, such as `below` and `matches` of readings.py.
readings.py has the readings under the policy, targets.py the targets. `check_rule` prints the seed, which the
environment variable SIMDPCT_SEED sets.

`passes_rule` returns the outcome without judging it, to show that the test can fail: with the same rule, a
server that decides on one path and forwards another must have bypasses.
"""

import collections
import os
import random
import re
from dataclasses import dataclass, field

from readings import Readings
from servers import Origin
from targets import random_targets
from wire import send

# All presets, and the policy of the READMEs.
POLICIES = ["default", "default slash=refuse", "strict", "rfc3986", "nginx", "envoy", "lighttpd"]

SEED = int(os.environ.get("SIMDPCT_SEED") or random.SystemRandom().randrange(1 << 32))


class RecordingOrigin(Origin):
    """An origin that keeps each request until `take` returns it."""

    def __init__(self):
        super().__init__()
        self.heads = collections.deque()

    def take(self):
        """The number, target and head of each request since the last call. A missing number is None."""
        heads, self.heads = self.heads, collections.deque()
        return [self.parse(head) for head in heads]

    @staticmethod
    def parse(head):
        line = head.split(b"\r\n", 1)[0]
        target = line.partition(b" ")[2]
        number = re.search(rb"^x-number: *(\d+)", head, re.M | re.I)
        return number and int(number[1]), target.rpartition(b" HTTP/")[0] or target, head


@dataclass
class Outcome:
    """The outcomes of targets. A bypass has the target as sent, and the target that reached the origin
    against the rule."""
    statuses: collections.Counter = field(default_factory=collections.Counter)
    forwarded: int = 0
    bypasses: list = field(default_factory=list)
    answers: list = field(default_factory=list)
    targets: list = field(default_factory=list)


def passes_rule(origin, port, policy, forbids, count=2000, protocol="HTTP/1.1", seed=SEED, under=b"", fields=()):
    """Sends targets to a server. `forbids(path)` is true if no origin should read this path from a forwarded
    target.

    If a server has several rules below different prefixes, `under` is put before each target in origin form.
    """
    readings, outcome = Readings(policy), Outcome()
    outcome.targets = [under + target if target.startswith(b"/") else target
                       for target in random_targets(count, seed, protocol)]
    origin.take()
    outcome.answers = send(protocol, port, outcome.targets, fields)
    outcome.statuses.update(answer.status for answer in outcome.answers)
    for number, forwarded, _ in origin.take():
        outcome.forwarded += 1
        if any(forbids(path) for path in readings.of(forwarded)):
            outcome.bypasses.append((None if number is None else outcome.targets[number], forwarded))
    return outcome


def check_rule(checks, name, origin, port, policy, forbids, denied=403, **options):
    """Checks that the rule holds and that the test could have failed: some targets were forwarded, and some
    denied. Returns the outcome."""
    outcome = passes_rule(origin, port, policy, forbids, **options)
    what = f"{name}, {options.get('protocol', 'HTTP/1.1')}, {policy}, seed {options.get('seed', SEED)}"
    for sent, forwarded in outcome.bypasses[:3]:
        checks.equal(f"{what}: {sent} passed the rule", forwarded, "not forwarded")
    checks.equal(f"{what}: targets that passed the rule", len(outcome.bypasses), 0)
    # The policy "strict" refuses most targets.
    least = len(outcome.targets) // 400
    checks.true(f"{what}: forwarded more than {least}, {outcome.statuses}", outcome.forwarded > least)
    checks.true(f"{what}: denied more than {least}, {outcome.statuses}", outcome.statuses[denied] > least)
    checks.equal(f"{what}: server errors, {outcome.statuses}", [status for status in outcome.statuses if status >= 500], [])
    return outcome


def summary(name, outcomes):
    """One line for all outcomes of a server."""
    sent = sum(len(outcome.targets) for outcome in outcomes)
    forwarded = sum(outcome.forwarded for outcome in outcomes)
    bypasses = sum(len(outcome.bypasses) for outcome in outcomes)
    return f"{name}: of {sent} random targets {forwarded} reached the origin, {bypasses} against the rule (seed {SEED})"
