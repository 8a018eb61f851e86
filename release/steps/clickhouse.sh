# shellcheck shell=bash
# ClickHouse's configuration of functions that run the command.
about="valid XML that names the command alone; engines/clickhouse/check runs it in ClickHouse"

make_it() {
    local name=simdpct-clickhouse-$version
    mkdir "$work/$name"
    cp engines/clickhouse/udf.xml engines/clickhouse/README.md LICENSE-APACHE LICENSE-MIT "$work/$name"
    archive "$work/$name" "$artefacts/$name.tar.gz"
}

check_it() {
    tar -xzf "$artefacts"/*.tar.gz -C "$work"
    python3 - "$work"/simdpct-clickhouse-*/udf.xml <<'END'
import sys
import xml.etree.ElementTree

commands = [command.text.split()[0] for command in xml.etree.ElementTree.parse(sys.argv[1]).iter("command")]
assert len(commands) > 4 and set(commands) == {"pct"}, commands
END
}
