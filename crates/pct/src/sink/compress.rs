//! Compression of output.
#![forbid(unsafe_code)]

use std::io::{self, Write};

use crate::source::Compression;

/// A writer with optional compression.
pub(super) enum Compressor<W: Write> {
    None(W),
    Gzip(flate2::write::GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
    Bzip2(bzip2::write::BzEncoder<W>),
    Xz(liblzma::write::XzEncoder<W>),
}

impl<W: Write> Compressor<W> {
    /// Uses the default level of the format's command, except a lower one for xz, whose memory
    /// would exceed the limit.
    pub(super) fn new(output: W, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::None(output),
            Compression::Gzip => Self::Gzip(flate2::write::GzEncoder::new(output, flate2::Compression::new(6))),
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(output, 3)?;
                // As the zstd command does: without a checksum, damage would be undetected.
                encoder.include_checksum(true)?;
                Self::Zstd(encoder)
            }
            Compression::Bzip2 => Self::Bzip2(bzip2::write::BzEncoder::new(output, bzip2::Compression::new(9))),
            Compression::Xz => Self::Xz(liblzma::write::XzEncoder::new(output, 3)),
        })
    }

    /// Uncompressed output is flushed at once.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::None(output) => output.write_all(bytes).and_then(|()| output.flush()),
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
            Self::Bzip2(encoder) => encoder.write_all(bytes),
            Self::Xz(encoder) => encoder.write_all(bytes),
        }
    }

    /// Flushes so that all input so far can be decompressed, at some cost in compression. With
    /// bzip2, whose streams end within a byte, the last bits wait.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::None(output) => output.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
            Self::Bzip2(encoder) => encoder.flush(),
            // The first flush leaves data in the encoder's buffer; the second writes it.
            Self::Xz(encoder) => encoder.flush().and_then(|()| encoder.flush()),
        }
    }

    pub(super) fn finish(self) -> io::Result<W> {
        match self {
            Self::None(output) => Ok(output),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
            Self::Bzip2(encoder) => encoder.finish(),
            Self::Xz(encoder) => encoder.finish(),
        }
    }
}
