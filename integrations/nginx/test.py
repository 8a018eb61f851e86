#!/usr/bin/env python3
"""Tests the module in a running nginx on the loopback interface. Run by integrations/check nginx.

usage: test.py MODULE.so [--nginx PROGRAM] [--targets NUMBER]
"""

import argparse
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
from nginx import HEAD, TEMPORARY, Nginx, check, checks, readme_example
from servers import Connection, Origin, eventually, origin_target, random_targets

CONFIGURATION = HEAD + r"""
http {
    access_log FOLDER/access.log combined;
    log_format findings '$request_uri $status $simdpct_status $simdpct_findings';
""" + TEMPORARY + r"""
    proxy_cache_path FOLDER/cache keys_zone=cache:1m;
    simdpct_refuse percent;
    simdpct_refuse_log_rate 0;
    map $simdpct_findings $is_dirty { default clean; ~(^|,)slash(,|$) dirty; }

    simdpct_decode $arg_q $q plus utf8;
    simdpct_decode "$arg_q" $q_strict;
    simdpct_decode $arg_q $q_lenient lenient;
    simdpct_decode $arg_q $q_kept keep=/;
    simdpct_decode $arg_q $q_kept_triplet keep=%2f%61;
    simdpct_decode $arg_q $q_rejected reject=control;
    simdpct_encode $q $q_again;
    simdpct_encode "$q_strict" $q_form set=form plus;
    simdpct_encode $arg_q $q_triplets keep-triplets lowercase set=path;
    simdpct_encode $q $q_utf8 keep-non-ascii;
    simdpct_encode "[$arg_q|$args]" $q_joined set=query;
    simdpct_encode "" $q_nothing;
    simdpct_normalize $arg_q $q_normal;
    simdpct_normalize $arg_q $q_normal_kept keep-malformed;
    simdpct_normalize $arg_q $q_normal_escaped escape-malformed decode=pchar;
    simdpct_decode $cycle2 $cycle1;
    simdpct_decode $cycle1 $cycle2;

    # Answers with the received target, and with a header field that a line break may have split off.
    server {
        listen 127.0.0.1:UPSTREAM;
        simdpct_refuse off;
        location / { return 200 "$request_uri|$http_x"; }
    }

    server {
        listen 127.0.0.1:PORT;
        merge_slashes off;
        access_log FOLDER/findings.log findings;
        proxy_http_version 1.1;

        location / { return 200 "inherited"; }
        location /default/ { simdpct_refuse default; return 200 "default"; }
        location /both/ { simdpct_refuse default slash; return 200 "both"; }
        location /args/ { simdpct_refuse_args nul percent; return 200 "args"; }
        location /status/ { simdpct_refuse slash; simdpct_refuse_status 418; return 200 "status"; }
        location /closed/ { simdpct_refuse slash; simdpct_refuse_status 444; return 200 "closed"; }
        location /dry/ { simdpct_refuse default slash; simdpct_dry_run on; return 200 "$simdpct_status"; }
        location /nested/ {
            simdpct_refuse slash;
            location /nested/inherited/ { return 200 "inherited"; }
            location /nested/more/ { simdpct_refuse plus; return 200 "more"; }
        }
        location /if/ {
            simdpct_refuse slash;
            if ($arg_deny) { return 403; }
            if ($simdpct_findings ~ lower-hex) { return 202 "lower"; }
            return 200 "other";
        }
        location /limited/ {
            simdpct_refuse slash;
            limit_except GET { deny all; }
            proxy_pass http://127.0.0.1:UPSTREAM/;
        }

        location /page/ { simdpct_refuse slash; error_page 400 /refused/%252f; return 200 "page"; }
        location /named-page/ { simdpct_refuse slash; error_page 400 = @forward; return 200 "page"; }
        location @forward { proxy_pass http://127.0.0.1:UPSTREAM; }
        location /refused/ { internal; simdpct_refuse default slash; return 200 "refused page $simdpct_status"; }
        location /rewritten/ { rewrite ^ /default/ last; }
        location /tried/ { root FOLDER; try_files $uri /refused/; }
        location /named/ { root FOLDER; try_files $uri @named; }
        location @named { simdpct_refuse escape; return 200 "named $simdpct_findings $simdpct_raw_path $simdpct_status"; }
        location /accel/ { proxy_pass http://127.0.0.1:ACCEL; }
        location /mirrored/ { mirror /mirror; proxy_pass http://127.0.0.1:UPSTREAM/; }
        location = /mirror { internal; simdpct_refuse escape; proxy_pass http://127.0.0.1:UPSTREAM/; }
        location /authorised/ { auth_request /auth; proxy_pass http://127.0.0.1:UPSTREAM/; }
        location = /auth {
            internal; simdpct_refuse escape;
            proxy_set_header X $simdpct_findings; proxy_pass http://127.0.0.1:UPSTREAM/;
        }

        location /vars/ {
            return 200 "$simdpct_findings $simdpct_args_findings $simdpct_raw_path $simdpct_normal_path $simdpct_path";
        }
        location /normal/ { return 200 "$simdpct_normal_path"; }
        location /arg/ { return 200 "[$simdpct_arg_q|$simdpct_arg_q_2]"; }
        location /arg/control { simdpct_arg_control on; return 200 "[$simdpct_arg_q]"; }
        location /map/ { return 200 "$is_dirty"; }
        location /q/ { return 200 "[$q]"; }
        location /q/strict { return 200 "[$q_strict]"; }
        location /q/lenient { return 200 "[$q_lenient]"; }
        location /q/kept { return 200 "[$q_kept]"; }
        location /q/kept_triplet { return 200 "[$q_kept_triplet]"; }
        location /q/rejected { return 200 "[$q_rejected]"; }
        location /q/again { return 200 "[$q_again]"; }
        location /q/form { return 200 "[$q_form]"; }
        location /q/triplets { return 200 "[$q_triplets]"; }
        location /q/utf8 { return 200 "[$q_utf8]"; }
        location /q/joined { return 200 "[$q_joined$q_nothing]"; }
        location /q/normal { return 200 "[$q_normal]"; }
        location /q/normal_kept { return 200 "[$q_normal_kept]"; }
        location /q/normal_escaped { return 200 "[$q_normal_escaped]"; }
        location /q/if { if ($q = "a b") { return 202 "yes"; } return 200 "no"; }
        location /q/set { set $args "q=%41"; return 200 "[$q]"; }
        location /q/cached { set $first $q; set $args "q=%42"; return 200 "[$first$q]"; }
        location /q/cycle { return 200 "[$cycle1]"; }
    }

    # nginx's result for the canonical path.
    server {
        listen 127.0.0.1:CANONICAL;
        simdpct_refuse off;
        simdpct_path default slash=keep;
        add_header X-Decoded $simdpct_decoded_path;
        error_page 400 = @forward;

        location / { return 200 "$uri|$request_uri|$args|$is_args|$simdpct_path|$simdpct_raw_path|$request"; }
        location ~ \.(png|jpg)$ { return 200 "image $uri"; }
        location = /exact { return 200 "exact $request_uri"; }
        location /proxy/ { proxy_pass http://127.0.0.1:UPSTREAM; }
        location /uri/ { proxy_pass http://127.0.0.1:UPSTREAM/; }
        location /variable/ { proxy_pass http://127.0.0.1:UPSTREAM$request_uri; }
        location /decoded/ { proxy_pass http://127.0.0.1:ORIGIN$uri; }
        location /rewrite/ { rewrite ^/rewrite/(.*)$ /proxy/$1 last; }
        location /break/ { rewrite ^/break/(.*)$ /$1 break; proxy_pass http://127.0.0.1:UPSTREAM; }
        location /redirect/ { return 302 $uri; }
        location @forward { proxy_pass http://127.0.0.1:UPSTREAM; }
        location /kinds/ { simdpct_refuse unreserved; return 200 "kinds"; }
        location /cached/ {
            proxy_cache cache; proxy_cache_valid 200 1m;
            add_header X-Cache $upstream_cache_status;
            proxy_pass http://127.0.0.1:UPSTREAM;
        }
    }

    # A `rewrite` of the server comes after the module, and its location still refuses more.
    server {
        listen 127.0.0.1:SLASHES;
        simdpct_path default empty-segments=keep slash=decode;
        merge_slashes off;
        rewrite ^/moved/(.*)$ /kinds/$1;
        location / { return 200 "$uri $request_uri"; }
        location /kinds/ { simdpct_refuse lower-hex; return 200 "kinds $uri"; }
    }

    # The policy keeps segments that nginx would resolve or merge.
    server { listen 127.0.0.1:KEPT; simdpct_path rfc3986; location / { return 200 "$uri $request_uri"; } }
    server { listen 127.0.0.1:STRICT; simdpct_path strict; location / { return 200 "$request_uri"; } }

    server {
        listen 127.0.0.1:DRY;
        simdpct_path strict;
        simdpct_dry_run on;
        location / { return 200 "$uri|$request_uri|$simdpct_path|$simdpct_status"; }
    }

    # Control characters stay escaped under a policy that accepts them.
    server {
        listen 127.0.0.1:LAX;
        simdpct_refuse off;
        simdpct_path default refuse=;
        location / { proxy_pass http://127.0.0.1:ORIGIN; }
        location /uri/ { proxy_pass http://127.0.0.1:ORIGIN/uri/; }
        location /path/ { proxy_pass http://127.0.0.1:ORIGIN$simdpct_path; }
        location /normalised/ { proxy_pass http://127.0.0.1:ORIGIN$simdpct_normal_path; }
        location /split/ { proxy_pass http://127.0.0.1:ORIGIN$uri; }
    }

    server {
        listen 127.0.0.1:RANDOM;
        keepalive_requests 1000000;
        access_log off;
        simdpct_refuse off;
        simdpct_path default;
        # To tell its refusals from nginx's own.
        simdpct_refuse_status 418;
        location / {
            add_header X-Findings "$simdpct_findings $simdpct_args_findings $simdpct_status";
            add_header X-Arguments "$simdpct_arg_a$q$q_strict$q_lenient$q_form$q_triplets$q_joined$q_normal_escaped" ;
            return 200 "$simdpct_path";
        }
    }

    # The same with targets that $simdpct_path does not refuse.
    server {
        listen 127.0.0.1:DECODED;
        keepalive_requests 1000000;
        access_log off;
        simdpct_refuse off;
        location / { return 200 "$simdpct_raw_path $simdpct_normal_path $simdpct_decoded_path $simdpct_path"; }
        location /only/ { return 200 "$simdpct_decoded_path"; }
    }

    server {
        listen 127.0.0.1:ACCEL;
        simdpct_refuse off;
        location / { add_header X-Accel-Redirect /refused/; return 200 ""; }
    }

    server {
        listen 127.0.0.1:SECOND http2;
        simdpct_path default;
        simdpct_refuse_status 404;
        location / { return 200 "$simdpct_path"; }
    }

    server {
        listen 127.0.0.1:OTHER;
        simdpct_refuse default;
        simdpct_refuse_log_level error;
        merge_slashes on;
        location / { return 200 "$simdpct_raw_path $simdpct_path $uri"; }
    }
}
"""

# One directive in one context: HTTP, SERVER or LOCATION. SECOND is another server, which replaces the
# directive.
CONTEXTS = HEAD + r"""
http {
    access_log off;
""" + TEMPORARY + r"""
    HTTP;
    server {
        listen 127.0.0.1:PORT;
        SERVER;
        location / { LOCATION; return 200 "$simdpct_path$simdpct_arg_c"; }
        location /outer/ { LOCATION; location /outer/inner/ { return 200 "$simdpct_path$simdpct_arg_c"; } }
        location /plain/ { return 200 "$simdpct_path$simdpct_arg_c"; }
    }
    server {
        listen 127.0.0.1:SECOND;
        OPPOSITE;
        location / { return 200 "$simdpct_path$simdpct_arg_c"; }
    }
}
"""

# The directive, a directive that it needs, a directive that replaces it, the target, and the answers with and
# without it: the status and, for 200, the body, or the level of the log line.
DIRECTIVES = [
    ("simdpct_refuse slash", "", "simdpct_refuse off", b"%2f", 400, (200, b"%2f")),
    ("simdpct_refuse_args slash", "", "simdpct_refuse_args off", b"?%2f", 400, (200, b"")),
    ("simdpct_refuse_status 418", "simdpct_refuse slash;", "simdpct_refuse_status 444", b"%2f", 418, 0),
    ("simdpct_dry_run on", "simdpct_refuse slash;", "simdpct_dry_run off", b"%2f", (200, b"%2f"), 400),
    ("simdpct_refuse_log_level error", "simdpct_refuse slash;", "simdpct_refuse_log_level info", b"%2f", "error", "info"),
    ("simdpct_arg_control on", "", "simdpct_arg_control off", b"?c=%0a", (200, b"\n"), (200, b"")),
    ("simdpct_path default slash=decode", "", "simdpct_path off", b"%2fa", (200, b"a"), (200, b"%2fa")),
]

PORTS = ["PORT", "UPSTREAM", "OTHER", "RANDOM", "DECODED", "SECOND", "ACCEL", "CANONICAL", "STRICT", "SLASHES", "DRY", "LAX", "KEPT"]


def contexts():
    """Each directive takes effect in each context that allows it and in the levels below, unless it is
    replaced."""
    for directive, needed, opposite, target, expected, without in DIRECTIVES:
        for context in ["HTTP", "SERVER"] + ["LOCATION"] * ("simdpct_path" not in directive):
            text = CONTEXTS.replace("OPPOSITE;", f"{opposite};")
            for place in ["HTTP", "SERVER", "LOCATION"]:
                given = f"{directive};" if place == context else ""
                needs = needed if place == ("LOCATION" if context == "LOCATION" else "HTTP") else ""
                text = text.replace(f" {place};", f" {needs} {given}")
            answers = [("PORT", b"/", expected), ("PORT", b"/outer/inner/", expected)]
            if context != "LOCATION":
                answers += [("PORT", b"/plain/", expected), ("SECOND", b"/", without)]
            elif isinstance(without, tuple):
                answers += [("PORT", b"/plain/", without)]
            with Nginx(text, ["PORT", "SECOND"]) as nginx:
                for port, path, wanted in answers:
                    what = f"{directive} in {context}, {port} {path}"
                    status, _, body = nginx.get(path + target, port)
                    if isinstance(wanted, str):
                        check(what, re.findall(r"\[(\w+)\].*simdpct: refused", nginx.log())[-1:], [wanted])
                    elif isinstance(wanted, tuple):
                        check(what, (status, body), (wanted[0], path + wanted[1]))
                    else:
                        check(what, status, wanted)


def requests(nginx):
    def status(target, port="PORT"):
        return nginx.get(target, port)[0]

    def body(target, port="PORT"):
        return nginx.get(target, port)[2]

    # Kinds. A location adds to the server's.
    check("http, inherited", [status(b"/%41"), status(b"/%2541")], [200, 400])
    check("location adds to http", [status(b"/default/%2541"), status(b"/default/%5c"), status(b"/%5c")], [400, 400, 200])
    check("server replaces http", [status(b"/%2541", "OTHER"), status(b"/%0a", "OTHER")], [200, 400])
    check("default and another", [status(b"/both/%2f"), status(b"/both/%07"), status(b"/both/a")], [400, 400, 200])
    check("invalid UTF-8", [status(b"/default/%ff"), status(b"/default/\xff"), status(b"/default/%c3%a9")],
          [400, 400, 200])
    check("query", [status(b"/args/?a=%2541"), status(b"/args/?a=%41"), status(b"/%41?%2541")], [400, 200, 200])
    check("the query is none of the path's", status(b"/both/?%2f"), 200)
    check("a raw #", [status(b"/a#"), status(b"/a?b#c"), status(b"/#", "RANDOM")], [400, 400, 418])
    check("status", [status(b"/status/%2f"), status(b"/closed/%2f"), status(b"/status/a")], [418, 0, 200])
    check("dry run", [body(b"/dry/%2f"), body(b"/dry/a")], [b"REFUSED_DRY_RUN", b"PASSED"])
    check("nested locations", [status(b"/nested/inherited/%2f"), status(b"/nested/more/%2f"), status(b"/nested/more/+"),
                               status(b"/nested/inherited/+")], [400, 400, 400, 200])

    # The check is before `if` and `return`; variables can be used in `if`.
    check("if", [status(b"/if/%2f?deny=1"), status(b"/if/a?deny=1"), status(b"/if/%c3%a9"), status(b"/if/%C3%A9")],
          [400, 403, 202, 200])
    check("limit_except", [status(b"/limited/%2f"), nginx.get(b"/limited/%2f", method=b"PUT")[0],
                           nginx.get(b"/limited/a", method=b"PUT")[0], status(b"/limited/a")], [400, 400, 403, 200])

    # Internal redirects and subrequests are not checked again, and the variables stay.
    check("error page", body(b"/page/%2f"), b"refused page REFUSED")
    check("an error page shows an origin no refused target", body(b"/named-page/%2f?a"), b"/|")
    check("rewrite", [status(b"/rewritten/%5c"), status(b"/rewritten/%2541")], [200, 400])
    check("try_files", [body(b"/tried/%5c"), body(b"/named/%41")],
          [b"refused page PASSED", b"named escape,unreserved /named/%41 PASSED"])
    check("X-Accel-Redirect", body(b"/accel/%2f"), b"refused page PASSED")
    check("mirror", [status(b"/mirrored/%41"), status(b"/mirrored/%2541")], [200, 400])
    check("auth_request", [status(b"/authorised/%41//"), status(b"/authorised/%2541")], [200, 400])

    # Variables.
    check("variables", body(b"/vars/%7eu/%2e%2e/x%2fy?a=1+%00"),
          b"escape,slash,dot,unreserved,lower-hex,dot-segment escape,plus,nul,control /vars/%7eu/%2e%2e/x%2fy "
          b"/vars/~u/../x%2Fy /vars/%7eu/%2e%2e/x%2fy")
    check("no findings", body(b"/vars/a"), b"- - /vars/a /vars/a /vars/a")
    check("decoded", body(b"/only/a%20b%252f", "DECODED"), b"/only/a b%2f")
    check("normal", body(b"/normal/%7e/./%2f%c3%a9"), b"/normal/~/./%2F%C3%A9")
    check("argument", [body(b"/arg/?p=1&q=a+b%26"), body(b"/arg/?%71=x&q=y"), body(b"/arg/?q=%zz"), body(b"/arg/?q=%ff"),
                       body(b"/arg/"), body(b"/arg/?q%5f2=%2B&Q=1&q=2")],
          [b"[a b&|]", b"[x|]", b"[|]", b"[|]", b"[|]", b"[1|+]"])
    check("control characters of an argument",
          [body(b"/arg/" + name + b"?q=a" + value) for name in [b"", b"control"] for value in [b"%0a", b"%7F", b"%00"]],
          [b"[|]"] * 3 + [b"[a\n]", b"[a\x7f]", b"[a\0]"])
    check("map", [body(b"/map/%41"), body(b"/map/%2f")], [b"clean", b"dirty"])

    # simdpct_decode, simdpct_encode, simdpct_normalize.
    for name, argument, expected in [
        (b"", b"a+b%26%C3%A9", "a b&é".encode()), (b"", b"%ff", b""), (b"", b"%zz", b""), (b"", b"%252f", b"%2f"),
        (b"strict", b"a+b%ff", b"a+b\xff"), (b"strict", b"%zz", b""), (b"lenient", b"%zz%41", b"%zzA"),
        (b"kept", b"%2f%41", b"%2fA"), (b"kept_triplet", b"%2f%61%62", b"%2f%61b"),
        (b"rejected", b"a%0d%0aX:1", b""), (b"rejected", b"a%20b", b"a b"),
        (b"again", b"%C3%A9%2F+", b"%C3%A9%2F%20"), (b"again", b"%ff", b""), (b"form", b"%20%2B%C3", b"+%2B%C3"),
        (b"triplets", b"%41%zz%3F|\xff", b"%41%25zz%3F%7c%ff"), (b"utf8", b"%C3%A9%20", "é%20".encode()),
        (b"joined", b"\"x\"", b"%5B%22x%22%7Cq=%22x%22%5D"), (b"normal", b"%7e%2f%c3", b"~%2F%C3"), (b"normal", b"%zz", b""),
        (b"normal_kept", b"%zz%7e", b"%zz~"), (b"normal_escaped", b"%zz%7e%3a%2f", b"%25zz~:%2F"),
    ]:
        check(f"$q_{name.decode()} of {argument}", body(b"/q/" + name + b"?q=" + argument), b"[" + expected + b"]")
    check("a long value", body(b"/q/again?q=" + b"%7C" * 2000), b"[" + b"%7C" * 2000 + b"]")
    check("no argument", [body(b"/q/"), body(b"/q/again"), body(b"/q/normal")], [b"[]"] * 3)
    check("in if", [status(b"/q/if?q=a+b"), status(b"/q/if?q=a%2bb")], [202, 200])
    check("evaluated at each use", [body(b"/q/set"), body(b"/q/cached?q=%41")], [b"[A]", b"[AB]"])
    check("a cycle", [body(b"/q/cycle"), "cycle while evaluating variable" in nginx.log()], [b"[]", True])


def canonical(nginx):
    """The canonical path is nginx's own."""
    def body(target, port="CANONICAL"):
        return nginx.get(target, port)[2]

    def everything(target):
        return body(target).split(b"|")

    # The path decoded, canonical with the query, the query, `?`, canonical, raw, and the line of the client.
    for target, expected in [
        (b"/a", [b"/a", b"/a", b"", b"", b"/a", b"/a"]),
        (b"/a?", [b"/a", b"/a?", b"", b"", b"/a", b"/a"]),
        (b"/./%7eu//x%2fy%20?q=%2e/../%23", [b"/~u/x/y ", b"/~u/x%2Fy%20?q=%2e/../%23", b"q=%2e/../%23", b"?", b"/~u/x%2Fy%20",
                                            b"/./%7eu//x%2fy%20"]),
        (b"/%C3%A9", ["/é".encode(), b"/%C3%A9", b"", b"", b"/%C3%A9", b"/%C3%A9"]),
        (b"/\xc3\xa9", ["/é".encode(), b"/%C3%A9", b"", b"", b"/%C3%A9", "/é".encode()]),
        (b"/a%25%3Fb", [b"/a%?b", b"/a%25%3Fb", b"", b"", b"/a%25%3Fb", b"/a%25%3Fb"]),
        (b"http://a/x/../%41?b", [b"/A", b"/A?b", b"b", b"?", b"/A", b"/x/../%41"]),
        (b"http://a?b", [b"/", b"/?b", b"b", b"?", b"/", b"/"]),
        (b"http://a", [b"/", b"/", b"", b"", b"/", b"/"]),
    ]:
        check(f"variables of {target}", everything(target), [*expected, b"GET " + target + b" HTTP/1.1"])
    long = b"/" + b"%7E" * 1000 + b"\xc3\xa9" * 1000
    check("a long target", everything(long)[1], b"/" + b"~" * 1000 + b"%C3%A9" * 1000)

    check("locations", [body(b"/x/..;/exact"), body(b"/%65xact?a"), body(b"/x.%70ng/"), body(b"/x/.%2e/y.%6Apg"), body(b"/x.png/..;/a.jpg")],
          [b"exact /exact", b"exact /exact?a", b"/x.png/|/x.png/|||/x.png/|/x.%70ng/|GET /x.%70ng/ HTTP/1.1", b"image /y.jpg",
           b"image /a.jpg"])
    check("proxy_pass", [body(b"/proxy/./%7eu//x%2fy?q=%41"), body(b"/uri/./%7eu%20/x%2fy?q=%41"), body(b"/variable/%7Eu?a"),
                         body(b"/rewrite/%7Eu/..;/x?a"), body(b"/break/%7Eu%2fx?a"), body(b"http://a/proxy/%41")],
          [b"/proxy/~u/x%2Fy?q=%41|", b"/~u%20/x/y?q=%41|", b"/variable/~u?a|", b"/proxy/x?a|", b"/~u/x?a|", b"/proxy/A|"])
    check("refused requests, and the page for the error", [nginx.get(target, "CANONICAL")[::2] for target in
          [b"/proxy/%0d%0aX:1?q", b"/proxy/..%5c", b"/kinds/%41?q", b"/proxy/a#b"]], [(200, b"/|")] * 4)
    for target in [b"/proxy/x%2F..", b"/proxy/..%2Fx", b"/a%2F../proxy/x", b"/proxy/%2F.%2Fx"]:
        check(f"hidden dot segments, {target}", body(target), b"/|")
    # nginx resolves `..` and merges slashes after it has decoded `%2F`.
    for target in [b"/x%2F..", b"/x/..%2Fx", b"/a%2F../x", b"/x/%2F.%2Fx", b"//x", b"/x/%2Fx", b"/x:%2F%2F/../y%2F%2F"]:
        check(f"nginx reads another path, {target}", nginx.get(target, "KEPT")[0], 400)
    check("a URL in a path", [body(b"/a:%2F%2Fb"), body(b"/a:///b", "KEPT")], [b"/a:/b|/a:%2F%2Fb|||/a:%2F%2Fb|/a:%2F%2Fb|GET /a:%2F%2Fb "
                                                                          b"HTTP/1.1", b"/a:/b /a:///b"])
    check("redirect", nginx.get(b"/redirect//x/../%41", "CANONICAL")[1]["location"].split("/", 3)[-1], "redirect/A")

    def cache(path):
        return nginx.get(b"/cached/" + path, "CANONICAL")[1]["x-cache"]

    check("nothing is cached yet", cache(b"~u"), "MISS")
    # The answer arrives before it is in the cache.
    checks.true("cached", eventually(lambda: cache(b"~u") == "HIT"))
    check("cache key", [cache(b"%7Eu"), cache(b"./%7eu"), cache(b"v"), cache(b"~u?a")], ["HIT", "HIT", "MISS", "MISS"])

    # Other policies, merge_slashes, and the handlers after the module.
    check("strict", [nginx.get(b"/" + path, "STRICT")[::2] for path in [b"a//b", b"%2f", b"a;b", b"%7e"]],
          [(400, nginx.get(b"/%2f", "STRICT")[2])] * 3 + [(200, b"/~")])
    check("merge_slashes off", [body(b"/a//b%2f/c", "SLASHES"), body(b"/a//../b", "SLASHES")], [b"/a//b//c /a//b//c", b"/a/b /a/b"])
    check("server rewrite", [body(b"/moved/%7Eu", "SLASHES"), nginx.get(b"/x/../moved/%7eu", "SLASHES")[0],
                             nginx.get(b"/moved/%7e", "SLASHES")[0]], [b"kinds /kinds/~u", 400, 400])
    check("dry run", [body(b"/a/./%7eu?x", "DRY"), body(b"/a", "DRY"), body(b"http://a?x", "DRY")],
          [b"/a/~u|/a/./%7eu?x|/a/./%7eu|REFUSED_DRY_RUN", b"/a|/a|/a|PASSED", b"/|?x|/|PASSED"])
    check("without a policy", [body(b"/a//b%7e", "OTHER"), body(b"http://a/x%41?b", "OTHER"), body(b"http://a?b", "OTHER")],
          [b"/a//b%7e /a//b%7e /a/b~", b"/x%41 /x%41 /xA", b"/ / /"])


def readme(origin):
    """The example of README.md."""
    with Nginx(readme_example(origin.port), ["PORT"]) as nginx:
        check("example, proxied", origin_target(nginx.get(b"/api/./%7eu?q=%2e")), b"/api/~u?q=%2e")
        check("example, refused", [nginx.get(target)[0] for target in [b"/api/%2f", b"/files/%2541", b"/%5c"]], [400] * 3)
        check("example, denied", [nginx.get(target)[0] for target in [b"/admin", b"/api/..;/%61dmin/x?y"]], [403] * 2)

        def is_cached(path):
            count = len(origin.heads)
            check("example, from the cache or not", origin_target(nginx.get(b"/images/" + path)), b"/images/~u")
            return len(origin.heads) == count

        check("example, nothing is cached yet", is_cached(b"~u"), False)
        # The answer arrives before it is in the cache.
        checks.true("example, cached", eventually(lambda: is_cached(b"~u")))
        check("example, cache key", [is_cached(b"%7Eu"), is_cached(b"./~u")], [True, True])
        check("example, decoded", nginx.get(b"/next/?next=%2Fa+b")[2], b"/a b")
        check("example, not decodable", [nginx.get(b"/next/?next=" + value)[0] for value in [b"%zz", b"%ff", b"%0d%0a", b""]],
              [404] * 4)
        log = (nginx.path / "paths.log").read_text()
        checks.true("example, access log", log.count("400 REFUSED escape,") == 3 and '"GET /api/./%7eu?q=%2e HTTP/1.1" 200 PASSED '
                    "escape,unreserved,lower-hex,dot-segment /api/~u?q=%2e\n" in log)
        checks.true("example, error log", re.search(r"\[warn\].*simdpct: .*%2f", nginx.log()))


def header_splitting(nginx, origin):
    """`proxy_pass` with $uri splits the header; with the module it does not."""
    target = b"a%20HTTP/1.0%0d%0aX:1%0d%0aY:"
    for location, fields, path in [
        (b"/split/", [b"X:1"], None),
        (b"/", [], b"/a%20HTTP/1.0%0D%0AX:1%0D%0AY:"),
        (b"/uri/", [], b"/uri/a%20HTTP/1.0%0D%0AX:1%0D%0AY:"),
        (b"/path/", [], b"/path/a%20HTTP/1.0%0D%0AX:1%0D%0AY:"),
        (b"/normalised/", [], b"/normalised/a%20HTTP/1.0%0D%0AX:1%0D%0AY:"),
    ]:
        origin.heads.clear()
        answer = nginx.get(location + target, "LAX")
        check(f"header fields split off, {location}", [line for line in origin.heads[-1].split(b"\r\n") if line == b"X:1"],
              fields)
        if path is not None:
            check(f"path, {location}", origin_target(answer), path)


def logs(nginx):
    log = nginx.log()
    checks.true("log line", re.search(r'\[warn\].*simdpct: refused: slash at byte 6 of path: "/\S*%2f", client', log))
    checks.true("log level", re.search(r'\[error\].*simdpct: refused: control at byte \d+ of \w+: "\S*%0a', log))
    checks.true("log of a dry run", ", report only" in log)
    checks.true("log of the path", re.search(r'simdpct: refused: encoded-slash at byte \d+ of path: "/\S*%2f', log))
    checks.true("log of another path", "simdpct: refused: nginx reads another path" in log)
    nginx.get(b'/default/\xff"%0a')
    checks.true("escaped bytes", re.search(r'refused: control,invalid-utf8 at byte 9 of path: "/default/\\xff\\"%0a"', nginx.log()))
    for target in [b"/%zz", b"/x#"]:
        nginx.get(target)
    findings = (nginx.path / "findings.log").read_text(errors="replace")
    checks.true("access log", re.search(r"^/ 400 REFUSED escape,percent,double$", findings, re.M))
    checks.true("not examined", re.search(r"400 NOT_EXAMINED -$", findings, re.M))


def log_rate():
    """Lines are left out in each second, and counted in the next line."""
    text = CONTEXTS.replace(" HTTP;", " simdpct_refuse slash; simdpct_refuse_log_rate 5;")
    for place in ["SERVER", "LOCATION", "OPPOSITE"]:
        text = text.replace(f" {place};", "")
    with Nginx(text.replace("worker_processes 2;", "worker_processes 1;"), ["PORT", "SECOND"]) as nginx:
        def sent():
            nginx.get(b"/%2f")
            lines = nginx.log().count("simdpct: refused")
            left_out = sum(int(number) for number in re.findall(r"simdpct: (\d+) refusals were not logged", nginx.log()))
            return lines, left_out

        total = 0
        for total in range(1, 51):
            sent()
        lines, left_out = sent()
        total += 1
        # 50 requests take less than some seconds.
        checks.true(f"lines, of {total} refusals: {lines}", 5 <= lines <= 30)
        # A line a second later says how many are missing.
        def complete():
            nonlocal total
            total += 1
            lines, left_out = sent()
            return left_out > 0 and lines + left_out == total
        checks.true("all are counted in time", eventually(complete))


def configuration_errors(nginx):
    def error(directive, context="http"):
        text = nginx.configuration.read_text()
        if context == "http":
            text = text.replace("simdpct_refuse percent;", directive, 1)
        elif context == "server":
            text = text.replace("merge_slashes off;", directive, 1)
        else:
            text = text.replace('location / { return 200 "inherited"; }',
                                f"location / {{ {context} {directive} {'}' if context else ''} }}", 1)
        other = nginx.path / "other.conf"
        other.write_text(text)
        result = subprocess.run(nginx.arguments("-t", configuration=other), capture_output=True, text=True, env=nginx.options["env"])
        return result.returncode, result.stderr

    for directive, message in [
        ("simdpct_refuse nothing;", 'invalid kind "nothing"'),
        ("simdpct_refuse nul off;", 'invalid kind "off"'),
        ("simdpct_refuse nul; simdpct_refuse nul;", "is duplicate"),
        ("simdpct_refuse;", "invalid number of arguments"),
        ("simdpct_path strict slash=none dots=keep;", 'invalid path policy: "slash=none" at byte 7: expected keep, refuse or decode'),
        ("simdpct_path default nginx;", 'invalid path policy: "nginx" at byte 8: a preset comes first'),
        ("simdpct_path default; simdpct_path off;", "is duplicate"),
        ("simdpct_refuse_status 200;", "value must be between 400 and 599"),
        ("simdpct_refuse_log_level loud;", 'invalid value "loud"'),
        ("simdpct_refuse_log_rate off;", "invalid number"),
        ("simdpct_dry_run maybe;", 'it must be "on" or "off"'),
        ("simdpct_arg_control maybe;", 'it must be "on" or "off"'),
        ("simdpct_decode $arg_q;", "invalid number of arguments"),
        ("simdpct_decode $arg_q q2;", 'invalid variable name "q2"'),
        ("simdpct_decode $arg_q $;", 'invalid variable name "$"'),
        ("simdpct_decode ${ $q2;", "invalid variable name"),
        ("simdpct_decode $arg_q $q2 loose;", 'invalid parameter "loose"'),
        ("simdpct_decode $arg_q $q2 keep=paht;", 'invalid parameter "keep=paht"'),
        ("simdpct_decode $arg_q $q2 keep=;", 'invalid parameter "keep="'),
        ("simdpct_decode $arg_q $q2 keep=%zz;", 'invalid parameter "keep=%zz"'),
        ("simdpct_encode $arg_q $q2 keep=/;", 'invalid parameter "keep=/"'),
        ("simdpct_normalize $arg_q $q2 keep-malformed escape-malformed;", "has parameters that exclude each other"),
        ("simdpct_decode $arg_q $q2; simdpct_encode $arg_q $q2;", 'the duplicate "q2" variable'),
        ("simdpct_decode $arg_q $uri;", 'the duplicate "uri" variable'),
        ("simdpct_decode $nowhere $q2;", 'unknown "nowhere" variable'),
    ]:
        code, text = error(directive)
        check(directive, (code, message in text), (1, True))

    def not_allowed(directive, context):
        code, text = error(directive, context)
        check(f"{directive} in {context}", (code, "is not allowed here" in text), (1, True))

    for directive, *_ in DIRECTIVES:
        for context in ["if ($arg_x) {", "limit_except GET {"]:
            not_allowed(f"{directive};", context)
    not_allowed("simdpct_path default;", "")
    for context in ["server", ""]:
        not_allowed("simdpct_refuse_log_rate 5;", context)
    for name in ["decode", "encode", "normalize"]:
        for context in ["server", "", "if ($arg_x) {"]:
            not_allowed(f"simdpct_{name} $arg_q $q2;", context)
    for name in ["simdpct_refuse", "simdpct_refuse_args"]:
        code, text = error(f"{name} off;", "")
        check(f"{name} off in a location", (code, "can only add kinds" in text), (1, True))
    check("the configuration itself", error("simdpct_refuse percent;"), (0, error("simdpct_refuse percent;")[1]))


def reload_under_load(nginx):
    """No request fails while the configuration changes, and the new configuration takes effect."""
    stop, answers = threading.Event(), []

    def load():
        connection = Connection(nginx.ports["PORT"])
        while not stop.is_set():
            answers.append((connection.request(b"/both/%2f")[0], connection.request(b"/both/a")[0]))

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    text = nginx.configuration.read_text()
    for directive in ["default plus", "default", "plus", "default percent", "default plus"]:
        nginx.configuration.write_text(text.replace("simdpct_refuse percent;", f"simdpct_refuse {directive};", 1))
        nginx.signal(signal.SIGHUP)
        expected = 400 if "plus" in directive else 200
        # For a moment, old and new workers accept connections.
        checks.true(f"reload, {directive}", eventually(lambda: nginx.get(b"/+")[0] == expected))
    stop.set()
    for thread in threads:
        thread.join()
    check("answers under load", set(answers), {(400, 200)})
    checks.true("load", len(answers) > 20)


def http2(nginx):
    def get(target):
        url = f"http://127.0.0.1:{nginx.ports['SECOND']}{target}"
        options = ["--silent", "--http2-prior-knowledge", "--path-as-is", "--write-out", " %{http_code} %{http_version}"]
        return subprocess.run(["curl", *options, url], capture_output=True, text=True).stdout.splitlines()[-1]

    check("HTTP/2", [get("/a/./%7Eu"), get("/a/..;/b")], ["/a/~u 200 2", "/b 200 2"])
    check("HTTP/2, refused", get("/a%5cb").split()[-2:], ["404", "2"])


def randomly(nginx, count):
    """A path is refused, or its canonical form is its own canonical form and has no dot segments."""
    connection, decoded, statuses = Connection(nginx.ports["RANDOM"]), Connection(nginx.ports["DECODED"]), {}
    for target in random_targets(count):
        status, fields, body = connection.request(target)
        statuses[status] = statuses.get(status, 0) + 1
        if status == 200:
            again = connection.request(body)
            # nginx decodes %2F, so it reads "/%2F../" as climbing above the root.
            if again[0] != 400 or b"%2F" not in body:
                check(f"canonical form of {target}", again[::2], (200, body))
            check(f"dot segments of {target}", {b".", b".."} & set(body.split(b"/")), set())
            checks.true(f"findings of {target}", fields["x-findings"].endswith(" PASSED"))
        # nginx may refuse a target that no policy refuses.
        checks.true(f"every variable of {target}", decoded.request(target)[0] in (200, 400))
    check("statuses", set(statuses), {200, 400, 418})
    checks.true("all occur", all(number > count / 20 for number in statuses.values()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("--nginx", default="/usr/sbin/nginx")
    parser.add_argument("--targets", type=int, default=5_000)
    arguments = parser.parse_args()
    Nginx.program, Nginx.module = arguments.nginx, arguments.module

    with checks:
        contexts()
        log_rate()
        with Origin() as origin, Nginx(CONFIGURATION.replace(":ORIGIN", f":{origin.port}"), PORTS) as nginx:
            readme(origin)
            requests(nginx)
            canonical(nginx)
            header_splitting(nginx, origin)
            logs(nginx)
            configuration_errors(nginx)
            http2(nginx)
            randomly(nginx, arguments.targets)
            reload_under_load(nginx)


if __name__ == "__main__":
    main()
