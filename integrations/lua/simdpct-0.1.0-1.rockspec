rockspec_format = "3.0"
package = "simdpct"
version = "0.1.0-1"
-- Read by `luarocks install` only: there is no release to download yet, and `luarocks make` builds this folder.
source = {
   url = "git+file://.",
}
description = {
   summary = "Percent-decoding and -encoding, findings and canonical paths, for LuaJIT in nginx",
   detailed = "A module for OpenResty and Kong over the C library libsimdpct, which has to be installed apart.",
   license = "MIT OR Apache-2.0",
   labels = { "openresty", "url", "security", "ffi" },
}
dependencies = {
   "lua ~> 5.1",
}
external_dependencies = {
   SIMDPCT = {
      library = "simdpct",
   },
}
build = {
   type = "builtin",
   modules = {
      simdpct = "lib/simdpct.lua",
   },
}
