# shellcheck shell=bash
# Sourced by the scripts that need more than the stable toolchain: a nightly one, or a tool from crates.io.

# A nightly toolchain is there, or this fails and says what to do.
nightly_need() {
    if ! rustc +nightly --version >/dev/null 2>&1; then
        echo "A nightly toolchain is missing: rustup toolchain install nightly" >&2
        return 1
    fi
}

# `tool_need NAME VERSION` installs a tool of cargo's to the target folder, unless it is there or on the PATH; from then on cargo
# finds it. The version is fixed, so that a check does not change by itself.
tool_need() {
    local name=$1 version=$2 root
    root=$PWD/${CARGO_TARGET_DIR:-target}/tools
    if [[ ${CARGO_TARGET_DIR-} == /* ]]; then
        root=$CARGO_TARGET_DIR/tools
    fi
    export PATH=$PATH:$root/bin
    if ! type "$name" >/dev/null 2>&1; then
        echo "Installing $name $version" >&2
        # Without optimising it, which would take longer than all that it is to do.
        CARGO_TARGET_DIR=$root/build cargo install --locked --debug --quiet --root "$root" --version "$version" "$name" >&2
        rm -rf "$root/build"
    fi
}
