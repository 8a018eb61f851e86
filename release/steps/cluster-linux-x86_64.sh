# shellcheck shell=bash
# The programs of a cluster for Linux on x86-64: simdpct-ballista and simdpct-sql.
about="two executors on loopback answer a query as one process does; needs glibc 2.17 alone"

target=x86_64-unknown-linux-gnu

make_it() {
    zig_need
    local profile=release folder=release name=simdpct-cluster-$version-$target built=$PWD/target/release-cluster
    if ((is_quick)); then
        profile=dev folder=debug
    fi
    # Both at once, so that what they share is compiled once.
    remapped auditable zigbuild --locked --quiet --profile "$profile" --manifest-path engines/Cargo.toml --package simdpct-ballista \
        --package simdpct-datafusion --bins --target "$target.2.17" --target-dir "$built"
    mkdir "$work/$name"
    install -m 755 "$built/$target/$folder"/simdpct-{ballista,sql} "$work/$name"
    install -m 644 LICENSE-APACHE LICENSE-MIT docs/cluster.md docs/engines.md "$work/$name"
    install -m 644 engines/ballista/README.md "$work/$name/README.md"
    release/notices --manifest-path engines/Cargo.toml simdpct-ballista >"$work/$name/THIRD-PARTY.txt"
    archive "$work/$name" "$artefacts/$name.tar.gz"
}

check_it() {
    debian_need python3
    tar -xzf "$artefacts"/*.tar.gz -C "$work"
    local folder program
    folder=$(echo "$work"/simdpct-cluster-*)
    for program in "$folder"/simdpct-{ballista,sql}; do
        needs_glibc_at_most "$program" 2.17
        has_no_path "$program"
        lists_its_crates "$program"
    done
    python3 release/check-cluster.py "$folder"
}
