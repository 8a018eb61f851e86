# shellcheck shell=bash
# The crates of the library's workspace, as for the registry.
about="cargo install of the command from the .crate files alone"

# In the order of publishing.
crates=(simdpct closed-streams simdpct-cli simdpct-tower)

make_it() {
    local options=() crate
    for crate in "${crates[@]}"; do
        options+=(--package "$crate")
    done
    # release/check builds them. --allow-dirty: dist/state says what they are made from.
    cargo package --locked --allow-dirty --no-verify --target-dir target/release-crates "${options[@]}" 2>&1 | tee "$work/log"
    # Tests are not packed, which cargo notes.
    ! grep '^warning' "$work/log" | grep -v ': ignoring test' || die "cargo package warns"
    for crate in "${crates[@]}"; do
        cp "target/release-crates/package/$crate-$version.crate" "$artefacts"
    done
}

check_it() {
    local crate patches=()
    for crate in "${crates[@]}"; do
        tar -xzf "$artefacts/$crate-$version.crate" -C "$work"
        # Until they are published.
        patches+=(--config "patch.crates-io.$crate.path=\"$work/$crate-$version\"")
    done
    cd "$work/simdpct-cli-$version"
    # Without --locked: the lock file of a package names its siblings as from the registry.
    cargo install --debug --path . --root "$work/root" --target-dir "$root/target/release-crates" --quiet "${patches[@]}"
    [[ $(echo 'caf%C3%A9' | "$work/root/bin/pct" decode) == café ]]
    # As docs.rs, but for its nightly.
    for crate in simdpct simdpct-tower; do
        cd "$work/$crate-$version"
        RUSTDOCFLAGS=-Dwarnings cargo doc --quiet --no-deps --all-features --target-dir "$root/target/release-crates" "${patches[@]}"
    done
}
