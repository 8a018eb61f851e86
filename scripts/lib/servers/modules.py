"""The servers with their modules on, each before an origin, with a path policy. Used by scripts/check-servers."""

import proxies
from plain import HAPROXY, apache_server, haproxy_server, nginx_server
from servers import HOST, free_port


def nginx(folder, origin, policy, module):
    port = free_port()
    block = (f"server {{ listen {HOST}:{port}; simdpct_path {policy};\n"
             f"location / {{ proxy_pass http://{HOST}:{origin}; }} }}")
    return nginx_server(folder, block, port, f"load_module {module};")


def apache(folder, origin, policy, module):
    port = free_port()
    block = (f"Listen {HOST}:{port}\n<VirtualHost {HOST}:{port}>\nSimdpctPath {policy}\nAllowEncodedSlashes NoDecode\n"
             f"ProxyPass / http://{HOST}:{origin}/ nocanon\n</VirtualHost>")
    return apache_server(folder, block, port, [str(module)])


def haproxy(folder, origin, policy, module):
    port = free_port()
    (folder / "paths.lua").write_text('require("simdpct_haproxy") {}\n')
    lua = (f"    lua-prepend-path {module.parent}/?.so cpath\n    lua-prepend-path {module.parent}/?.lua\n"
           f"    lua-load-per-thread {folder}/paths.lua\ndefaults\n")
    return haproxy_server(folder, HAPROXY.replace("ORIGIN", str(origin)).replace("defaults\n", lua, 1) + f"""
frontend main
    bind {HOST}:{port}
    http-request set-var(txn.path) path,lua.simdpct_path({policy})
    http-request deny deny_status 400 unless {{ var(txn.path) -m beg / }}
    http-request set-path %[var(txn.path)]
    default_backend origin
""", port)


def varnish(folder, origin, policy, module):
    return proxies.varnish(folder, proxies.varnish_backend(origin) + f"""
import simdpct from "{module}";
sub vcl_init {{ new paths = simdpct.policy("{policy}"); }}
sub vcl_recv {{
    if (!paths.accepts(req.url)) {{ return (synth(400)); }}
    set req.url = paths.canonical(req.url);
    return (pass);
}}
""")


def trafficserver(folder, origin, policy, module):
    return proxies.traffic_server(folder, f"map / http://{HOST}:{origin}/\n", f"{module} {policy}\n")


def envoy(folder, origin, policy, module):
    return proxies.envoy(folder, origin, filters=[proxies.envoy_filter(policy)], modules=module.parent)


SERVERS = {"nginx": nginx, "apache": apache, "haproxy": haproxy, "varnish": varnish, "trafficserver": trafficserver, "envoy": envoy}
