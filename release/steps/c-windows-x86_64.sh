# shellcheck shell=bash
# The C libraries for Windows on x86-64, for mingw-w64: DLLs with import libraries, static library, pkg-config, CMake package.
about="the example, linked shared and static by mingw-w64, and the tests in C, under wine; needs the system's libraries alone"
source release/c-library.sh
source release/windows.sh

make_it() {
    windows_need
    local folder
    # The libraries do not use `std`.
    export CARGO_UNSTABLE_BUILD_STD=core,alloc CARGO_BUILD_TARGET=$windows_target CARGO_TARGET_DIR=target/release-windows
    RUSTFLAGS=$windows_flags c_folder "$windows_target" x86_64-w64-mingw32-strip
    windows_archive "$folder" "$artefacts/${folder##*/}.zip"
}

check_it() {
    debian_need wine wine64 unzip gcc-mingw-w64-x86-64-posix
    unzip -q "$artefacts"/*.zip -d "$work"
    local prefix cmake_system=Windows library needed
    prefix=$(echo "$work"/libsimdpct-*)
    WINEPATH=$prefix/bin c_works x86_64-w64-mingw32-gcc-posix with_wine
    for library in "$prefix"/bin/*.dll; do
        needed=$(windows_imports "$library" | paste -sd ' ')
        [[ $needed == "KERNEL32.dll msvcrt.dll" ]] || die "$library needs $needed"
    done
    has_no_path "$prefix"/bin/*.dll "$prefix"/lib/*.a
}
