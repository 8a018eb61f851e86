# shellcheck shell=bash
# The RPM of the command for x86-64.
about="installed in a database and a folder of its own, run, and erased"
source release/command.sh

target=x86_64-unknown-linux-gnu

make_it() {
    debian_need rpm
    build_portable target/release-zig
    command_folder "target/release-zig/$target/release/pct" "$work/command"
    gzip -9n "$work"/command/man/*
    cat >"$work/simdpct.spec" <<END
Name: simdpct
Version: $version
Release: 1
Summary: Percent-encode and -decode files, logs and URLs
License: MIT OR Apache-2.0
URL: https://github.com/simdpct/simdpct

# The program is already built, and the release profile has stripped it.
%global debug_package %{nil}
%global __os_install_post %{nil}

%description
pct decodes, encodes, normalizes and inspects URLs in lines, CSV, JSON Lines and access logs, with SIMD and on all cores. It
counts bad records instead of stopping at them.

%install
install -D -m 755 $work/command/pct %{buildroot}/usr/bin/pct
mkdir -p %{buildroot}/usr/share/man/man1
install -m 644 $work/command/man/* %{buildroot}/usr/share/man/man1
install -D -m 644 $work/command/completions/pct.bash %{buildroot}/usr/share/bash-completion/completions/pct
install -D -m 644 $work/command/completions/_pct %{buildroot}/usr/share/zsh/site-functions/_pct
install -D -m 644 $work/command/completions/pct.fish %{buildroot}/usr/share/fish/vendor_completions.d/pct.fish
install -D -m 644 -t %{buildroot}/usr/share/licenses/simdpct $work/command/LICENSE-* $work/command/THIRD-PARTY.txt

%files
/usr/bin/pct
/usr/share/man/man1/pct*
/usr/share/bash-completion/completions/pct
/usr/share/zsh/site-functions/_pct
/usr/share/fish/vendor_completions.d/pct.fish
%license /usr/share/licenses/simdpct
END
    # Sets a fixed build host, and the commit's time as the build time, so that two builds are the same.
    rpmbuild --quiet -bb --target x86_64 --define "_topdir $work/rpm" --define "_buildhost localhost" \
        --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" "$work/simdpct.spec"
    cp "$work"/rpm/RPMS/x86_64/*.rpm "$artefacts"
}

check_it() {
    debian_need rpm cpio
    local rpm=(rpm --dbpath "$work/database" --root "$work/root")
    mkdir -p "$work/root/$work/database"
    "${rpm[@]}" --initdb
    # Leaves out the dependency on a C library, whose package the folder lacks.
    "${rpm[@]}" --install --nodeps "$artefacts"/*.rpm
    command_works "$work/root/usr/bin/pct"
    has_no_path "$work/root/usr/bin/pct"
    [[ -f $work/root/usr/share/man/man1/pct-decode.1.gz ]]
    rpm --query --requires --package "$artefacts"/*.rpm 2>/dev/null | grep 'GLIBC_2.17' >/dev/null
    "${rpm[@]}" --erase --nodeps simdpct
    [[ ! -e $work/root/usr/bin/pct ]] || die "the program stays"
}
