#!/usr/bin/env python3
"""Times urllib.parse, yarl (C) and simdpct, per call, on lines of the corpora.

Usage: bench.py [--rounds N] [--lines N] [--corpora FOLDER] [--only FUNCTION]

Needs simdpct and yarl. The contestants take turns of 50 lines, too short to be interrupted often. A turn
counts with the median of its rounds. "loop" is what the loop and the call of a built-in cost.
Strings are new in each turn, so that no contestant profits from the UTF-8 form that a string keeps.
"""

import argparse
import os
import statistics
import sys
import time
import urllib.parse
from pathlib import Path

import simdpct
from yarl._parse import query_to_pairs
from yarl._quoting import _Quoter, _Unquoter

TURN = 50
TEXTS = {"typical": "typical_urls.txt", "non-Latin": "nonlatin_urls.txt", "hostile": "hostile.txt"}


def contestants():
    """For each function: the inputs it is given, and who takes part."""
    yarl_quote, yarl_quote_plus = _Quoter(requote=False, safe="/"), _Quoter(requote=False, qs=True)
    yarl_unquote = _Unquoter()
    parse = urllib.parse
    return {
        "unquote": ("line", {"urllib": parse.unquote, "yarl": yarl_unquote, "simdpct": simdpct.unquote}),
        "unquote_plus": ("line", {"urllib": parse.unquote_plus, "simdpct": simdpct.unquote_plus}),
        "quote": ("text", {"urllib": parse.quote, "yarl": yarl_quote, "simdpct": simdpct.quote}),
        "quote of the line": ("line", {"urllib": parse.quote, "yarl": yarl_quote, "simdpct": simdpct.quote}),
        "quote_plus": ("text", {"urllib": parse.quote_plus, "yarl": yarl_quote_plus, "simdpct": simdpct.quote_plus}),
        "parse_qsl": ("query", {"urllib": parse.parse_qsl, "yarl": query_to_pairs, "simdpct": simdpct.parse_qsl}),
        "urlencode": ("pairs", {"urllib": parse.urlencode, "simdpct": simdpct.urlencode}),
    }


def inputs(lines):
    """Lines as they are, decoded, and their queries; of a line that has none, one is made."""
    queries = [line.partition("?")[2].partition("#")[0] for line in lines]
    queries = [query if "=" in query else f"url={line}&n=1" for query, line in zip(queries, lines)]
    return {
        "line": lines,
        "text": [urllib.parse.unquote(line) for line in lines],
        "query": queries,
        "pairs": [urllib.parse.parse_qsl(query) for query in queries],
    }


def copies(values):
    """Equal values that are new objects."""
    if values and isinstance(values[0], list):
        return [list(value) for value in values]
    return [(value + "x")[:-1] for value in values]


def nanoseconds(function, values):
    """The time of a call for each value, all together."""
    values = copies(values)
    begin = time.perf_counter_ns()
    for value in values:
        function(value)
    return time.perf_counter_ns() - begin


def measure(functions, values, rounds):
    """For each function, the ns per call."""
    totals = dict.fromkeys(functions, 0)
    for start in range(0, len(values), TURN):
        times = {name: [] for name in functions}
        for _ in range(rounds):
            for name, function in functions.items():
                times[name].append(nanoseconds(function, values[start : start + TURN]))
        for name, all_times in times.items():
            totals[name] += statistics.median(all_times)
    return {name: total / len(values) for name, total in totals.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--only")
    default = os.environ.get("SIMDPCT_CORPORA", Path(__file__).parents[3] / "shared/corpora")
    parser.add_argument("--corpora", type=Path, default=default)
    options = parser.parse_args()

    if not options.corpora.is_dir():
        sys.exit(f"{options.corpora} does not exist: set SIMDPCT_CORPORA, or make one by scripts/make-corpus")
    print(f"ns per call, median of {options.rounds} rounds, {options.lines} lines; Python {sys.version.split()[0]}")
    print(f"{'':18} {'text':10} {'loop':>6} {'urllib':>7} {'yarl':>7} {'simdpct':>7}   urllib/simdpct yarl/simdpct")
    for name, file in TEXTS.items():
        lines = (options.corpora / file).read_text("utf-8", "replace").splitlines()
        kinds = inputs(lines[:: max(1, len(lines) // options.lines)][: options.lines])
        for function, (kind, peers) in contestants().items():
            if options.only not in (None, function):
                continue
            median = measure({"loop": len, **peers}, kinds[kind], options.rounds)
            ours = median["simdpct"]
            cells = [f"{median[peer]:7.0f}" if peer in median else "      –" for peer in ["urllib", "yarl", "simdpct"]]
            ratios = [f"{median[peer] / ours:.2f}" if peer in median else "–" for peer in ["urllib", "yarl"]]
            print(f"{function:18} {name:10} {median['loop']:6.0f} {' '.join(cells)}   {ratios[0]:>14} {ratios[1]:>12}")


if __name__ == "__main__":
    main()
