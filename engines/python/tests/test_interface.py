"""The interface apart from results: names, signatures, identity, pickle, threads, documentation."""

import doctest
import importlib.metadata
import inspect
import pickle
import subprocess
import sys
import threading
import urllib.parse

import pytest
import simdpct


@pytest.mark.parametrize("name", simdpct.__all__)
def test_function_has_place_and_signature_of_original(name):
    function, original = getattr(simdpct, name), getattr(urllib.parse, name)
    assert (function.__name__, function.__module__) == (name, "simdpct")
    assert pickle.loads(pickle.dumps(function)) is function
    ours, theirs = inspect.signature(function).parameters, inspect.signature(original).parameters
    assert list(ours) == list(theirs)
    for parameter in ours.values():
        # The default of `quote_via` is a function, which the signature of a built-in cannot name.
        if parameter.name != "quote_via":
            assert parameter == theirs[parameter.name]


@pytest.mark.parametrize("name", simdpct.__all__)
def test_examples_of_docstring_run(name):
    function = getattr(simdpct, name)
    tests = doctest.DocTestFinder().find(function, name, globs={n: getattr(simdpct, n) for n in simdpct.__all__})
    assert sum(len(test.examples) for test in tests) > 0
    for test in tests:
        assert doctest.DocTestRunner().run(test).failed == 0


def test_examples_of_module_run():
    result = doctest.testmod(simdpct, extraglobs={"simdpct": simdpct})
    assert result.attempted > 10
    assert result.failed == 0


@pytest.mark.parametrize("arguments, keywords", [
    ((), {}),
    (("a", "/", None, None, 5), {}),
    (("a",), {"string": "b"}),
    (("a",), {"bogus": 1}),
    ((), {"safe": "/"}),
])
def test_wrong_arguments_raise_errors_of_original(arguments, keywords):
    with pytest.raises(TypeError) as expected:
        urllib.parse.quote(*arguments, **keywords)
    with pytest.raises(TypeError) as raised:
        simdpct.quote(*arguments, **keywords)
    assert str(raised.value) == str(expected.value)


@pytest.mark.parametrize("function, string", [
    (simdpct.unquote, "plain/é"),
    (simdpct.unquote_plus, "plain/é"),
    (simdpct.unquote_to_bytes, b"plain/\xff"),
    (simdpct.quote, "plain/path"),
    (simdpct.quote, "plain/path/that-is-longer-than-what-the-library-encodes-without-a-call"),
    (simdpct.quote_plus, "plain-text-that-is-longer-than-what-the-library-encodes-without-a-call"),
])
def test_string_without_changes_is_returned_itself(function, string):
    assert function(string) is string


def test_input_of_any_length_is_treated_as_by_original():
    for length in [31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 100_000]:
        for piece in ["a", "%41", "%C3%A9", "%FF", " ", "é", "+", "京"]:
            string = (piece * length)[:length]
            for name in ["quote", "quote_plus", "unquote", "unquote_plus", "unquote_to_bytes", "parse_qsl"]:
                assert getattr(simdpct, name)(string) == getattr(urllib.parse, name)(string), (name, length, piece)


def test_quote_plus_escapes_bytes_that_are_no_space():
    # U+4E20 and U+D820 have a byte 0x20 in UTF-16, but are not spaces.
    for string in ["\u4e20", "\ud820", "\u4e20 ", "\ud820 "]:
        arguments = (string, "", "utf-16-le", "surrogatepass")
        assert simdpct.quote_plus(*arguments) == urllib.parse.quote_plus(*arguments)


def test_urlencode_of_empty_sequence_encodes_name():
    assert simdpct.urlencode([("a", 1), ("b", []), ("c", ())], doseq=True) == "a=1"
    with pytest.raises(UnicodeEncodeError):
        simdpct.urlencode([("\ud800", [])], doseq=True)


def test_references_are_not_leaked():
    string, text = "%C3%A9 and more" * 3, "é and more" * 3
    calls = [
        lambda: simdpct.unquote(string),
        lambda: simdpct.unquote(string, "latin-1", "strict"),
        lambda: simdpct.quote(text, safe="+"),
        lambda: simdpct.quote_plus(text, encoding="utf-16"),
        lambda: simdpct.parse_qs(f"a={string}&a=2", separator="&", max_num_fields=9),
        lambda: simdpct.urlencode({string: [text]}, doseq=True, quote_via=simdpct.quote),
        lambda: simdpct.urlencode({string: object}),
        lambda: simdpct.unquote("\ud800%41"),
    ]
    for function in calls:
        before = [sys.getrefcount(value) for value in (string, text, simdpct.quote, None)]
        for _ in range(1000):
            function()
        after = [sys.getrefcount(value) for value in (string, text, simdpct.quote, None)]
        assert all(abs(a - b) < 100 for a, b in zip(after, before)), (function, before, after)


def test_threads_agree():
    string = "caf%C3%A9+" * 50
    expected = urllib.parse.unquote_plus(string)
    results = []
    threads = [
        threading.Thread(target=lambda: results.extend(simdpct.unquote_plus(string) for _ in range(500)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 2000
    assert set(results) == {expected}


def test_originals_can_be_replaced_by_ours():
    program = """
import urllib.parse, simdpct
for name in simdpct.__all__:
    setattr(urllib.parse, name, getattr(simdpct, name))
class Text(str): pass
assert urllib.parse.quote_plus(Text("a b"), encoding="utf-16") == "%FF%FEa%00+%00b%00"
assert urllib.parse.parse_qs(b"a=%41") == {b"a": [b"A"]}
assert urllib.parse.urlencode({"a": Text("\\xe9 b")}) == "a=%C3%A9+b"
assert urllib.parse.unquote("\\ud800%41") == "\\ud800A"
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("codec", [{"encoding": "unknown"}, {"errors": "unknown"}, {"encoding": "utf-8", "errors": "x"}])
def test_development_mode_checks_codecs(codec):
    program = f"""
import urllib.parse, simdpct
for name in ["quote", "unquote", "unquote_plus", "parse_qsl"]:
    texts = []
    for module in [urllib.parse, simdpct]:
        try:
            texts.append(getattr(module, name)("a=%41", **{codec!r}))
        except LookupError as error:
            texts.append(str(error))
    assert texts[0] == texts[1], (name, texts)
"""
    subprocess.run([sys.executable, "-X", "dev", "-c", program], check=True)


def test_wheel_has_licences_addresses_and_extras():
    metadata = importlib.metadata.metadata("simdpct")
    assert sorted(metadata.get_all("License-File")) == ["LICENSE-APACHE", "LICENSE-MIT"]
    files = importlib.metadata.files("simdpct")
    for name, text in [("LICENSE-APACHE", "Apache License"), ("LICENSE-MIT", "Permission is hereby granted")]:
        (path,) = [path for path in files if path.name == name]
        assert text in path.read_text("utf-8")
    addresses = dict(address.split(", ") for address in metadata.get_all("Project-URL"))
    assert {"Repository", "Documentation"} <= set(addresses)
    assert set(metadata.get_all("Provides-Extra")) == {"polars", "duckdb", "datafusion", "spark", "pandas"}
    # No extra, no dependency.
    assert all("extra ==" in requirement for requirement in metadata.get_all("Requires-Dist"))


@pytest.mark.parametrize("module, missing", [("polars", "polars"), ("duckdb", "pyarrow"), ("datafusion", "pyarrow"), ("spark", "pyarrow")])
def test_missing_module_is_named_with_its_extra(module, missing):
    program = f"""
import sys
sys.modules[{missing!r}] = None
try:
    import simdpct.{module}
except ModuleNotFoundError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == f"this needs {missing}, which is not installed: pip install 'simdpct[{module}]'\n", run.stderr


def test_missing_engine_is_named_with_its_extra():
    pytest.importorskip("pyarrow")
    program = """
import sys
sys.modules["duckdb"] = sys.modules["pyspark"] = None
import simdpct.duckdb, simdpct.spark
for call in [lambda: simdpct.duckdb.register(None), lambda: simdpct.spark.udf("pct_decode")]:
    try:
        call()
    except ModuleNotFoundError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [
        "this needs duckdb, which is not installed: pip install 'simdpct[duckdb]'",
        "this needs pyspark, which is not installed: pip install 'simdpct[spark]'",
    ]


def test_second_interpreter_is_refused():
    interpreters = pytest.importorskip("_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters")
    program = f"""
import simdpct, {interpreters.__name__} as interpreters
assert simdpct.unquote("%41") == "A"
inner = interpreters.create()
interpreters.run_string(inner, "try: import simdpct\\nexcept ImportError as error: print(error, flush=True)\\nelse: print(0, flush=True)")
interpreters.destroy(inner)
assert simdpct.unquote("%41") == "A"
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "subinterpreters are not supported" in run.stdout or "does not support loading in subinterpreters" in run.stdout
