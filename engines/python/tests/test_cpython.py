"""CPython's own test_urlparse and test_urllib, with our functions in place of those of urllib.parse."""

import subprocess
import sys

import pytest

# Runs the tests of a module, and prints how many there are and those that fail.
PROGRAM = """
import sys, unittest, urllib.parse
import simdpct
for name in simdpct.__all__:
    function = getattr(simdpct, name)
    # Python's test_all looks for the functions of the module by this name.
    function.__module__ = "urllib.parse"
    setattr(urllib.parse, name, function)
module = __import__("test." + sys.argv[1], fromlist=["*"])
result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromModule(module))
for name in simdpct.__all__:
    assert getattr(urllib.parse, name) is getattr(simdpct, name)
failed = [test.id() for test, _ in result.failures + result.errors]
print(result.testsRun, *failed)
"""
# A built-in function has no `__defaults__`.
FAILING = {"test_urllib": ["test.test_urllib.QuotingTests.test_default_safe"]}


@pytest.mark.parametrize("module, least", [("test_urlparse", 60), ("test_urllib", 80)])
def test_pythons_tests_pass(module, least):
    run = subprocess.run([sys.executable, "-c", PROGRAM, module], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    count, *failing = run.stdout.splitlines()[-1].split()
    assert failing == FAILING.get(module, []), run.stderr
    assert int(count) >= least
