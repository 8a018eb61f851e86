#!/usr/bin/env python3
"""Times the functions of the Lua module and nginx's, in turns in one nginx: bench.py simdpct.lua. Run by integrations/lua/bench."""

import sys

sys.dont_write_bytecode = True
from lua_nginx import Nginx, calling, set_module

set_module(sys.argv[1])
with Nginx(calling("bench"), ["PORT"]) as nginx:
    print(nginx.get(b"/bench", timeout=120)[2].decode(), end="")
