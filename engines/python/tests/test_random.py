"""Random calls: results and exceptions equal urllib.parse's.

The arguments consist of pieces that matter to these functions. Results are compared by value and type,
exceptions by type, text and arguments. `--calls=1000000` runs the long test.
"""

import random
import urllib.parse
import warnings

import pytest
import simdpct

ORIGINALS = {name: getattr(urllib.parse, name) for name in simdpct.__all__}

# ASCII that is escaped or not, escapes of all kinds of bytes, malformed ones, other scripts, and
# lone surrogates.
PIECES = [
    *"abcXYZ019_.-~/+ &=;?#[]%\"'<>\0\x7f",
    *["%20", "%2B", "%2b", "%25", "%26", "%3D", "%2F", "%00", "%41", "%7e"],
    *["%C3%A9", "%c3%a9", "%E2%82%AC", "%F0%9F%98%80", "%D0%BF%D1%80", "%E4%BA%AC"],
    *["%C3", "%A9", "%E2%82", "%F0%9F%98", "%ED%A0%80", "%C0%AF", "%F5%80%80%80", "%FF", "%80"],
    *["%", "%%", "%4", "%4g", "%g4", "%zz", "%u00e9", "%%41", "%%34%31"],
    *["é", "ÿ", "п", "京", "€", "\U0001f600", "\u0660", "\ufffd", "\u0100"],
    *["plain-text-of-some-length/", "x" * 40, "&&", "a=1&b=2", "=&="],
]
SURROGATES = ["\ud800", "\udcff", "\udfff"]
ENCODINGS = ["utf-8", "utf8", "UTF-8", "latin-1", "ascii", "cp1252", "utf-16", "utf-16-le", "shift_jis", "idna", "UTF_8"]
ENCODINGS += ["utf-7", "utf-8-sig", "unknown", "", "utf-8\0", "rot13", "hex", "\ud800", None, 3]
ERRORS = ["strict", "replace", "ignore", "surrogateescape", "surrogatepass", "backslashreplace", "xmlcharrefreplace"]
ERRORS += ["namereplace", "unknown", "", "re\0place", None, 3]
SAFE = ["", "/", "/", "+", " ", "%", "é", "~", "/:?#[]@!$&'()*+,;=", " +", "\ud800", b"", b"/", b"+ ", b"\xff/", "\0"]
SAFE += [None, 3, bytearray(b"/"), ["/"], [47], (300,)]
SEPARATORS = ["&", ";", "&&", "", "=", "%", "+", "é", "\ud800", b"&", b";", b"", None, 3]


class Str(str):
    """A subclass without changes."""


class LoudStr(str):
    """A subclass that changes what the functions call."""

    def __contains__(self, other):
        return True

    def split(self, *arguments):
        return ["loud"]

    def replace(self, *arguments):
        return "loud%20"

    def encode(self, *arguments):
        return b"loud /"


class Bytes(bytes):
    """A subclass without changes."""


class LoudBytes(bytes):
    """A subclass that changes what the functions call."""

    def split(self, *arguments):
        return [b"a", b"41", b"42"]

    def rstrip(self, *arguments):
        return b""

    def decode(self, *arguments):
        return "loud"


class Shown:
    """A value with a text, a truth and a length."""

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"Shown({self.text!r})"


class Failing:
    """A value without a text or a truth."""

    def __str__(self):
        raise RuntimeError("no text")

    def __repr__(self):
        return "Failing()"

    def __bool__(self):
        raise RuntimeError("no truth")

    __hash__ = object.__hash__


def text(rng):
    pieces = PIECES if rng.random() < 0.95 else PIECES + SURROGATES * 10
    length = rng.choice([0, 1, 1, 2, 3, 5, 8, 13, 40])
    if rng.random() < 0.3:
        pieces = [piece for piece in pieces if piece.isascii()]
    return "".join(rng.choices(pieces, k=length)) * rng.choice([1] * 30 + [20, 100])


def string(rng):
    """Mostly a str or bytes; otherwise anything else."""
    value = text(rng)
    kind = rng.random()
    if kind < 0.7:
        return value
    encoded = value.encode("utf-8", "surrogatepass")
    if kind < 0.85:
        return encoded
    if kind < 0.87:
        return rng.randbytes(rng.randrange(40))
    others = [bytearray(encoded), memoryview(encoded), Str(value), LoudStr(value), Bytes(encoded), LoudBytes(encoded)]
    others += [None, 3, 0, 0.0, [], ["a"], [b"%41"], (), Shown(value), Failing(), object]
    return rng.choice(others)


def binary(rng):
    """Mostly bytes or a bytearray."""
    value = text(rng).encode("utf-8", "surrogatepass")
    return rng.choice([value, value, value, bytearray(value), string(rng)])


def truth(rng):
    return rng.choice([True, False, True, False, 0, 1, None, "", "x", [], 2**70, Failing()])


def limit(rng):
    return rng.choice([None, None, 0, 1, 2, 3, 10, 1000, -1, 2**70, -(2**70), True, 2.5, "3", Failing()])


def component(rng):
    values = [text(rng), text(rng), text(rng).encode("utf-8", "surrogatepass"), 7, -(10**30), 1.5, 1e300, True, None]
    values += [Str(text(rng)), LoudStr("x"), Bytes(b"a b"), LoudBytes(b"a b"), bytearray(b"a b"), Shown("é &"), Failing()]
    weights = [8, 8, 3, 3, 1, 1, 1, 1, 1] + [0.2] * 7
    return rng.choices(values, weights)[0]


def value(rng):
    kind = rng.random()
    if kind < 0.6:
        return component(rng)
    elements = [component(rng) for _ in range(rng.randrange(4))]
    return rng.choice([elements, elements, tuple(elements), {7: 8}, {"a"}, range(2), "ab", [["x"]]])


def query(rng):
    kind = rng.random()
    if kind < 0.4:
        return {rng.choice(["a", "b c", "é", b"k/", 3, None, text(rng)]): value(rng) for _ in range(rng.randrange(5))}
    pairs = [(component(rng), value(rng)) for _ in range(rng.randrange(5))]
    if kind < 0.6:
        return pairs
    if kind < 0.7:
        return tuple(pairs)
    others = [[*pairs, ("a",)], [*pairs, (1, 2, 3)], [*pairs, ["a", "b"]], [*pairs, "ab"], [["a", "b"]], "a=b", b"a=b", "", 3]
    others += [None, iter(pairs), set(), {("a", "b")}, [()], [3], urllib.parse.ParseResult(*"abcdef"), {}.items()]
    return rng.choice(others)


# For each function: how to make the first argument and each other argument.
def codec(**more):
    return {"encoding": lambda rng: rng.choice(ENCODINGS), "errors": lambda rng: rng.choice(ERRORS), **more}


def safe(rng):
    return rng.choice(SAFE)


PARSING = {
    "keep_blank_values": truth,
    "strict_parsing": truth,
    **codec(),
    "max_num_fields": limit,
    "separator": lambda rng: rng.choice(SEPARATORS),
}
QUOTE_VIA = [simdpct.quote_plus, simdpct.quote, ORIGINALS["quote_plus"], ORIGINALS["quote"]]
QUOTE_VIA += [lambda *arguments: repr(arguments), simdpct.unquote, ORIGINALS["unquote"], None]
FUNCTIONS = {
    "parse_qs": (string, PARSING),
    "parse_qsl": (string, PARSING),
    "quote": (string, {"safe": safe, **codec()}),
    "quote_from_bytes": (binary, {"safe": safe}),
    "quote_plus": (string, {"safe": safe, **codec()}),
    "unquote": (string, codec()),
    "unquote_plus": (string, codec()),
    "unquote_to_bytes": (string, {}),
    "urlencode": (query, {"doseq": truth, "safe": safe, **codec(), "quote_via": lambda rng: rng.choice(QUOTE_VIA)}),
}


def call(name, rng):
    """The arguments of a call: positional ones, then keywords."""
    first, others = FUNCTIONS[name]
    positional, keywords = [first(rng)], {}
    if rng.random() < 0.5:
        return positional, keywords
    density = rng.choice([0.2, 0.5])
    is_positional = rng.random() < 0.3
    for other, make in others.items():
        if rng.random() < density:
            if is_positional:
                positional.append(make(rng))
            else:
                keywords[other] = make(rng)
        else:
            is_positional = False
    return positional, keywords


def outcome(function, positional, keywords):
    """Result or exception, in a form that can be compared."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*positional, **keywords)
            returned = ("returned", type(result), repr(result))
        except Exception as error:
            cause = error.__cause__
            returned = ("raised", type(error), str(error), repr(error.args), type(cause), str(cause))
    return returned, [(warning.category, str(warning.message)) for warning in caught]


def test_originals_are_pythons():
    for name, function in ORIGINALS.items():
        assert function.__module__ == "urllib.parse", name
        assert getattr(simdpct, name) is not function


@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_calls_equal_pythons(name, request):
    calls, seed = request.config.getoption("--calls"), request.config.getoption("--seed")
    returned = raised = 0
    for number in range(calls):
        # A call uses up iterators, so each function gets separate arguments.
        arguments = [call(name, random.Random(f"{name} {seed} {number}")) for _ in range(2)]
        expected = outcome(ORIGINALS[name], *arguments[0])
        assert outcome(getattr(simdpct, name), *arguments[1]) == expected, (number, arguments[0])
        if expected[0][0] == "returned":
            returned += 1
        else:
            raised += 1
    # The test covers both.
    assert returned > calls / 4
    assert raised > calls / 50
