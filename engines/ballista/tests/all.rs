//! Tests of `simdpct-ballista`, but for those with running servers: engines/ballista/check.

mod arguments;
mod message;
mod program;
mod registries;
