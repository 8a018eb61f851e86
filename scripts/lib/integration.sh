# shellcheck shell=bash
# Sourced by the scripts that build the modules of integrations/, from the root of the repository.

source scripts/lib/debian.sh

# `integration_begin OUTPUT` sets `output`, an absolute path, and `work`, a folder that is removed at the end, and installs
# the C library to SIMDPCT_PREFIX.
integration_begin() {
    mkdir -p "$1"
    output=$(realpath "$1")
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    export SIMDPCT_PREFIX=$work/simdpct
    scripts/install-capi "$SIMDPCT_PREFIX" >/dev/null
}

# For modules: warnings are errors, and no symbol of the C library is exported.
integration_compile=(-std=gnu11 -O2 -g -fPIC -Wall -Wextra -Wpedantic -Wconversion -Werror)
integration_link=(-shared -Wl,--gc-sections,--exclude-libs,ALL)
