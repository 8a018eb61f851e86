//! pct
fn main() {}
