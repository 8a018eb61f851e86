//! Tests of `simdpct-ballista`; those with running servers are in test_cluster.py.

mod arguments;
mod message;
mod program;
mod registries;
