#!/usr/bin/env python3
"""Times requests to nginx with the module on and off, in turns: bench.py MODULE.so [RUNS]. Run by integrations/nginx/bench.

wrk sends the requests. The result is the CPU time of the only worker, divided by the number of requests.
Unlike the rate of requests, it depends little on other load.
"""

import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
from servers import Server, free_ports

# "again" has the configuration of "off": their difference is noise.
SERVERS = {
    "off": "",
    "again": "",
    "refuse": "simdpct_refuse default percent;",
    "refuse and path": "simdpct_refuse default percent; simdpct_refuse_args default; simdpct_path default;",
}

CONFIGURATION = r"""
load_module MODULE;
pid FOLDER/pid;
worker_processes 1;
events { worker_connections 64; }
http {
    access_log off;
    keepalive_requests 100000000;
    client_body_temp_path FOLDER/body; proxy_temp_path FOLDER/proxy; fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi; scgi_temp_path FOLDER/scgi;
    SERVERS
}
"""

# Paths of 59 bytes: without triplets, with two triplets, and with a segment of triplets only.
PATHS = r"""
local paths = {
    "/catalogue/2024/spring/garden-furniture/tables/oak-table-42",
    "/search/results/caf%C3%A9-tables-and-chairs/page/12/of/37/x",
    "/wiki/%E6%97%A5%E6%9C%AC%E8%AA%9E%E3%81%AE%E8%A8%98/page/12",
}
local index = 0
request = function()
    index = index % 3 + 1
    return wrk.format("GET", paths[index])
end
"""


def main():
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    ports = free_ports(len(SERVERS))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        blocks = "".join(f'server {{ listen 127.0.0.1:{port}; {directives} location / {{ return 200 "ok"; }} }}\n'
                         for port, directives in zip(ports, SERVERS.values()))
        text = CONFIGURATION.replace("MODULE", str(Path(sys.argv[1]).resolve())).replace("SERVERS", blocks)
        Path(folder, "nginx.conf").write_text(text.replace("FOLDER", folder))
        Path(folder, "paths.lua").write_text(PATHS)
        command = ["/usr/sbin/nginx", "-p", folder, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf", "-g", "daemon off;"]
        with Server(command, ports[0], stop_signal=signal.SIGQUIT) as nginx:
            master = nginx.process.pid
            worker = Path(f"/proc/{master}/task/{master}/children").read_text().split()[0]

            def nanoseconds():
                return int(Path(f"/proc/{worker}/schedstat").read_text().split()[0])

            times = {name: [] for name in SERVERS}
            turns = list(zip(times.items(), ports))
            for _ in range(runs):
                # Each server follows each other server equally often.
                random.shuffle(turns)
                for (_, samples), port in turns:
                    began = nanoseconds()
                    output = subprocess.run(["wrk", "-t1", "-c16", "-d1s", "-s", f"{folder}/paths.lua", f"http://127.0.0.1:{port}"],
                                            capture_output=True, text=True, check=True).stdout
                    if "Non-2xx" in output or "Socket errors" in output:
                        sys.exit(output)
                    samples.append((nanoseconds() - began) / int(re.search(r"(\d+) requests in", output)[1]))
    print(f"CPU time of the worker per request, {runs} runs of one second in turns")
    print(f"{'':20}{'median':>10}{'quartiles':>20}{'minimum':>10}")
    for name, samples in times.items():
        low, middle, high = statistics.quantiles(samples, n=4)
        print(f"{name:20}{middle:7.0f} ns{low:11.0f} – {high:.0f} ns{min(samples):7.0f} ns")


if __name__ == "__main__":
    main()
