//! The tests of the library, except tests that need a separate program. They are one program, so
//! that `common` and the library's generic functions are compiled once.
//! Separate programs are `allocations` and `guarded_heap` (each has an allocator) and `exhaustive`
//! (also run optimized).

mod common;

mod accept;
mod api;
mod attacks;
#[cfg(all(any(unix, target_arch = "wasm32"), not(miri)))]
mod bounds;
mod byteset;
mod charset;
mod columns;
mod deviations;
mod differential;
mod examples;
mod ext_value;
mod form;
mod form_serde;
mod guard;
mod inspect;
mod layers;
mod legacy;
mod level;
mod linear;
mod normalize;
mod offset;
mod overflow;
mod path;
mod progress;
#[cfg(not(miri))]
mod promises;
mod properties;
mod release;
mod room;
mod sets;
mod stream;
#[cfg(not(miri))]
mod style;
mod uri;
mod url_normal;
mod utf8;
mod vectors;
