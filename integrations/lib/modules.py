"""The servers with their modules on, each before an origin. Used by integrations/check-servers and integrations/check.

`guard` is the text of a guard. None leaves the module out, and `module` is then not used. With `denies`, a
server also has the rule of its module's README, which answers /admin and all paths below it with 403. README
has, for each server, the configuration in its README and the path policy there. Only ports, folders and the
delay of Envoy differ."""

import re
from pathlib import Path

import proxies
from plain import HAPROXY, apache_server, haproxy_server, nginx_server
from servers import HOST, free_port

INTEGRATIONS = Path(__file__).resolve().parents[1]
REPORT_ONLY = "report-only "


def nginx(folder, origin, policy, module):
    port = free_port()
    block = (f"server {{ listen {HOST}:{port}; simdpct_path {policy};\n"
             f"location / {{ proxy_pass http://{HOST}:{origin}; }} }}")
    return nginx_server(folder, block, port, f"load_module {module};")


def apache(folder, origin, guard, module, denies=False):
    port = free_port()
    rule = '<LocationMatch "^/admin">\nRequire all denied\n</LocationMatch>\n' if denies else ""
    directives = ""
    if guard is not None:
        directives = f"SimdpctPath {guard.removeprefix(REPORT_ONLY)}\n"
        directives += "SimdpctDryRun on\n" if guard.startswith(REPORT_ONLY) else ""
    return apache_host(folder, port, f"<VirtualHost {HOST}:{port}>\n{directives}AllowEncodedSlashes NoDecode\n"
                       f"{rule}ProxyPass / http://{HOST}:{origin}/ nocanon\n</VirtualHost>", module if guard is not None else None)


def apache_host(folder, port, block, module):
    block = f"Listen {HOST}:{port}\nMaxKeepAliveRequests 0\nProtocols h2c http/1.1\n{block}"
    return apache_server(folder, block, port, ["http2"] + ([str(module)] if module else []))


def apache_readme(folder, origin, module):
    port = free_port()
    block = re.search(r"^<VirtualHost .*?^</VirtualHost>", proxies.readme(INTEGRATIONS / "apache", "apache"), re.M | re.S)[0]
    block = block.replace("*:80", f"{HOST}:{port}").replace("127.0.0.1:8080", f"{HOST}:{origin}")
    return apache_host(folder, port, block, module)


def haproxy(folder, origin, guard, module, denies=False):
    port = free_port()
    rules = ["http-request set-var(txn.refused) pathq,lua.simdpct_refused(rules)",
             "http-request set-var(txn.target) pathq,lua.simdpct_target(rules)",
             "http-request deny deny_status 400 unless { var(txn.target) -m beg / }",
             "http-request set-path %[var(txn.target),field(1,?)]"]
    if guard is None:
        rules = []
    elif guard == "off":
        # As README.md has it.
        rules = rules[:3]
    elif guard.startswith(REPORT_ONLY):
        # As README.md has it.
        rules = rules[:1]
    if denies:
        rules.append("http-request deny deny_status 403 if { path_beg /admin }")
    frontend = "\n    ".join(["frontend main", f"bind {HOST}:{port}", *rules, "default_backend origin"]) + "\n"
    return haproxy_frontend(folder, origin, port, f'require("simdpct_haproxy") {{ rules = "{guard}" }}\n', frontend,
                            module if guard is not None else None)


def haproxy_frontend(folder, origin, port, definitions, frontend, module):
    text = HAPROXY.replace("ORIGIN", str(origin))
    if module is not None:
        (folder / "paths.lua").write_text(definitions)
        lua = (f"    lua-prepend-path {module.parent}/?.so cpath\n    lua-prepend-path {module.parent}/?.lua\n"
               f"    lua-load-per-thread {folder}/paths.lua\ndefaults\n")
        text = text.replace("defaults\n", lua, 1)
    return haproxy_server(folder, f"{text}\n{frontend}", port)


def haproxy_readme(folder, origin, module):
    port, text = free_port(), proxies.readme(INTEGRATIONS / "haproxy", "haproxy")
    frontend = text[text.index("frontend main"):].replace("bind :80", f"bind {HOST}:{port}") + "    default_backend origin\n"
    return haproxy_frontend(folder, origin, port, proxies.readme(INTEGRATIONS / "haproxy", "lua"), frontend, module)


def varnish(folder, origin, guard, module, denies=False):
    rule = 'if (req.url ~ "^/admin") { return (synth(403)); }' if denies else ""
    text = f"sub vcl_recv {{ {rule} return (pass); }}\n" if guard is None else f"""
import simdpct from "{module}";
sub vcl_init {{ new paths = simdpct.guard("{guard}"); }}
sub vcl_recv {{
    if (!paths.accepts(req.url)) {{ return (synth(400)); }}
    set req.url = paths.canonical(req.url);
    {rule}
    return (pass);
}}
"""
    return proxies.varnish(folder, proxies.varnish_backend(origin) + text)


def varnish_readme(folder, origin, module):
    text = proxies.readme(INTEGRATIONS / "varnish", "vcl").replace('"8080"', f'"{origin}"')
    return proxies.varnish(folder, text.replace("import simdpct;", f'import simdpct from "{module}";'))


def trafficserver(folder, origin, guard, module, denies=False):
    rule = f"map /admin http://{HOST}:{origin}/admin @action=deny @src_ip=0.0.0.0-255.255.255.255\n" if denies else ""
    return proxies.traffic_server(folder, f"{rule}map / http://{HOST}:{origin}/\n", f"{module} {guard}\n" if guard is not None else "")


def trafficserver_readme(folder, origin, module):
    plugin = proxies.readme(INTEGRATIONS / "trafficserver", "text").strip()
    return trafficserver(folder, origin, plugin.removeprefix("simdpct.so "), module, denies=True)


def envoy(folder, origin, guard, module, denies=False):
    return envoy_with(folder, origin, [proxies.envoy_filter(guard)] if guard is not None else [], denies, module.parent)


def proxy_wasm(folder, origin, guard, module, denies=False):
    return envoy_with(folder, origin, [proxies.proxy_wasm_filter(guard, module)] if guard is not None else [], denies)


def envoy_with(folder, origin, filters, denies, modules=None):
    routes = [{"match": {"prefix": "/admin"}, "direct_response": {"status": 403}}] if denies else []
    # Without the delay, Envoy keeps a connection for a second after a malformed request.
    return proxies.envoy(folder, origin, routes=routes, connections={"delayed_close_timeout": "0s"}, filters=filters, modules=modules)


def envoy_readme(folder, origin, module):
    return envoy_example(folder, origin, proxies.readme(INTEGRATIONS / "envoy", "yaml"), module.parent)


def proxy_wasm_readme(folder, origin, module):
    text = proxies.readme(INTEGRATIONS / "proxy-wasm", "yaml")
    return envoy_example(folder, origin, text.replace("simdpct_proxy_wasm.wasm", str(module)))


def envoy_example(folder, origin, text, modules=None):
    port = free_port()
    # The new line gets the indentation of the replaced one.
    delay = "delayed_close_timeout: 0s\n" + " " * 16 + "stat_prefix: http\n"
    for old, new in [("port_value: 10000", f"port_value: {port}"), ("port_value: 8080", f"port_value: {origin}"),
                     ("stat_prefix: http\n", delay)]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return proxies.envoy_server(folder, text, port, modules)


def workerd(folder, origin, guard, module, denies=False):
    rule = "if (path.startsWith('/admin')) { return new Response('denied\\n', { status: 403 }); }" if denies else ""
    handle = f"(request, path, env) => {{ {rule} return env.ORIGIN.fetch(request); }}"
    worker = f"""import {{ guarded }} from './guard.js';
const handle = {handle};
const plain = {{ fetch: (request, env) => handle(request, request.url.replace(/^http:..[^/]*/, ''), env) }};
export default {"plain" if guard is None else f"guarded({guard!r}, handle)"};
"""
    return proxies.workerd(folder, origin, worker, module)


def workerd_readme(folder, origin, module):
    return proxies.workerd(folder, origin, proxies.readme(INTEGRATIONS / "workerd", "js"), module)


SERVERS = {"nginx": nginx, "apache": apache, "haproxy": haproxy, "varnish": varnish, "trafficserver": trafficserver, "envoy": envoy,
           "proxy-wasm": proxy_wasm, "workerd": workerd}
README = {
    "apache": (apache_readme, "default"), "haproxy": (haproxy_readme, "default slash=refuse"),
    "varnish": (varnish_readme, "default slash=refuse"), "trafficserver": (trafficserver_readme, "default"),
    "envoy": (envoy_readme, "default"), "proxy-wasm": (proxy_wasm_readme, "default"),
    "workerd": (workerd_readme, "default"),
}
# Modules for a server that has another one.
RUN_IN = {"proxy-wasm": "envoy"}
# The servers that speak no HTTP/2 here.
WITHOUT_HTTP2 = {"workerd"}
