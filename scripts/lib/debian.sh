# shellcheck shell=bash
# Sourced by the scripts that need Debian packages: `debian_need PACKAGE[:ARCHITECTURE]...` installs missing
# packages. Messages go to standard error: the output of a script may be a result.

debian_need() {
    local package missing=()
    for package in "$@"; do
        if [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
            missing+=("$package")
        fi
    done
    if ((${#missing[@]} == 0)); then
        return
    fi

    echo "Installing ${missing[*]}" >&2
    if ! type apt-get dpkg >/dev/null 2>&1; then
        echo "This is not a Debian machine (no apt-get). Install the contents of these packages by hand: ${missing[*]}" >&2
        return 1
    fi
    local as_root=()
    if ((EUID != 0)); then
        as_root=(sudo)
        if ! type sudo >/dev/null 2>&1 || ! sudo -v; then
            echo "Only root can install packages, and sudo failed. Install by hand: ${missing[*]}" >&2
            return 1
        fi
    fi

    for package in "${missing[@]}"; do
        if [[ $package == *:* ]]; then
            "${as_root[@]}" dpkg --add-architecture "${package#*:}"
        fi
    done

    # Packages that conflict with installed ones are refused, except on a machine of CI, which serves one run: Traffic
    # Server and nginx's Lua need different LuaJITs.
    local keep=(--no-remove)
    [[ ${CI-} != true ]] || keep=()

    # Retries, because mirrors fail at times, and a machine that has just started may hold the lock for its
    # own upgrades.
    local apt_get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
    local pause
    for pause in 5 15 45 90 0; do
        # An unreachable list may not be needed, so only a failed installation counts.
        "${apt_get[@]}" update >&2 || echo "apt-get update failed" >&2
        if "${apt_get[@]}" install --yes --no-install-recommends "${keep[@]}" "${missing[@]}" >&2; then
            return
        fi
        echo "apt-get install failed" >&2
        sleep "$pause"
    done
    echo "Could not install ${missing[*]}" >&2
    return 1
}

# `debian_source PACKAGE FOLDER` downloads the original source of a package, without Debian's patches, and unpacks it in
# FOLDER. apt-get would fail on parts of a source package that a mirror no longer has, but only the tarball is
# needed.
debian_source() {
    local package=$1 folder=$2 file apt_get
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache" "$folder/apt/parts"
    # Uses the machine's sources also for source packages.
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ ! -f $file ]] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder/apt/parts/${file##*/}"
    done
    # Either kind of file may be missing.
    sed -ns 's/^deb /deb-src /p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list >"$folder/apt/sources.list" 2>/dev/null || true
    apt_get=(apt-get -qq -o Acquire::Retries=3 -o "Dir::Etc::sourcelist=$folder/apt/sources.list"
        -o "Dir::Etc::sourceparts=$folder/apt/parts" -o "Dir::State::lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache")
    (
        cd "$folder"
        "${apt_get[@]}" update >apt/log 2>&1 || true
        "${apt_get[@]}" source --only-source --download-only "$package" >>apt/log 2>&1 || true
        tar -xf "$package"_*.orig.tar.*
    ) && rm -r "$folder/apt" && return
    cat "$folder/apt/log" >&2
    echo "Could not download the source of $package" >&2
    return 1
}
