# shellcheck shell=bash
# The command for Linux on x86-64, for glibc 2.17 and later.
about="decodes and encodes real URLs as Python; needs glibc 2.17 alone; no path of the machine"
source release/command.sh

target=x86_64-unknown-linux-gnu

make_it() {
    build_portable target/release-zig
    command_archive "target/release-zig/$target/release/pct" "$target"
}

check_it() {
    local program
    program=$(command_unpacked)
    command_works "$program"
    readme_works "$program"
    needs_glibc_at_most "$program" 2.17
    [[ $(objdump -p "$program") != *libgcc_s* ]] || die "$program needs libgcc_s"
    has_no_path "$program"
    lists_its_crates "$program"
    ls "$(dirname "$program")"/{README.md,LICENSE-MIT,THIRD-PARTY.txt,man/pct-decode.1,completions/_pct} >/dev/null
}
