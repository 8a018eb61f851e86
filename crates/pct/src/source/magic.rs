//! Compressed input, recognised by its first bytes.
#![forbid(unsafe_code)]

use std::io::{self, BufReader, Cursor, Read};

use clap::ValueEnum;
use liblzma::stream::{CONCATENATED, Error as XzError, Stream};

use super::Opened;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

/// The first bytes of each format: RFC 1952 2.3.1, RFC 8878 3.1.1 (and a skippable frame), bzip2's stream with a first block or
/// none (which text that begins with "BZh9" does not have), the .xz file format 2.1.1.1.
const MAGIC: [(Compression, &[u8]); 14] = [
    (Compression::Gzip, b"\x1F\x8B\x08"),
    (Compression::Zstd, b"\x28\xB5\x2F\xFD"),
    (Compression::Zstd, b"\x50\x2A\x4D\x18"),
    (Compression::Xz, b"\xFD7zXZ\0"),
    (Compression::Bzip2, b"BZh11AY&SY"),
    (Compression::Bzip2, b"BZh21AY&SY"),
    (Compression::Bzip2, b"BZh31AY&SY"),
    (Compression::Bzip2, b"BZh41AY&SY"),
    (Compression::Bzip2, b"BZh51AY&SY"),
    (Compression::Bzip2, b"BZh61AY&SY"),
    (Compression::Bzip2, b"BZh71AY&SY"),
    (Compression::Bzip2, b"BZh81AY&SY"),
    (Compression::Bzip2, b"BZh91AY&SY"),
    (Compression::Bzip2, b"BZh9\x17\x72\x45\x38\x50\x90"),
];

/// Reads what is compressed as what it says, and anything else as it is.
///
/// Waits for more than the first bytes that come only while they could be the start of a compressed file.
pub(super) fn decompress(mut input: Box<dyn Read + Send>) -> io::Result<Opened> {
    let mut head = Vec::with_capacity(16);
    let compression = loop {
        if let Some(&(compression, _)) = MAGIC.iter().find(|(_, magic)| head.starts_with(magic)) {
            break compression;
        }
        if !MAGIC.iter().any(|(_, magic)| magic.starts_with(&head)) {
            break Compression::None;
        }
        let mut more = [0; 16];
        match input.read(&mut more) {
            Ok(0) => break Compression::None,
            Ok(length) => head.extend_from_slice(&more[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What was read before it is text all the same; it will come again, or the end.
            Err(error) if head.is_empty() => return Err(error),
            Err(_) => break Compression::None,
        }
    };
    let input = Cursor::new(head).chain(input);
    let text: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(input),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(input))),
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered(input))?;
            decoder.window_log_max(WINDOW_LOG)?;
            Box::new(Bounded(decoder))
        }
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(input))),
        Compression::Xz => {
            let decoder = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED)?;
            Box::new(Bounded(liblzma::bufread::XzDecoder::new_stream(buffered(input), decoder)))
        }
    };
    Ok(Opened { text, compression })
}

/// The longest window of a zstd file, as a power of two: 32 MiB. `zstd` itself goes beyond 8 MiB with `--long` and `--ultra` only.
const WINDOW_LOG: u32 = 25;

/// The most memory that an xz file may want, in bytes: enough for `xz -8`, whose dictionary is 32 MiB.
const XZ_MEMORY: u64 = 40 * 1024 * 1024;

/// Says in plain words that a file wants more memory than there is to be for it.
struct Bounded<R>(R);

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| {
            if wants_too_much_memory(&error) {
                io::Error::other(
                    "more than 32 MiB of memory are needed to decompress it; let its own program, as in 'xz -dc FILE | pct decode'",
                )
            } else {
                error
            }
        })
    }
}

fn wants_too_much_memory(error: &io::Error) -> bool {
    let Some(inner) = error.get_ref() else { return false };
    match inner.downcast_ref::<XzError>() {
        Some(error) => *error == XzError::MemLimit,
        // The library hands out nothing but the words of ZSTD_error_frameParameter_windowTooLarge.
        None => inner.to_string().contains("too much memory"),
    }
}

fn buffered<R: Read>(input: R) -> BufReader<R> {
    BufReader::with_capacity(64 * 1024, input)
}
