#!/usr/bin/env python3
"""Tests the filter in a running Envoy on the loopback interface: test.py FILTER.wasm. Run by integrations/check."""

import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import proxies
from envoy_filters import Filter, check_example, check_filter
from library import Library
from servers import Checks, Origin, request


def unsigned(code, at):
    """A number in groups of seven bits, the lowest first, and the position after it."""
    value = shift = 0
    while True:
        byte = code[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def skip_import(code, at):
    """Whether the import at this position is a function, and the position after it. This module imports only functions."""
    for _ in range(2):
        length, at = unsigned(code, at)
        at += length
    assert code[at] == 0, "an import that is no function"
    return unsigned(code, at + 1)[1]


def trapping(code, name):
    """The module, with an exported function that traps as soon as it is called."""
    code, at, sections = bytearray(code), 8, {}
    while at < len(code):
        size, start = unsigned(code, at + 1)
        sections[code[at]] = start
        at = start + size
    imports, at = unsigned(code, sections[2])
    for _ in range(imports):
        at = skip_import(code, at)
    exports, at = unsigned(code, sections[7])
    for _ in range(exports):
        length, at = unsigned(code, at)
        found = bytes(code[at:at + length]).decode()
        index, after = unsigned(code, at + length + 1)
        if found == name:
            break
        at = after
    _, at = unsigned(code, sections[10])
    for _ in range(index - imports):
        size, at = unsigned(code, at)
        at += size
    size, at = unsigned(code, at)
    end = at + size
    groups, at = unsigned(code, at)
    for _ in range(groups):
        at = unsigned(code, at)[1] + 1
    # unreachable, nop, ..., end
    code[at:end] = b"\x00" + b"\x01" * (end - at - 2) + b"\x0b"
    return bytes(code)


def fails_closed(checks, module):
    """A module that traps: its requests are answered by Envoy and not forwarded."""
    for policy in ["FAIL_CLOSED", "FAIL_RELOAD"]:
        with tempfile.TemporaryDirectory() as folder, Origin() as origin:
            broken = Path(folder) / "broken.wasm"
            broken.write_bytes(trapping(module.read_bytes(), "proxy_on_request_headers"))
            wasm_filter = proxies.proxy_wasm_filter("default", broken)
            wasm_filter["typed_config"]["config"]["failure_policy"] = policy
            with proxies.envoy(folder, origin.port, [wasm_filter]) as server:
                checks.equal(f"{policy}: a module that traps", [request(server.port, b"/a")[0] for _ in range(3)], [503] * 3)
                checks.equal(f"{policy}: requests that reach the origin", len(origin.heads), 0)
                checks.true(f"{policy}: the trap", "unreachable" in server.output())


def main():
    module, checks, library = Path(sys.argv[1]).resolve(), Checks(), Library(Path(os.environ["SIMDPCT_PREFIX"]))
    envoy_filter = Filter(lambda guard: proxies.proxy_wasm_filter(guard, module), "%FILTER_STATE(wasm.simdpct.findings:PLAIN)%",
                          "%FILTER_STATE(wasm.simdpct.refusal:PLAIN)%", details="")
    check_filter(checks, library, envoy_filter)
    text = proxies.readme(Path(__file__).parent, "yaml")
    check_example(checks, text.replace("simdpct_proxy_wasm.wasm", str(module)))
    fails_closed(checks, module)
    checks.report()


main()
