//! The line on standard output that says where a server listens.

use std::io::{self, Write};

/// Prints a line that says where a server listens.
pub(crate) fn announce(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}
