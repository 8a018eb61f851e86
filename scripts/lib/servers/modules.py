"""The servers with their modules on, each before an origin, with a path policy. Used by scripts/check-servers."""

import proxies
from plain import nginx_server
from servers import HOST, free_port


def nginx(folder, origin, policy, module):
    port = free_port()
    block = (f"server {{ listen {HOST}:{port}; simdpct_path {policy};\n"
             f"location / {{ proxy_pass http://{HOST}:{origin}$simdpct_path$is_args$args; }} }}")
    return nginx_server(folder, block, port, f"load_module {module};")


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


SERVERS = {"nginx": nginx, "varnish": varnish, "trafficserver": trafficserver, "envoy": envoy}
