"""The servers of the path-confusion table in their plain configurations. Used by integrations/check-servers."""

import contextlib
import re
import shutil
import subprocess
from pathlib import Path

import proxies
from servers import HOST, Server, free_port, free_ports

# A column shows the target that the origin gets, or a text that the server derives from the path.
FORWARDED, SHOWN = "->", "="


def version(command):
    """The first version number that a command prints."""
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return re.search(r"\d+\.\d+\.\d+", run.stdout)[0]


@contextlib.contextmanager
def nginx(folder, origin):
    names = ["proxy_pass-no-uri", "proxy_pass-with-uri", "proxy_pass-$request_uri", "proxy_pass-$uri", "rewrite-break", "$uri"]
    backend = f"http://{HOST}:{origin}"
    locations = [f"proxy_pass {backend};", f"proxy_pass {backend}/;", f"proxy_pass {backend}$request_uri;",
                 f"proxy_pass {backend}$uri;", f"rewrite ^(.*)$ $1 break; proxy_pass {backend};", 'return 200 "$uri";']
    ports = free_ports(len(names))
    blocks = "\n".join(
        f"server {{ listen {HOST}:{port}; merge_slashes {'off' if 'rewrite' in location else 'on'}; "
        f"location / {{ {location} }} }}" for port, location in zip(ports, locations))
    with nginx_server(folder, blocks, ports[0]):
        yield dict(zip(names, zip(ports, [FORWARDED] * 5 + [SHOWN])))


def nginx_server(folder, blocks, port, modules=""):
    """nginx with these server blocks, one of which listens on `port`."""
    folder = Path(folder)
    folder.chmod(0o755)
    temporary = "".join(f"{name}_temp_path {folder}/{name}; " for name in
                        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    (folder / "nginx.conf").write_text(
        f"{modules}\ndaemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;\n"
        f"events {{ worker_connections 128; }}\nhttp {{ access_log off; {temporary}\n{blocks}\n}}\n")
    command = ["/usr/sbin/nginx", "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]
    return Server(command, port)


@contextlib.contextmanager
def apache(folder, origin):
    backend = f"http://{HOST}:{origin}/"
    script = Path(folder) / "path.cgi"
    script.write_text('#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n%s" "$PATH_INFO"\n')
    script.chmod(0o755)
    hosts = {
        "ProxyPass": f"ProxyPass / {backend}",
        "nocanon+NoDecode": f"AllowEncodedSlashes NoDecode\nProxyPass / {backend} nocanon",
        "AllowEncodedSlashes-On": f"AllowEncodedSlashes On\nProxyPass / {backend}",
        "CGI-PATH_INFO": f"AllowEncodedSlashes On\nScriptAlias / {script}/",
    }
    ports = free_ports(len(hosts))
    blocks = "\n".join(f"Listen {HOST}:{port}\n<VirtualHost {HOST}:{port}>\n{text}\n</VirtualHost>"
                       for port, text in zip(ports, hosts.values()))
    with apache_server(folder, blocks, ports[0]):
        yield {name: (port, SHOWN if "CGI" in name else FORWARDED) for name, port in zip(hosts, ports)}


def apache_server(folder, blocks, port, modules=()):
    """Apache with these virtual hosts, one of which listens on `port`."""
    folder = Path(folder)
    names = ["mpm_event", "authz_core", "proxy", "proxy_http", "alias", "cgid", *modules]
    loads = "\n".join(f"LoadModule {Path(name).stem.removeprefix('mod_')}_module "
                      + (name if "/" in name else f"/usr/lib/apache2/modules/mod_{name}.so") for name in names)
    # Without root, httpd needs no other account for its workers.
    (folder / "apache.conf").write_text(
        f"{loads}\nServerRoot {folder}\nServerName localhost\nPidFile {folder}/apache.pid\nErrorLog {folder}/apache.log\n"
        f"ScriptSock {folder}/cgi.sock\nStartServers 1\nThreadsPerChild 8\nServerLimit 1\nMaxRequestWorkers 8\n"
        f"{blocks}\n")
    proxies.give(folder, "www-data")
    command = ["/usr/sbin/apache2", "-D", "FOREGROUND", "-f", str(folder / "apache.conf")]
    return Server(command, port, user=proxies.account("www-data"))


HAPROXY = f"""global
    maxconn 200
    expose-experimental-directives
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
backend origin
    server origin {HOST}:ORIGIN
"""


@contextlib.contextmanager
def haproxy(folder, origin):
    normalize = ["path-strip-dot", "path-strip-dotdot full", "path-merge-slashes", "percent-decode-unreserved",
                 "percent-to-uppercase"]
    frontends = {
        "plain": "default_backend origin",
        "accept-invalid": "option accept-invalid-http-request\n    default_backend origin",
        "normalize-uri": "".join(f"http-request normalize-uri {step}\n    " for step in normalize) + "default_backend origin",
        "path,url_dec": 'http-request return status 200 content-type text/plain lf-string "%[path,url_dec]"',
    }
    ports = free_ports(len(frontends))
    blocks = "".join(f"frontend f{port}\n    bind {HOST}:{port}\n    {text}\n" for port, text in zip(ports, frontends.values()))
    with haproxy_server(folder, HAPROXY.replace("ORIGIN", str(origin)) + blocks, ports[0]):
        yield {name: (port, SHOWN if "url_dec" in name else FORWARDED) for name, port in zip(frontends, ports)}


def haproxy_server(folder, text, port):
    """HAProxy with this configuration, in which a frontend listens on `port`."""
    (Path(folder) / "haproxy.cfg").write_text(text)
    return Server(["/usr/sbin/haproxy", "-db", "-f", f"{folder}/haproxy.cfg"], port)


@contextlib.contextmanager
def h2o(folder, origin):
    port = free_port()
    folder = Path(folder)
    (folder / "h2o.yaml").write_text(
        f"listen:\n  host: {HOST}\n  port: {port}\nnum-threads: 1\ntemp-buffer-path: {folder}\n"
        f"hosts:\n  default:\n    paths:\n      /:\n        proxy.reverse.url: http://{HOST}:{origin}/\n")
    proxies.give(folder, "www-data")
    with Server(["h2o", "-m", "worker", "-c", str(folder / "h2o.yaml")], port, user=proxies.account("www-data")):
        yield {"proxy": (port, FORWARDED)}


@contextlib.contextmanager
def varnish(folder, origin):
    text = proxies.varnish_backend(origin) + "sub vcl_recv { return (pass); }\n"
    with proxies.varnish(folder, text) as server:
        yield {"pass": (server.port, FORWARDED)}


@contextlib.contextmanager
def lighttpd(folder, origin):
    strict = ["header-strict", "host-strict", "host-normalize", "url-normalize", "url-normalize-required",
              "url-ctrls-reject", "url-path-2f-reject", "url-path-dotseg-reject"]
    # Leaves out defaults that contradict these settings.
    off = ["url-path-2f-decode", "url-path-dotseg-remove"]
    settings = [f'"{option}" => "enable"' for option in strict] + [f'"{option}" => "disable"' for option in off]
    options = {"mod_proxy-default": "", "mod_proxy-strict": f"server.http-parseopts = ({', '.join(settings)})\n"}
    with contextlib.ExitStack() as stack:
        ports = {}
        for name, text in options.items():
            port = free_port()
            path = Path(folder) / f"{name}.conf"
            path.write_text(
                f'server.modules = ("mod_proxy")\nserver.document-root = "{folder}"\nserver.port = {port}\n'
                f'server.bind = "{HOST}"\n{text}'
                f'proxy.server = ("" => (("host" => "{HOST}", "port" => {origin})))\n')
            stack.enter_context(Server(["/usr/sbin/lighttpd", "-D", "-f", str(path)], port))
            ports[name] = (port, FORWARDED)
        yield ports


@contextlib.contextmanager
def caddy(folder, origin):
    ports = free_ports(2)
    (Path(folder) / "Caddyfile").write_text(
        f"{{\n\tadmin off\n\tauto_https off\n}}\n"
        f"http://:{ports[0]} {{\n\tbind {HOST}\n\treverse_proxy {HOST}:{origin}\n}}\n"
        f'http://:{ports[1]} {{\n\tbind {HOST}\n\trespond "{{http.request.uri.path}}"\n}}\n')
    environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
    command = ["caddy", "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]
    with Server(command, ports[0], env=environment):
        yield {"reverse_proxy": (ports[0], FORWARDED), "uri.path": (ports[1], SHOWN)}


@contextlib.contextmanager
def envoy(folder, origin):
    hardened = {"normalize_path": True, "merge_slashes": True, "path_with_escaped_slashes_action": "REJECT_REQUEST"}
    ports = {}
    with contextlib.ExitStack() as stack:
        for name, options in [("default", {}), ("normalize+reject", hardened)]:
            subfolder = Path(folder) / name
            subfolder.mkdir()
            server = stack.enter_context(proxies.envoy(subfolder, origin, connections=options))
            ports[name] = (server.port, FORWARDED)
        yield ports


@contextlib.contextmanager
def trafficserver(folder, origin):
    with proxies.traffic_server(folder, f"map / http://{HOST}:{origin}/\n") as server:
        yield {"remap": (server.port, FORWARDED)}


# Per server: how to start it, the program to look for, how to ask for its version, and its Debian packages.
SERVERS = {
    "nginx": (nginx, "nginx", ["-v"], ["nginx"]),
    "apache": (apache, "apache2", ["-v"], ["apache2"]),
    "haproxy": (haproxy, "haproxy", ["-v"], ["haproxy"]),
    "h2o": (h2o, "h2o", ["-v"], ["h2o"]),
    "varnish": (varnish, "varnishd", ["-V"], ["varnish"]),
    "lighttpd": (lighttpd, "lighttpd", ["-v"], ["lighttpd"]),
    "caddy": (caddy, "caddy", ["version"], ["caddy"]),
    "envoy": (envoy, "envoy", ["--version"], []),
    "trafficserver": (trafficserver, "traffic_server", ["--version"], ["trafficserver"]),
}


def program(name):
    """The path of a server's program; None if it is not installed."""
    if name == "envoy":
        return proxies.envoy_binary()
    return shutil.which(SERVERS[name][1])
