# shellcheck shell=bash
# The command for Windows on x86-64.
about="decodes and encodes real URLs as Python, under wine"
source release/command.sh
source release/windows.sh

make_it() {
    debian_need wine wine64
    windows_need
    local name=simdpct-$version-$windows_target
    # shellcheck disable=SC2046 # One word, or none.
    RUSTFLAGS=$windows_flags remapped auditable build -Zbuild-std=std,panic_unwind --locked --quiet --release --package simdpct-cli \
        --target "$windows_target" $(command_features) --target-dir target/release-windows
    command_folder "target/release-windows/$windows_target/release/pct.exe" "$work/$name" with_wine
    windows_archive "$work/$name" "$artefacts/$name.zip"
}

check_it() {
    debian_need wine wine64 unzip gcc-mingw-w64-x86-64-posix python3
    unzip -q "$artefacts"/*.zip -d "$work"
    local folder program
    folder=$(echo "$work"/simdpct-*)
    program=$folder/pct.exe
    has_no_path "$program"
    command_works with_wine "$program"
    readme_works "$program" with_wine
    ls "$folder"/{README.md,LICENSE-MIT,THIRD-PARTY.txt,man/pct-decode.1,completions/_pct} >/dev/null
    mkdir "$work/texts"
    cd "$work/texts"
    # The program itself expands wildcards, because no shell does.
    echo 'a%41' >one.txt
    echo 'b%42' >two.txt
    [[ $(with_wine "$program" decode '*.txt') == $'aA\nbB' ]]
    # NUL is the device that discards its input.
    with_wine "$program" decode -o NUL one.txt
    [[ ! -f NUL && $(with_wine "$program" decode -i one.txt && cat one.txt) == aA ]]
    # A reader that ends early is not an error.
    seq 1000000 | with_wine "$program" decode 2>"$work/errors" | head -n 1 >/dev/null || true
    [[ ! -s $work/errors ]] || die "$(<"$work/errors")"
}
