# shellcheck shell=bash
# The Python wheel for Linux on x86-64, CPython 3.10 and later.
about="installed in a fresh environment; quotes as urllib, decodes a column; needs glibc 2.17 alone"
source release/python.sh

make_it() {
    wheel release-python "${linux_wheel[@]}"
}

check_it() {
    linux_wheel_is_portable
    python_environment "$work/environment"
    pip_install "$work/environment" --no-index "$artefacts"/*.whl
    (cd "$work" && "$work/environment/bin/python" "$root/release/check-python.py")
}
