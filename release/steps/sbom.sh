# shellcheck shell=bash
# Bills of materials in CycloneDX: of the command, the C library and the tower layer.
about="valid JSON of CycloneDX 1.5 with every crate that cargo says is linked"

make_it() {
    tool_need cargo-cyclonedx 0.5.9
    # The tool writes beside the manifests, so it works on a copy.
    mkdir "$work/copy"
    git ls-files -z | tar --null --files-from=- -cf - | tar -xf - -C "$work/copy"
    (cd "$work/copy" && cargo cyclonedx --format json --spec-version 1.5 --target x86_64-unknown-linux-gnu --quiet)
    local crate folder
    for crate in simdpct-cli:crates/pct simdpct-capi:crates/capi simdpct-capi-url:crates/capi-url simdpct-tower:crates/tower; do
        folder=${crate#*:}
        # Removes the path of the copy, which is useless to readers.
        sed "s|$work/copy|simdpct|g" "$work/copy/$folder"/*.cdx.json >"$artefacts/${crate%%:*}-$version.cdx.json"
    done
}

check_it() {
    local crate
    for crate in simdpct-cli simdpct-capi simdpct-capi-url simdpct-tower; do
        cargo tree --locked --package "$crate" --edges normal --prefix none --format '{p}' --target x86_64-unknown-linux-gnu |
            awk '{ print $1 " " substr($2, 2) }' | sort -u >"$work/linked"
        python3 - "$artefacts/$crate-$version.cdx.json" "$work/linked" <<'END'
import json
import sys

bom = json.load(open(sys.argv[1]))
assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.5"), bom["specVersion"]
found = {(part["name"], part["version"]) for part in [bom["metadata"]["component"], *bom["components"]]}
linked = {tuple(line.split()) for line in open(sys.argv[2])}
assert linked <= found, linked - found
END
        has_no_path "$artefacts/$crate-$version.cdx.json"
    done
}
