# shellcheck shell=bash
# Sourced by the steps of the Python wheels: the build, and its check with any interpreter.

# wheel TARGET_FOLDER [MATURIN_OPTION...]
wheel() {
    local profile=release
    ((!is_quick)) || profile=dev
    python_environment "$work/tools"
    pip_install "$work/tools" maturin==1.16.0 ziglang==0.17.1
    # A target folder of its own: maturin tells pyo3 about its interpreter, cargo does not.
    CARGO_TARGET_DIR=$(engines_target)/$1 VIRTUAL_ENV=$work/tools PATH=$work/tools/bin:$PATH remapped \
        maturin build --quiet --locked --profile "$profile" --zig --compatibility manylinux2014 \
        --manifest-path engines/python/Cargo.toml --out "$artefacts" "${@:2}"
}

# wheel_is_portable: it needs an old glibc alone, has no path of this machine, and has its licences.
wheel_is_portable() {
    python3 -m zipfile -e "$artefacts"/*.whl "$work/unpacked"
    needs_glibc_at_most "$(echo "$work"/unpacked/simdpct/_native*.so)" 2.17
    has_no_path "$work"/unpacked/simdpct/_native*.so
    ls "$work"/unpacked/simdpct-*.dist-info/licenses/LICENSE-MIT >/dev/null
}
