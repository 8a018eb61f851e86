# shellcheck shell=bash
# The Debian package of the nginx module, for the nginx of the Debian that builds it.
about="lintian without errors; loaded by Debian's nginx, which then decides on canonical paths; purged"
source release/debian.sh

make_it() {
    debian_need nginx nginx-dev
    local folder=$work/module abi name=libnginx-mod-http-simdpct
    abi=$(dpkg-query --show --showformat='${Provides}' nginx | grep -oE 'nginx-abi-[0-9.-]+')
    remapped integrations/build nginx "$work/built" >"$work/log" 2>&1 || { cat "$work/log" && return 1; }
    install -D -m 644 "$work/built/ngx_http_simdpct_module.so" -t "$folder/usr/lib/nginx/modules"
    strip --strip-unneeded --remove-section=.comment --remove-section=.note "$folder/usr/lib/nginx/modules/ngx_http_simdpct_module.so"
    mkdir -p "$folder/usr/share/nginx/modules-available"
    echo "load_module modules/ngx_http_simdpct_module.so;" >"$folder/usr/share/nginx/modules-available/mod-http-simdpct.conf"
    install -D -m 644 integrations/nginx/README.md -t "$folder/usr/share/doc/$name"
    # Like Debian's modules, the module is enabled when installed and disabled when removed. DPKG_ROOT is
    # empty except in a separate root.
    cat >"$work/$name.postinst" <<'END'
#!/bin/sh
set -e
if [ "$1" = configure ] && [ -z "$2" ]; then
    mkdir -p "$DPKG_ROOT/etc/nginx/modules-enabled"
    ln -sf /usr/share/nginx/modules-available/mod-http-simdpct.conf "$DPKG_ROOT/etc/nginx/modules-enabled/50-mod-http-simdpct.conf"
fi
if [ -z "$DPKG_ROOT" ]; then
    dpkg-trigger --no-await nginx-reload || true
fi
END
    cat >"$work/$name.prerm" <<'END'
#!/bin/sh
set -e
if [ "$1" = remove ]; then
    rm -f "$DPKG_ROOT/etc/nginx/modules-enabled/50-mod-http-simdpct.conf"
    if [ -z "$DPKG_ROOT" ]; then
        dpkg-trigger --no-await nginx-reload || true
    fi
fi
END
    section=httpd
    package "$name" "$abi, libc6 (>= 2.17)" "Canonical paths for nginx, before it chooses a location" \
        "A module that makes the canonical path of a request nginx's own, so that
locations, proxies and caches agree, and refuses requests by what their raw
target contains." "$folder"
}

check_it() {
    debian_need nginx
    lintian_passes
    in_own_root --install "$artefacts"/*.deb
    local enabled=$work/root/etc/nginx/modules-enabled/50-mod-http-simdpct.conf port process status=1
    local module=$work/root/usr/lib/nginx/modules/ngx_http_simdpct_module.so
    needs_glibc_at_most "$module" 2.17
    has_no_path "$module"
    [[ $(readlink "$enabled") == /usr/share/nginx/modules-available/mod-http-simdpct.conf ]]
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    mkdir "$work/nginx"
    cat >"$work/nginx/nginx.conf" <<END
load_module $module;
daemon off;
master_process off;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
events {}
http {
    access_log off;
    client_body_temp_path $work/nginx/body;
    proxy_temp_path $work/nginx/proxy;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    server {
        listen 127.0.0.1:$port;
        simdpct_path default;
        location /admin { return 403; }
        location / { return 200 \$uri; }
    }
}
END
    nginx -e "$work/nginx/error.log" -c "$work/nginx/nginx.conf" &
    process=$!
    if nginx_decides "$port"; then
        status=0
    else
        cat "$work/nginx/error.log"
    fi
    kill "$process"
    wait "$process" || true
    in_own_root --purge libnginx-mod-http-simdpct
    own_root_is_empty
    return "$status"
}

# nginx_decides PORT: waits for the server, and checks its decisions.
nginx_decides() {
    python3 - "$1" <<'END'
import http.client
import sys
import time


def get(target):
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
    connection.putrequest("GET", target, skip_host=False)
    connection.endheaders()
    response = connection.getresponse()
    return response.status, response.read().decode()


for _ in range(100):
    try:
        get("/")
        break
    except OSError:
        time.sleep(0.05)
for target, expected in {"/a/../%7eb": (200, "/~b"), "/x/..;/admin": 403, "/x/%2e%2e/admin": 403, "/%2e%2e/admin": 400, "/a%2fb": (200, "/a/b"), "/%00": 400}.items():
    found = get(target)
    assert found == expected or found[0] == expected, (target, found)
END
}
