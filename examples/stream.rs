//! Decodes a stream of any length in constant memory: standard input to standard output.
//!
//! ```sh
//! printf 'caf%%C3%%A9\n' | cargo run --example stream
//! ```

use std::io::{self, Read, Write};

use simdpct::Decoder;
use simdpct::stream::read;

fn main() -> io::Result<()> {
    decode(io::stdin().lock(), &mut io::stdout().lock())
}

/// The reader may return chunks that end within a triplet. An error has the position in the whole
/// stream.
pub fn decode(input: impl Read, output: &mut impl Write) -> io::Result<()> {
    io::copy(&mut read::Decoder::new(input, Decoder::new()), output)?;
    output.flush()
}
