# shellcheck shell=bash
# Sourced by the steps of the C library: makes the folder of an archive for a machine, and checks the archive.

# c_folder TARGET STRIP: makes the folder with header, shared and static library, pkg-config file, CMake
# package and example. Sets $folder.
c_folder() {
    folder=$work/libsimdpct-$version-$1
    # This prefix does not exist: users move the archive, and its files refer to each other by relative paths.
    DESTDIR=$work/installed remapped crates/capi/install /usr >/dev/null
    mkdir -p "$folder"
    cp -r "$work/installed/usr/." "$folder"
    "$2" --strip-debug "$folder/lib/libsimdpct.a"
    # The archive may be unpacked anywhere, so pkg-config finds the prefix from the folder of the file.
    sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|' "$folder"/lib/pkgconfig/*.pc
    install -D -m 644 crates/capi/examples/canonical_path.c -t "$folder/share/doc/simdpct/examples"
    install -m 644 docs/c.md LICENSE-APACHE LICENSE-MIT "$folder/share/doc/simdpct"
    release/notices simdpct-capi-url >"$folder/share/doc/simdpct/THIRD-PARTY.txt"
}

# c_works COMPILER RUNNER...: checks that the example works from $prefix, linked shared and static by
# pkg-config and by CMake, and that the tests of the libraries pass. $cmake_system names the target's system
# if it is not this machine's.
c_works() {
    local compiler=$1 program flags
    shift
    debian_need pkg-config cmake make
    local example=$prefix/share/doc/simdpct/examples/canonical_path.c
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    flags="$(pkg-config --cflags --libs simdpct) -Wl,-rpath,'$prefix/lib'"
    # pkg-config quotes paths for a shell.
    eval "$compiler '$example' $flags -o '$work/shared.exe'"
    eval "$compiler -static '$example' $(pkg-config --static --cflags --libs simdpct) -o '$work/static.exe'"
    eval "$compiler crates/capi/tests/functions.c -Icrates/capi/tests $flags -o '$work/functions.exe'"
    eval "$compiler crates/capi-url/tests/url.c -Icrates/capi/tests $(pkg-config --cflags --libs simdpct_url) -Wl,-rpath,'$prefix/lib' -o '$work/url.exe'"
    "$@" "$work/functions.exe"
    "$@" "$work/url.exe"
    cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.16)
project(example C)
find_package(simdpct REQUIRED)
add_executable(by_cmake $example)
target_link_libraries(by_cmake simdpct::simdpct)
set_target_properties(by_cmake PROPERTIES SUFFIX .exe)
CMAKE
    cmake -S "$work" -B "$work/build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" \
        ${cmake_system:+-DCMAKE_SYSTEM_NAME="$cmake_system"} >/dev/null
    cmake --build "$work/build" >/dev/null
    for program in "$work/shared.exe" "$work/static.exe" "$work/build/by_cmake.exe"; do
        "$@" "$program" '/a/%2e%2e/%7euser' '/static/..%5cetc' '/caf%C3%A9?q=1' '/%00' | tr -d '\r' |
            diff crates/capi/examples/canonical_path.txt -
    done
}

# c_works_on_linux COMPILER RUNNER...: checks an archive for Linux.
c_works_on_linux() {
    local prefix cmake_system=
    tar -xzf "$artefacts"/*.tar.gz -C "$work"
    prefix=$(echo "$work"/libsimdpct-*)
    c_works "$@"
    needs_glibc_at_most "$prefix/lib/libsimdpct.so.0" 2.17
    needs_glibc_at_most "$prefix/lib/libsimdpct_url.so.0" 2.17
    has_no_path "$prefix/lib/libsimdpct.so.0" "$prefix/lib/libsimdpct_url.so.0" "$prefix/lib/libsimdpct.a"
}
