//! Decompression of inputs, detected by their first bytes.
#![forbid(unsafe_code)]

use std::io::{self, BufRead, BufReader, Cursor, Read};

use clap::ValueEnum;
use flate2::bufread::GzDecoder;
use liblzma::stream::{CONCATENATED, Error as XzError, Stream};

use super::Opened;

/// Compression format.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

const GZIP: &[u8] = b"\x1F\x8B\x08";

/// First bytes of each format: RFC 1952 2.3.1; RFC 8878 3.1.1 and skippable frames; bzip2's stream
/// header with a first block or none, so that text that begins with "BZh9" is not matched; the .xz
/// file format 2.1.1.1.
const MAGIC: [(Compression, &[u8]); 14] = [
    (Compression::Gzip, GZIP),
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

/// Decompresses compressed input, and passes any other input through.
///
/// Waits for more bytes only while those read could be the start of a compressed file.
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
            // Return the bytes read so far as text; the next read returns the error again, or the
            // end.
            Err(error) if head.is_empty() => return Err(error),
            Err(_) => break Compression::None,
        }
    };
    let input = Cursor::new(head).chain(input);
    let text: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(input),
        Compression::Gzip => Box::new(Gzip::new(buffered(input))),
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered(input))?;
            decoder.window_log_max(WINDOW_LOG)?;
            Box::new(RewordErrors(decoder))
        }
        Compression::Bzip2 => Box::new(RewordErrors(bzip2::bufread::MultiBzDecoder::new(buffered(input)))),
        Compression::Xz => {
            let decoder = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED)?;
            Box::new(RewordErrors(liblzma::bufread::XzDecoder::new_stream(buffered(input), decoder)))
        }
    };
    Ok(Opened { text, compression })
}

/// Maximum window of a zstd file, as a power of two: 128 MiB, the limit of the `zstd` command,
/// which `zstd --long` reaches.
const WINDOW_LOG: u32 = 27;

/// Maximum memory for decoding an xz file, in bytes: enough for a dictionary of 128 MiB; that of
/// `xz -9` is 64 MiB.
const XZ_MEMORY: u64 = 136 * 1024 * 1024;

type Input = Box<dyn BufRead + Send>;

/// Concatenates the members of a gzip file. As in `gzip`, zero bytes after the last one are
/// padding.
struct Gzip {
    member: GzDecoder<Input>,
    is_first: bool,
    is_done: bool,
}

impl Gzip {
    fn new(input: Input) -> Self {
        Self { member: GzDecoder::new(input), is_first: true, is_done: false }
    }

    /// Proceeds to the next member, after the end of one.
    fn next_member(&mut self) -> io::Result<()> {
        self.is_first = false;
        self.is_done = !is_member_next(self.member.get_mut())?;
        let input = self.member.reset(Box::new(io::empty()));
        self.member.reset(input);
        Ok(())
    }

    fn is_no_header(&self, error: &io::Error) -> bool {
        self.member.header().is_none() && error.kind() == io::ErrorKind::InvalidInput
    }
}

/// Whether another member follows; false at the end of the input.
fn is_member_next(input: &mut Input) -> io::Result<bool> {
    let mut is_padding = false;
    loop {
        let bytes = input.fill_buf()?;
        let length = bytes.len();
        match bytes.iter().find(|&&byte| byte != 0) {
            None if length == 0 => return Ok(false),
            None => is_padding = true,
            Some(_) if !is_padding && bytes[0] == GZIP[0] => return Ok(true),
            Some(_) => return Err(garbage()),
        }
        input.consume(length);
    }
}

impl Read for Gzip {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.is_done && !buffer.is_empty() {
            match self.member.read(buffer) {
                Ok(0) => self.next_member()?,
                // Data after the first member need not be a member.
                Err(error) if !self.is_first && self.is_no_header(&error) => {
                    self.is_done = true;
                    return Err(garbage());
                }
                result => return result,
            }
        }
        Ok(0)
    }
}

/// Rewords library errors that users can act upon.
struct RewordErrors<R>(R);

impl<R: Read> Read for RewordErrors<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| {
            let Some(inner) = error.get_ref() else { return error };
            if wants_too_much_memory(inner) {
                io::Error::other(
                    "decompressing takes more than 128 MiB of memory; use its own program, as in 'xz -dc FILE | pct decode'",
                )
            } else if is_no_frame(inner) {
                garbage()
            } else {
                error
            }
        })
    }
}

type Inner = dyn std::error::Error + Send + Sync;

fn wants_too_much_memory(error: &Inner) -> bool {
    match error.downcast_ref::<XzError>() {
        Some(error) => *error == XzError::MemLimit,
        // The library returns ZSTD_error_frameParameter_windowTooLarge as a message only.
        None => error.to_string().contains("too much memory"),
    }
}

/// Whether the header of a zstd frame or bzip2 stream is missing. For xz, this error is like any
/// other.
fn is_no_frame(error: &Inner) -> bool {
    // The libraries return ZSTD_error_prefix_unknown and BZ_DATA_ERROR_MAGIC as messages only.
    let message = error.to_string();
    ["Unknown frame descriptor", "bz2 header missing"].iter().any(|part| message.contains(part))
}

fn garbage() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "trailing garbage after the compressed data was ignored")
}

fn buffered(input: impl Read + Send + 'static) -> Input {
    Box::new(BufReader::with_capacity(64 * 1024, input))
}
