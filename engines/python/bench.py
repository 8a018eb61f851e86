#!/usr/bin/env python3
"""Times urllib.parse, yarl (C) and simdpct, per call, on lines of the corpora; then columns of them.

Usage: bench.py [--rounds N] [--lines N] [--corpora FOLDER] [--only FUNCTION | --columns]

Needs simdpct and yarl, and pyarrow and polars for columns. The contestants take turns of 50 lines, too short
to be interrupted often. For each turn, the median of the rounds counts. "loop" is the cost of the loop and of
calling a built-in. Strings are new in each turn, so that no contestant profits from the UTF-8 form that a
string keeps.

For columns, compares `simdpct.columns` on a pyarrow column with a call for each item of a list. The list is
not converted from or to a column. The figures are the minimum CPU times of the rounds.
"""

import argparse
import os
import statistics
import sys
import time
import urllib.parse
from pathlib import Path

import polars
import pyarrow
import simdpct
import simdpct.polars as polars_functions
from simdpct import columns
from yarl._parse import query_to_pairs
from yarl._quoting import _Quoter, _Unquoter

TURN = 50
TEXTS = {"typical": "typical_urls.txt", "non-Latin": "nonlatin_urls.txt", "hostile": "hostile.txt"}


def contestants():
    """For each function: its inputs and the contestants."""
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
    """Lines unchanged, lines decoded, and queries. A line without a query becomes one."""
    queries = [line.partition("?")[2].partition("#")[0] for line in lines]
    queries = [query if "=" in query else f"url={line}&n=1" for query, line in zip(queries, lines)]
    return {
        "line": lines,
        "text": [urllib.parse.unquote(line) for line in lines],
        "query": queries,
        "pairs": [urllib.parse.parse_qsl(query) for query in queries],
    }


def copies(values):
    """New objects that equal the values."""
    if values and isinstance(values[0], list):
        return [list(value) for value in values]
    return [(value + "x")[:-1] for value in values]


def nanoseconds(function, values):
    """The total time of calls for all values."""
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


def measure_calls(options):
    """Prints the ns per call of each function and text."""
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


def column_contestants():
    """For each function: the function of columns, the function of a value, and the kind of the inputs."""
    parse = urllib.parse
    return {
        "decode_lossy": (columns.decode_lossy, polars_functions.decode_lossy, parse.unquote, simdpct.unquote, "line"),
        "form_decode_lossy": (
            columns.form_decode_lossy,
            polars_functions.form_decode_lossy,
            parse.unquote_plus,
            simdpct.unquote_plus,
            "line",
        ),
        "encode": (
            lambda column: columns.encode(column, "/"),
            lambda column: polars_functions.encode(column, "/"),
            parse.quote,
            simdpct.quote,
            "text",
        ),
    }


def best_seconds(call, rounds):
    """The CPU time of all threads."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def measure_columns(corpora, rows, rounds):
    """Prints the ns per row of columns of each text."""
    print(f"\nns per row, best of {rounds} rounds, columns of {rows} rows; lists of calls for the same values")
    print(f"{'':18} {'text':10} {'urllib':>7} {'simdpct':>7} {'columns':>7} {'Polars':>7}   urllib/columns")
    for text, file in TEXTS.items():
        lines = (corpora / file).read_text("utf-8", "replace").splitlines()
        kinds = inputs((lines * (rows // len(lines) + 1))[:rows])
        for name, (of_columns, of_polars, original, of_value, kind) in column_contestants().items():
            values = kinds[kind]
            column, frame = pyarrow.array(values), polars.DataFrame({"x": values})
            assert pyarrow.array(of_columns(column)).to_pylist() == [original(value) for value in values]
            times = {
                "urllib": best_seconds(lambda: [original(value) for value in values], max(2, rounds // 5)),
                "simdpct": best_seconds(lambda: [of_value(value) for value in values], max(2, rounds // 5)),
                "columns": best_seconds(lambda: of_columns(column), rounds),
                "Polars": best_seconds(lambda: frame.select(of_polars("x")), rounds),
            }
            cells = " ".join(f"{seconds / rows * 1e9:7.0f}" for seconds in times.values())
            print(f"{name:18} {text:10} {cells}   {times['urllib'] / times['columns']:14.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--only")
    default = os.environ.get("SIMDPCT_CORPORA", Path(__file__).parents[3] / "shared/corpora")
    parser.add_argument("--corpora", type=Path, default=default)
    parser.add_argument("--columns", action="store_true", help="columns alone")
    parser.add_argument("--rows", type=int, default=200_000, help="of each column")
    options = parser.parse_args()

    if not options.corpora.is_dir():
        sys.exit(f"{options.corpora} does not exist: set SIMDPCT_CORPORA, or make one by scripts/make-corpus")
    if not options.columns:
        measure_calls(options)
    if options.only is None:
        measure_columns(options.corpora, options.rows, options.rounds)


if __name__ == "__main__":
    main()
