# shellcheck shell=bash
# The programs of a cluster for Linux on AArch64: simdpct-ballista and simdpct-sql.
about="simdpct-sql answers a query and simdpct-ballista its --help, under qemu; needs glibc 2.17 alone"
source release/cluster.sh

target=aarch64-unknown-linux-gnu

make_it() {
    # Uses Debian's compiler, because the standard library for AArch64 is a Debian package, and the usual
    # cargo.
    debian_need rustc-web libstd-rust-web-dev:arm64
    RUSTC=/usr/bin/rustc cluster_archive target/release-cluster-aarch64
}

check_it() {
    debian_need qemu-user libc6:arm64
    local folder
    cluster_unpacked
    # A cluster of emulated processes would take minutes. The programs for x86-64 prove that a cluster works.
    qemu-aarch64 "$folder/simdpct-ballista" --help | grep -x '  scheduler .*' >/dev/null
    printf 'url\nHTTP://E.org/%%7ea\nhttp://e.org/~a\n' >"$work/urls.csv"
    [[ $(qemu-aarch64 "$folder/simdpct-sql" -o csv "select url_normalize(url) as url, count(*) as n from urls group by 1" "$work/urls.csv") == \
        $'url,n\nhttp://e.org/~a,2' ]]
}
