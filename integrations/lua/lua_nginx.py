"""Starts nginx with the Lua module on the loopback interface, for its tests and its benchmark."""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "lib"), str(HERE.parent / "nginx")]
from nginx import TEMPORARY, Nginx

README = (HERE / "README.md").read_text()

# MODULE is the folder of the module and of the library.
HEAD = r"""
load_module /usr/lib/nginx/modules/ndk_http_module.so;
load_module /usr/lib/nginx/modules/ngx_http_lua_module.so;
pid FOLDER/nginx.pid;
error_log FOLDER/error.log info;
worker_processes 1;
events { worker_connections 512; }
"""

HTTP = "http {\n    access_log off;\n    keepalive_requests 1000000;\n    client_body_buffer_size 64m;\n" \
       "    client_max_body_size 64m;\n" + TEMPORARY


def set_module(module):
    """`module` is the file simdpct.lua for all servers; the library is in the same folder."""
    Nginx.module = Path(module).resolve().parent
    os.environ["LD_LIBRARY_PATH"] = str(Nginx.module)


def calling(file):
    """The configuration of a server that answers with the function of `file` that the path names."""
    return HEAD + HTTP + f"""
    lua_package_path "{HERE}/?.lua;MODULE/?.lua;;";
    init_by_lua_block {{ require "simdpct" }}
    server {{
        listen 127.0.0.1:PORT;
        location ~ ^/(?<name>[a-z]+)$ {{ content_by_lua_block {{ require("{file}")[ngx.var.name]() }} }}
    }}
}}
"""


def code(language, containing=""):
    """The blocks of this language in README.md."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)
    return [block for block in blocks if containing in block]


class Synopsis(Nginx):
    """nginx with the files of README.md's synopsis, as written except addresses, folders and `policy`."""

    def __init__(self, origin, policy=None, change=lambda lua: lua):
        http = re.search(r"^http \{\n(.*)^\}", code("nginx")[0], re.M | re.S)[1]
        for old, new in [("listen 80;", "listen 127.0.0.1:PORT;"), ("127.0.0.1:8080", f"127.0.0.1:{origin.port}"),
                         ("/etc/nginx/lua", "FOLDER"), ("/usr/local/share/lua/5.1", "MODULE")]:
            assert old in http, old
            http = http.replace(old, new)
        lua = code("lua", "function _M.rewrite")[0]
        self.lua = change(lua.replace('"default slash=refuse"', f'"{policy}"') if policy else lua)
        super().__init__(HEAD + HTTP + http + "}", ["PORT"])
        self.write("paths.lua", self.lua)
