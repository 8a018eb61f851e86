# shellcheck shell=bash
# Sourced by the scripts that need more than the stable toolchain: a nightly toolchain, or a tool from
# crates.io.

# Fails with instructions if no nightly toolchain is installed.
nightly_need() {
    if ! rustc +nightly --version >/dev/null 2>&1; then
        echo "A nightly toolchain is missing: rustup toolchain install nightly" >&2
        return 1
    fi
}

# `tool_need NAME VERSION` installs a cargo tool to the target folder, unless it is there or on the
# PATH, and adds it to the PATH. The version is fixed, so that checks are reproducible.
tool_need() {
    local name=$1 version=$2 root
    root=$PWD/${CARGO_TARGET_DIR:-target}/tools
    if [[ ${CARGO_TARGET_DIR-} == /* ]]; then
        root=$CARGO_TARGET_DIR/tools
    fi
    export PATH=$PATH:$root/bin
    if ! type "$name" >/dev/null 2>&1; then
        echo "Installing $name $version" >&2
        # Makes a debug build, because optimizing would take longer than running the tool.
        CARGO_TARGET_DIR=$root/build cargo install --locked --debug --quiet --root "$root" --version "$version" "$name" >&2
        rm -rf "$root/build"
    fi
}
