"""The servers with their modules on, each before an origin, with a path policy. With `denies`, also with the rule of
the module's README, which answers /admin and what lies below it with 403. Used by scripts/check-servers and
scripts/check-integrations."""

import proxies
from plain import HAPROXY, apache_server, haproxy_server, nginx_server
from servers import HOST, free_port


def nginx(folder, origin, policy, module):
    port = free_port()
    block = (f"server {{ listen {HOST}:{port}; simdpct_path {policy};\n"
             f"location / {{ proxy_pass http://{HOST}:{origin}; }} }}")
    return nginx_server(folder, block, port, f"load_module {module};")


def apache(folder, origin, policy, module, denies=False):
    port = free_port()
    rule = '<LocationMatch "^/admin">\nRequire all denied\n</LocationMatch>\n' if denies else ""
    block = (f"Listen {HOST}:{port}\nMaxKeepAliveRequests 0\nProtocols h2c http/1.1\n"
             f"<VirtualHost {HOST}:{port}>\nSimdpctPath {policy}\nAllowEncodedSlashes NoDecode\n"
             f"{rule}ProxyPass / http://{HOST}:{origin}/ nocanon\n</VirtualHost>")
    return apache_server(folder, block, port, ["http2", str(module)])


def haproxy(folder, origin, policy, module, denies=False):
    port = free_port()
    (folder / "paths.lua").write_text(f'require("simdpct_haproxy") {{ rules = "{policy}" }}\n')
    rule = "http-request deny deny_status 403 if { path_beg /admin }" if denies else ""
    lua = (f"    lua-prepend-path {module.parent}/?.so cpath\n    lua-prepend-path {module.parent}/?.lua\n"
           f"    lua-load-per-thread {folder}/paths.lua\ndefaults\n")
    return haproxy_server(folder, HAPROXY.replace("ORIGIN", str(origin)).replace("defaults\n", lua, 1) + f"""
frontend main
    bind {HOST}:{port}
    http-request set-var(txn.target) pathq,lua.simdpct_target(rules)
    http-request deny deny_status 400 unless {{ var(txn.target) -m beg / }}
    http-request set-pathq %[var(txn.target)]
    {rule}
    default_backend origin
""", port)


def varnish(folder, origin, policy, module, denies=False):
    rule = 'if (req.url ~ "^/admin") { return (synth(403)); }' if denies else ""
    return proxies.varnish(folder, proxies.varnish_backend(origin) + f"""
import simdpct from "{module}";
sub vcl_init {{ new paths = simdpct.guard("{policy}"); }}
sub vcl_recv {{
    if (!paths.accepts(req.url)) {{ return (synth(400)); }}
    set req.url = paths.canonical(req.url);
    {rule}
    return (pass);
}}
""")


def trafficserver(folder, origin, policy, module, denies=False):
    rule = f"map /admin http://{HOST}:{origin}/admin @action=deny @src_ip=0.0.0.0-255.255.255.255\n" if denies else ""
    return proxies.traffic_server(folder, f"{rule}map / http://{HOST}:{origin}/\n", f"{module} {policy}\n")


def envoy(folder, origin, policy, module, denies=False):
    routes = [{"match": {"prefix": "/admin"}, "direct_response": {"status": 403}}] if denies else []
    # Without the delay, Envoy keeps a connection for a second after a malformed request.
    return proxies.envoy(folder, origin, routes=routes, connections={"delayed_close_timeout": "0s"}, filters=[proxies.envoy_filter(policy)], modules=module.parent)


SERVERS = {"nginx": nginx, "apache": apache, "haproxy": haproxy, "varnish": varnish, "trafficserver": trafficserver, "envoy": envoy}
