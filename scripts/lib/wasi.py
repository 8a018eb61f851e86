"""Runs a WASI program in wasmtime, as a runner of cargo: wasi.py PROGRAM ARGUMENT...

The program sees the whole file system, and the environment.
"""

import os
import sys

import wasmtime

engine = wasmtime.Engine()
store = wasmtime.Store(engine)
wasi = wasmtime.WasiConfig()
wasi.argv = sys.argv[1:]
wasi.env = list(os.environ.items())
wasi.preopen_dir("/", "/")
wasi.preopen_dir(".", ".")
wasi.inherit_stdin()
wasi.inherit_stdout()
wasi.inherit_stderr()
store.set_wasi(wasi)

linker = wasmtime.Linker(engine)
linker.define_wasi()
module = wasmtime.Module.from_file(engine, sys.argv[1])
# Debian's wasi-libc has no threads, but the standard library refers to some of their functions.
linker.define_unknown_imports_as_traps(module)
try:
    linker.instantiate(store, module).exports(store)["_start"](store)
except wasmtime.ExitTrap as exit:
    sys.exit(exit.code)
