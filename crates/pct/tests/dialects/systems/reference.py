"""Answers with the results of Python's urllib.parse ("python3 reference.py python"), or of RFC 3986 ("rfc3986").

One question per line on standard input, "OPERATION HEX"; one answer per line: HEX, or "error".
"""

import re
import sys
from urllib.parse import quote, unquote


def python(operation, value):
    if operation == "encode":
        return quote(value).encode()
    decoded = unquote(value)
    try:
        assert unquote(value.decode()) == decoded
    except UnicodeDecodeError:
        pass
    return decoded.encode()


def rfc3986(operation, value):
    if operation == "encode":
        return re.sub(rb"[^A-Za-z0-9._~-]", lambda match: b"%%%02X" % match[0][0], value)
    if not re.fullmatch(rb"(?s)([^%]|%[0-9A-Fa-f]{2})*", value):
        return None
    return re.sub(rb"%(..)", lambda match: bytes([int(match[1], 16)]), value)


answer = {"python": python, "rfc3986": rfc3986}[sys.argv[1]]
for question in sys.stdin:
    operation, _, digits = question.rstrip("\n").partition(" ")
    result = answer(operation, bytes.fromhex(digits))
    print("error" if result is None else result.hex())
