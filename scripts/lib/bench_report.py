"""Writes criterion's results as CSV, and docs/benchmarks.md from the CSV; scripts/bench-report runs it.

usage: bench_report.py record FOLDER RECORDS      write RECORDS/DATE-CPU.csv and print its name
       bench_report.py page RECORD FOLDER DOCS    write DOCS/benchmarks.md and three plots

FOLDER has criterion-1/ and so on, run, and, if measured, instructions.md and program-size.md. A record has lines
`# NAME=VALUE` about the run, then a row for each median that criterion found: the nanoseconds of one pass over all inputs.
"""

import csv
import json
import math
import os
import platform
import re
import subprocess
import sys
from collections import defaultdict, namedtuple
from pathlib import Path
from statistics import median

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot

# Nanoseconds for one pass over all inputs, the number of inputs, their bytes, and the share by which the
# passes differ.
Time = namedtuple("Time", "nanoseconds inputs bytes spread")

# A ratio of speeds, its text, and the share by which it differs from pass to pass.
Ratio = namedtuple("Ratio", "value where spread")

LEVELS = ["avx512", "avx2", "sse41", "neon", "scalar"]
LEVEL_NAMES = {"avx512": "AVX-512", "avx2": "AVX2", "sse41": "SSE4.1", "neon": "NEON", "scalar": "scalar"}
OURS = [f"simdpct, {level}" for level in LEVELS]
PEERS = ["percent-encoding", "urlencoding", "percent-encoding-rfc3986", "pct", "fluent-uri", "url-escape", "form_urlencoded",
         "serde_urlencoded"]
BOUNDS = ["memcpy", "memchr", "simdutf8"]
CORPORA = ["access.log", "typical_urls.txt", "resource_urls.txt", "nonlatin_urls.txt", "hostile.txt"]


COLUMNS = ["pass", "group", "text", "contestant", "inputs", "bytes", "nanoseconds"]


def measured(folder):
    """The rows of a record."""
    for number in range(1, len(list(folder.glob("criterion-*"))) + 1):
        for path in sorted((folder / f"criterion-{number}").rglob("new/benchmark.json")):
            benchmark = json.loads(path.read_text())
            estimates = json.loads(path.with_name("estimates.json").read_text())
            amount = benchmark["throughput"]["ElementsAndBytes"]
            yield [number, benchmark["group_id"], benchmark["value_str"], benchmark["function_id"], amount["elements"], amount["bytes"],
                   f"{estimates['median']['point_estimate']:.1f}"]


def write_record(folder, records):
    """Writes the record of a run, and returns its path."""
    rows = list(measured(folder))
    if not rows:
        sys.exit(f"bench-report: no results in {folder}")
    # The file has a line for each time that benchmarks were measured again.
    lines = [line.split("=", 1) for line in (folder / "run").read_text().splitlines()]
    run = {name: value for name, value in lines if name != "again"}
    run |= {"again": "; ".join(value for name, value in lines if name == "again"), "machine": machine(), "versions": versions()}
    records.mkdir(parents=True, exist_ok=True)
    record = records / f"{run['date'].split()[0]}-{cpu()}.csv"
    with record.open("w", newline="") as file:
        file.writelines(f"# {name}={value}\n" for name, value in run.items())
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return record


def read_record(record):
    """The facts about the run, and the medians of the passes' medians: results[group][text][contestant]."""
    lines = record.read_text().splitlines()
    run = dict(line.removeprefix("# ").split("=", 1) for line in lines if line.startswith("# "))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("# ")))
    run["passes"] = len({row["pass"] for row in rows})
    passes = defaultdict(list)
    for row in rows:
        time = Time(float(row["nanoseconds"]), int(row["inputs"]), int(row["bytes"]), 0)
        passes[row["group"], row["text"], row["contestant"]].append(time)
    results = defaultdict(lambda: defaultdict(dict))
    for (group, text, contestant), times in passes.items():
        each = [time.nanoseconds for time in times]
        results[group][text][contestant] = times[0]._replace(nanoseconds=median(each), spread=(max(each) - min(each)) / median(each))
    return run, results


def in_order(texts):
    """The corpora first, then generated texts and lengths by their number."""
    number = lambda text: float((re.findall(r"\d+(?:\.\d+)?", text) or ["1e9"])[0])
    rank = lambda text: next((at for at, corpus in enumerate(CORPORA) if text.startswith(corpus)), len(CORPORA))
    return sorted(texts, key=lambda text: (rank(text), number(text), text))


def gigabytes_per_second(time):
    return time.bytes / time.nanoseconds


def nanoseconds_each(time):
    return time.nanoseconds / time.inputs


class Target:
    """A row of the table of targets: the comparison, and the minimum ratio for each level."""

    def __init__(self, what, least, ratios):
        # `ratios` yields the Ratios of a level. The lowest counts.
        self.what, self.least, self.ratios = what, least, ratios

    def cell(self, level):
        if level not in self.least:
            return ""
        found = sorted(self.ratios(level))
        if not found:
            return "not measured"
        ratio = found[0]
        is_met = ratio.value >= self.least[level]
        is_noise = ratio.value * (1 + ratio.spread) >= self.least[level]
        mark = "met" if is_met else f"missed by less than the spread of the run, {100 * ratio.spread:.0f} %" if is_noise else "**not met**"
        return f"{ratio.value:.2f} of {self.least[level]:g}: {mark}<br>{ratio.where}"


def least(*values):
    """Maps levels to minimum ratios; None if there is no target."""
    return {level: value for level, value in zip(["avx512", "avx2", "sse41", "scalar"], values) if value is not None}


def targets(results):
    def ratios(groups, theirs, ours="simdpct, {}", texts=CORPORA, allowed=0):
        """For every text of these groups: the peers' time plus the allowed nanoseconds for each input,
        divided by our time."""
        def of_level(level):
            for group in groups:
                for text, times in results[group].items():
                    them, us = times.get(theirs.format(level)), times.get(ours.format(level))
                    if any(text.startswith(name) for name in texts) and them and us:
                        yield Ratio((them.nanoseconds + allowed * us.inputs) / us.nanoseconds, f"{text}, {group}", max(them.spread, us.spread))
        return of_level

    def short(level):
        """The fastest peer's time divided by ours, for every length. A single escaped byte is left out: peers
        return a borrowed constant for it, which we cannot, because our borrowed `Cow` means that nothing
        changed."""
        for group in (f"short {what}, {kind}" for what in ("decode", "encode") for kind in ("clean", "one escape", "all escapes")):
            for length, times in results[group].items():
                theirs = [times[peer] for peer in PEERS if peer in times]
                is_constant = length == "1" and group in ("short encode, one escape", "short encode, all escapes")
                if length != "mixed" and not is_constant and theirs and f"simdpct, {level}" in times:
                    ours, fastest = times[f"simdpct, {level}"], min(theirs)
                    yield Ratio(fastest.nanoseconds / ours.nanoseconds, f"{length} bytes, {group}", max(ours.spread, fastest.spread))

    def short_mean(level):
        found = [ratio.value for ratio in short(level)]
        if found:
            yield Ratio(math.exp(sum(map(math.log, found)) / len(found)), "geometric mean", 0)

    def slowest_density(level):
        """The ratio to percent-encoding at the density at which we are slowest."""
        for group in bulk_decode + bulk_encode:
            rows = [
                (gigabytes_per_second(times[f"simdpct, {level}"]), text, times)
                for text, times in results[group].items()
                if text.startswith("generated") and f"simdpct, {level}" in times
            ]
            if rows:
                _, text, times = min(rows, key=lambda row: row[:2])
                ours, theirs = times[f"simdpct, {level}"], times["percent-encoding"]
                yield Ratio(theirs.nanoseconds / ours.nanoseconds, f"{text}, {group}", max(ours.spread, theirs.spread))

    sizes = ("64 KiB", "1 MiB")
    bulk_decode = [f"bulk decode, {size}, reused buffer" for size in sizes]
    bulk_encode = [f"bulk encode, {size}, reused buffer" for size in sizes]
    lines_decode, lines_encode = ["lines decode, as Cow"], ["lines encode, as Cow"]
    to_bytes = "simdpct to bytes, {}"
    memory_decode, memory_encode = ["lines into memory, decode"], ["lines into memory, encode"]
    clean, mixed = ([f"{corpus}, {kind}" for corpus in CORPORA] for kind in ("clean", "mixed"))
    return [
        Target("decode, bulk, times percent-encoding", least(10, 4, 3, 1.2), ratios(bulk_decode, "percent-encoding")),
        Target("decode, bulk, share of memcpy's speed", least(0.4), ratios(bulk_decode, "memcpy")),
        Target("encode, bulk, times percent-encoding", least(12, 7, 5, 2.5), ratios(bulk_encode, "percent-encoding")),
        Target("decode a line as Cow, times percent-encoding", least(4, 3, 2.5, 1.2), ratios(lines_decode, "percent-encoding")),
        Target("decode a line as Cow, times urlencoding", least(2, 1.5, 1.3, 0.9), ratios(lines_decode, "urlencoding")),
        Target("encode a line as Cow, times percent-encoding", least(4, 3.5, 3, 1.5), ratios(lines_encode, "percent-encoding")),
        Target("encode a line as Cow, times urlencoding", least(3, 2.5, 2, 1.2), ratios(lines_encode, "urlencoding")),
        Target("decode a clean line into memory, times memchr and memcpy by hand", least(0.91, 0.91, 0.91), ratios(memory_decode, "by hand, {}", texts=clean)),
        Target("the same, mixed lines", least(1, 1, 1), ratios(memory_decode, "by hand, {}", texts=mixed)),
        Target("decode a line in place, times into memory", least(1, 1, 1), ratios(memory_decode, "simdpct, {}", "simdpct in place, {}")),
        Target("decode a line to text in memory, times bytes and 5 ns", least(1, 1, 1), ratios(memory_decode, "simdpct, {}", "simdpct text, {}", allowed=5)),
        Target("encode a line into memory, times as Cow", least(1, 1, 1), ratios(memory_encode, "simdpct as Cow, {}")),
        Target("any length 1 to 64, any density: slowest ratio to the fastest peer", least(1.2, 1, 1), short),
        Target("the same: geometric mean", least(3, 2.5, 2, 1.3), short_mean),
        Target("decode to valid UTF-8 str, share of decode's speed", least(0.6, 0.5, 0.5), ratios(["utf8 strict, 64 KiB"], to_bytes)),
        Target("normalize, share of decode's speed", least(0.5, 0.5, 0.5), ratios(["normalize, 64 KiB"], "simdpct decoding, {}")),
        Target("inspect, share of decode's speed", least(0.5, 0.5, 0.5), ratios(["inspect, 64 KiB"], "simdpct decoding, {}")),
        Target("form parse, times form_urlencoded", least(4, 3, 3, 1.2), ratios(["form parse"], "form_urlencoded")),
        Target("form serialize, times form_urlencoded", least(4, 3, 3, 1.2), ratios(["form serialize"], "form_urlencoded")),
        Target("generated data, slowest density, times percent-encoding's own speed there", least(8, 3, 2, 1), slowest_density),
    ]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def table_of_targets(results):
    levels = ["avx512", "avx2", "sse41", "scalar"]
    rows = [[target.what] + [target.cell(level) for level in levels] for target in targets(results)]
    count = lambda mark: sum(mark in cell for row in rows for cell in row)
    missed, noise = count("**not met**"), count(": missed by less")
    judged = missed + noise + count(": met")
    text = table(["target (found, of what is wanted; worst text)"] + [LEVEL_NAMES[level] for level in levels], rows)
    met = f"{judged - missed - noise} of {judged} targets are met, and {noise} missed by less than the passes of the run differ"
    return f"{met}.\n\n{text}"


def contestants(texts):
    """The contestants of a group, in a fixed order: bounds, peers, our levels from the widest to scalar."""
    present = {who for times in texts.values() for who in times}
    level = lambda who: next((at for at, name in enumerate(LEVELS) if who.endswith(name)), len(LEVELS))
    variants = sorted((who for who in present if who not in BOUNDS + PEERS + OURS), key=lambda who: (who.split(",")[0], level(who)))
    return [who for who in BOUNDS + PEERS + OURS if who in present] + variants


def table_of_group(texts, unit):
    format_time = {"GB/s": lambda t: f"{gigabytes_per_second(t):.3g}", "ns": lambda t: f"{nanoseconds_each(t):.3g}"}[unit]
    who = contestants(texts)
    rows = [[text] + [format_time(texts[text][w]) if w in texts[text] else "–" for w in who] for text in in_order(texts)]
    return table([unit] + [w.replace("simdpct, ", "") for w in who], rows)


STYLES = {
    "memcpy": dict(color="black", linestyle=":"),
    "by hand, avx512": dict(color="black", linestyle="--"),
    "by hand, avx2": dict(color="#636363", linestyle="--", linewidth=1),
    "simdpct, avx512": dict(color="#08519c", linewidth=2.2),
    "simdpct, avx2": dict(color="#3182bd", linewidth=1.8),
    "simdpct, sse41": dict(color="#6baed6", linewidth=1.6),
    "simdpct, neon": dict(color="#6baed6", linewidth=1.6),
    "simdpct, scalar": dict(color="#9ecae1", linewidth=1.4),
    "percent-encoding": dict(color="#d94801"),
    "urlencoding": dict(color="#41ab5d"),
    "percent-encoding-rfc3986": dict(color="#807dba", linewidth=1),
    "pct": dict(color="#e7298a", linewidth=1),
    "fluent-uri": dict(color="#a6761d", linewidth=1),
    "url-escape": dict(color="#999999", linewidth=1),
}


def name_of(who):
    level = who.removeprefix("simdpct, ")
    return f"simdpct, {LEVEL_NAMES[level]}" if level in LEVEL_NAMES else who


def save(figure, path):
    """Saves a figure with one legend for all its plots, because not every contestant is in each."""
    found = {}
    for axis in figure.axes:
        found.update(zip(*axis.get_legend_handles_labels()[::-1]))
    labels = [name_of(who) for who in STYLES if name_of(who) in found]
    figure.legend([found[label] for label in labels], labels, loc="lower center", ncols=6, frameon=False, fontsize=8)
    figure.savefig(path, metadata={"Date": None})
    plot.close(figure)


def plot_densities(results, path):
    """Throughput by density, 64 KiB into a reused buffer, without the peers that only allocate."""
    figure, axes = plot.subplots(1, 2, figsize=(10, 4.8), sharey=True)
    for axis, operation in zip(axes, ("decode", "encode")):
        texts = results[f"bulk {operation}, 64 KiB, reused buffer"]
        generated = [text for text in in_order(texts) if text.startswith("generated")]
        for who, style in STYLES.items():
            points = [(at, gigabytes_per_second(texts[t][who])) for at, t in enumerate(generated) if who in texts[t]]
            if points:
                axis.plot(*zip(*points), label=name_of(who), marker="." if who != "memcpy" else None, **style)
        axis.set_title(operation)
        axis.set_xticks(range(len(generated)), [text.removeprefix("generated ") for text in generated])
        axis.set_xlabel("share of escapes")
        axis.set_yscale("log")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("GB of input per second")
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    save(figure, path)


def plot_lengths(results, path):
    """Nanoseconds by length, for results as a Cow."""
    kinds = ("clean", "one escape", "all escapes")
    figure, axes = plot.subplots(2, 3, figsize=(10, 6.4), sharex=True)
    for row, operation in zip(axes, ("decode", "encode")):
        for axis, kind in zip(row, kinds):
            texts = results[f"short {operation}, {kind}"]
            lengths = sorted(int(text) for text in texts if text != "mixed")
            for who, style in STYLES.items():
                points = [(n, nanoseconds_each(texts[str(n)][who])) for n in lengths if who in texts[str(n)]]
                if points:
                    axis.plot(*zip(*points), label=name_of(who), **style)
            axis.set_title(f"{operation}, {kind}", fontsize=10)
            axis.set_xticks(range(0, 65, 16))
            axis.set_yscale("log")
            axis.set_yticks([1, 2, 5, 10, 20, 50, 100, 200], ["1", "2", "5", "10", "20", "50", "100", "200"])
            axis.grid(alpha=0.3)
        row[0].set_ylabel("nanoseconds")
    for axis in axes[1]:
        axis.set_xlabel("bytes of input")
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    save(figure, path)


def plot_memory(results, path):
    """Nanoseconds for a line into memory, by corpus."""
    figure, axes = plot.subplots(1, 2, figsize=(10, 4.8), sharey=True)
    texts = results["lines into memory, decode"]
    for axis, kind in zip(axes, ("clean", "mixed")):
        names = [text for text in in_order(texts) if text.endswith(kind)]
        for who, style in STYLES.items():
            points = [(at, nanoseconds_each(texts[name][who])) for at, name in enumerate(names) if who in texts[name]]
            if points:
                axis.plot(*zip(*points), label=name_of(who), marker=".", **style)
        axis.set_title(f"decode into memory, {kind} lines", fontsize=10)
        axis.set_xticks(range(len(names)), [name.split("_")[0].split(".")[0].split(",")[0] for name in names])
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("nanoseconds")
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    save(figure, path)


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def cpu():
    """A name of the CPU for a file: `intel-xeon` of "Intel(R) Xeon(R) Processor"."""
    name = machine().split(";")[0]
    generation = re.search(r"\((Zen \d+)", name)
    name = generation[1] if generation else re.sub(r"\([^)]*\)|@.*|\b(CPU|Processor)\b|\d+-Core", " ", name)
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))


def machine():
    """Describes the machine. A virtual machine may hide its CPU's name, so the generation is derived from its features."""
    fields = dict(re.findall(r"^([^:\n]+):\s*(.*)$", output_of("lscpu"), re.MULTILINE))
    flags = fields.get("Flags", "").split()
    generation = "Zen 5" if "avx512_vp2intersect" in flags and "AuthenticAMD" in fields.get("Vendor ID", "") else None
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) / 2**20
    parts = [
        fields.get("Model name", platform.machine()) + (f" ({generation} by its features)" if generation else ""),
        f"{os.cpu_count()} CPUs" + (f", virtual ({fields['Hypervisor vendor']})" if "Hypervisor vendor" in fields else ""),
        *(f"{name} {fields[f'{name} cache']}" for name in ("L1d", "L2", "L3") if f"{name} cache" in fields),
        f"{memory:.0f} GiB of memory",
    ]
    return "; ".join(parts)


def versions():
    """The compiler's version, and the contestants', from the lock file."""
    locked = dict(re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"\nsource', Path("Cargo.lock").read_text()))
    crates = PEERS + ["memchr", "simdutf8", "criterion"]
    compiler = output_of("rustc", "--version").rsplit(" (", 1)[0]
    return ", ".join([compiler] + [f"{crate} {locked[crate]}" for crate in crates if crate in locked])


# The sections of the page: heading, introduction, and each group with its unit.
SECTIONS = [
    ("Bulk", "Blocks of fresh text, up to 4 MiB of each, cut at the ends of lines.", [
        (f"bulk {operation}, {form}", "GB/s")
        for operation in ("decode", "encode")
        for form in ("64 KiB, reused buffer", "1 MiB, reused buffer", "64 KiB, allocating")
    ]),
    ("From memory", "Each block is read once from 512 MiB of text, which no cache holds, into a reused buffer. The other sections have data in "
     "the second or third level of the cache.", [(f"memory {operation}, 64 KiB, reused buffer", "GB/s") for operation in ("decode", "encode")]),
    ("Lines", "Every line of every corpus. Each is nanoseconds for a line, on average.", [
        ("lines decode, as Cow", "ns"), ("lines decode, appended", "ns"), ("lines decode, in place", "ns"),
        ("lines encode, as Cow", "ns"), ("lines encode, appended", "ns"), ("lines encode, to String", "ns"),
        ("lines encode, formatted", "ns"), ("lines encode, by pieces", "ns"),
    ]),
    ("Lines into memory", "The lines that decode to text, those without `%` and all, one at a time into memory of the caller. \"By hand\" searches "
     "for `%` with memchr, and copies with memcpy if there is none, else decodes on the same level.", [("lines into memory, decode", "ns"), ("lines into memory, encode", "ns")]),
    ("Short inputs", "As `Cow`. `mixed` has all lengths from 1 to 64, in an order that nothing foretells; the rows of one length have a "
     "length that a branch predictor knows.", [
        (f"short {operation}, {kind}", "ns") for operation in ("decode", "encode") for kind in ("clean", "one escape", "all escapes")
    ] + [("short decode text, clean", "ns")]),
    ("Forms", "The queries of the corpora's URLs; nanoseconds for a query.", [
        ("form parse", "ns"), ("form serialize", "ns"), ("form parse, serde", "ns"), ("form serialize, serde", "ns"),
    ]),
    ("Text", "Decoding to UTF-8: strict on the well-formed lines, lossy on all.", [
        ("utf8 strict, 64 KiB", "GB/s"), ("utf8 lossy, 64 KiB", "GB/s"), ("utf8 strict, lines", "ns"),
    ]),
    ("Normalizing", "fluent-uri does more, but here nothing else: the URIs are normal but for their triplets.", [
        ("normalize, 64 KiB", "GB/s"), ("normalize, lines as Cow", "ns"), ("normalize, URIs as Cow", "ns"),
    ]),
    ("Inspecting", "", [("inspect, 64 KiB", "GB/s"), ("inspect, lines", "ns")]),
    ("Paths", "The paths of the corpora's URLs by `PathPolicy::DEFAULT`, in nanoseconds for a path: those that are canonical, and the "
     "others. Beside it, `inspect`, and url's parser of paths.", [("path", "ns")]),
]

# The unit of groups outside these sections. The first word of a group selects its section.
UNIT_OF_OTHERS = "GB/s"

SHOWN_LENGTHS = {"1", "2", "3", "4", "6", "8", "12", "16", "24", "32", "48", "64", "mixed"}


def page(record, run, results, instructions, sizes):
    yield "# Benchmarks"
    yield (
        f"Written by `scripts/bench-report`; not to be edited. All figures come from one run{', except for those measured again' if run['again'] else ''}, of {run['passes']} passes. A figure is "
        "the median over the passes of criterion's medians. Each sample goes through more data than a branch predictor can learn. Every output was compared "
        "with the reference implementation's before it was timed; – stands for a peer that has no such form, or another output. "
        "All programs are built alike: release, fat LTO, one codegen unit. Decoding is lenient, encoding is for any component."
    )
    if run["mode"] == "quick":
        yield (
            "**Provisional: from a quick run, on a machine that had other work to do. It shows that the suite works; its figures "
            "mean nothing.**"
        )
    is_real = run["corpora"] == "real"
    yield "\n".join([
        f"- Record: [{record.name}](../benches/record/{record.name}), the median of each pass",
        f"- Machine: {run['machine']}; load {run['load']} at the start",
        f"- Date: {run['date']}" + (f"; measured again: {run['again']}" if run["again"] else ""),
        f"- Versions: simdpct of this commit, {run['versions']}",
        f"- Texts: {'the real corpora' if is_real else 'those of scripts/make-corpus, for want of the real corpora'}, and generated "
        "ones: letters with triplets, or for encoding with ASCII characters to be escaped, at independent places",
    ])
    yield "## Targets"
    yield table_of_targets(results)
    yield "## Throughput by density"
    yield "64 KiB of generated text into a reused buffer. Peers that only allocate are in the tables below."
    yield "![Throughput by share of escapes, for each level and peer, against memcpy](throughput.svg)"
    yield "## Nanoseconds by length"
    yield "One `Cow` from one input of that length."
    yield "![Nanoseconds by length of the input, for each level and peer](lengths.svg)"
    yield "## Nanoseconds for a line into memory"
    yield "![Nanoseconds for a line into memory, for each level, memcpy, and memchr and memcpy by hand](lines.svg)"
    known = {group for _, _, groups in SECTIONS for group, _ in groups}
    others = defaultdict(list)
    for group in results:
        if group not in known:
            others[group.split()[0].strip(",").capitalize()].append((group, UNIT_OF_OTHERS))
    for heading, introduction, groups in SECTIONS + [(heading, "", groups) for heading, groups in others.items()]:
        groups = [(group, unit) for group, unit in groups if results[group]]
        if not groups:
            continue
        yield f"## {heading}"
        if introduction:
            yield introduction
        for group, unit in groups:
            texts = results[group]
            if group.startswith("short"):
                texts = {text: times for text, times in texts.items() if text in SHOWN_LENGTHS}
            yield f"### {group[0].upper()}{group[1:]}"
            yield table_of_group(texts, unit)
    yield "## WebAssembly"
    yield ("simd128 beside scalar WebAssembly and SSE4.1: [benchmarks-wasm.md](benchmarks-wasm.md), by `benches/wasm/bench --docs`. In JavaScript, "
           "beside V8's functions: [npm/README.md](../npm/README.md), by `npm/check bench`.")
    yield NEON_HEADING
    yield (
        "It could not be timed on this machine. What a block of 16 bytes takes, in instructions from the disassembly and in cycles "
        "as llvm-mca models some cores, beside SSE4.1, which runs the same algorithm (`scripts/count-instructions`):"
    )
    yield instructions
    yield SIZE_HEADING
    yield (
        "By how many KB a stripped program grows that prints its arguments: if it encodes and decodes them with simdpct, and if it parses them "
        "with the crate url and prints their query pairs, without and with the drop-in packages (`scripts/program-size`). A program contains only the "
        "kernels of the operations and policies that it names, for every level:"
    )
    yield sizes


SIZE_HEADING = "## Size of programs"
NEON_HEADING = "## NEON"


def table_of(path, page, heading):
    """The table of this run if it was measured, otherwise the table under this heading of the existing page."""
    if path.exists():
        return path.read_text().strip()
    _, _, section = page.read_text().partition(f"\n{heading}\n") if page.exists() else ("", "", "")
    rows = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return "\n".join(rows) or "Not measured."


def write_page(record, folder, docs):
    run, results = read_record(record)
    docs.mkdir(exist_ok=True)
    existing = docs / "benchmarks.md"
    instructions = table_of(folder / "instructions.md", existing, NEON_HEADING)
    sizes = table_of(folder / "program-size.md", existing, SIZE_HEADING)
    # Text as SVG text and fixed identifiers, so that the plots differ only if the figures do.
    plot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "simdpct", "font.size": 9})
    plot_densities(results, docs / "throughput.svg")
    plot_lengths(results, docs / "lengths.svg")
    plot_memory(results, docs / "lines.svg")
    existing.write_text("\n\n".join(page(record, run, results, instructions, sizes)) + "\n")


match sys.argv[1:]:
    case ["record", folder, records]:
        print(write_record(Path(folder), Path(records)))
    case ["page", record, folder, docs]:
        write_page(Path(record), Path(folder), Path(docs))
    case _:
        sys.exit(__doc__)
