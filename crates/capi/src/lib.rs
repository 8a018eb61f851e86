//! C library of simdpct, documented in `include/simdpct.h` and docs/c.md.
//!
//! The modules follow the sections of the header. Each exported function turns its pointers into
//! slices ([`memory`]) and its policy into a value ([`opaque`]), calls the library, and turns the
//! result into an [`Outcome`]. All unsafe code about memory is in these two modules. The exported
//! functions only pass on the promises of their callers.

// `cargo check` and clippy have profiles that unwind, which needs `std`. The profile `capi` aborts.
#![cfg_attr(panic = "abort", no_std)]
#![deny(unsafe_op_in_unsafe_fn)]

mod decoder;
mod describe;
mod encoder;
mod findings;
mod form;
mod guard;
mod memory;
mod normalizer;
mod opaque;
mod outcome;
#[cfg(panic = "abort")]
mod panic;
mod path;
mod set;
mod stream;
mod text;
mod version;
