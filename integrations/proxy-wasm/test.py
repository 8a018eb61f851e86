#!/usr/bin/env python3
"""Tests the filter in a running Envoy on the loopback interface: test.py FILTER.wasm. Run by scripts/check-integrations."""

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import proxies
from envoy_filters import Filter, check_example, check_filter
from library import Library
from servers import Checks


def main():
    module, checks, library = Path(sys.argv[1]).resolve(), Checks(), Library(Path(os.environ["SIMDPCT_PREFIX"]))
    envoy_filter = Filter(lambda guard: proxies.proxy_wasm_filter(guard, module), "%FILTER_STATE(wasm.simdpct.findings:PLAIN)%",
                          "%FILTER_STATE(wasm.simdpct.refusal:PLAIN)%", details="")
    check_filter(checks, library, envoy_filter)
    text = proxies.readme(Path(__file__).parent, "yaml")
    check_example(checks, text.replace("simdpct_proxy_wasm.wasm", str(module)))
    checks.report()


main()
