//! Names the ABI of the shared library, and the library that it needs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libsimdpct_url.so.0");
        // Without `std` nothing else names it.
        println!("cargo::rustc-cdylib-link-arg=-lc");
    }
}
