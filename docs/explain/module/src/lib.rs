//! The WebAssembly module of the page `docs/explain/index.html`: `pct explain` and the path
//! policies, as JSON.
//!
//! JavaScript writes a URL to the address that [`input`] returns, calls [`explain`], and reads the
//! JSON from [`output`]. Parts, findings and words come from the sources of `pct explain`.
// `deny`, because names that JavaScript can call are unsafe attributes. The crate has no other
// unsafe code.
#![deny(unsafe_code)]

mod json;
#[path = "../../../../crates/pct/src/command/explain/marks.rs"]
mod marks;
#[path = "../../../../crates/pct/src/command/explain/parts.rs"]
mod parts;
mod policies;
mod report;
mod text;
#[path = "../../../../crates/pct/src/operation/words.rs"]
mod words;

use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns the address of `length` bytes, to which JavaScript writes a URL in UTF-8. The next call
/// of a function of the module makes it invalid.
#[allow(unsafe_code, reason = "a name for JavaScript")]
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Explains the input. Returns the length of the output.
#[allow(unsafe_code, reason = "a name for JavaScript")]
#[unsafe(no_mangle)]
pub extern "C" fn explain() -> usize {
    let explained = INPUT.with_borrow(|url| report::report(url));
    let length = explained.len();
    OUTPUT.set(explained);
    length
}

/// Returns the address of the output.
#[allow(unsafe_code, reason = "a name for JavaScript")]
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}
