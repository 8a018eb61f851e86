"""Compares `pct normalize --url --surt` with the Python package `surt`, and counts each kind of difference."""

import random
import subprocess
import sys
from collections import Counter

from surt import surt

# What is put into URLs, to reach rules that few real ones do.
PIECES = (
    "http:// https: HTTP: ftp:// // / /// . .. ... /./ /../ %2e%2E %2f %252f % %% %4 %zz %00 %20 %23 %3F %26 %C3%A9 %E9 ? & && = # ; : :80 :443 "
    ":8080 :0 :99999 @ u:p@ [ ] [::1] www. www2. WWW. 1 0 08 010 256 1.2.3.4 é É ß ς 。 xn-- A Z _ - + * ~ ( ) \\ \" ' , < > | jsessionid= "
    "PHPSESSID= sid= cfid=1&cftoken=2 &a=1 0123456789abcdefghijklmnopqrstuv ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX "
    "/(S(0123456789abcdefghijklmn)) /(0123456789abcdefghijklmn) /a.aspx"
).split() + [" ", "\t", "\r"]


def key(url):
    """The key by the package, or `None` for an exception."""
    try:
        return surt(url)
    except (ValueError, AttributeError):
        return None


def keys(pct, urls):
    """The key of each URL by `pct`, or `None` for an invalid one."""
    command = [pct, "normalize", "--url", "--surt", "-q", "-0", "--append", "--errors", "drop"]
    output = subprocess.run(command, input=b"".join(url + b"\0" for url in urls), check=True, stdout=subprocess.PIPE).stdout
    # Invalid URLs are left out.
    records = iter(output.split(b"\0"))
    record = next(records)
    found = []
    for url in urls:
        if record.startswith(url + b"\t") and b"\t" not in record[len(url) + 1 :]:
            found.append(record[len(url) + 1 :])
            record = next(records)
        else:
            found.append(None)
    assert record == b"", record
    return found


def mutated(url, random):
    """The URL after up to three changes."""
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(url) + 1)
        removed = random.choice((0, 0, 0, 1, 3, 10))
        url = url[:at] + random.choice(PIECES).encode() + url[at + removed :]
    return url


def kind(url, ours, theirs):
    if theirs is None:
        return "an exception"
    if ours is None:
        return "a key although the port is no number"
    if not url.isascii() or b"%" in url:
        # All else is the same.
        path = lambda key: key[key.find(b")") :]
        if path(ours) == path(theirs):
            return "IDNA 2003 with Unicode 3.2 instead of UTS 46"
    return "other"


def check_table(path):
    """Asks the package again for the answers in the table of the tests."""
    with open(path, encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table if not line.startswith("# ")]
    for url, recorded, _ in rows:
        theirs = key(url.encode())
        if (theirs or b"!").decode() != recorded:
            sys.exit(f"{path}: {url}: recorded {recorded}, but the package says {theirs}")
    print(f"{len(rows)} recorded answers are those of the package.")


def compare(pct, name, urls):
    counts, examples = Counter(), {}
    for url, ours, theirs in zip(urls, keys(pct, urls), map(key, urls)):
        if ours != theirs:
            this = kind(url, ours, theirs)
            counts[this] += 1
            if this not in examples or len(url) < len(examples[this][0]):
                examples[this] = url, ours, theirs
    print(f"{len(urls)} {name}: {sum(counts.values())} keys differ")
    for this, count in counts.most_common():
        url, ours, theirs = examples[this]
        print(f"  {count} {this}: {url.decode(errors='backslashreplace')!r}: pct {ours}, surt {theirs}")
    return counts


def main(pct, table, *paths):
    check_table(table)
    urls = set()
    for path in paths:
        with open(path, "rb") as file:
            urls |= {line.removesuffix(b"\r") for line in file.read().split(b"\n")}
    # In the output, a tab ends the URL. An empty line stays one.
    urls = sorted(url for url in urls if url.strip() and b"\t" not in url and b"\0" not in url)
    chosen = random.Random(1)
    some = chosen.sample(urls, min(100_000, len(urls)))
    counts = compare(pct, "URLs", urls) + compare(
        pct, "URLs with up to three changes", [url for url in (mutated(url, chosen).replace(b"\t", b"") for url in some) if url.strip()]
    )
    if counts["other"]:
        sys.exit("Some differences are not documented.")


if __name__ == "__main__":
    main(*sys.argv[1:])
