"""Runs the main job of an installed Python package."""

import random
import urllib.parse

import simdpct
from simdpct import columns

source = random.Random(1)
for _ in range(2000):
    text = "".join(source.choice(["a", "é", "%", "%41", "%FF", "+", "/", " ", "\U0001f600"]) for _ in range(source.randrange(20)))
    assert simdpct.quote(text) == urllib.parse.quote(text)
    assert simdpct.unquote(text) == urllib.parse.unquote(text)
    assert simdpct.unquote_plus(text) == urllib.parse.unquote_plus(text)
assert columns.try_decode(["caf%C3%A9", "50%", None]).to_pylist() == ["café", None, None]
assert columns.domain(["https://www.example.co.uk/"]).to_pylist() == ["example.co.uk"]
print("simdpct", simdpct.__version__ if hasattr(simdpct, "__version__") else "", "passed")
