# shellcheck shell=bash
# The C library for Linux on x86-64: header, shared and static library, pkg-config, CMake package, example.
about="the example, linked shared and static by pkg-config and by CMake, makes paths canonical"
source release/c-library.sh

make_it() {
    c_archive x86_64-unknown-linux-gnu strip
}

check_it() {
    debian_need gcc
    c_works gcc
}
