#!/usr/bin/env python3
"""The test "rule against origin" (../lib/rules.py) for nginx: it forwards and caches the path on which it
decides.

usage: test_rules.py MODULE.so [--nginx PROGRAM] [--targets NUMBER]      (needs the Python package h2)
"""

import argparse
import re
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
from backends import FastCgi, Grpc
from nginx import HEAD, TEMPORARY, Nginx, check, checks, readme_example
from readings import Readings, below, matches
from rules import POLICIES, SEED, RecordingOrigin, check_rule, passes_rule, summary
from servers import origin_target

# The paths that the rules below deny.
ADMIN, PHP, EXACT = below(b"/admin"), matches(rb"\.php$"), lambda path: path == b"/internal"


def any_rule(path):
    return ADMIN(path) or PHP(path) or EXACT(path)


def nothing(path):
    return False


DENY = """
    location /admin { deny all; }
    location ~ \\.php$ { deny all; }
    location = /internal { deny all; }
"""

# Each kind of rule with each way to forward. AUTH is the origin of the authorization requests.
CONFIGURATION = HEAD + r"""
http {
    access_log off;
    keepalive_requests 100000;
""" + TEMPORARY + r"""
    proxy_cache_path FOLDER/cache keys_zone=cache:1m;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    upstream origin { server 127.0.0.1:ORIGIN; keepalive 16; }
    upstream auth { server 127.0.0.1:AUTH; keepalive 16; }
    simdpct_path POLICY;
    simdpct_refuse_log_rate 1000;

    server {
        listen 127.0.0.1:PORT;
""" + DENY + r"""
        location / { auth_request /auth; proxy_pass http://origin; }
        location = /auth { internal; proxy_set_header X-Target $request_uri; proxy_pass http://auth; }
    }

    server {
        listen 127.0.0.1:HTTP2 http2;
        merge_slashes off;
""" + DENY + r"""
        location / { proxy_pass http://origin/; }
    }

    server {
        listen 127.0.0.1:FILES;
        root FOLDER/files;
""" + DENY + r"""
        location / { try_files $uri $uri/ @origin; }
        location @origin { proxy_pass http://origin; }
    }

    server {
        listen 127.0.0.1:REWRITE http2;
        rewrite ^/secret(.*)$ /admin$1;
""" + DENY + r"""
        location / { rewrite ^/public/(.*)$ /$1 last; rewrite ^(.*)\z $1 break; proxy_pass http://origin; }
    }

    server {
        listen 127.0.0.1:CACHED;
        add_header X-Cache $upstream_cache_status;
        proxy_cache_valid 200 1m;
        location / { proxy_pass http://origin; }
        location /images/ { proxy_cache cache; proxy_pass http://origin; }
        location /images/x/ { proxy_cache cache; proxy_cache_key $simdpct_path$is_args$args; proxy_pass http://origin; }
        location /images/a/ { proxy_cache cache; proxy_pass http://origin/images/a/; }
    }
}
"""

PORTS = ["PORT", "HTTP2", "FILES", "REWRITE", "CACHED"]

# The former design of the module: one nginx decides on its own reading, and the next forwards the canonical
# path.
OLD = HEAD + r"""
http {
    access_log off;
""" + TEMPORARY + r"""
    server { listen 127.0.0.1:PORT; """ + DENY + r""" location / { proxy_pass http://127.0.0.1:SECOND; } }
    server { listen 127.0.0.1:SECOND; simdpct_path POLICY; location / { proxy_pass http://127.0.0.1:ORIGIN; } }
}
"""

BACKENDS = HEAD + r"""
http {
    access_log off;
""" + TEMPORARY + r"""
    simdpct_path POLICY;
    server {
        listen 127.0.0.1:FASTCGI;
""" + DENY + r"""
        location / {
            include /etc/nginx/fastcgi_params;
            fastcgi_pass 127.0.0.1:RESPONDER;
        }
    }
    server {
        listen 127.0.0.1:GRPC http2;
""" + DENY + r"""
        location / { grpc_pass grpc://127.0.0.1:GRPCBACKEND; }
    }
}
"""

# Servers without directives, with a dry run and with "off", which must all behave the same.
UNCHANGED = HEAD + r"""
http {
    access_log off;
""" + TEMPORARY + r"""
    proxy_cache_path FOLDER/cache keys_zone=cache:1m;
    simdpct_refuse_log_rate 1000;
""" + "".join(r"""
    server {
        listen 127.0.0.1:%s;
        %s
        location /admin { return 403; }
        location /images/ {
            add_header X-Key "$uri|$request_uri|$args|$simdpct_path";
            proxy_pass http://127.0.0.1:ORIGIN$simdpct_path$is_args$args;
        }
        location / { add_header X-Key "$uri|$request_uri|$args|$simdpct_path"; proxy_pass http://127.0.0.1:ORIGIN; }
    }
""" % server for server in [
    ("NONE", ""), ("OFF", "simdpct_path off; simdpct_refuse off; simdpct_refuse_args off;"),
    ("DRY", "simdpct_path POLICY; simdpct_refuse default percent; simdpct_refuse_args nul; simdpct_dry_run on;")]) + "}"


def seen(answer):
    """The status, and the path and query that the origin got; an empty query counts as none."""
    target = origin_target((answer.status, {}, answer.body))
    return answer.status, target and target.removesuffix(b"?")


class Rules:
    """The tests under one policy. `outcomes` collects the outcomes of all targets."""

    def __init__(self, policy, count, outcomes):
        self.policy, self.count, self.outcomes = policy, count, outcomes

    def rule(self, name, origin, port, forbids=any_rule, **options):
        outcome = check_rule(checks, name, origin, port, self.policy, forbids, count=self.count, **options)
        self.outcomes.append(outcome)
        return outcome

    def nginx(self, text, ports, **origins):
        text = text.replace("POLICY", self.policy)
        for name, origin in origins.items():
            text = text.replace(f":{name}", f":{origin.port}")
        return Nginx(text, ports)

    def all(self):
        with RecordingOrigin() as origin, RecordingOrigin() as auth:
            with self.nginx(CONFIGURATION, PORTS, ORIGIN=origin, AUTH=auth) as nginx:
                self.authorised(nginx, origin, auth)
                self.rule("proxy_pass with a URI", origin, nginx.ports["HTTP2"], protocol="HTTP/2")
                self.files(nginx, origin)
                self.rule("rewrite", origin, nginx.ports["REWRITE"], protocol="HTTP/2")
                self.cached(nginx, origin)
                if self.policy in ["default", "default slash=refuse", "strict"]:
                    check(f"canonical paths that nginx reads as others, {self.policy}, seed {SEED}",
                          re.findall(r"nginx reads another path.*", nginx.log())[:3], [])
            self.example(origin)

    def authorised(self, nginx, origin, auth):
        """The authorization request is told the target that is forwarded."""
        auth.take()
        # The check takes the requests of the origin.
        forwarded = []
        take, origin.take = origin.take, lambda: forwarded.append(take()) or forwarded[-1]
        self.rule("locations", origin, nginx.ports["PORT"])
        del origin.take
        asked = {}
        for number, _, head in auth.take():
            asked.setdefault(number, set()).add(re.search(rb"^x-target: (.*?)\r?$", head, re.M | re.I)[1])
        wrong = [(target, asked.get(number)) for number, target, _ in forwarded[-1] if asked.get(number) != {target}]
        check(f"authorisation requests, {self.policy}, seed {SEED}", wrong[:3], [])

    def files(self, nginx, origin):
        """nginx finds files by the same path."""
        root = nginx.path / "files"
        for name in ["admin/x", "admin/index.html", "x.php", "internal", "public/x", "public/index.html", "x/a", "api/me", "images/x"]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"file /{name}")
        outcome = self.rule("try_files", origin, nginx.ports["FILES"])
        found = [(target, answer.body) for target, answer in zip(outcome.targets, outcome.answers)
                 if answer.status == 200 and answer.body.startswith(b"file ")]
        check(f"files that a rule denies, {self.policy}, seed {SEED}",
              [(target, body) for target, body in found if any_rule(body.removeprefix(b"file "))][:3], [])
        # Random targets may hit no file.
        for name in ["public/x", "public/index.html", "x/a"]:
            check(f"/{name}, {self.policy}", nginx.get(b"/" + name.encode(), "FILES")[::2], (200, f"file /{name}".encode()))

    def cached(self, nginx, origin):
        """The cache gives the same answers as the origin, and has only images."""
        options = {"count": self.count, "under": b"/images"}
        readings, statuses = Readings(self.policy), {}
        # The second time, the cache has more of the answers.
        for _ in range(2):
            outcome = passes_rule(origin, nginx.ports["CACHED"], self.policy, nothing, **options)
            statuses |= {answer.fields.get("x-cache"): True for answer in outcome.answers}
        with self.nginx(CONFIGURATION.replace("proxy_cache cache;", ""), PORTS, ORIGIN=origin, AUTH=origin) as plain:
            direct = passes_rule(origin, plain.ports["CACHED"], self.policy, nothing, **options)
        what = f"{self.policy}, seed {SEED}"
        for target, answer, other in zip(outcome.targets, outcome.answers, direct.answers):
            check(f"{target}, from the cache or not, {what}", seen(answer), seen(other))
            if "x-cache" in answer.fields and answer.status == 200:
                others = [path for path in readings.of(seen(answer)[1]) if not path.startswith(b"/images/")]
                check(f"{target}, cached as an image, {what}", others, [])
        checks.true(f"the cache is used, {what}, {statuses}", {"HIT", "MISS"} <= set(statuses))
        self.outcomes.append(direct)

    def example(self, origin):
        """The configuration of README.md, as written and with this policy."""
        text = readme_example(origin.port)
        check("the policy of the example", text.count("simdpct_path default slash=refuse;"), 1)
        with Nginx(text.replace("default slash=refuse", self.policy), ["PORT"]) as nginx:
            self.rule("README", origin, nginx.ports["PORT"], forbids=ADMIN)


def backends(policy, count, outcomes):
    """fastcgi_pass and grpc_pass."""
    rules = Rules(policy, count, outcomes)
    with FastCgi() as fastcgi, Grpc() as grpc:
        with rules.nginx(BACKENDS, ["FASTCGI", "GRPC"], RESPONDER=fastcgi, GRPCBACKEND=grpc) as nginx:
            rules.rule("grpc_pass", grpc, nginx.ports["GRPC"], protocol="HTTP/2")
            seen = []
            take, fastcgi.take = fastcgi.take, lambda: seen.append(take()) or seen[-1]
            rules.rule("fastcgi_pass", fastcgi, nginx.ports["FASTCGI"])
            for _, target, parameters in seen[-1]:
                script = parameters["SCRIPT_NAME"].encode("latin-1")
                check(f"SCRIPT_NAME, {policy}, {target}", (any_rule(script), parameters["DOCUMENT_URI"]),
                      (False, parameters["SCRIPT_NAME"]))


def unchanged(policy, count):
    """Dry run and `off` change nothing."""
    with RecordingOrigin() as origin, Rules(policy, count, []).nginx(UNCHANGED, ["NONE", "OFF", "DRY"], ORIGIN=origin) as nginx:
        none, *others = [passes_rule(origin, nginx.ports[port], policy, ADMIN, count) for port in ["NONE", "OFF", "DRY"]]
        for name, other in zip(["off", "dry run"], others):
            differing = [target for target, one, two in zip(none.targets, none.answers, other.answers)
                         if (one.status, one.body, one.fields.get("x-key")) != (two.status, two.body, two.fields.get("x-key"))]
            check(f"targets that {name} changes, {policy}, seed {SEED}", differing[:3], [])
            check(f"requests forwarded, {name}, {policy}", other.forwarded, none.forwarded)
        checks.true(f"what a dry run refuses is logged, {policy}", "refused" in nginx.log())


def old(policy, count):
    """Shows that the test can fail: with the former design, targets pass the rules."""
    with RecordingOrigin() as origin, Rules(policy, count, []).nginx(OLD, ["PORT", "SECOND"], ORIGIN=origin) as nginx:
        outcome = passes_rule(origin, nginx.ports["PORT"], policy, any_rule, count)
        checks.true(f"decided on one path and forwarded another, {policy}, seed {SEED}", len(outcome.bypasses) > 5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("--nginx", default=Nginx.program)
    parser.add_argument("--targets", type=int, default=2_000)
    arguments = parser.parse_args()
    Nginx.program, Nginx.module = arguments.nginx, arguments.module

    began, outcomes = time.monotonic(), []
    with checks:
        for policy in ["default", "default slash=refuse", "envoy"]:
            old(policy, arguments.targets)
        for policy in POLICIES:
            Rules(policy, arguments.targets, outcomes).all()
        for policy in ["default", "rfc3986"]:
            unchanged(policy, arguments.targets)
            backends(policy, arguments.targets, outcomes)
    print(f"{summary('nginx', outcomes)}; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
