"""Starts Varnish, Traffic Server and Envoy on the loopback interface, for the tests of their modules and for
integrations/check-servers. Each function returns a `Server`, whose files are in `folder`."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from servers import HOST, Server, free_port


def readme(folder, language):
    """The first block of code in this language in the README.md of a folder of integrations/."""
    return re.search(rf"^```{language}\n(.*?)^```", (Path(folder) / "README.md").read_text(), re.M | re.S)[1]


def account(name):
    """The account for servers, if this process runs as root."""
    return name if os.geteuid() == 0 else None


def give(folder, name):
    """Gives a folder with its contents to an account, if this process runs as root."""
    if account(name):
        subprocess.run(["chown", "-R", name, str(folder)], check=True)
        Path(folder).chmod(0o755)


def varnish(folder, vcl):
    """Varnish with this configuration. `folder` is also the -n of varnishlog."""
    folder, port = Path(folder), free_port()
    (folder / "default.vcl").write_text(vcl)
    give(folder, "varnish")
    command = ["varnishd", "-F", "-j", "none", "-a", f"{HOST}:{port}", "-n", str(folder), "-s", "malloc,16m", "-f",
               str(folder / "default.vcl"), "-p", "vcc_unsafe_path=on", "-p", "thread_pool_min=5", "-p", "thread_pools=1",
               "-p", "feature=+http2"]
    return Server(command, port, env={"PATH": os.environ["PATH"] + ":/usr/sbin"}, user=account("varnish"))


def varnish_backend(port):
    """The beginning of a configuration with this backend."""
    return f'vcl 4.1;\nbackend default {{ .host = "{HOST}"; .port = "{port}"; }}\n'


def traffic_server(folder, remap, plugins="", logging=""):
    """Traffic Server with the contents of remap.config, plugin.config and logging.yaml. It refuses to run as root."""
    folder, port = Path(folder), free_port()
    folders = {name: folder / name for name in ["etc", "log", "run", "cache"]}
    for each in folders.values():
        each.mkdir(parents=True)
    # Without these files, Traffic Server complains. Empty files mean the defaults.
    for name in ["cache.config", "hosting.config", "parent.config", "records.config", "sni.yaml", "socks.config",
                 "splitdns.config", "ssl_multicert.config", "storage.config", "strategies.yaml", "volume.config"]:
        (folders["etc"] / name).write_text("")
    shutil.copy("/etc/trafficserver/ip_allow.yaml", folders["etc"])
    for name, text in [("remap.config", remap), ("plugin.config", plugins), ("logging.yaml", logging)]:
        (folders["etc"] / name).write_text(text)
    roots = {"prefix": folder, "exec_prefix": folder, "bindir": "/usr/bin", "sbindir": "/usr/sbin",
             "sysconfdir": folders["etc"], "datadir": folders["cache"], "includedir": "/usr/include", "libdir": "/usr/lib",
             "libexecdir": "/usr/lib/trafficserver/modules", "localstatedir": folders["run"],
             "runtimedir": folders["run"], "logdir": folders["log"], "mandir": folder, "infodir": folder,
             "cachedir": folders["cache"]}
    (folder / "runroot.yaml").write_text("".join(f"{name}: {path}\n" for name, path in roots.items()))
    give(folder, "trafficserver")
    # The option -p would listen on all interfaces.
    env = {"PATH": os.environ["PATH"], "PROXY_CONFIG_HTTP_SERVER_PORTS": f"{port}:ip-in={HOST}:proto=http;http2",
           "PROXY_CONFIG_HTTP_CACHE_HTTP": "0", "PROXY_CONFIG_EXEC_THREAD_AUTOCONFIG": "0",
           "PROXY_CONFIG_EXEC_THREAD_LIMIT": "1", "PROXY_CONFIG_LOG_MAX_SECS_PER_BUFFER": "1"}
    command = ["traffic_server", f"--run-root={folder}/runroot.yaml"]
    return Server(command, port, env=env, user=account("trafficserver"))


def envoy_binary():
    """The path of Envoy: the environment variable ENVOY, or `envoy` on the PATH. None if it is not installed."""
    return os.environ.get("ENVOY") or shutil.which("envoy")


def envoy(folder, origin, filters=(), connections=(), access_log=None, modules=None, routes=()):
    """Envoy before an origin, with these HTTP filters and options of its connection manager.

    After these routes, a route answers the path /admin, compared byte for byte, with 403. `modules` is the
    folder of dynamic modules.
    """
    folder, port = Path(folder), free_port()
    prefix = "type.googleapis.com/envoy.extensions"
    routes = [*routes, {"match": {"path": "/admin"}, "direct_response": {"status": 403}},
              {"match": {"prefix": "/"}, "route": {"cluster": "origin"}}]
    router = {"name": "envoy.filters.http.router", "typed_config": {"@type": f"{prefix}.filters.http.router.v3.Router"}}
    manager = {"@type": f"{prefix}.filters.network.http_connection_manager.v3.HttpConnectionManager",
               "stat_prefix": "http",
               "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": routes}]},
               "http_filters": [*filters, router]} | dict(connections)
    if access_log is not None:
        log = {"@type": f"{prefix}.access_loggers.file.v3.FileAccessLog", "path": str(folder / "access.log"),
               "log_format": {"text_format_source": {"inline_string": access_log + "\n"}}}
        manager["access_log"] = [{"name": "envoy.access_loggers.file", "typed_config": log}]

    def address(number):
        return {"address": {"socket_address": {"address": HOST, "port_value": number}}}

    chain = {"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]}
    cluster = {"name": "origin", "type": "STATIC", "load_assignment": {
        "cluster_name": "origin", "endpoints": [{"lb_endpoints": [{"endpoint": address(origin)}]}]}}
    configuration = {"static_resources": {
        "listeners": [{"name": "http", **address(port), "filter_chains": [chain]}], "clusters": [cluster]}}
    return envoy_server(folder, json.dumps(configuration), port, modules)


def envoy_server(folder, configuration, port, modules):
    """Envoy with this configuration, in YAML or JSON, which listens on `port`."""
    path = Path(folder) / "envoy.yaml"
    path.write_text(configuration)
    env = {"PATH": os.environ["PATH"]} | ({"ENVOY_DYNAMIC_MODULES_SEARCH_PATH": str(modules)} if modules else {})
    return Server([envoy_binary(), "-c", str(path), "--concurrency", "1", "--disable-hot-restart", "-l", "warn"], port, env=env)


def envoy_filter(policy):
    """The filter of integrations/envoy with this policy."""
    return {"name": "simdpct", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilter",
        "dynamic_module_config": {"name": "simdpct_filter"}, "filter_name": "simdpct",
        "filter_config": {"@type": "type.googleapis.com/google.protobuf.StringValue", "value": policy}}}


def proxy_wasm_filter(guard, module):
    """The filter of integrations/proxy-wasm with this guard."""
    code = {"local": {"filename": str(module)}}
    return {"name": "simdpct", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm", "config": {
            "name": "simdpct", "vm_config": {"runtime": "envoy.wasm.runtime.v8", "code": code},
            "configuration": {"@type": "type.googleapis.com/google.protobuf.StringValue", "value": guard}}}}


def workerd(folder, origin, worker, module):
    """workerd with the configuration of integrations/workerd/README.md and this text of worker.js. `module` is guard.js
    beside node_modules."""
    folder, port = Path(folder), free_port()
    text = readme(Path(__file__).resolve().parents[1] / "workerd", "capnp")
    for old, new in [("127.0.0.1:8787", f"{HOST}:{port}"), ("127.0.0.1:8080", f"{HOST}:{origin}")]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / "config.capnp").write_text(text)
    (folder / "worker.js").write_text(worker)
    shutil.copy(module, folder / "guard.js")
    packages = Path(module).parent / "node_modules"
    (folder / "node_modules").symlink_to(packages)
    # The program itself: the script in front of it is made by a postinstall, which may not run.
    program, = packages.glob("@cloudflare/workerd-*/bin/workerd")
    return Server([str(program), "serve", "config.capnp"], port, cwd=folder)
