"""Prints docs/benchmarks-wasm.md from the results of benches/wasm/bench: table.py FOLDER"""

import datetime
import platform
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

folder = Path(sys.argv[1])
results = {}
for program in ("simd128", "scalar", "sse41"):
    found, written = defaultdict(list), {}
    for line in (folder / f"{program}.tsv").read_text().splitlines():
        operation, path, length, speed = line.split("\t")
        key = operation, Path(path).name
        found[key].append(float(speed))
        written[key] = length
    results[program] = {key: median(speeds) for key, speeds in found.items()}, written
if not results["simd128"][1] == results["scalar"][1] == results["sse41"][1]:
    sys.exit("table.py: the programs have different outputs")

cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
print(f"""# Benchmarks of WebAssembly

Written by `benches/wasm/bench --docs`; not to be edited. One run: five passes, in each of which the three programs run one after the
other, for each text and operation repeatedly; a figure is the median of the best of each pass. Up to 4 MiB of each text, in chunks of
64 KiB or as a column with a row for each line. All three have the same output. Decoding is lenient, encoding is for any component.

- Machine: {cpu[1] if cpu else platform.processor()}; Node {node}
- Date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC

Targets: simd128 at least 1.4 times scalar WebAssembly decoding, 1.6 encoding, 2 on columns; at least 0.65 of SSE4.1.
""")
operations = list(dict.fromkeys(operation for operation, _ in results["simd128"][0]))
for operation in operations:
    print(f"## {operation[0].upper()}{operation[1:]}\n")
    print("| GB/s | simd128 | scalar WebAssembly | SSE4.1, native | simd128 to scalar | simd128 to SSE4.1 |\n|---|---:|---:|---:|---:|---:|")
    for key in (key for key in results["simd128"][0] if key[0] == operation):
        simd, scalar, native = (results[program][0][key] for program in ("simd128", "scalar", "sse41"))
        print(f"| {key[1]} | {simd:.3g} | {scalar:.3g} | {native:.3g} | {simd / scalar:.2f} | {simd / native:.2f} |")
    print()
