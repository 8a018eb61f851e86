# shellcheck shell=bash
# Sourced by the steps of the Python wheels: builds a wheel, and checks it with any interpreter.

# A wheel for Linux is linked with an old glibc.
linux_wheel=(--zig --compatibility manylinux2014)

# wheel TARGET_FOLDER MATURIN_OPTION...: builds a wheel.
wheel() {
    local profile=release
    ((!is_quick)) || profile=dev
    python_environment "$work/tools"
    pip_install "$work/tools" maturin==1.16.0 ziglang==0.17.1
    # Uses a separate target folder: maturin tells pyo3 about its interpreter, cargo does not.
    CARGO_TARGET_DIR=$(engines_target)/$1 VIRTUAL_ENV=$work/tools PATH=$work/tools/bin:$PATH remapped \
        maturin build --quiet --locked --profile "$profile" --manifest-path engines/python/Cargo.toml --out "$artefacts" "${@:2}"
}

# wheel_unpacked: unpacks the wheel to $work/unpacked. Checks that it has its licences, and uses only
# CPython's stable interface.
wheel_unpacked() {
    python3 -m zipfile -e "$artefacts"/*.whl "$work/unpacked"
    ls "$work"/unpacked/simdpct-*.dist-info/licenses/LICENSE-MIT >/dev/null
    python_environment "$work/tools"
    pip_install "$work/tools" abi3audit==0.0.26
    "$work/tools/bin/abi3audit" --strict --assume-minimum-abi3 3.10 "$artefacts"/*.whl >"$work/log" 2>&1 || { cat "$work/log" && return 1; }
}

# linux_wheel_is_portable: checks that the wheel needs only an old glibc, and has no path of this machine.
linux_wheel_is_portable() {
    wheel_unpacked
    needs_glibc_at_most "$(echo "$work"/unpacked/simdpct/_native*.so)" 2.17
    has_no_path "$work"/unpacked/simdpct/_native*.so
}

# debian_unpacked FOLDER PACKAGE...: unpacks Debian packages without installing them, so the machine keeps its
# own packages.
debian_unpacked() {
    local folder=$1 package pause
    shift
    mkdir -p "$folder" "$work/packages"
    (
        cd "$work/packages"
        for pause in 5 20 60 0; do
            if apt-get -q download "$@" >"$work/log" 2>&1; then
                break
            fi
            echo "apt-get download failed" >&2
            sleep "$pause"
        done
    )
    for package in "$work"/packages/*.deb; do
        dpkg -x "$package" "$folder"
    done
}
