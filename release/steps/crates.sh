# shellcheck shell=bash
# The crates of both workspaces, packed as for the registry.
about="from the .crate files alone: cargo install of the command, docs.rs's command, the engines' crates compile"

# The crates, in the order of publishing.
crates=(simdpct closed-streams simdpct-cli simdpct-tower)
engines=(simdpct-functions simdpct-arrow simdpct-datafusion simdpct-ballista)

make_it() {
    # release/check builds the crates. --allow-dirty is safe, because dist/state records the sources.
    local pack=(cargo package --allow-dirty --no-verify --target-dir target/release-crates)
    "${pack[@]}" --locked "${crates[@]/#/--package=}" 2>&1 | tee "$work/log"
    # Until simdpct is published, the registry lacks the dependencies of these crates.
    "${pack[@]}" --manifest-path engines/Cargo.toml --config "patch.crates-io.simdpct.path=\"$root\"" "${engines[@]/#/--package=}" \
        2>&1 | tee -a "$work/log"
    # cargo notes that tests and examples are not packed.
    ! grep '^warning' "$work/log" | grep -vE ': ignoring (test|example)' || die "cargo package warns"
    local crate
    for crate in "${crates[@]}" "${engines[@]}"; do
        cp "target/release-crates/package/$crate-$version.crate" "$artefacts"
    done
}

check_it() {
    local crate patches=()
    for crate in "${crates[@]}" "${engines[@]}"; do
        tar -xzf "$artefacts/$crate-$version.crate" -C "$work"
        ls "$work/$crate-$version"/LICENSE-{MIT,APACHE} >/dev/null
        # Patches the siblings until they are published.
        patches+=(--config "patch.crates-io.$crate.path=\"$work/$crate-$version\"")
    done
    cd "$work/simdpct-cli-$version"
    # Does not use --locked: the lock file of a package names its siblings as packages of the registry.
    cargo install --debug --path . --root "$work/root" --target-dir "$root/target/release-crates" --quiet "${patches[@]}"
    [[ $(echo 'caf%C3%A9' | "$work/root/bin/pct" decode) == café ]]
    document simdpct simdpct-tower
    cd "$work/simdpct-arrow-$version"
    cargo check --quiet --target-dir "$root/target/release-crates" "${patches[@]}"
    ((is_quick)) && return
    # Ballista depends on the other crates. Its dependencies take minutes.
    cd "$work/simdpct-ballista-$version"
    cargo check --quiet --target-dir "$(engines_target)/release-crates" "${patches[@]}"
}

# document CRATE...: builds the documentation as docs.rs does, with a nightly toolchain if one is installed.
document() {
    local crate toolchain=() flags=-Dwarnings
    if rustc +nightly --version >/dev/null 2>&1; then
        toolchain=(+nightly)
        flags="--cfg docsrs -Dwarnings"
    fi
    for crate in "$@"; do
        cd "$work/$crate-$version"
        RUSTDOCFLAGS=$flags cargo "${toolchain[@]}" doc --quiet --no-deps --all-features --target-dir "$root/target/release-crates" \
            "${patches[@]}"
    done
}
