# shellcheck shell=bash
# The C library for Linux on AArch64.
about="the example, linked shared and static by pkg-config and by CMake, makes paths canonical; the tests in C under qemu"
source release/c-library.sh

make_it() {
    # Uses Debian's compiler, because the standard library for AArch64 is a Debian package, and the usual
    # cargo.
    debian_need rustc-web libstd-rust-web-dev:arm64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    export RUSTC=/usr/bin/rustc CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu CARGO_TARGET_DIR=target/release-aarch64
    local folder
    c_folder aarch64-unknown-linux-gnu aarch64-linux-gnu-strip
    archive "$folder" "$artefacts/${folder##*/}.tar.gz"
}

check_it() {
    debian_need gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
    # The example starts no thread: with -L, a thread start would hang.
    c_works_on_linux aarch64-linux-gnu-gcc qemu-aarch64 -L /usr/aarch64-linux-gnu
}
