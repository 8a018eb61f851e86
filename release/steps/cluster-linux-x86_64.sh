# shellcheck shell=bash
# The programs of a cluster for Linux on x86-64: simdpct-ballista and simdpct-sql.
about="two executors on loopback answer a query as one process does; needs glibc 2.17 alone"
source release/cluster.sh

target=x86_64-unknown-linux-gnu

make_it() {
    cluster_archive target/release-cluster
}

check_it() {
    debian_need python3
    local folder
    cluster_unpacked
    python3 release/check-cluster.py "$folder"
}
