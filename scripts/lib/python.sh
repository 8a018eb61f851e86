# shellcheck shell=bash
# Sourced by the scripts that test or measure the Python package, after debian.sh.

# `python_environment FOLDER [PYTHON]` makes a virtual environment.
python_environment() {
    local folder=$1 python=${2:-python3}
    type "$python" >/dev/null 2>&1 || debian_need python3
    "$python" -m venv "$folder" 2>/dev/null || { debian_need python3-venv && "$python" -m venv --clear "$folder"; }
}

# `pip_install ENVIRONMENT ARGUMENT...` installs from the registry, which may be unreachable for a while.
pip_install() {
    local pause
    for pause in 5 20 60 0; do
        if "$1/bin/python" -m pip install --quiet --disable-pip-version-check "${@:2}"; then
            return
        fi
        echo "pip install ${*:2} failed" >&2
        sleep "$pause"
    done
    return 1
}

# `engines_target` prints the folder, outside the clone, in which the engines are built.
engines_target() {
    realpath -m "${SIMDPCT_ENGINES_TARGET:-$HOME/.cache/simdpct-engines}"
}

# `python_wheel PROFILE FOLDER [ARGUMENT...]` builds the wheel in FOLDER/wheels with the profile dev or
# release, and installs maturin in FOLDER/tools. Further arguments are passed to maturin.
python_wheel() {
    python_environment "$2/tools"
    pip_install "$2/tools" 'maturin>=1.16,<2'
    # Uses a separate target folder: maturin tells pyo3 about its interpreter, cargo does not.
    CARGO_TARGET_DIR=$(engines_target)/python VIRTUAL_ENV=$2/tools PATH=$2/tools/bin:$PATH \
        maturin build --quiet --locked --profile "$1" --manifest-path engines/python/Cargo.toml --out "$2/wheels" "${@:3}"
}
