//! Prints the decoded paths of an access log, and counts the paths that are malformed.
//!
//! ```sh
//! cargo run --example access_log <tests/data/access.log
//! ```

use std::io::{self, BufRead, Write};

use simdpct::{ByteSet, Decoder, sets};

/// Control characters stay escaped, so that no path can break the lines of the output.
const SHOWN: Decoder = Decoder::new().keep(sets::CTL.union(ByteSet::new(b"%")));

fn main() -> io::Result<()> {
    let malformed = print_paths(io::stdin().lock(), &mut io::stdout().lock())?;
    eprintln!("{malformed} malformed");
    Ok(())
}

/// Takes lines in the combined format: `HOST - - [TIME] "GET /path HTTP/1.1" ...`.
pub fn print_paths(log: impl BufRead, output: &mut impl Write) -> io::Result<usize> {
    let mut malformed = 0;
    for line in log.lines() {
        let line = line?;
        let Some(target) = line.split('"').nth(1).and_then(|request| request.split(' ').nth(1)) else { continue };
        let (path, _query) = simdpct::path::split(target);
        match SHOWN.decode_utf8(path) {
            Ok(path) => writeln!(output, "{path}")?,
            Err(_) => malformed += 1,
        }
    }
    Ok(malformed)
}
