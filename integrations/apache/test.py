#!/usr/bin/env python3
"""Tests the module in a running Apache httpd on the loopback interface: test.py mod_simdpct.so."""

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
from servers import Checks, Connection, Origin, Server, eventually, free_ports, origin_target, random_targets, request

CONFIGURATION = r"""
ServerRoot FOLDER
ServerName a
PidFile FOLDER/pid
DefaultRuntimeDir FOLDER
ErrorLog FOLDER/error.log
User www-data
Group www-data
LISTEN
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so
LoadModule setenvif_module /usr/lib/apache2/modules/mod_setenvif.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
LoadModule simdpct_module MODULE
StartServers 1
MaxKeepAliveRequests 0
LogFormat "%r|%>s|%<{SIMDPCT_STATUS}e|%<{SIMDPCT_FINDINGS}e|%<{SIMDPCT_ARGS_FINDINGS}e|%<{SIMDPCT_PATH}e" paths
CustomLog FOLDER/access.log paths
Header always set X-Findings "%{SIMDPCT_FINDINGS}e"

SimdpctRefuse percent
SimdpctPath default

README

# Without nocanon, httpd decodes and encodes the path again.
<VirtualHost 127.0.0.1:CANON>
    AllowEncodedSlashes NoDecode
    ProxyPass / http://127.0.0.1:ORIGIN/
</VirtualHost>

<VirtualHost 127.0.0.1:STRICT>
    SimdpctPath strict
    ProxyPass / http://127.0.0.1:ORIGIN/ nocanon
</VirtualHost>

<VirtualHost 127.0.0.1:LAX>
    SimdpctRefuse off
    SimdpctPath default refuse=
    AllowEncodedSlashes NoDecode
    ProxyPass / http://127.0.0.1:ORIGIN/ nocanon
</VirtualHost>

<VirtualHost 127.0.0.1:FILES>
    DocumentRoot FOLDER/files
    DirectoryIndex index.txt
    SimdpctRefuse default slash
    ErrorDocument 404 /%252f/missing.txt
    SetEnvIf Request_URI ^/~ IS_USER=1
    Header always set X-User "%{IS_USER}e"
    RewriteEngine on
    RewriteRule ^/moved$ /a.txt [PT]
    Alias /alias FOLDER/files
    <Location /secret>
        Require all denied
    </Location>
</VirtualHost>

<VirtualHost 127.0.0.1:DRY>
    SimdpctDryRun on
    SimdpctRefuse default slash
    AllowEncodedSlashes NoDecode
    ProxyPass / http://127.0.0.1:ORIGIN/ nocanon
</VirtualHost>

# A target on another server is not examined.
<VirtualHost 127.0.0.1:FORWARD>
    ProxyRequests on
    SimdpctPath strict
</VirtualHost>

# A raw "#" passes httpd itself.
<VirtualHost 127.0.0.1:UNSAFE>
    HttpProtocolOptions Unsafe
    SimdpctRefuse off
    AllowEncodedSlashes NoDecode
    ProxyPass / http://127.0.0.1:ORIGIN/ nocanon
</VirtualHost>

<VirtualHost 127.0.0.1:KINDS>
    SimdpctPath off
    SimdpctRefuse "nul percent" control
    SimdpctRefuseArgs nul
    AllowEncodedSlashes NoDecode
    ProxyPass / http://127.0.0.1:ORIGIN/ nocanon
</VirtualHost>

<VirtualHost 127.0.0.1:OFF>
    SimdpctRefuse off
    SimdpctPath off
    AllowEncodedSlashes NoDecode
    ProxyPass / http://127.0.0.1:ORIGIN/ nocanon
</VirtualHost>
"""

# The virtual host of README.md: the origin gets the canonical path, byte for byte.
README = (Path(__file__).parent / "README.md").read_text()
VIRTUAL_HOST = re.search(r"^<VirtualHost .*?^</VirtualHost>", README, re.M | re.S)[0]
VIRTUAL_HOST = VIRTUAL_HOST.replace("*:80", "127.0.0.1:PROXY").replace(":8080", ":ORIGIN")

PORTS = ["PROXY", "CANON", "STRICT", "LAX", "FILES", "DRY", "OFF", "FORWARD", "UNSAFE", "KINDS"]
checks = Checks()
check = checks.equal


class Apache(Server):
    def __init__(self, module, origin):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.path.chmod(0o755)
        files = self.path / "files"
        for name in ["a.txt", "index.txt", "~u.txt", "secret/s.txt"]:
            (files / name).parent.mkdir(parents=True, exist_ok=True)
            (files / name).write_text(name)
        self.ports = dict(zip(PORTS, free_ports(len(PORTS))))
        text = CONFIGURATION.replace("MODULE", str(Path(module).resolve())).replace("FOLDER", str(self.path))
        text = text.replace("README\n", VIRTUAL_HOST + "\n").replace("LISTEN", "\n".join(f"Listen 127.0.0.1:{port}" for port in PORTS))
        for port, number in {**self.ports, "ORIGIN": origin.port}.items():
            text = text.replace(f":{port}", f":{number}")
        self.text, self.origin_port = text, origin.port
        super().__init__(self.arguments("httpd.conf", text) + ["-D", "FOREGROUND"], self.ports["PROXY"])

    def arguments(self, name, text):
        (self.path / name).write_text(text)
        return ["/usr/sbin/apache2", "-f", str(self.path / name)]

    def get(self, port, target, **options):
        return request(self.ports[port], target, **options)

    def log(self, name):
        return (self.path / name).read_text(errors="replace")

    def stop(self):
        """Ends httpd; crashes are failures."""
        status = super().stop()
        check("children that crashed", re.findall(r".*exit signal.*", self.log("error.log")), [])
        check("exit status", status, 0)
        return status


def requests(apache):
    def status(port, target, **options):
        return apache.get(port, target, **options)[0]

    def origin(port, target):
        """The target that the origin got, or the status if it got none."""
        answer = apache.get(port, target)
        got = origin_target(answer)
        return answer[0] if got is None else got

    # The origin gets the canonical path.
    for target, expected in [
        (b"/a/%2e%2e/%7eu//x%2fy?q=%2e", b"/~u/x%2Fy?q=%2e"), (b"/%41", b"/A"), (b"/a%252fb", 400),
        (b"/caf\xc3\xa9|", b"/caf%C3%A9%7C"), (b"/a%3fb%23", b"/a%3Fb%23"), (b"/a?b?c", b"/a?b?c"), (b"/?", b"/?"),
        (b"/a;x=1/..;/b", b"/b"),
        (b"/..%5cx", 400), (b"/a%0d%0aX:1", 400), (b"/../x", 400), (b"/%zz", 400), (b"/%ff", 400), (b"/%00", 400),
        (b"/a?%0d", 400), (b"/a?%41", b"/a?%41"), (b"http://b/%7e/./c%2f?d", b"/~/c%2F?d"), (b"http://b", b"/"),
        # Without the module, httpd turns the path into /a+b;c.
        (b"http://b/a%2Bb%3Bc", b"/a%2Bb%3Bc"), (b"http://b/a%2Bb/../c%2Bd", b"/c%2Bd"),
    ]:
        check(f"proxied {target}", origin("PROXY", target), expected)
    check("canonicalised again", [origin("CANON", b"/a/%2e%2e/%7eu//x%2fy"), origin("CANON", b"/a%20b%3f")],
          [b"/~u/x%2Fy", b"/a%20b%3F"])
    check("strict", [origin("STRICT", target) for target in [b"/%7e", b"/a//b", b"/%2f", b"/a;b"]], [b"/~", 400, 400, 400])
    check("no header is split off", origin("LAX", b"/a%20HTTP/1.0%0d%0aX:1"), b"/a%20HTTP/1.0%0D%0AX:1")
    check("off", origin("OFF", b"/%2541/%7e%5c"), b"/%2541/%7e%5c")
    check("raw #", [origin("UNSAFE", target) for target in [b"/x#/../admin", b"/a#", b"/a?b#c", b"/a?b"]], [400, 400, 400, b"/a?b"])
    check("kinds alone", [origin("KINDS", target) for target in [b"/%25", b"/%0a", b"/a?%00", b"/./%7e?%25"]],
          [400, 400, 400, b"/./%7e?%25"])

    # Inherited from the server.
    check("inherited", [status("CANON", b"/%2541"), status("CANON", b"/%41")], [400, 200])
    check("replaced", [status("FILES", b"/%2541"), status("FILES", b"/%2f"), status("FILES", b"/%5c")], [404, 400, 400])

    # Report only: the module neither refuses nor rewrites.
    check("report only", [origin("DRY", b"/%7e/./%2f"), origin("DRY", b"/%7e//a")], [b"/%7e/./%2f", b"/%7e//a"])

    # Files, access rules, mod_setenvif, mod_rewrite, internal redirects, subrequests.
    def body(target):
        return apache.get("FILES", target)[2]

    check("files", [body(b"/%61.txt"), body(b"/x/%2e%2e/a.txt"), body(b"/alias/./a.txt")], [b"a.txt"] * 3)
    check("index, an internal redirect", body(b"/"), b"index.txt")
    check("rewritten", body(b"/%6doved"), b"a.txt")
    check("access rule", [status("FILES", b"/%73ecret/s.txt"), status("FILES", b"//secret/s.txt")], [403, 403])
    check("mod_setenvif sees the canonical path", apache.get("FILES", b"/%7eu.txt")[1]["x-user"], "1")
    check("an error document is not checked", status("FILES", b"/none"), 404)

    # Other targets.
    check("OPTIONS *", status("PROXY", b"*", method=b"OPTIONS") < 500, True)
    check("CONNECT, as without the module", *(apache.get(port, b"h:443", method=b"CONNECT")[::2] for port in ["PROXY", "OFF"]))
    check("forward proxy", [origin("FORWARD", b"http://127.0.0.1:%d/%%7e%%5c" % apache.origin_port), status("FORWARD", b"/%5c")],
          [b"/%7e%5c", 400])
    check("no slash", status("PROXY", b"a"), 400)
    check("refused once", status("PROXY", b"/once%00?%00"), 400)
    check("findings", apache.get("LAX", b"/%2f%00x")[1].get("x-findings"), "escape,nul,control,slash,lower-hex,empty-segment")


def logs(apache):
    errors, access = apache.log("error.log"), apache.log("access.log")
    checks.true("log line", re.search(r'\[simdpct:warn\].*simdpct: refused: backslash at byte 3 of path: \\?"/\.\.%5cx', errors))
    checks.true("log line of kinds", re.search(r'simdpct: refused: percent at byte 1 of path: \\?"/%2541', errors))
    checks.true("log line of the query", re.search(r'simdpct: refused: control at byte 0 of query: \\?"%0d', errors))
    checks.true("log of report only", re.search(r'refused: slash at byte 7 of path: .*, report only', errors))
    check("raw bytes in the log", re.findall(r"simdpct: .*[^ -~\n].*", errors), [])
    for line in ["GET /..%5cx HTTP/1.1|400|REFUSED|escape,backslash,lower-hex,dot-segment|-|-",
                 "GET /%7e/./%2f HTTP/1.1|200|REFUSED_DRY_RUN|escape,slash,unreserved,lower-hex,dot-segment,empty-segment|-|-",
                 "GET /none HTTP/1.1|404|PASSED|-|-|/none",
                 "CONNECT h:443 HTTP/1.1|200|-|-|-|-", "OPTIONS * HTTP/1.1|200|-|-|-|-",
                 f"GET http://127.0.0.1:{apache.origin_port}/%7e%5c HTTP/1.1|200|-|-|-|-",
                 "GET /%41 HTTP/1.1|200|PASSED|escape,unreserved|-|/A", "GET /./%7e?%25 HTTP/1.1|200|PASSED|escape,unreserved,lower-hex,dot-segment|escape,percent|-"]:
        checks.true(f"access log: {line}", line in access.splitlines())
    check("lines of a refusal", len(re.findall(r"simdpct: .*/once", errors)), 1)


def configuration_errors(apache):
    for directive, message in [
        ("SimdpctRefuse nothing", 'invalid kind "nothing"'),
        ("SimdpctRefuse nul off", 'invalid kind "off"'),
        ("SimdpctRefuse", 'needs kinds, "default" or "off"'),
        ("SimdpctPath strict slash=none dots=keep", 'invalid path policy: \"slash=none\" at byte 7: expected keep, refuse or decode'),
        ('SimdpctPath "default nginx"', 'invalid path policy: \"nginx\" at byte 8: a preset comes first'),
        ("SimdpctDryRun maybe", "must be On or Off"),
        ("<Location />\nSimdpctRefuse nul\n</Location>", "not allowed"),
    ]:
        text = apache.text.replace("SimdpctRefuse percent", directive, 1)
        result = subprocess.run(apache.arguments("other.conf", text) + ["-t"], capture_output=True, text=True)
        check(directive, (result.returncode, message in result.stderr), (1, True))


def restart(apache):
    """A graceful restart reads the new configuration."""
    apache.arguments("httpd.conf", apache.text.replace("SimdpctRefuse percent", "SimdpctRefuse plus"))
    apache.signal(signal.SIGUSR1)
    checks.true("restart", eventually(lambda: apache.get("CANON", b"/+")[0] == 400))


def randomly(apache, count):
    """A target is refused, or the origin gets a path that is its own canonical form and has no dot segments."""
    connection, statuses = Connection(apache.ports["PROXY"]), {}
    for target in random_targets(count):
        answer = connection.request(target)
        statuses[answer[0]] = statuses.get(answer[0], 0) + 1
        got = origin_target(answer)
        if got is not None:
            path = got.partition(b"?")[0]
            again = connection.request(got)
            # httpd decodes %2F when it looks for dot segments, so it refuses "/%2F../".
            if again[0] != 400 or b"%2F" not in path:
                check(f"canonical form of {target}", origin_target(again), got)
            check(f"dot segments of {target}", {b".", b".."} & set(path.split(b"/")), set())
    check("statuses", set(statuses), {200, 400})
    checks.true("both occur", all(number > count / 20 for number in statuses.values()))


def main():
    with checks, Origin() as origin, Apache(sys.argv[1], origin) as apache:
        requests(apache)
        logs(apache)
        configuration_errors(apache)
        randomly(apache, 5_000)
        restart(apache)


if __name__ == "__main__":
    main()
