#!/usr/bin/env python3
"""Times requests to Envoy without a filter, with the native one and with this one, in turns:
bench.py FILTER.wasm MODULE.so [RUNS].

Needs wrk, and Envoy in the environment variable ENVOY. Envoy answers by itself, on one thread. The CPU time of the
process, divided by the requests, does not depend on other load of the machine as their rate does.
"""

import contextlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import proxies

GUARD = "query=nul default"

# Paths of 59 bytes. Canonical ones: without escapes, with two, and of a language with escapes only. The others are the
# same paths with something to rewrite.
PATHS = {
    "canonical": ["/catalogue/2024/spring/garden-furniture/tables/oak-table-42",
                  "/search/results/caf%C3%A9-tables-and-chairs/page/12/of/37/x",
                  "/wiki/%E6%97%A5%E6%9C%AC%E8%AA%9E%E3%81%AE%E8%A8%98/page/12"],
    "rewritten": ["/catalogue/2024/./spring/garden-furniture/tables/oak-table2",
                  "/search/results/caf%c3%a9-tables-and-chairs/page/12/of/37/x",
                  "/wiki/%E6%97%A5%E6%9C%AC%E8%AA%9E%E3%81%AE%E8%A8%98//page/1"],
}
SCRIPT = """
local paths, index = {{ {paths} }}, 0
request = function()
    index = index % #paths + 1
    return wrk.format("GET", paths[index])
end
"""


def filters(wasm, native):
    """Per server its filters, and the folder of its modules. "again" is the same as "off": their difference is noise."""
    return {"off": ([], None), "again": ([], None), "native": ([proxies.envoy_filter(GUARD)], native.parent),
            "proxy-wasm": ([proxies.proxy_wasm_filter(GUARD, wasm)], None)}


def nanoseconds(process):
    """The CPU time of all threads."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads)


def main():
    wasm, native = (Path(path).resolve() for path in sys.argv[1:3])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        servers = {}
        for name, (chain, modules) in filters(wasm, native).items():
            subfolder = Path(folder, name)
            subfolder.mkdir()
            routes = [{"match": {"prefix": "/"}, "direct_response": {"status": 200, "body": {"inline_string": "ok"}}}]
            servers[name] = stack.enter_context(proxies.envoy(subfolder, 1, chain, modules=modules, routes=routes))
        times = {(name, kind): [] for name in servers for kind in PATHS}
        for kind, paths in PATHS.items():
            Path(folder, f"{kind}.lua").write_text(SCRIPT.format(paths=", ".join(f'"{path}"' for path in paths)))
        turns = list(times)
        for _ in range(runs):
            # Each follows each other equally often.
            random.shuffle(turns)
            for name, kind in turns:
                server = servers[name]
                began = nanoseconds(server.process.pid)
                command = ["wrk", "-t1", "-c16", "-d1s", "-s", f"{folder}/{kind}.lua", f"http://127.0.0.1:{server.port}"]
                output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                if "Non-2xx" in output or "Socket errors" in output:
                    sys.exit(output)
                requests = int(re.search(r"(\d+) requests in", output)[1])
                times[name, kind].append((nanoseconds(server.process.pid) - began) / requests / 1000)
    print(f"CPU time of Envoy per request in microseconds, {runs} runs of one second in turns")
    print(f"{'':24}{'median':>8}{'quartiles':>16}{'minimum':>9}{'more than off':>15}")
    for (name, kind), samples in times.items():
        low, middle, high = statistics.quantiles(samples, n=4)
        more = middle - statistics.median(times["off", kind])
        print(f"{name + ', ' + kind:24}{middle:8.1f}{low:9.1f} – {high:.1f}{min(samples):9.1f}{more:15.1f}")


if __name__ == "__main__":
    main()
