# shellcheck shell=bash
# The DuckDB extension for Linux on x86-64.
about="loaded by the DuckDB of PyPI in a fresh environment; decodes and normalizes"

make_it() {
    local name=simdpct-duckdb-$version-linux_amd64
    mkdir "$work/$name"
    remapped engines/duckdb/build "$work/$name/simdpct.duckdb_extension"
    cp engines/duckdb/README.md LICENSE-APACHE LICENSE-MIT "$work/$name"
    archive "$work/$name" "$artefacts/$name.tar.gz"
}

check_it() {
    tar -xzf "$artefacts"/*.tar.gz -C "$work"
    has_no_path "$work"/simdpct-duckdb-*/simdpct.duckdb_extension
    python_environment "$work/environment"
    pip_install "$work/environment" 'duckdb>=2,<3'
    "$work/environment/bin/python" - "$work"/simdpct-duckdb-*/simdpct.duckdb_extension <<'END'
import sys

import duckdb

connection = duckdb.connect(config={"allow_unsigned_extensions": True})
connection.load_extension(sys.argv[1])
rows = connection.sql("select try_pct_decode(x), url_domain(x) from (values ('http://www.e.org/%41'), ('%')) t(x)").fetchall()
assert rows == [("http://www.e.org/A", "e.org"), (None, None)], rows
END
}
