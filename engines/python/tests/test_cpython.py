"""CPython's own test_urlparse and test_urllib, with our functions in place of urllib.parse's."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs/python.md"


def recipe():
    """The example of docs/python.md that replaces the functions."""
    examples = doctest.DocTestParser().get_examples(PAGE.read_text("utf-8"))
    (start,) = [number for number, example in enumerate(examples) if "setattr(urllib.parse" in example.source]
    return examples[start - 1].source + examples[start].source


# Runs the tests of a module, and prints their number and the failing ones.
PROGRAM = """
import sys, unittest
{recipe}
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
    run = subprocess.run([sys.executable, "-c", PROGRAM.replace("{recipe}", recipe()), module], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    count, *failing = run.stdout.splitlines()[-1].split()
    assert failing == FAILING.get(module, []), run.stderr
    assert int(count) >= least
