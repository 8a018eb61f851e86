# shellcheck shell=bash
# The command for Linux on AArch64, for glibc 2.17 and later.
about="decodes and encodes real URLs as Python, under qemu; needs glibc 2.17 alone"
source release/command.sh

target=aarch64-unknown-linux-gnu

make_it() {
    # Uses Debian's compiler, because the standard library for AArch64 is a Debian package, and the usual
    # cargo.
    debian_need rustc-web libstd-rust-web-dev:arm64 qemu-user libc6:arm64
    export RUSTC=/usr/bin/rustc
    build_portable target/release-aarch64
    command_archive "target/release-aarch64/$target/release/pct" "$target" qemu-aarch64
}

check_it() {
    debian_need qemu-user libc6:arm64
    local program
    program=$(command_unpacked)
    command_works qemu-aarch64 "$program"
    readme_works "$program" qemu-aarch64
    needs_glibc_at_most "$program" 2.17
    has_no_path "$program"
    lists_its_crates "$program"
}
