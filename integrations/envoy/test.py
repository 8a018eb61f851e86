#!/usr/bin/env python3
"""Tests the module in a running Envoy on the loopback interface: test.py MODULE.so. Run by integrations/check."""

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
    envoy_filter = Filter(proxies.envoy_filter, "%DYNAMIC_METADATA(simdpct:findings)%", "%DYNAMIC_METADATA(simdpct:refusal)%",
                          details="simdpct", modules=module.parent)
    output = check_filter(checks, library, envoy_filter)
    checks.true("the module has Envoy's version of the interface", "deprecated" not in output)
    check_example(checks, proxies.readme(Path(__file__).parent, "yaml"), module.parent)
    checks.report()


main()
