//! Version and level.

use core::ffi::c_char;

use simdpct::Level;

use crate::text::{NAME, c_name};

#[unsafe(no_mangle)]
extern "C" fn simdpct_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[unsafe(no_mangle)]
extern "C" fn simdpct_version_number() -> u32 {
    const NUMBER: u32 = number(env!("CARGO_PKG_VERSION_MAJOR")) << 16
        | number(env!("CARGO_PKG_VERSION_MINOR")) << 8
        | number(env!("CARGO_PKG_VERSION_PATCH"));
    NUMBER
}

const fn number(digits: &str) -> u32 {
    match u8::from_str_radix(digits, 10) {
        Ok(number) => number as u32,
        Err(_) => panic!("a part of the version is over 255"),
    }
}

#[unsafe(no_mangle)]
extern "C" fn simdpct_level() -> *const c_char {
    const NAMES: [[u8; NAME]; Level::ALL.len()] = {
        let mut names = [[0; NAME]; Level::ALL.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = c_name(Level::ALL[index].name());
            index += 1;
        }
        names
    };
    static TABLE: [[u8; NAME]; Level::ALL.len()] = NAMES;
    let active = Level::active();
    let index = Level::ALL.iter().position(|&level| level == active).unwrap_or(0);
    TABLE[index].as_ptr().cast()
}
