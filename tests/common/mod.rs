//! Shared test code: grids of codecs, and for each operation one comparison of every output form
//! with the reference implementation.
//!
//! A comparison takes an input and a codec, runs every form on every available level, and panics
//! with a message sufficient to reproduce the failure. Inputs are surrounded by bytes that would
//! change the result if they were read, outputs by canaries.
#![allow(dead_code, unused_imports)] // Each test file uses a part of this module.

pub mod accept;
pub mod columns;
pub mod ext_value;
pub mod form;
pub mod grid;
#[cfg(all(any(unix, target_arch = "wasm32"), not(miri), not(fuzzing)))]
pub mod guard;
pub mod inputs;
pub mod inspect;
pub mod legacy;
pub mod normalize;
pub mod offset;
pub mod path;
#[cfg(not(fuzzing))]
pub mod strategies;
pub mod stream;
pub mod target;
pub mod uri;

use std::borrow::Cow;
use std::fmt;
use std::mem::MaybeUninit;
use std::sync::LazyLock;

pub use grid::{decoder, decoders, encoder, encoders};
use simdpct::{BufferTooSmall, ByteSet, DecodeError, DecodeIntoError, Decoder, Encoder, Level, reference};

/// Whether to run shorter tests (`SIMDPCT_QUICK=1`): in emulators and under valgrind.
pub fn is_quick() -> bool {
    std::env::var_os("SIMDPCT_QUICK").is_some_and(|value| value != "0")
}

/// Whether to run the longest tests too (`SIMDPCT_LONG=1`): `scripts/check exhaustive`.
pub fn is_long() -> bool {
    std::env::var_os("SIMDPCT_LONG").is_some_and(|value| value != "0")
}

/// The levels to compare: all that this CPU has. With `SIMDPCT_TEST_LEVELS=active`, only the active
/// level, if other runs test the other levels.
pub fn levels() -> impl Iterator<Item = Level> {
    static ONLY_ACTIVE: LazyLock<bool> = LazyLock::new(|| {
        let levels = std::env::var("SIMDPCT_TEST_LEVELS").ok();
        assert!(levels.as_deref().is_none_or(|levels| levels == "active"), "SIMDPCT_TEST_LEVELS={levels:?}");
        levels.is_some()
    });
    Level::available().filter(|&level| !*ONLY_ACTIVE || level == Level::active())
}

/// Asserts that `work` takes time in proportion to the length of its input, from 16 KiB to 256 KiB
/// of `pattern`, four times as much in a long run.
///
/// With 16 times the length, linear time is 16 times as long and quadratic time 256 times. The
/// fastest of three runs counts, in CPU time of the thread, which other tests do not lengthen.
#[cfg(not(fuzzing))]
#[track_caller]
pub fn assert_linear(pattern: &str, work: impl Fn(&str)) {
    let time = |length: usize| {
        let text = pattern.repeat(length / pattern.len());
        let run = || {
            let start = thread_time();
            work(&text);
            thread_time() - start
        };
        (0..3).map(|_| run()).min().unwrap_or_default()
    };
    let length = if is_long() { 1 << 20 } else { 256 << 10 };
    let (short, long) = (time(length / 16), time(length));
    let ratio = long.as_secs_f64() / short.as_secs_f64().max(1e-5);
    assert!(ratio < 64.0, "16 times {:?} took {ratio:.0} times as long: {short:?}, {long:?}", &pattern);
}

/// The CPU time of this thread, or the time where the system has no such clock.
#[cfg(not(fuzzing))]
fn thread_time() -> std::time::Duration {
    #[cfg(target_os = "linux")]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is to a `timespec`. (tests/charset.rs)
        let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        assert_eq!(status, 0);
        std::time::Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(target_os = "linux"))]
    {
        static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed()
    }
}

/// Context of a failure: output form, level, codec and input.
pub struct Case<'a> {
    pub form: &'static str,
    pub level: Level,
    pub codec: &'a dyn fmt::Debug,
    pub input: &'a [u8],
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { form, level, codec, input } = self;
        write!(f, "{form} on {level} of {} bytes \"{}\" by {codec:?}", input.len(), input.escape_ascii())
    }
}

/// Number of bytes on either side of an input or a buffer.
const MARGIN: usize = 64;

/// An input surrounded by bytes that change the result if they are read: a `%4` before the start,
/// digits that complete a triplet cut by the end, then every special byte.
pub struct Surrounded(Vec<u8>);

impl Surrounded {
    pub fn new(input: &[u8]) -> Self {
        let special = || b"41%+ \0\x80\xFF".iter().copied().cycle();
        let before = special().take(MARGIN - 2).chain(*b"%4");
        Self(before.chain(input.iter().copied()).chain(special().take(MARGIN)).collect())
    }

    pub fn input(&self) -> &[u8] {
        &self.0[MARGIN..self.0.len() - MARGIN]
    }

    pub fn input_mut(&mut self) -> &mut [u8] {
        let end = self.0.len() - MARGIN;
        &mut self.0[MARGIN..end]
    }

    /// Whether the bytes around the input equal those of `other`.
    pub fn margins_equal(&self, other: &Self) -> bool {
        let end = self.0.len() - MARGIN;
        self.0[..MARGIN] == other.0[..MARGIN] && self.0[end..] == other.0[end..]
    }
}

/// A buffer between canaries.
pub struct Canaries(Vec<u8>);

impl Canaries {
    pub fn around(capacity: usize) -> Self {
        Self((0..2 * MARGIN + capacity).map(Self::canary).collect())
    }

    pub fn buffer(&mut self) -> &mut [u8] {
        let end = self.0.len() - MARGIN;
        &mut self.0[MARGIN..end]
    }

    pub fn uninit_buffer(&mut self) -> &mut [MaybeUninit<u8>] {
        as_uninit(self.buffer())
    }

    /// Whether the buffer starts with `expected` and the canaries are intact.
    pub fn hold(&self, expected: &[u8]) -> bool {
        self.0[MARGIN..].starts_with(expected) && self.intact()
    }

    pub fn intact(&self) -> bool {
        let end = self.0.len() - MARGIN;
        let is_canary = |at: usize| self.0[at] == Self::canary(at);
        (0..MARGIN).all(is_canary) && (end..self.0.len()).all(is_canary)
    }

    fn canary(at: usize) -> u8 {
        0xC5 ^ at as u8
    }
}

/// The buffer as uninitialized memory, for the `_uninit` forms.
pub fn as_uninit(buffer: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    let length = buffer.len();
    // SAFETY: `u8` and `MaybeUninit<u8>` have the same layout, and the functions under test write
    // only initialized bytes.
    unsafe { std::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), length) }
}

/// Failure of a form that writes to a buffer, comparable across forms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    Decode(DecodeError),
    /// The buffer is too small; the number of bytes needed.
    Needs(usize),
}

impl From<DecodeIntoError> for Failure {
    fn from(error: DecodeIntoError) -> Self {
        match error {
            DecodeIntoError::Decode(error) => Self::Decode(error),
            DecodeIntoError::BufferTooSmall(error) => error.into(),
            other => panic!("a new kind of failure: {other}"),
        }
    }
}

impl From<BufferTooSmall> for Failure {
    fn from(error: BufferTooSmall) -> Self {
        Self::Needs(error.needed)
    }
}

/// Capacities: none, half, one too few, exact, one more, the input's length, and enough for any
/// fast path.
fn capacities(needed: usize, length: usize) -> [usize; 7] {
    [0, needed / 2, needed.saturating_sub(1), needed, needed + 1, length, needed + MARGIN]
}

/// Asserts that the result is the input itself, not a copy, if and only if nothing changed.
fn assert_borrowed_iff_unchanged(result: &[u8], case: &Case<'_>) {
    let is_borrowed = std::ptr::eq(result, case.input);
    assert_eq!(is_borrowed, result == case.input, "borrowed, unchanged: {case}");
}

/// Compares every form of decoding, on every level, with the reference implementation.
pub fn compare_decoding(decoder: &Decoder, input: &[u8]) {
    let surrounded = Surrounded::new(input);
    let input = surrounded.input();
    let bytes = reference::decode(decoder, input);
    let text = reference::decode_utf8(decoder, input);
    let lossy = reference::decode_utf8_replacing(decoder, input, "\u{FFFD}");
    let dropping = reference::decode_utf8_replacing(decoder, input, "");

    for level in levels() {
        let decoder = decoder.level(level);
        let case = |form| Case { form, level, codec: &decoder, input };

        let result = decoder.decode(input);
        assert_eq!(result.as_deref(), bytes.as_deref(), "{}", case("decode"));
        let _ = result.inspect(|bytes| assert_borrowed_iff_unchanged(bytes, &case("decode")));

        for (form, result, expected) in [
            ("decode_utf8", decoder.decode_utf8(input), &text),
            ("decode_utf8_lossy", decoder.decode_utf8_lossy(input), &lossy),
            ("decode_utf8_dropping", decoder.decode_utf8_dropping(input), &dropping),
        ] {
            assert_eq!(result.as_deref(), expected.as_deref(), "{}", case(form));
            let _ = result.inspect(|text| assert_borrowed_iff_unchanged(text.as_bytes(), &case(form)));
        }

        compare_decoding_of_text(&decoder, &[&text, &lossy, &dropping], &case("decode_utf8 of text"));
        compare_decode_utf8_to(&decoder, &[&text, &lossy], &case("decode_utf8_to, decode_utf8_lossy_to"));

        assert_eq!(decoder.decoded_len(input), bytes.as_ref().map(Vec::len).map_err(|&e| e), "{}", case("decoded_len"));
        assert_eq!(decoder.check(input), bytes.as_ref().map(|_| ()).map_err(|&e| e), "{}", case("check"));

        compare_decode_to(&decoder, &bytes, &case("decode_to"));
        compare_decode_into(&decoder, &bytes, &case("decode_into, decode_uninit"));
        compare_decode_in_place(&decoder, &surrounded, &bytes, &case("decode_in_place"));
        compare_decode_utf8_to_slices(&decoder, &surrounded, &text, &case("decode_utf8_into, decode_utf8_in_place"));
    }
}

/// An input that is known to be text has the same results.
fn compare_decoding_of_text(decoder: &Decoder, expected: &[&Result<String, DecodeError>; 3], case: &Case<'_>) {
    let Ok(input) = str::from_utf8(case.input) else { return };
    let results = [decoder.decode_utf8(input), decoder.decode_utf8_lossy(input), decoder.decode_utf8_dropping(input)];
    for (result, expected) in results.into_iter().zip(expected) {
        assert_eq!(result.as_deref(), expected.as_deref(), "{case}");
        let _ = result.inspect(|text| assert_borrowed_iff_unchanged(text.as_bytes(), case));
    }
}

/// Like [`compare_decode_to`], for bytes and for text.
fn compare_decode_utf8_to(decoder: &Decoder, [text, lossy]: &[&Result<String, DecodeError>; 2], case: &Case<'_>) {
    const BEFORE: &str = "before %41é";
    let length = case.input.len();
    let compare = |expected: &Result<String, DecodeError>, append: &dyn Fn(&mut String) -> Result<(), DecodeError>| {
        for spare in [0, length, length + MARGIN] {
            let mut output = String::with_capacity(BEFORE.len() + spare);
            output.push_str(BEFORE);
            assert_eq!(append(&mut output), expected.as_ref().map(|_| ()).map_err(|&error| error), "{case}");
            assert_eq!(output.strip_prefix(BEFORE), Some(expected.as_deref().unwrap_or_default()), "{case}");
        }
    };
    compare(text, &|output| decoder.decode_utf8_to(case.input, output));
    compare(lossy, &|output| decoder.decode_utf8_lossy_to(case.input, output));
    if let Ok(input) = str::from_utf8(case.input) {
        compare(text, &|output| decoder.decode_utf8_to(input, output));
        compare(lossy, &|output| decoder.decode_utf8_lossy_to(input, output));
    }
}

/// `decode_to` appends and keeps the existing contents, with no spare capacity, with one byte too
/// few for a fast path, and with enough.
fn compare_decode_to(decoder: &Decoder, expected: &Result<Vec<u8>, DecodeError>, case: &Case<'_>) {
    const BEFORE: &[u8] = b"before %41";
    let length = case.input.len();
    for spare in [0, length.saturating_sub(1), length, length + MARGIN] {
        let mut output = Vec::with_capacity(BEFORE.len() + spare);
        output.extend_from_slice(BEFORE);
        let result = decoder.decode_to(case.input, &mut output);
        assert_eq!(result, expected.as_ref().map(|_| ()).map_err(|&error| error), "{case}");
        assert_eq!(&output[..BEFORE.len()], BEFORE, "{case}");
        assert_eq!(&output[BEFORE.len()..], expected.as_deref().unwrap_or_default(), "{case}");
    }
}

fn compare_decode_into(decoder: &Decoder, expected: &Result<Vec<u8>, DecodeError>, case: &Case<'_>) {
    let needed = expected.as_ref().map_or_else(|error| error.position, Vec::len);
    for capacity in capacities(needed, case.input.len()) {
        let expected = match expected {
            Err(error) => Err(Failure::Decode(*error)),
            Ok(bytes) if bytes.len() > capacity => Err(Failure::Needs(bytes.len())),
            Ok(bytes) => Ok(bytes.as_slice()),
        };
        let mut output = Canaries::around(capacity);
        let written = decoder.decode_into(case.input, output.buffer()).map_err(Failure::from);
        assert_eq!(written, expected.map(<[u8]>::len), "capacity {capacity}: {case}");
        assert!(output.hold(expected.unwrap_or_default()), "capacity {capacity}: {case}");

        let mut output = Canaries::around(capacity);
        let start = output.buffer().as_ptr();
        let written = decoder.decode_uninit(case.input, output.uninit_buffer()).map_err(Failure::from);
        assert!(written.as_ref().is_ok_and(|bytes| bytes.as_ptr() == start) || written.is_err(), "{case}");
        assert_eq!(written.as_deref(), expected.as_deref(), "capacity {capacity}: {case}");
        assert!(output.intact(), "capacity {capacity}: {case}");
    }
}

fn compare_decode_in_place(
    decoder: &Decoder,
    surrounded: &Surrounded,
    expected: &Result<Vec<u8>, DecodeError>,
    case: &Case<'_>,
) {
    let mut buffer = Surrounded(surrounded.0.clone());
    let start = buffer.input().as_ptr();
    let result = decoder.decode_in_place(buffer.input_mut());
    assert!(result.as_ref().is_ok_and(|bytes| bytes.as_ptr() == start) || result.is_err(), "{case}");
    assert_eq!(result.as_deref(), expected.as_deref(), "{case}");
    assert!(buffer.margins_equal(surrounded), "{case}");
}

/// Decoding to text without allocation: into buffers of several sizes, and in place.
pub fn compare_decode_utf8_to_slices(
    decoder: &Decoder,
    surrounded: &Surrounded,
    expected: &Result<String, DecodeError>,
    case: &Case<'_>,
) {
    let needed = expected.as_ref().map_or_else(|error| error.position, String::len);
    for capacity in capacities(needed, case.input.len()) {
        let expected = match expected {
            Err(error) => Err(Failure::Decode(*error)),
            Ok(text) if text.len() > capacity => Err(Failure::Needs(text.len())),
            Ok(text) => Ok(text.as_str()),
        };
        let mut output = Canaries::around(capacity);
        let start = output.buffer().as_ptr();
        let result = decoder.decode_utf8_into(case.input, output.buffer()).map_err(Failure::from);
        assert!(result.as_ref().is_ok_and(|text| text.as_ptr() == start) || result.is_err(), "{case}");
        assert_eq!(result.as_deref(), expected.as_deref(), "capacity {capacity}: {case}");
        assert!(output.intact(), "capacity {capacity}: {case}");
    }
    let mut buffer = Surrounded(surrounded.0.clone());
    let start = buffer.input().as_ptr();
    let result = decoder.decode_utf8_in_place(buffer.input_mut());
    assert!(result.as_ref().is_ok_and(|text| text.as_ptr() == start) || result.is_err(), "{case}");
    assert_eq!(result.as_deref(), expected.as_deref(), "{case}");
    assert!(buffer.margins_equal(surrounded), "{case}");
}

/// Compares every form of encoding, on every level, with the reference implementation.
pub fn compare_encoding(encoder: &Encoder, input: &[u8]) {
    let surrounded = Surrounded::new(input);
    let input = surrounded.input();
    let expected = reference::encode(encoder, input);

    for level in levels() {
        let encoder = encoder.level(level);
        let case = |form| Case { form, level, codec: &encoder, input };

        let result = encoder.encode(input);
        assert_eq!(result, expected, "{}", case("encode"));
        assert_borrowed_iff_unchanged(result.as_bytes(), &case("encode"));

        assert_eq!(encoder.encoded_len(input), expected.len(), "{}", case("encoded_len"));
        compare_display(&encoder, &expected, &case("display"));
        compare_pieces(&encoder, &expected, &case("pieces"));
        compare_encode_to(&encoder, &expected, &case("encode_to"));
        compare_encode_into(&encoder, expected.as_bytes(), &case("encode_into, encode_uninit"));
    }
}

/// Every use of [`Encoded`](simdpct::Encoded).
fn compare_display(encoder: &Encoder, expected: &str, case: &Case<'_>) {
    let encoded = encoder.display(case.input);
    assert_eq!(format!("{encoded}"), expected, "{case}");
    assert_eq!(format!("{encoded:?}"), format!("Encoded({expected})"), "{case}");
    assert_eq!(encoded.to_string(), expected, "{case}");
    assert_eq!(String::from(encoded), expected, "{case}");
    assert_eq!(Cow::from(encoded), expected, "{case}");
    assert_borrowed_iff_unchanged(Cow::from(encoded).as_bytes(), case);
}

/// The pieces, by `next` and by `fold`: maximal runs of the input, and escapes of a byte.
fn compare_pieces(encoder: &Encoder, expected: &str, case: &Case<'_>) {
    let mut pieces = encoder.pieces(case.input);
    let (mut output, mut is_after_run) = (String::new(), false);
    loop {
        let (before, hint) = (pieces.rest(), pieces.size_hint());
        assert_eq!(hint, (usize::from(!before.is_empty()), Some(before.len())), "{case}");
        let folded = pieces.clone().fold(output.clone(), |output, piece| output + piece);
        assert_eq!(folded, expected, "{case}");
        let Some(piece) = pieces.next() else { break };
        output.push_str(piece);
        let length = before.len() - pieces.rest().len();
        let is_run = std::ptr::eq(piece.as_bytes(), &before[..length]);
        assert!(is_run != is_after_run || !is_run, "two runs: {case}");
        assert!(is_run || length == 1 && piece == encoder.encode_byte(before[0]), "\"{piece}\": {case}");
        is_after_run = is_run;
        if case.input.len() > 200 {
            break;
        }
    }
    assert!(expected.starts_with(&output), "{case}");
    assert_eq!(encoder.pieces(case.input).collect::<String>(), expected, "{case}");
    let mut all = String::new();
    for piece in encoder.pieces(case.input) {
        all.push_str(piece);
    }
    assert_eq!(all, expected, "{case}");
}

/// Like [`compare_decode_to`].
fn compare_encode_to(encoder: &Encoder, expected: &str, case: &Case<'_>) {
    const BEFORE: &str = "before & é";
    let length = case.input.len();
    for spare in [0, length, 2 * length, expected.len().saturating_sub(1), 3 * length + MARGIN] {
        let mut output = String::with_capacity(BEFORE.len() + spare);
        output.push_str(BEFORE);
        encoder.encode_to(case.input, &mut output);
        assert_eq!(output.strip_prefix(BEFORE), Some(expected), "{case}");

        let mut output = Vec::with_capacity(BEFORE.len() + spare);
        output.extend_from_slice(BEFORE.as_bytes());
        encoder.encode_to(case.input, &mut output);
        assert_eq!(output.strip_prefix(BEFORE.as_bytes()), Some(expected.as_bytes()), "{case}");
    }
}

fn compare_encode_into(encoder: &Encoder, expected: &[u8], case: &Case<'_>) {
    for capacity in capacities(expected.len(), case.input.len()) {
        let expected = if expected.len() > capacity { Err(Failure::Needs(expected.len())) } else { Ok(expected) };
        let mut output = Canaries::around(capacity);
        let written = encoder.encode_into(case.input, output.buffer()).map_err(Failure::from);
        assert_eq!(written, expected.map(<[u8]>::len), "capacity {capacity}: {case}");
        assert!(output.hold(expected.unwrap_or_default()), "capacity {capacity}: {case}");

        let mut output = Canaries::around(capacity);
        let start = output.buffer().as_ptr();
        let written = encoder.encode_uninit(case.input, output.uninit_buffer()).map_err(Failure::from);
        assert!(written.as_ref().is_ok_and(|bytes| bytes.as_ptr() == start) || written.is_err(), "{case}");
        assert_eq!(written.as_deref(), expected.as_deref(), "capacity {capacity}: {case}");
        assert!(output.intact(), "capacity {capacity}: {case}");
    }
}

/// Compares finding and counting, on every level, with the reference implementation.
pub fn compare_searching(set: &ByteSet, haystack: &[u8]) {
    let surrounded = Surrounded::new(haystack);
    let haystack = surrounded.input();
    let (found, counted) = (reference::find(set, haystack), reference::count(set, haystack));
    for level in levels() {
        let case = |form| Case { form, level, codec: set, input: haystack };
        assert_eq!(set.find_on(level, haystack), found, "{}", case("find"));
        assert_eq!(set.count_on(level, haystack), counted, "{}", case("count"));
    }
    assert_eq!((set.find(haystack), set.count(haystack)), (found, counted), "on the active level");
}
