# shellcheck shell=bash
# Sourced by the steps of a cluster's programs: makes the archive for $target, and has the checks for all
# machines.

# cluster_archive TARGET_FOLDER: makes the archive of simdpct-ballista and simdpct-sql, for glibc 2.17 and
# later.
cluster_archive() {
    zig_need
    local profile=release folder=release name=simdpct-cluster-$version-$target built=$PWD/$1
    if ((is_quick)); then
        profile=dev folder=debug
    fi
    # Builds both together, so that shared dependencies are compiled once.
    remapped auditable zigbuild --locked --quiet --profile "$profile" --manifest-path engines/Cargo.toml --package simdpct-ballista \
        --package simdpct-datafusion --bins --target "$target.2.17" --target-dir "$built"
    mkdir "$work/$name"
    install -m 755 "$built/$target/$folder"/simdpct-{ballista,sql} "$work/$name"
    install -m 644 LICENSE-APACHE LICENSE-MIT docs/cluster.md docs/engines.md "$work/$name"
    install -m 644 engines/ballista/README.md "$work/$name/README.md"
    release/notices --manifest-path engines/Cargo.toml simdpct-ballista >"$work/$name/THIRD-PARTY.txt"
    archive "$work/$name" "$artefacts/$name.tar.gz"
}

# cluster_unpacked: unpacks the archive, and checks it as far as possible without running it. Sets $folder.
cluster_unpacked() {
    local program
    tar -xzf "$artefacts"/*.tar.gz -C "$work"
    folder=$(echo "$work"/simdpct-cluster-*)
    for program in "$folder"/simdpct-{ballista,sql}; do
        needs_glibc_at_most "$program" 2.17
        has_no_path "$program"
        lists_its_crates "$program"
    done
}
