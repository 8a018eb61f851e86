#!/usr/bin/env python3
"""Tests the Lua module in a running nginx on the loopback interface. Run by integrations/check.

usage: test.py simdpct.lua [--calls NUMBER] [--targets NUMBER]
"""

import argparse
import ctypes
import http.client
import os
import random
import re
import sys
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

sys.dont_write_bytecode = True
from lua_nginx import HERE, README, Nginx, Synopsis, calling, code, set_module
from library import Library, Policy, Result
from nginx import check, checks
from readings import below
from rules import SEED, RecordingOrigin, check_rule, passes_rule, summary
from servers import PIECES, Origin, origin_target

PRESETS = ["default", "default slash=refuse", "strict", "rfc3986", "nginx", "envoy", "lighttpd"]
# Policies that permit only one reading of a decoded path.
RULE_POLICIES = ["default", "default slash=refuse", "default slash=decode", "strict", "envoy"]

MALFORMED = re.compile(rb"%(?![0-9A-Fa-f]{2})")
# The set that ngx.escape_uri escapes, by the example of README.md.
AS_NGINX, = re.findall(r"simdpct\.encoder (\{.*?\})` encodes as `ngx.escape_uri`", README)
SIZES = [0, 1, 15, 16, 31, 32, 33, 63, 64, 65, 4095, 4096, 4097, 65535, 65536, 65537, 1 << 20]


def lua(text):
    """A string of Lua."""
    return '"' + "".join(f"\\{byte:03}" for byte in text) + '"'


def call(nginx, calls):
    """The three results of each call (operation, text, arguments in Lua), or the message of an error."""
    body = b"".join(f"{operation} {text.hex()} {arguments}\n".encode() for operation, text, arguments in calls)
    connection = http.client.HTTPConnection("127.0.0.1", nginx.ports["PORT"], timeout=60)
    connection.request("POST", "/calls", body)
    answer = connection.getresponse()
    lines = answer.read().decode().splitlines()
    connection.close()
    check("status and number of results", (answer.status, len(lines)), (200, len(calls)))
    return [line if line.startswith("error ") else tuple(map(value_of, line.split(" "))) for line in lines]


def value_of(text):
    if text.startswith('"'):
        return bytes.fromhex(text[1:])
    return None if text == "nil" else int(text)


def texts(count):
    """Random texts: pieces of targets, any bytes, and long texts."""
    generator = random.Random(SEED)
    for index in range(count):
        pieces = generator.choices(PIECES, k=generator.randrange(6)) if index % 2 else []
        yield b"/" * (index % 2) + b"".join(pieces) + generator.randbytes(generator.randrange(12) if index % 4 < 2 else 0)
    for size in SIZES:
        for piece in [b"a", b"%41", b"\x00", b"+/", b"%zz"]:
            yield (piece * size)[:size]


def functions(nginx, library, count):
    """The functions return the same as the C library, Python's functions and nginx's functions."""
    all_texts = list(texts(count))
    agree = {"decode": 0, "malformed": 0, "path": 0, "refused": 0}
    options = "{ plus = true, lenient = true }"
    short, long = [[text for text in all_texts if (len(text) < 10_000) == is_short] for is_short in (True, False)]
    batches = [short[start:start + 200] for start in range(0, len(short), 200)] + [[text] for text in long]
    for index, batch in enumerate(batches):
        policy = PRESETS[index % len(PRESETS)]
        results = iter(call(nginx, [each for text in batch for each in [
            ("decode", text, ""), ("decode", text, options), ("unescape_uri", text, ""), ("encode", text, ""),
            ("escape_uri", text, ""), ("encode", text, AS_NGINX), ("path", text, f'"{policy}"'), ("inspect", text, '"default,percent,dot-segment"'),
            ("inspect", text, '"nul"'), ("split", text, "")]]))
        for text in batch:
            decoded, lenient, unescaped, encoded, escaped, as_nginx, path, found, nul, split = (next(results) for _ in range(10))
            what = f"{text[:100]} of {len(text)} bytes, seed {SEED}"
            malformed = MALFORMED.search(text)
            if malformed:
                agree["malformed"] += 1
                check(f"decode {what}", (decoded[0], decoded[2]), (None, malformed.start() + 1))
                check(f"message of {what}", decoded[1].startswith(b"malformed at byte %d: " % malformed.start()), True)
            else:
                agree["decode"] += 1
                check(f"decode {what}", decoded, (unquote_to_bytes(text), None, None))
                check(f"ngx.unescape_uri {what}", unescaped[0], lenient[0])
            check(f"decode {what}, {options}", lenient, (unquote_to_bytes(text.replace(b"+", b" ")), None, None))
            check(f"encode {what}", encoded, (quote_from_bytes(text, safe="").encode(), None, None))
            check(f"ngx.escape_uri {what}", escaped[0], as_nginx[0])

            expected = library.path(policy, text)
            agree["path" if expected[0] is not None else "refused"] += 1
            check(f"path {what}, {policy}", path, expected)
            check(f"inspect {what}", found, library.found(text, "default,percent,dot-segment"))
            check(f"inspect {what}, nul", nul, library.found(text, "nul"))
            end = text.find(b"?") if b"?" in text else len(text)
            check(f"split {what}", split, (text[:end], text[end:], None))
    # Each outcome was compared.
    checks.true(f"outcomes {agree}, seed {SEED}", min(agree.values()) > len(all_texts) / 50)


class Reference(Library):
    """The C library, called from Python, with results as the module returns them."""

    def path(self, preset, path):
        policy, result = Policy(), Result()
        assert self.functions.simdpct_path_policy_init(policy, preset.encode(), len(preset), None) == 0
        output = ctypes.create_string_buffer(3 * len(path) + 3)
        if self.functions.simdpct_path(policy, path, len(path), output, len(output), result) == 0:
            return output.raw[:result.value], None, None
        line = ctypes.create_string_buffer(1024)
        write = self.functions.simdpct_result_write
        text, size = ctypes.c_char_p, ctypes.c_size_t
        write.restype, write.argtypes = size, [ctypes.POINTER(Result), text, size, text, size]
        write(result, path, len(path), line, len(line))
        return None, line.value, result.value + 1

    def found(self, text, names):
        kinds, first = ctypes.c_uint32(), ctypes.c_size_t()
        assert self.functions.simdpct_kinds_from_text(names.encode(), ctypes.c_size_t(len(names)), ctypes.byref(kinds))
        found = self.functions.simdpct_inspect(text, len(text), kinds, first)
        return (self.names(found).encode(), first.value + 1, None) if found else (None, None, None)


# Operation, text, arguments in Lua, and the results.
CASES = [
    ("decode", b"a%2Fb%20c", '{ keep = "/" }', (b"a%2Fb c", None, None)),
    ("decode", b"a%0d", '{ reject = "control" }', (None, b'rejected 0x0D at byte 1: "%0d"', 2)),
    ("decode", b"%ff", "{ utf8 = true }", (None, b'invalid-utf8 at byte 0: "%ff"', 1)),
    ("decode", b"a+b%2b", "{ plus = true }", (b"a b+", None, None)),
    ("decode", b"a+b", "{ plus = false }", (b"a+b", None, None)),
    ("decode", b"%zz%41", "{ lenient = true }", (b"%zzA", None, None)),
    ("encode", b"a b+\xc3\xa9\xff", "{ plus = true, keep_non_ascii = true, lowercase = true }",
     (b"a+b%2b\xc3\xa9%ff", None, None)),
    ("encode", b"a/b%2f%", '{ set = "path", keep_triplets = true }', (b"a/b%2f%25", None, None)),
    ("encode", b"a/b", '{ set = "ab%" }', (b"%61/%62", None, None)),
    ("inspect", b"/a%00%2f", '"slash"', (b"slash", 6, None)),
    ("check", b"/a/../b?q", '"default"', (b"/b?q", None, None)),
    ("check", b"http://h/a/../b", '"default"', (b"http://h/b", None, None)),
    ("check", b"/a", '"default"', (b"/a", None, None)),
    ("check", b"/" + b"\xff" * 5000, '"default illegal=escape refuse="', (b"/" + b"%FF" * 5000, None, None)),
    ("check_options", b"*", '"default"', (b"*", None, None)),
    ("check_connect", b"h:443", '"default"', (b"h:443", None, None)),
    ("check", b"/%00", '"report-only default"', (b"/%00", b'refused: nul,control at byte 1 of path: "/%00"', 2)),
    ("check", b"/a/../b", '"report-only default"', (b"/a/../b", None, None)),
    ("run", b"", 'return require("simdpct").version', (b"0.1.0", None, None)),
    ("run", b"", 'package.loaded.simdpct = nil; return require("simdpct").decode("%41")', (b"A", None, None)),
    ("run", b"", 'return require("simdpct").inspect("/a")', (None, None, None)),
    ("run", b"", 'return require("simdpct").inspect("/%")', (b"malformed", 2, None)),
]

# Expressions of the module `s` that raise an error, and a part of the message.
ERRORS = [
    *((f"s.{function}({value}{more})", expected)
      for value, name in [("nil", "nil"), ("1", "number"), ("{}", "table"), ("true", "boolean")]
      for function, more, expected in [
          ("decode", "", f"the text must be a string, not a {name}"),
          ("encode", "", f"the text must be a string, not a {name}"),
          ("inspect", "", f"the text must be a string, not a {name}"),
          ("split", "", f"the target must be a string, not a {name}"),
          ("path", ', s.policy("")', f"the path must be a string, not a {name}"),
          ("check", ', s.guard("")', f"the target must be a string, not a {name}"),
          ("policy", "", f"the text of a policy must be a string, not a {name}"),
          ("guard", "", f"the text of a guard must be a string, not a {name}"),
          ("kinds", "", f"the names of kinds must be a string, not a {name}"),
      ]),
    ('s.path("/")', "the policy must be one of simdpct.policy, not a nil"),
    ('s.path("/", "strict")', "the policy must be one of simdpct.policy, not a string"),
    ('s.path("/", s.guard("strict"))', "the policy must be one of simdpct.policy, not a cdata"),
    ('s.check("/")', "the guard must be one of simdpct.guard, not a nil"),
    ('s.check("/", s.policy("strict"))', "the guard must be one of simdpct.guard, not a cdata"),
    ('s.decode("", s.encoder())', "the decoder must be one of simdpct.decoder, not a cdata"),
    ('s.decode("", { plus = true })', "the decoder must be one of simdpct.decoder, not a table"),
    ('s.encode("", s.decoder())', "the encoder must be one of simdpct.encoder, not a cdata"),
    ('s.inspect("", "nul")', "the kinds must be a number of simdpct.kinds, not a string"),
    ('s.policy("strict slsh=refuse")', "slsh=refuse"),
    ('s.guard("report-onyl")', "report-onyl"),
    ('s.kinds("nul,precent")', "unknown kind in: nul,precent"),
    ("s.decoder { pluss = true }", "unknown option pluss"),
    ("s.decoder { plus = 1 }", "the option plus must be a boolean, not a number"),
    ("s.decoder { keep = 1 }", "the option keep must be a string, not a number"),
    ('s.decoder("plus")', "the options must be a table, not a string"),
    ("s.encoder { utf8 = true }", "unknown option utf8"),
    ("s.encoder { set = {} }", "the option set must be a string, not a table"),
]


def cases(nginx):
    results = call(nginx, [each[:3] for each in CASES])
    for (operation, text, arguments, expected), result in zip(CASES, results):
        check(f"{operation} {text[:40]} {arguments}", result, expected)
    results = call(nginx, [("run", b"", f'local s = require "simdpct"; local _ = {expression}') for expression, _ in ERRORS])
    for (expression, expected), result in zip(ERRORS, results):
        # The message has the line of the caller.
        check(expression, (str(result)[:14], expected in str(result)), ("error [string ", True))


def examples(nginx):
    """The lines of README.md that show results."""
    definitions, count = "", 0
    for block in code("lua"):
        for line in block.splitlines():
            if re.match(r"local (hostile|policy|guard) = ", line):
                definitions += line + "\n"
            elif "-->" in line:
                expression, expected = line.split("-->")
                source = f"""local simdpct = require "simdpct" {definitions}
                    local function same(...) return select("#", ...), ... end
                    local a, b, c = {expression}
                    local x, y, z = {expected}
                    return tostring(a == x and b == y and c == z) .. "|" .. tostring(a) .. "|" .. tostring(b) .. "|" .. tostring(c)"""
                first = call(nginx, [("run", b"", source.replace("\n", " "))])[0]
                # An error message or the values.
                text = first if isinstance(first, str) else first[0].decode(errors="replace")
                checks.equal(f"README, {line}: {text}", text.startswith("true|"), True)
                count += 1
    checks.true("examples were found", count == 9)


def traces(nginx):
    """LuaJIT compiles a loop around each function."""
    lines = nginx.get(b"/traces")[2].decode().splitlines()
    outcomes = {line.split()[0]: line.split(" ", 2)[1:] for line in lines}
    checks.true(f"a function that cannot be compiled is seen: {outcomes}", outcomes.pop("loadstring")[0] == "0")
    checks.equal("functions", len(outcomes), 8)
    for name, (compiled, aborted) in outcomes.items():
        # A trace that leaves the loop, or is too short, is begun again. NYI: LuaJIT cannot compile an operation.
        checks.true(f"{name}: compiled {compiled}, aborted: {aborted}", compiled != "0" and "NYI" not in aborted)


def rules(count):
    """In the synopsis as written, no denied path reaches the origin."""
    outcomes = []
    with RecordingOrigin() as origin:
        for policy in RULE_POLICIES:
            with Synopsis(origin, policy) as nginx:
                outcomes.append(check_rule(checks, "Lua", origin, nginx.ports["PORT"], policy, below(b"/admin"), count=count))
                check(f"errors of Lua, {policy}", re.findall(r".*\[error\].*", nginx.log())[:3], [])
        # The same test with a guard, on whole targets.
        with Synopsis(origin, change=with_guard) as nginx:
            outcomes.append(check_rule(checks, "guard", origin, nginx.ports["PORT"], "default slash=refuse",
                                       below(b"/admin"), count=count))
            checks.true("the guard is used", "of path: " in nginx.log())
        # Shows that the test can fail: the rule sees the canonical path, but nginx forwards the received
        # target.
        with Synopsis(origin, change=lambda text: text.replace("path .. query", "ngx.var.request_uri")
                      .replace("simdpct.decode(path)", "simdpct.decode(raw)")) as nginx:
            outcome = passes_rule(origin, nginx.ports["PORT"], "default slash=refuse", below(b"/admin"), count)
            checks.true(f"decided on one path and forwarded another, seed {SEED}", len(outcome.bypasses) > 5)
    with Origin() as origin, Synopsis(origin) as nginx:
        check("README: rule", nginx.get(b"/a/../%61dmin?x")[0], 403)
        check("README: canonical path", origin_target(nginx.get(b"/a/./b%7ec?x")), b"/a/b~c?x")
        check("README: refused", nginx.get(b"/x%2fadmin")[0], 400)
        message = re.search(r"`(refused: .*?)` \|", README)[1]
        checks.true(f"README: {message}, in {nginx.log()[-600:]}", message in nginx.log())
    print(summary("Lua", outcomes))


def with_guard(text):
    return (text.replace('simdpct.policy("default slash=refuse")', 'simdpct.guard("default slash=refuse")')
            .replace("simdpct.path(raw, policy)", "simdpct.check(ngx.var.request_uri, policy, ngx.req.get_method())")
            .replace("decoded, err = simdpct.decode(path)",
                     "path, query = simdpct.split(path)\n decoded, err = simdpct.decode(path)"))


ROCKSPEC = r"""
local rock = {}
setfenv(assert(loadfile(FILE)), rock)()
return rock.version .. "|" .. rock.build.modules.simdpct .. "|" .. rock.package
"""


def rockspec(nginx):
    file, = HERE.glob("*.rockspec")
    result, = call(nginx, [("run", b"", ROCKSPEC.replace("FILE", lua(os.fsencode(file))).replace("\n", " "))])
    version, module, package = result[0].decode().split("|")
    check("rockspec", (f"{package}-{version}.rockspec", version.split("-")[0], (HERE / module).is_file()),
          (file.name, CASES[-4][3][0].decode(), True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--targets", type=int, default=2_000)
    arguments = parser.parse_args()
    set_module(arguments.module)
    library = Reference(Path(os.environ["SIMDPCT_PREFIX"]))
    with checks:
        with Nginx(calling("test"), ["PORT"]) as nginx:
            cases(nginx)
            examples(nginx)
            traces(nginx)
            rockspec(nginx)
            functions(nginx, library, arguments.calls // 10)
        rules(arguments.targets)


if __name__ == "__main__":
    main()
