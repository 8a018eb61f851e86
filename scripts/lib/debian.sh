# shellcheck shell=bash
# Sourced by the scripts that need Debian packages: `debian_need PACKAGE[:ARCHITECTURE]...` installs those that are missing.

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
        echo "This is not a Debian machine (there is no apt-get). Install by hand what these packages hold: ${missing[*]}" >&2
        return 1
    fi
    local as_root=()
    if ((EUID != 0)); then
        as_root=(sudo)
        if ! type sudo >/dev/null 2>&1 || ! sudo -v; then
            echo "Only root can install packages, and sudo does not make us root. Install by hand: ${missing[*]}" >&2
            return 1
        fi
    fi

    for package in "${missing[@]}"; do
        if [[ $package == *:* ]]; then
            "${as_root[@]}" dpkg --add-architecture "${package#*:}"
        fi
    done

    # The mirrors hiccup, and a machine that has just started may be at its own upgrades.
    local apt_get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
    local pause
    for pause in 5 15 45 90 0; do
        # A list that cannot be fetched may be one that is not needed: the installation tells.
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
