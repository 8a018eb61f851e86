# shellcheck shell=bash
# The command for Windows on x86-64.
about="decodes and encodes real URLs as Python, under wine"
source release/command.sh

target=x86_64-pc-windows-gnu

# windows_linker: a linker that adds the objects with which Rust begins and ends a program. They come with a standard
# library for Windows, which no Debian package has; so they are compiled, as the library is.
windows_linker() {
    local folder=$root/target/release-windows/objects part source
    source=$(rustc --print sysroot)/lib/rustlib/src/rust/library/rtstartup
    mkdir -p "$folder"
    for part in rsbegin rsend; do
        rustc --target "$target" --crate-type lib --emit obj -o "$folder/$part.o" "$source/$part.rs"
    done
    # rustc takes a linker for GCC by its name.
    cat >"$folder/simdpct-gcc" <<END
#!/bin/sh
exec x86_64-w64-mingw32-gcc-posix "\$@"
END
    chmod +x "$folder/simdpct-gcc"
    echo "$folder"
}

make_it() {
    debian_need rustc-web rust-web-src gcc-mingw-w64-x86-64-posix wine wine64 zip
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
    local objects name=simdpct-$version-$target
    objects=$(PATH=/usr/bin:$PATH windows_linker)
    # shellcheck disable=SC2046 # One word, or none.
    RUSTFLAGS="-Clink-self-contained=no -Clinker=$objects/simdpct-gcc -Clink-arg=$objects/rsbegin.o -Clink-arg=$objects/rsend.o" \
        remapped auditable build -Zbuild-std=std,panic_unwind --locked --quiet --release --package simdpct-cli --target "$target" \
        $(command_features) --target-dir target/release-windows
    command_folder "target/release-windows/$target/release/pct.exe" "$work/$name" with_wine
    # zip stores the times of files.
    find "$work/$name" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$work" && find "$name" -type f | LC_ALL=C sort | TZ=UTC zip -X -9 -q -@ "$artefacts/$name.zip")
}

# with_wine COMMAND...: Debian's wine lacks one library of Windows 10, which gives random numbers.
with_wine() {
    local program=$1
    shift
    [[ ${program##*/} != pct ]] || program=$program.exe
    WINEDEBUG=-all WINEPREFIX=$root/target/release-windows/wine WINEPATH=$(shim) wine "$program" "$@"
}

# shim: the folder of that library.
shim() {
    local folder=$root/target/release-windows/shim
    if [[ ! -f $folder/bcryptprimitives.dll ]]; then
        mkdir -p "$folder"
        cat >"$folder/shim.c" <<'END'
#include <windows.h>
#include <ntsecapi.h>
BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return RtlGenRandom(data, (ULONG)length); }
END
        x86_64-w64-mingw32-gcc-posix -shared -o "$folder/bcryptprimitives.dll" "$folder/shim.c" -ladvapi32
    fi
    echo "$folder"
}

check_it() {
    debian_need wine wine64 unzip gcc-mingw-w64-x86-64-posix python3
    unzip -q "$artefacts"/*.zip -d "$work"
    local folder program
    folder=$(echo "$work"/simdpct-*)
    program=$folder/pct.exe
    has_no_path "$program"
    command_works with_wine "$program"
    ls "$folder"/{README.md,LICENSE-MIT,THIRD-PARTY.txt,man/pct-decode.1,completions/_pct} >/dev/null
    mkdir "$work/texts"
    cd "$work/texts"
    # Wildcards, which no shell has expanded.
    echo 'a%41' >one.txt
    echo 'b%42' >two.txt
    [[ $(with_wine "$program" decode '*.txt') == $'aA\nbB' ]]
    # The device that forgets.
    with_wine "$program" decode -o NUL one.txt
    [[ ! -f NUL && $(with_wine "$program" decode -i one.txt && cat one.txt) == aA ]]
    # A reader that ends early is no error.
    seq 1000000 | with_wine "$program" decode 2>"$work/errors" | head -n 1 >/dev/null || true
    [[ ! -s $work/errors ]] || die "$(<"$work/errors")"
}
