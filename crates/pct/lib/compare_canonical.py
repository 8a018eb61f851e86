"""Compares `pct normalize --url` with w3lib and urlcanon, and counts each kind of difference."""

import re
import subprocess
import sys
from collections import Counter
from urllib.parse import unquote, unquote_plus

import urlcanon
import w3lib.url

# RFC 3986 appendix B.
PARTS = re.compile(r"^(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)


def decoded(text):
    """The text decoded until nothing changes."""
    while (once := unquote(text, errors="surrogateescape")) != text:
        text = once
    return text


def pairs(query):
    return [tuple(map(unquote_plus, (pair.split("=", 1) + [""])[:2])) for pair in query.split("&") if pair]


def path_difference(ours, theirs):
    kinds = set()
    if ours.endswith(";") and not theirs.endswith(";"):
        kinds.add("path: a `;` at its end is dropped")
        ours = ours.rstrip(";")
        if ours == theirs:
            return kinds
    if unquote(ours) == unquote(theirs):
        return kinds | {"path: triplets such as `%2F` become raw characters"}
    if decoded(ours) == decoded(theirs):
        return kinds | {"path: decoded more than once, `%2520` to `%20`"}
    if "\\" in decoded(ours) and "\\" not in decoded(theirs):
        kinds.add("`\\` is read as `/`, as in browsers")
    if re.search(r"/\.\.?(/|$)", theirs):
        kinds.add("path: dot segments are kept")
    merged = re.sub(r"//+", "/", decoded(ours))
    if merged == re.sub(r"//+", "/", decoded(theirs)) and "//" in decoded(ours):
        kinds.add("path: repeated slashes are merged")
    return kinds or {"path: other"}


def query_difference(ours, theirs):
    if theirs is None:
        return {"query: an empty one is dropped with its `?`"} if ours == "" else {"query: dropped"}
    if ours is None:
        return {"query: an empty one keeps its `?`"} if not theirs.strip("&") else {"query: other"}
    kinds = set()
    if "" in theirs.split("&"):
        kinds.add("query: empty pairs are kept, and sorted to the front")
    names = {pair for pair in theirs.split("&") if pair.endswith("=")}
    if any(pair not in ours.split("&") and pair[:-1] in ours.split("&") for pair in names):
        kinds.add("query: a name without `=` gets one")
    if "%20" in ours and "%20" not in theirs and "+" in theirs:
        kinds.add("query: `%20` becomes `+`")
    if pairs(ours) == pairs(theirs):
        plain = {pair.rstrip("=").replace("+", "%20") for pair in ours.split("&") if pair}
        if plain != {pair.rstrip("=").replace("+", "%20") for pair in theirs.split("&") if pair}:
            longer = len(theirs) > len(ours)
            kinds.add(
                "query: raw characters such as `/` are escaped"
                if longer
                else "query: triplets such as `%2F` become raw characters"
            )
    elif sorted(pairs(ours)) == sorted(pairs(theirs)):
        kinds.add("query: pairs of one name are sorted by value too, or decoded names are")
    elif sorted(map(decoded, ours.split("&"))) == sorted(map(decoded, theirs.split("&"))):
        kinds.add("query: decoded more than once, `%252F` to `/`")
    elif not kinds:
        kinds.add("query: other")
    return kinds or {"query: other"}


def kinds_of(ours, theirs, is_valid):
    if not is_valid:
        return {"accepted although the scheme, host or port is invalid, or a `%` malformed"}
    ours, theirs = PARTS.match(ours).groups(), PARTS.match(theirs).groups()
    kinds = set()
    for name, one, other in zip(("scheme", "authority"), ours, theirs):
        if one != other:
            kinds.add(f"{name}: {authority(one or '', other or '')}" if name == "authority" else "scheme")
    if ours[2] != theirs[2]:
        kinds |= path_difference(ours[2], theirs[2])
    if ours[3] != theirs[3]:
        kinds |= query_difference(ours[3], theirs[3])
    if ours[4] != theirs[4]:
        kinds.add("fragment")
    return kinds


def authority(ours, theirs):
    if "@" in ours and "@" not in theirs:
        return "user information is dropped"
    if re.sub(r":\d+$", "", theirs) == re.sub(r":\d+$", "", ours):
        return "a default port is kept"
    if theirs.rstrip(":") == ours.rstrip(":"):
        return "the `:` of an empty port is kept"
    if re.sub(r"\.+", ".", theirs).strip(".") == re.sub(r"\.+", ".", ours).strip("."):
        return "dots around or between the labels of the host are dropped"
    if theirs.lower() == ours:
        return "upper case in the host is kept"
    if any(ord(character) > 0x7F for character in theirs) or "%" in theirs:
        return "no IDNA"
    return "other"


def normal_forms(pct, options, path):
    """The normal form of each line, and whether it is valid."""
    run = lambda *more: subprocess.run([pct, "normalize", "--url", "-q", *options, *more, path], check=True, stdout=subprocess.PIPE)
    forms = [line.removesuffix("\r") for line in run().stdout.decode(errors="surrogateescape").split("\n")]
    # The output does not tell an invalid URL from one that is already normal: both are written unchanged. So a second
    # run, with --append and --errors drop, lists the valid ones.
    valid = Counter(line.split("\t")[0] for line in run("--append", "--errors", "drop").stdout.decode(errors="surrogateescape").split("\n"))
    return forms, valid


def main(pct, *paths):
    programs = {
        "w3lib": lambda url: w3lib.url.canonicalize_url(url),
        "urlcanon": lambda url: str(urlcanon.semantic(urlcanon.parse_url(url))),
    }
    options = ["--sort-query", "--drop-fragment"]
    totals, counts, examples, distinct = Counter(), {}, {}, {name: set() for name in ("pct", *programs)}
    for path in paths:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            urls = [line.removesuffix("\r") for line in file.read().split("\n")]
        forms, valid = normal_forms(pct, options, path)
        assert len(forms) == len(urls)
        for url, ours in zip(urls, forms):
            # In the list of valid URLs, a tab would end the URL.
            if not url or "\t" in url:
                continue
            totals["URLs"] += 1
            distinct["pct"].add(ours)
            for name, canonicalize in programs.items():
                try:
                    theirs = canonicalize(url)
                    kinds = kinds_of(ours, theirs, url in valid) if theirs != ours else set()
                except Exception as error:
                    theirs, kinds = url, {f"an exception ({type(error).__name__})"}
                distinct[name].add(theirs)
                totals[name] += bool(kinds)
                for kind in kinds:
                    counts.setdefault(kind, Counter())[name] += 1
                    if len(url) < len(examples.get((kind, name), "x" * 1000)):
                        examples[kind, name] = url
    print(f"{totals['URLs']} URLs; distinct:", ", ".join(f"{name} {len(forms)}" for name, forms in distinct.items()))
    print("different from pct:", ", ".join(f"{name} {totals[name]}" for name in programs), "\n")
    print("| kind |", " | ".join(programs), "| shortest example |\n|---|" + "---:|" * len(programs) + "---|")
    for kind, count in sorted(counts.items(), key=lambda item: -sum(item[1].values())):
        example = min((examples[kind, name] for name in programs if (kind, name) in examples), key=len)
        print(f"| {kind} |", " | ".join(str(count[name] or "–") for name in programs), f"| `{example}` |")


if __name__ == "__main__":
    main(*sys.argv[1:])
