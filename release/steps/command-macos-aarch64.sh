# shellcheck shell=bash
# The command for macOS on AArch64. It is not run, because no macOS is available.
about="a signed Mach-O program that needs the system's libraries alone; not run"
source release/command.sh

target=aarch64-apple-darwin

make_it() {
    zig_need
    debian_need rustc-web rust-web-src
    # Uses Debian's compiler, whose standard library comes as source. The linker strips, and then signs:
    # stripping later would break the signature. shellcheck disable=SC2046 # One word, or none.
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 MACOSX_DEPLOYMENT_TARGET=11.0 CARGO_PROFILE_RELEASE_STRIP=none RUSTFLAGS=-Clink-arg=-s \
        remapped cargo zigbuild -Zbuild-std=std,panic_unwind --locked --quiet --release --package simdpct-cli --target "$target" \
        $(command_features) --target-dir target/release-macos
    command_archive "target/release-macos/$target/release/pct" "$target" on_this_machine
}

# on_this_machine PROGRAM ARGUMENT...: runs the same program, built for this machine, which writes the same
# documents.
on_this_machine() {
    shift
    # shellcheck disable=SC2046 # One word, or none.
    cargo run --quiet --locked --package simdpct-cli $(command_features) -- "$@"
}

check_it() {
    local program
    program=$(command_unpacked)
    has_no_path "$program"
    python3 release/check-macho.py "$program"
}
