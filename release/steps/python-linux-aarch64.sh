# shellcheck shell=bash
# The Python wheel for Linux on AArch64, CPython 3.10 and later.
about="quotes as urllib and decodes a column in Debian's CPython for arm64, under qemu; needs glibc 2.17 alone"
source release/python.sh

make_it() {
    # Uses Debian's compiler, because the standard library for AArch64 is a Debian package, and the usual
    # cargo.
    debian_need rustc-web libstd-rust-web-dev:arm64
    RUSTC=/usr/bin/rustc wheel release-python-aarch64 "${linux_wheel[@]}" --target aarch64-unknown-linux-gnu
}

check_it() {
    linux_wheel_is_portable
    debian_need qemu-user libc6:arm64 libstdc++6:arm64
    # Debian 12's CPython, and the libraries that it is linked with.
    local version=3.11
    debian_unpacked "$work/root" "python$version-minimal:arm64" "libpython$version-minimal:arm64" "libpython$version-stdlib:arm64" \
        libexpat1:arm64 zlib1g:arm64 libffi8:arm64 libbz2-1.0:arm64 liblzma5:arm64
    local libraries=$work/root/usr/lib/aarch64-linux-gnu:$work/root/lib/aarch64-linux-gnu
    (
        cd "$work"
        # The loader and libc come from libc6:arm64.
        qemu-aarch64 -E "LD_LIBRARY_PATH=$libraries" -E "PYTHONHOME=$work/root/usr" -E "PYTHONPATH=$work/unpacked" \
            -E PYTHONDONTWRITEBYTECODE=1 "$work/root/usr/bin/python$version" "$root/release/check-python.py"
    )
}
