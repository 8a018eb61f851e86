# shellcheck shell=bash
# Sourced by docs/explain/build and docs/explain/check: `node_packages FOLDER PACKAGE...` installs packages of npm in a folder.

node_packages() {
    local folder=$1 pause
    shift
    echo '{ "private": true, "type": "module" }' >"$folder/package.json"
    # The registry may be unreachable for a while.
    for pause in 5 20 60 0; do
        if npm --prefix "$folder" --loglevel=error --no-audit --no-fund install "$@"; then
            return
        fi
        sleep "$pause"
    done
    return 1
}
