"""CPython's own test_urlparse and test_urllib, with our functions in place of those of urllib.parse."""

import re
import subprocess
import sys

import pytest

PROGRAM = """
import sys, unittest, urllib.parse
import simdpct
for name in simdpct.__all__:
    setattr(urllib.parse, name, getattr(simdpct, name))
module = __import__("test.{module}", fromlist=["*"])
for name in simdpct.__all__:
    assert getattr(urllib.parse, name) is getattr(simdpct, name)
unittest.main(module, argv=["test", "-v"])
"""


@pytest.mark.parametrize("module, least", [("test_urlparse", 60), ("test_urllib", 80)])
def test_pythons_tests_pass(module, least):
    if subprocess.run([sys.executable, "-c", f"import test.{module}"], capture_output=True).returncode:
        pytest.fail(f"test.{module} is not installed: package libpython3-testsuite of Debian")
    run = subprocess.run([sys.executable, "-c", PROGRAM.format(module=module)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert int(re.search(r"Ran (\d+) tests", run.stderr)[1]) >= least
    assert "FAILED" not in run.stderr
