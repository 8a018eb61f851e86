# shellcheck shell=bash
# Sourced by the steps of the C library: the archive for a machine, and its check.

# c_archive TARGET STRIP: header, shared and static library, pkg-config file, CMake package, example.
c_archive() {
    local name=libsimdpct-$version-$1
    # A prefix that does not exist: the archive is moved, and its files name each other relative to it.
    DESTDIR=$work/installed remapped crates/capi/install /usr >/dev/null
    mkdir -p "$work/$name"
    cp -r "$work/installed/usr/." "$work/$name"
    "$2" --strip-debug "$work/$name/lib/libsimdpct.a"
    # Where the archive is unpacked is not known: pkg-config finds the prefix from the folder of the file.
    sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|' "$work/$name/lib/pkgconfig/simdpct.pc"
    install -D -m 644 crates/capi/examples/canonical_path.c -t "$work/$name/share/doc/simdpct/examples"
    install -m 644 docs/c.md LICENSE-APACHE LICENSE-MIT "$work/$name/share/doc/simdpct"
    release/notices simdpct-capi-url >"$work/$name/share/doc/simdpct/THIRD-PARTY.txt"
    archive "$work/$name" "$artefacts/$name.tar.gz"
}

# c_works COMPILER RUNNER...: the example works, linked shared and static by pkg-config and by CMake.
c_works() {
    local compiler=$1 prefix example program
    shift
    debian_need pkg-config cmake make
    tar -xzf "$artefacts"/*.tar.gz -C "$work"
    prefix=$(echo "$work"/libsimdpct-*)
    example=$prefix/share/doc/simdpct/examples/canonical_path.c
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    # pkg-config quotes paths for a shell.
    eval "$compiler '$example' $(pkg-config --cflags --libs simdpct) -Wl,-rpath,'$prefix/lib' -o '$work/shared'"
    eval "$compiler -static '$example' $(pkg-config --static --cflags --libs simdpct) -o '$work/static'"
    eval "$compiler crates/capi-url/tests/url.c -Icrates/capi/tests $(pkg-config --cflags --libs simdpct_url) -Wl,-rpath,'$prefix/lib' -o '$work/url'"
    "$@" "$work/url"
    cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(example C)
find_package(simdpct REQUIRED)
add_executable(by_cmake $example)
target_link_libraries(by_cmake simdpct::simdpct)
END
    cmake -S "$work" -B "$work/build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
    cmake --build "$work/build" >/dev/null
    for program in "$work/shared" "$work/static" "$work/build/by_cmake"; do
        "$@" "$program" '/a/%2e%2e/%7euser' '/static/..%5cetc' '/caf%C3%A9?q=1' '/%00' |
            diff crates/capi/examples/canonical_path.txt -
    done
    needs_glibc_at_most "$prefix/lib/libsimdpct.so.0" 2.17
    needs_glibc_at_most "$prefix/lib/libsimdpct_url.so.0" 2.17
    has_no_path "$prefix/lib/libsimdpct.so.0" "$prefix/lib/libsimdpct_url.so.0" "$prefix/lib/libsimdpct.a"
}
