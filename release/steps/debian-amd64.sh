# shellcheck shell=bash
# Debian packages for amd64: simdpct (the command), libsimdpct0 and libsimdpct-dev.
about="lintian without errors; installed in a folder of its own, run, and removed"
source release/command.sh
source release/debian.sh

make_it() {
    debian_need dpkg binutils
    local target=x86_64-unknown-linux-gnu folder=$work/simdpct multi=usr/lib/x86_64-linux-gnu
    build_portable target/release-zig
    command_folder "target/release-zig/$target/release/pct" "$work/command"
    install -D -m 755 "$work/command/pct" "$folder/usr/bin/pct"
    strip --remove-section=.comment --remove-section=.note "$folder/usr/bin/pct"
    for page in "$work"/command/man/*; do
        mkdir -p "$folder/usr/share/man/man1"
        gzip -9n <"$page" >"$folder/usr/share/man/man1/${page##*/}.gz"
    done
    install -D -m 644 "$work/command/completions/pct.bash" "$folder/usr/share/bash-completion/completions/pct"
    install -D -m 644 "$work/command/completions/_pct" "$folder/usr/share/zsh/vendor-completions/_pct"
    install -D -m 644 "$work/command/completions/pct.fish" "$folder/usr/share/fish/vendor_completions.d/pct.fish"
    install -D -m 644 "$work/command/THIRD-PARTY.txt" -t "$folder/usr/share/doc/simdpct"
    package simdpct "libc6 (>= 2.17)" "Percent-encode and -decode files, logs and URLs" \
        "pct decodes, encodes, normalizes and inspects URLs in lines, CSV, JSON Lines
and access logs, with SIMD and on all cores. It counts bad records instead
of stopping at them." "$folder"

    DESTDIR=$work/installed LIBDIR=/$multi remapped crates/capi/install /usr >/dev/null
    section=libs
    folder=$work/libsimdpct0
    mkdir -p "$folder/$multi"
    cp -a "$work/installed/$multi"/libsimdpct{,_url}.so.* "$folder/$multi"
    chmod 644 "$folder/$multi"/libsimdpct{,_url}.so."$version"
    strip --strip-unneeded --remove-section=.comment --remove-section=.note "$folder/$multi"/libsimdpct{,_url}.so."$version"
    printf '%s 0 libsimdpct0 (>= %s)\n' libsimdpct "$version" libsimdpct_url "$version" >"$work/libsimdpct0.shlibs"
    echo "activate-noawait ldconfig" >"$work/libsimdpct0.triggers"
    package libsimdpct0 "libc6 (>= 2.17)" "Percent-encoding and canonical paths with SIMD (library)" \
        "libsimdpct decodes and encodes URLs, and makes the paths of requests
canonical, with exact positions of errors and without allocating." "$folder"

    section=libdevel
    folder=$work/libsimdpct-dev
    mkdir -p "$folder/$multi" "$folder/usr/include"
    cp -a "$work/installed/$multi"/{libsimdpct.so,libsimdpct_url.so,libsimdpct.a,pkgconfig,cmake} "$folder/$multi"
    strip --strip-debug "$folder/$multi/libsimdpct.a"
    cp "$work/installed/usr/include"/simdpct{,_url}.h "$folder/usr/include"
    install -D -m 644 crates/capi/examples/canonical_path.c -t "$folder/usr/share/doc/libsimdpct-dev/examples"
    package libsimdpct-dev "libsimdpct0 (= $version-1)" "Percent-encoding and canonical paths with SIMD (development)" \
        "The headers of libsimdpct, the static library, and what pkg-config and CMake
read." "$folder"
}

check_it() {
    debian_need gcc pkg-config
    lintian_passes
    in_own_root --install "$artefacts"/*.deb
    command_works "$work/root/usr/bin/pct"
    local library=$work/root/usr/lib/x86_64-linux-gnu/libsimdpct.so.0
    needs_glibc_at_most "$library" 2.17
    has_no_path "$work/root/usr/bin/pct" "$library"
    [[ -f $work/root/usr/share/man/man1/pct-decode.1.gz ]]
    export PKG_CONFIG_SYSROOT_DIR=$work/root PKG_CONFIG_PATH=$work/root/usr/lib/x86_64-linux-gnu/pkgconfig
    eval "gcc crates/capi/examples/canonical_path.c $(pkg-config --cflags --libs simdpct) -o '$work/example'"
    LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu "$work/example" /a/../b | grep -x /b >/dev/null
    in_own_root --purge simdpct libsimdpct-dev libsimdpct0
    own_root_is_empty
}
