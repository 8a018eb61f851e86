//! Links the shared library: sets the name of its ABI, and the library that it needs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libsimdpct_url.so.0");
        // Without `std`, no other crate names the C library.
        println!("cargo::rustc-cdylib-link-arg=-lc");
    }
}
