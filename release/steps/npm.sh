# shellcheck shell=bash
# The package of npm: JavaScript over two WebAssembly modules.
about="installed from its archive in an empty folder; its tests in Node, Deno, Bun, workerd and Chromium (quick: Node)"

make_it() {
    node_need
    npm/build >"$work/log" 2>&1 || { cat "$work/log" && return 1; }
    cp "target/npm/simdpct-$version.tgz" "$artefacts"
}

check_it() {
    node_need
    tar -xzf "$artefacts/simdpct-$version.tgz" -C "$work"
    has_no_path "$work"/package/*.wasm
    ls "$work"/package/{README.md,LICENSE-MIT,index.d.ts} >/dev/null
    # Without names, npm/check tests all platforms.
    local platforms=()
    ((!is_quick)) || platforms=(node)
    npm/check --archive "$artefacts/simdpct-$version.tgz" "${platforms[@]}"
}
