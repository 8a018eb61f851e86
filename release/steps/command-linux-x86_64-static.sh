# shellcheck shell=bash
# The command for Linux on x86-64, linked statically: for containers without a C library.
about="decodes and encodes real URLs as Python; runs in an empty chroot"
source release/command.sh

target=x86_64-unknown-linux-gnu
other_notices="
The GNU C Library (glibc), LGPL-2.1-or-later, is linked statically. Its source is Debian's package glibc $(dpkg-query --show --showformat='${Version}' libc6-dev:amd64 2>/dev/null).
The source of this release allows the program to be linked again with another glibc.
"

make_it() {
    # shellcheck disable=SC2046 # One word, or none.
    RUSTFLAGS="-Ctarget-feature=+crt-static" remapped auditable build --locked --quiet --release --package simdpct-cli --target "$target" \
        $(command_features) --target-dir target/release-static
    command_archive "target/release-static/$target/release/pct" "x86_64-unknown-linux-static"
}

check_it() {
    local program
    program=$(command_unpacked)
    debian_need binutils
    needs_no_library "$program"
    has_no_path "$program"
    lists_its_crates "$program"
    command_works "$program"
    readme_works "$program"
    mkdir "$work/empty"
    cp "$program" "$work/empty/pct"
    # Uses a user namespace, because the check may not run as root.
    local in_chroot=(chroot "$work/empty" /pct)
    ((EUID == 0)) || in_chroot=(unshare --map-root-user "${in_chroot[@]}")
    [[ $(echo 'caf%C3%A9' | "${in_chroot[@]}" decode) == café ]]
}
