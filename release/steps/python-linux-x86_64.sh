# shellcheck shell=bash
# The Python wheel for Linux on x86-64, CPython 3.10 and later.
about="installed in a fresh environment; quotes as urllib, decodes a column; needs glibc 2.17 alone"

make_it() {
    local profile=release
    ((!is_quick)) || profile=dev
    python_environment "$work/tools"
    pip_install "$work/tools" maturin==1.16.0 ziglang==0.17.1
    # A target folder of its own: maturin tells pyo3 about its interpreter, cargo does not.
    CARGO_TARGET_DIR=$(engines_target)/release-python VIRTUAL_ENV=$work/tools PATH=$work/tools/bin:$PATH remapped \
        maturin build --quiet --locked --profile "$profile" --zig --compatibility manylinux2014 \
        --manifest-path engines/python/Cargo.toml --out "$artefacts"
}

check_it() {
    python_environment "$work/environment"
    pip_install "$work/environment" --no-index "$artefacts"/*.whl
    (cd "$work" && "$work/environment/bin/python" "$root/release/check-python.py")
    python3 -m zipfile -e "$artefacts"/*.whl "$work/unpacked"
    needs_glibc_at_most "$(echo "$work"/unpacked/simdpct/_native*.so)" 2.17
    has_no_path "$work"/unpacked/simdpct/_native*.so
    ls "$work"/unpacked/simdpct-*.dist-info/licenses/LICENSE-MIT >/dev/null
}
