//! Tests of `simdpct-ballista` without running servers. Tests with servers: engines/ballista/check.

mod arguments;
mod message;
mod program;
mod registries;
