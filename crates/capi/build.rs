//! Names the ABI of the shared library, and the library that it needs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libsimdpct.so.0");
        // Without `std` nothing else names it. An unversioned reference would get the oldest
        // `memcpy` of glibc, which takes five times as long.
        println!("cargo::rustc-cdylib-link-arg=-lc");
    }
}
