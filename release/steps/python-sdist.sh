# shellcheck shell=bash
# The source distribution of the Python package.
about="a wheel is built from it alone, and works"

make_it() {
    python_environment "$work/tools"
    pip_install "$work/tools" maturin==1.16.0
    "$work/tools/bin/maturin" sdist --manifest-path engines/python/Cargo.toml --out "$artefacts" >"$work/log" 2>&1 || { cat "$work/log" && return 1; }
}

check_it() {
    python_environment "$work/environment"
    # Builds without optimization, which does not matter here.
    CARGO_TARGET_DIR=$(engines_target)/release-sdist CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        pip_install "$work/environment" "$artefacts"/*.tar.gz
    (cd "$work" && "$work/environment/bin/python" "$root/release/check-python.py")
    tar -tzf "$artefacts"/*.tar.gz | grep LICENSE-MIT >/dev/null
}
