//! Streams.
//!
//! # Safety
//!
//! The functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use simdpct::Encoder;
use simdpct::stream::{self, Progress, StreamError, Tail};

use crate::decoder::DecoderPolicy;
use crate::memory::{buffers_apart, copy_to_output, output, put, report, zeroed};
use crate::opaque::{Opaque, clear, load, store, with};
use crate::outcome::{CResult, Outcome, Status};

const LOSSY: u32 = 1;

/// Number of output bytes to use for a chunk of `length` bytes: an upper bound on its output.
///
/// The library takes initialized slices, and a larger output would be zeroed for nothing.
const fn useful_room(length: usize) -> usize {
    length.saturating_mul(3).saturating_add(64)
}

impl Opaque for stream::Decoder {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcd\0");
}

impl Opaque for stream::Encoder {
    const WORDS: usize = 64;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpce\0");
}

trait Stream: Opaque {
    fn feed(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, StreamError>;
    fn finish(self) -> Result<Tail, StreamError>;
}

impl Stream for stream::Decoder {
    fn feed(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, StreamError> {
        self.feed(input, output)
    }

    fn finish(self) -> Result<Tail, StreamError> {
        self.finish()
    }
}

impl Stream for stream::Encoder {
    fn feed(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, StreamError> {
        Ok(self.feed(input, output))
    }

    fn finish(self) -> Result<Tail, StreamError> {
        Ok(self.finish())
    }
}

fn error(error: StreamError) -> Outcome {
    // Saturates on 32-bit targets only.
    Outcome::decode_error(error.kind, usize::try_from(error.position).unwrap_or(usize::MAX))
}

unsafe fn feed<S: Stream>(
    array: *mut c_void,
    src: *const c_void,
    len: usize,
    read: *mut usize,
    dst: *mut c_void,
    cap: usize,
) -> Outcome {
    // SAFETY: by the contract of the file header.
    let (stream, buffers) = unsafe { (load::<S>(array), buffers_apart(src, len, dst, cap)) };
    let (Some(mut stream), Some((input, output))) = (stream, buffers) else { return Outcome::BAD_ARGUMENT };
    if read.is_null() {
        return Outcome::BAD_ARGUMENT;
    }
    let room = output.len().min(useful_room(len));
    let result = stream.feed(input, zeroed(output, room).unwrap_or_default());
    // SAFETY: by the contract of the file header.
    unsafe {
        store(array, stream);
        put(read, result.map_or(0, |progress| progress.read));
    }
    result.map_or_else(error, |progress| Outcome::ok(progress.written))
}

unsafe fn finish<S: Stream>(array: *mut c_void, dst: *mut c_void, cap: usize) -> Outcome {
    // SAFETY: by the contract of the file header.
    let (stream, output): (_, Option<&mut [MaybeUninit<u8>]>) = unsafe { (load::<S>(array), output(dst, cap)) };
    let (Some(stream), Some(output)) = (stream, output) else { return Outcome::BAD_ARGUMENT };
    let tail = match stream.finish() {
        Ok(tail) => tail,
        Err(found) => return error(found),
    };
    if copy_to_output(&tail, output).is_none() {
        return Outcome::no_room(tail.len());
    }
    // SAFETY: `load` has found a stream here.
    unsafe { clear(array) };
    Outcome::ok(tail.len())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_decode_stream_init(stream: *mut c_void, decoder: *const c_void, flags: u32) -> bool {
    let start = |policy: &DecoderPolicy| {
        let decoder = stream::Decoder::new(policy.decoder);
        match flags {
            0 if policy.utf8 => Some(decoder.utf8()),
            0 => Some(decoder),
            LOSSY => Some(decoder.utf8_lossy()),
            _ => None,
        }
    };
    // SAFETY: by the contract of the file header.
    unsafe { with(decoder, start).flatten().is_some_and(|started| store(stream, started)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_encode_stream_init(stream: *mut c_void, encoder: *const c_void, flags: u32) -> bool {
    let start = |encoder: &Encoder| (flags == 0).then(|| stream::Encoder::new(*encoder));
    // SAFETY: by the contract of the file header.
    unsafe { with(encoder, start).flatten().is_some_and(|started| store(stream, started)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_decode_stream_feed(
    stream: *mut c_void,
    src: *const c_void,
    len: usize,
    read: *mut usize,
    dst: *mut c_void,
    cap: usize,
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    unsafe { report(feed::<stream::Decoder>(stream, src, len, read, dst, cap), result) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_decode_stream_finish(
    stream: *mut c_void,
    dst: *mut c_void,
    cap: usize,
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    unsafe { report(finish::<stream::Decoder>(stream, dst, cap), result) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_encode_stream_feed(
    stream: *mut c_void,
    src: *const c_void,
    len: usize,
    read: *mut usize,
    dst: *mut c_void,
    cap: usize,
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    unsafe { report(feed::<stream::Encoder>(stream, src, len, read, dst, cap), result) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_encode_stream_finish(
    stream: *mut c_void,
    dst: *mut c_void,
    cap: usize,
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    unsafe { report(finish::<stream::Encoder>(stream, dst, cap), result) }
}
