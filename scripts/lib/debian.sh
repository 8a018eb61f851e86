# shellcheck shell=bash
# Sourced by the scripts that need Debian packages: `debian_need PACKAGE[:ARCHITECTURE]...` installs
# those that are missing.

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

    # Retries: mirrors fail at times, and a machine that has just started may hold the lock for its
    # own upgrades.
    local apt_get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
    local pause
    for pause in 5 15 45 90 0; do
        # An unreachable list may not be needed, so only a failed installation counts.
        "${apt_get[@]}" update || echo "apt-get update failed" >&2
        if "${apt_get[@]}" install --yes --no-install-recommends --no-remove "${missing[@]}"; then
            return
        fi
        echo "apt-get install failed" >&2
        sleep "$pause"
    done
    echo "Could not install ${missing[*]}" >&2
    return 1
}
