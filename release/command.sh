# shellcheck shell=bash
# Sourced by the steps of the command: makes the archive of a program, and checks it.

# command_features: prints cargo's arguments for the features. Quick artefacts leave out Parquet: they prove
# compiling and linking.
command_features() {
    ((is_quick)) || echo --features=columns
}

# build_portable TARGET_FOLDER: builds the command for $target, for glibc 2.17 and later.
build_portable() {
    zig_need
    # shellcheck disable=SC2046 # One word, or none.
    remapped auditable zigbuild --locked --quiet --release --package simdpct-cli --target "$target.2.17" $(command_features) \
        --target-dir "$1"
}

# command_folder PROGRAM FOLDER [RUNNER...]: makes the files of an archive or a package.
command_folder() {
    local program=$1 folder=$2
    shift 2
    install -D -m 755 "$program" "$folder/${program##*/}"
    install -m 644 LICENSE-APACHE LICENSE-MIT docs/pct.md tests/data/access.log "$folder"
    install -m 644 release/readme-of-command.md "$folder/README.md"
    # shellcheck disable=SC2046 # One word, or none.
    release/notices simdpct-cli $(command_features) >"$folder/THIRD-PARTY.txt"
    # A step may link more than crates.
    printf '%s' "${other_notices-}" >>"$folder/THIRD-PARTY.txt"
    mkdir -p "$folder/man" "$folder/completions"
    command_documents "$folder" "$@"
}

# command_documents FOLDER [RUNNER...]: makes manual pages and completions, which the program writes itself.
command_documents() {
    local folder=$1 name
    shift
    "$@" "$folder/pct" man >"$folder/man/pct.1"
    for name in $("$@" "$folder/pct" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        [[ $name == help ]] || "$@" "$folder/pct" man "$name" >"$folder/man/pct-$name.1"
    done
    "$@" "$folder/pct" completions bash >"$folder/completions/pct.bash"
    "$@" "$folder/pct" completions zsh >"$folder/completions/_pct"
    "$@" "$folder/pct" completions fish >"$folder/completions/pct.fish"
}

# command_archive PROGRAM TARGET [RUNNER...]: makes the archive.
command_archive() {
    local name=simdpct-$version-$2
    command_folder "$1" "$work/$name" "${@:3}"
    archive "$work/$name" "$artefacts/$name.tar.gz"
}

# command_unpacked: unpacks the archive, and prints the path of the program.
command_unpacked() {
    tar -xzf "$artefacts"/*.tar.gz -C "$work"
    echo "$work"/simdpct-*/pct
}

# readme_works PROGRAM [RUNNER...]: checks that the commands in the archive's readme decode the archive's log.
readme_works() (
    local commands
    commands=$(sed -n '/^```sh$/,/^```$/s|^\./pct ||p' "$(dirname "$1")/README.md")
    cd "$(dirname "$1")"
    while read -ra arguments; do
        "${@:2}" "$1" "${arguments[@]}" </dev/null >>"$work/by_readme" 2>/dev/null
    done <<<"$commands"
    # The log has names of pages in Chinese, and the last command writes a file.
    grep -aF 北京市 "$work/by_readme" >/dev/null
    grep -aF 北京市 decoded.log >/dev/null
)

# command_works COMMAND...: checks that the command encodes and decodes real text as Python does, and reports
# its counts.
command_works() {
    debian_need python3
    local text=$work/urls.txt
    if [[ -f ../shared/corpora/typical_urls.txt ]]; then
        head -c 4000000 ../shared/corpora/typical_urls.txt >"$text"
    else
        cat docs/*.md CHANGELOG.md >"$text"
    fi
    python3 - "$text" >"$work/expected" <<'END'
import sys
from urllib.parse import quote_from_bytes

for line in open(sys.argv[1], "rb"):
    text = line.removesuffix(b"\n").removesuffix(b"\r")
    sys.stdout.write(quote_from_bytes(text, safe="") + line[len(text) :].decode())
END
    "$@" encode <"$text" >"$work/encoded"
    cmp "$work/expected" "$work/encoded"
    "$@" decode <"$work/encoded" | cmp - "$text"
    [[ $(printf '50%%\n' | "$@" decode 2>&1 >/dev/null | grep -c malformed) == 1 ]]
}
