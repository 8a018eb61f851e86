# shellcheck shell=bash
# Sourced by the steps of Debian packages: makes a package of a folder, and installs it in a separate root.

maintainer="The simdpct developers <simdpct@example.org>"
section=utils

# package NAME DEPENDS SUMMARY DESCRIPTION FOLDER: makes a package of a folder.
package() {
    local name=$1 depends=$2 summary=$3 description=$4 folder=$5 file
    local doc=$folder/usr/share/doc/$name
    mkdir -p "$folder/DEBIAN" "$doc"
    {
        printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: simdpct\n\n'
        printf 'Files: *\nCopyright: the simdpct developers\nLicense: MIT or Apache-2.0\n\n'
        printf 'License: Apache-2.0\n The text is in /usr/share/common-licenses/Apache-2.0.\n\nLicense: MIT\n'
        sed 's/^$/./; s/^/ /' LICENSE-MIT
    } >"$doc/copyright"
    {
        printf 'simdpct (%s-1) unstable; urgency=medium\n\n  * Initial release.\n\n' "$version"
        printf ' -- %s  %s\n' "$maintainer" "$(date -R -u -d "@$SOURCE_DATE_EPOCH")"
    } | gzip -9n >"$doc/changelog.Debian.gz"
    cat >"$folder/DEBIAN/control" <<END
Package: $name
Source: simdpct
Version: $version-1
Architecture: amd64
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$folder" | cut -f 1)
Depends: $depends
Section: $section
Priority: optional
$(multi_arch)
Description: $summary
$(sed 's/^/ /' <<<"$description")
END
    (cd "$folder" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | sort | xargs md5sum) >"$folder/DEBIAN/md5sums"
    for file in shlibs triggers postinst prerm; do
        [[ ! -f $work/$name.$file ]] || install -m "$([[ $file == p* ]] && echo 755 || echo 644)" "$work/$name.$file" "$folder/DEBIAN/$file"
    done
    find "$folder" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --build "$folder" "$artefacts/${name}_$version-1_amd64.deb" >/dev/null
}

# multi_arch: prints the field, by the section. A module of nginx has no such field.
multi_arch() {
    case $section in
        utils) echo "Multi-Arch: foreign" ;;
        libs | libdevel) echo "Multi-Arch: same" ;;
        *) echo "Enhances: nginx" ;;
    esac
}

lintian_passes() {
    debian_need lintian
    # A package for a distribution would close a bug, and name the distribution.
    lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs,bad-distribution-in-changes-file "$artefacts"/*.deb
}

# in_own_root ARGUMENT...: runs dpkg in $work/root, a folder with its own database. The machine does not
# change.
in_own_root() {
    local admin=$work/admin
    if [[ ! -d $admin ]]; then
        mkdir -p "$admin/updates" "$admin/info" "$work/root"
        : >"$admin/status"
    fi
    # The root has no libc to depend on, and no shell for chroot.
    dpkg --root="$work/root" --admindir="$admin" --force-depends --force-not-root --force-script-chrootless \
        --force-architecture --log=/dev/null "$@" >"$work/log" 2>&1 || { cat "$work/log" && return 1; }
}

own_root_is_empty() {
    local file
    file=$(find "$work/root" -type f -o -type l | head -n 1)
    [[ ! $file ]] || die "$file stays after the purge"
}
