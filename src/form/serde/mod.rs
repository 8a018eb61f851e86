//! Serde support: converts forms to Rust types and back.
#![forbid(unsafe_code)]

mod de;
mod error;
mod ser;

pub use de::{Deserializer, from_bytes, from_str, from_text};
pub use error::Error;
pub use ser::to_string;
