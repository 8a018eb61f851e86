# shellcheck shell=bash
# Sourced by the steps for Windows on x86-64: a compiler, a linker, and wine, which runs what they make.

windows_target=x86_64-pc-windows-gnu

# windows_need: installs Debian's compiler, whose standard library comes as source, and mingw-w64.
windows_need() {
    debian_need rustc-web rust-web-src gcc-mingw-w64-x86-64-posix
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
    windows_flags=$(windows_linker)
}

# windows_linker: makes a linker that adds the objects with which Rust begins and ends a program, and prints
# the flags. The objects belong to the standard library for Windows, which no Debian package has. So they are
# compiled, like the library.
windows_linker() {
    local folder=$root/target/release-windows/objects part source
    source=$("$RUSTC" --print sysroot)/lib/rustlib/src/rust/library/rtstartup
    mkdir -p "$folder"
    for part in rsbegin rsend; do
        "$RUSTC" --target "$windows_target" --crate-type lib --emit obj -o "$folder/$part.o" "$source/$part.rs"
    done
    # rustc recognizes a linker of GCC's kind by its name.
    cat >"$folder/simdpct-gcc" <<'SCRIPT'
#!/bin/sh
exec x86_64-w64-mingw32-gcc-posix "$@"
SCRIPT
    chmod +x "$folder/simdpct-gcc"
    # Otherwise the header of a program would have the time of the build.
    echo "-Clink-self-contained=no -Clinker=$folder/simdpct-gcc -Clink-arg=$folder/rsbegin.o -Clink-arg=$folder/rsend.o" \
        "-Clink-arg=-Wl,--no-insert-timestamp"
}

# windows_archive FOLDER FILE: makes a .zip of a folder. The same contents give the same archive.
windows_archive() {
    debian_need zip
    # zip stores the times of files.
    find "$1" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$(dirname "$1")" && find "$(basename "$1")" -type f | LC_ALL=C sort | TZ=UTC zip -X -9 -q -@ "$2")
}

# with_wine COMMAND...: runs a command under wine. Debian's wine lacks a library of Windows 10 for random
# numbers.
with_wine() {
    local program=$1
    shift
    [[ ${program##*/} != pct ]] || program=$program.exe
    WINEDEBUG=-all WINEPREFIX=$root/target/release-windows/wine WINEPATH=$(wine_shim)${WINEPATH:+;$WINEPATH} wine "$program" "$@"
}

# wine_shim: prints the folder of a replacement for this library.
wine_shim() {
    local folder=$root/target/release-windows/shim
    if [[ ! -f $folder/bcryptprimitives.dll ]]; then
        mkdir -p "$folder"
        cat >"$folder/shim.c" <<'SOURCE'
#include <windows.h>
#include <ntsecapi.h>
BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return RtlGenRandom(data, (ULONG)length); }
SOURCE
        x86_64-w64-mingw32-gcc-posix -shared -o "$folder/bcryptprimitives.dll" "$folder/shim.c" -ladvapi32
    fi
    echo "$folder"
}

# windows_imports FILE: prints the libraries that a program or library needs, one a line.
windows_imports() {
    debian_need binutils-mingw-w64-x86-64
    x86_64-w64-mingw32-objdump -p "$1" | sed -n 's/.*DLL Name: //p' | sort -u
}
