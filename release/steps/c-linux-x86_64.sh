# shellcheck shell=bash
# The C library for Linux on x86-64: header, shared and static library, pkg-config, CMake package, example.
about="the example, linked shared and static by pkg-config and by CMake, makes paths canonical; the tests in C"
source release/c-library.sh

make_it() {
    local folder
    c_folder x86_64-unknown-linux-gnu strip
    archive "$folder" "$artefacts/${folder##*/}.tar.gz"
}

check_it() {
    debian_need gcc
    c_works_on_linux gcc
}
