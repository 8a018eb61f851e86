//! Tests of `simdpct-ballista` without a cluster; test_cluster.py starts clusters.

mod arguments;
mod message;
mod program;
mod registries;
