#!/usr/bin/env python3
"""The test "rule against origin" (integrations/lib/rules.py) for a server with a rule that denies a prefix.

usage: deny.py SERVER MODULE [--targets NUMBER]      (needs the Python package h2)
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "integrations/lib"), str(ROOT / "scripts/lib/servers")]

import modules
from readings import below
from rules import POLICIES, RecordingOrigin, check_rule, summary
from servers import Checks

# Varnish and Traffic Server speak HTTP/2 with TLS only.
PROTOCOLS = {"apache": ["HTTP/1.1", "HTTP/2"], "haproxy": ["HTTP/1.1", "HTTP/2"], "envoy": ["HTTP/1.1", "HTTP/2"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server", choices=modules.SERVERS)
    parser.add_argument("module", type=Path)
    parser.add_argument("--targets", type=int, default=2_000)
    arguments = parser.parse_args()
    name, began, outcomes, checks = arguments.server, time.monotonic(), [], Checks()
    with checks:
        for policy in POLICIES:
            with tempfile.TemporaryDirectory() as folder, RecordingOrigin() as origin, modules.SERVERS[name](
                    Path(folder), origin.port, policy, arguments.module, denies=True) as server:
                for protocol in PROTOCOLS.get(name, ["HTTP/1.1"]):
                    outcomes.append(check_rule(checks, name, origin, server.port, policy, below(b"/admin"),
                                               count=arguments.targets, protocol=protocol))
    print(f"{summary(name, outcomes)}; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
