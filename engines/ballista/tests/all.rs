//! Tests of `simdpct-ballista`, but for those with running servers: scripts/check-cluster.

mod arguments;
mod message;
mod program;
mod registries;
