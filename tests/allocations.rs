//! Number and size of allocations. A borrowed result and output to the caller's memory allocate
//! nothing. Any other result allocates once, within the documented bounds for every input.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Write;
use std::mem::MaybeUninit;

use simdpct::accept::Ranges;
use simdpct::columns::{self, Column, ColumnBuf, Conversion, OnError};
use simdpct::ext_value::{self, ExtValue};
use simdpct::form::{self, Serializer};
use simdpct::legacy::charset::{self, Encoding};
use simdpct::legacy::{LoneSurrogates, UnicodeDecoder, js, latin1, rfc1738};
use simdpct::offset::OffsetMap;
use simdpct::path::{PathPolicy, RequestGuard, RequestMethod};
use simdpct::{
    ByteSet, Counts, Decoder, Encoder, Findings, Kinds, Level, Malformed, Normalizer, equivalent, inspect, stream, uri,
};

struct Counting;

thread_local! {
    /// Allocations and reallocations of this thread; tests run in parallel.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// Bytes allocated by this thread, and their maximum. Memory freed by another thread is not
    /// subtracted.
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

fn grow(size: usize) {
    LIVE.set(LIVE.get().wrapping_add(size));
    PEAK.set(PEAK.get().max(LIVE.get()));
}

fn shrink(size: usize) {
    LIVE.set(LIVE.get().wrapping_sub(size));
}

// SAFETY: all calls are forwarded to the system's allocator. Counting uses thread-locals without
// destructors, which do not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        grow(layout.size());
        // SAFETY: the caller's contract, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: the caller's contract, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // Counts the old and the new block as live together; the system's allocator may grow in
        // place.
        grow(size);
        shrink(layout.size());
        // SAFETY: the caller's contract, passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The result of `work`, and its number of allocations.
fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    // The first call reads the environment, which allocates.
    let _ = Level::active();
    let before = ALLOCATIONS.get();
    let result = work();
    (result, ALLOCATIONS.get() - before)
}

/// Maximum of bytes allocated by `work` at any moment, its result included.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    let _ = Level::active();
    let before = LIVE.get();
    PEAK.set(before);
    drop(work());
    PEAK.get() - before
}

/// Texts of many lengths, with `special` at many positions.
fn texts(special: &str) -> Vec<String> {
    let lengths = [0, 1, 7, 15, 16, 31, 33, 64, 100, 1000];
    let places = lengths.iter().flat_map(|&before| lengths.map(|after| (before, after)));
    places.map(|(before, after)| ["z".repeat(before), special.to_owned(), "z".repeat(after)].concat()).collect()
}

const LENIENT: Decoder = Decoder::new().lenient();

#[test]
fn allocator_counts_each_allocation() {
    let ((), none) = counted(|| ());
    let (boxed, once) = counted(|| Box::new(7));
    let (grown, twice) = counted(|| {
        let mut vector = vec![*boxed];
        vector.push(8);
        vector
    });
    assert_eq!((none, once, twice, grown.len()), (0, 1, 2, 2));
}

#[test]
fn unchanged_input_is_borrowed_without_copy() {
    for level in common::levels() {
        for text in ["", "%", "%zz", "+"].map(texts).concat() {
            // With a '%' in the first 64 bytes, decoding starts without a scan, and the buffer is
            // dropped if nothing changed.
            let most = usize::from(text[..text.len().min(64)].contains('%'));
            let (result, count) = counted(|| LENIENT.level(level).decode(&text));
            assert!(matches!(result, Ok(Cow::Borrowed(_))) && count <= most, "{text} on {level}: {count}");
            let (result, count) = counted(|| LENIENT.level(level).decode_utf8(&text));
            assert!(matches!(result, Ok(Cow::Borrowed(_))) && count <= most, "{text} on {level}: {count}");
            let (result, count) = counted(|| LENIENT.level(level).decode_utf8_lossy(&text));
            assert!(matches!(result, Ok(Cow::Borrowed(_))) && count <= most, "{text} on {level}: {count}");
        }
        for text in ["", "/", "%41"].map(texts).concat() {
            let (result, count) = counted(|| Encoder::URI.level(level).encode(&text));
            assert!(matches!(result, Cow::Borrowed(_)) && count == 0, "{text} on {level}: {count}");
        }
    }
}

#[test]
fn owned_results_allocate_once() {
    for level in common::levels() {
        for text in ["%41", "%41%E2%82%AC%zz"].map(texts).concat() {
            let (result, count) = counted(|| LENIENT.level(level).decode(&text));
            // At most the input's length, because decoding never grows, plus one 16-byte register.
            let fits = matches!(&result, Ok(Cow::Owned(bytes)) if bytes.capacity() <= text.len() + 16);
            assert!(fits && count == 1, "{text} on {level}: {count}");
            let (result, count) = counted(|| LENIENT.level(level).decode_utf8(&text));
            assert!(matches!(result, Ok(Cow::Owned(_))) && count == 1, "{text} on {level}: {count}");
        }
        for text in [" ", "  ", "é&é"].map(texts).concat() {
            for encoder in [Encoder::FORM, Encoder::COMPONENT, Encoder::COMPONENT.keep_non_ascii()] {
                let (result, count) = counted(|| encoder.level(level).encode(&text));
                // The output's length, plus one 16-byte register for short inputs.
                let fits = matches!(&result, Cow::Owned(text) if text.capacity() <= text.len() + 16);
                assert!(fits && count == 1, "{text} on {level}: {count}");
            }
        }
    }
}

/// The ill-formed sequence before the malformed `%` is found without another allocation.
#[test]
fn error_of_decode_utf8_allocates_at_most_once() {
    for level in common::levels() {
        let decoder = Decoder::new().level(level);
        for text in ["%FF", "%zz", "%FF%zz", "%41%zz"].map(texts).concat() {
            let (result, count) = counted(|| decoder.decode_utf8(&text));
            assert!(result.is_err() && count <= 1, "{text} on {level}: {count}");
            let mut output = String::new();
            let (result, count) = counted(|| decoder.decode_utf8_to(&text, &mut output));
            assert!(result.is_err() && count <= 1, "{text} on {level}: {count}");
        }
    }
}

/// Appending grows the caller's buffer at most once, and not at all if it has capacity for the
/// worst case.
#[test]
fn appending_allocates_at_most_once() {
    for level in common::levels() {
        for text in ["", "%41", " é"].map(texts).concat() {
            let (decoder, encoder) = (LENIENT.level(level), Encoder::FORM.level(level));
            let (mut output, mut roomy) = (Vec::new(), Vec::with_capacity(text.len()));
            let (result, count) = counted(|| decoder.decode_to(&text, &mut output));
            assert!(result.is_ok() && count <= 1, "{text} on {level}: {count}");
            let (result, count) = counted(|| decoder.decode_to(&text, &mut roomy));
            assert!(result.is_ok() && count == 0, "{text} on {level}: {count}");

            let (mut output, mut roomy) = (String::new(), String::with_capacity(text.len()));
            let (result, count) = counted(|| decoder.decode_utf8_to(&text, &mut output));
            assert!(result.is_ok() && count <= 1, "{text} on {level}: {count}");
            let (result, count) = counted(|| decoder.decode_utf8_to(text.as_bytes(), &mut roomy));
            assert!(result.is_ok() && count == 0, "{text} on {level}: {count}");
            roomy.clear();
            let (result, count) = counted(|| decoder.decode_utf8_lossy_to(&text, &mut roomy));
            assert!(result.is_ok() && count == 0, "{text} on {level}: {count}");

            let (mut output, mut roomy) = (String::new(), String::with_capacity(3 * text.len()));
            let ((), count) = counted(|| encoder.encode_to(&text, &mut output));
            assert!(count <= 1, "{text} on {level}: {count}");
            let ((), count) = counted(|| encoder.encode_to(&text, &mut roomy));
            assert_eq!(count, 0, "{text} on {level}");
            let (mut output, mut roomy) = (Vec::new(), Vec::with_capacity(3 * text.len()));
            let ((), count) = counted(|| encoder.encode_to(&text, &mut output));
            assert!(count <= 1, "{text} on {level}: {count}");
            let ((), count) = counted(|| encoder.encode_to(&text, &mut roomy));
            assert_eq!(count, 0, "{text} on {level}");
        }
    }
}

#[test]
fn slice_forms_and_failures_do_not_allocate() {
    struct Sink;
    impl Write for Sink {
        fn write_str(&mut self, _: &str) -> std::fmt::Result {
            Ok(())
        }
    }
    let (mut buffer, mut uninit) = ([0; 8000], [MaybeUninit::uninit(); 8000]);
    for level in common::levels() {
        let (decoder, encoder) = (LENIENT.level(level), Encoder::FORM.keep_triplets().level(level));
        let rejecting = Decoder::new().reject(ByteSet::new(b"\0")).level(level);
        for text in ["", "%41", " é%zz", "%", "\0", "%FF"].map(texts).concat() {
            let mut in_place = text.clone().into_bytes();
            let (_, count) = counted(|| {
                let decoded = decoder.decode_into(&text, &mut buffer).is_ok();
                let decoded = decoded && decoder.decode_uninit(&text, &mut uninit).is_ok();
                let decoded = decoded && decoder.decode_in_place(&mut in_place).is_ok();
                let encoded = encoder.encode_into(&text, &mut buffer).is_ok();
                let encoded = encoded && encoder.encode_uninit(&text, &mut uninit).is_ok();
                assert!(decoded && encoded && write!(Sink, "{}", encoder.display(&text)).is_ok());
                let length = encoder.pieces(&text).map(str::len).sum::<usize>();
                assert_eq!(length, encoder.pieces(&text).fold(0, |length, piece| length + piece.len()));
                assert_eq!(encoder.encode_byte(0xE9), "%E9");
                let too_small =
                    decoder.decode_into(&text, &mut []).is_err() && encoder.encode_into(&text, &mut []).is_err();
                assert!(too_small || text.is_empty());
                let normalizer = Normalizer::new().malformed(Malformed::Escape).level(level);
                assert!(normalizer.normalize_into(&text, &mut buffer).is_ok());
                // Ill-formed UTF-8 is found without allocation too.
                let is_text = decoder.decode_utf8_into(&text, &mut buffer).is_ok();
                let length = text.len();
                buffer[..length].copy_from_slice(text.as_bytes());
                assert_eq!(decoder.decode_utf8_in_place(&mut buffer[..length]).is_ok(), is_text);
                let lengths = (decoder.decoded_len(&text), encoder.encoded_len(&text));
                (lengths, rejecting.check(&text), ByteSet::NON_ASCII.find(text.as_bytes()))
            });
            assert_eq!(count, 0, "{text} on {level}");
        }
    }
}

/// Rewritten, refused and unchanged paths.
#[test]
fn canonical_paths_do_not_allocate() {
    let mut buffer = [0; 200];
    for &(name, policy) in PathPolicy::PRESETS {
        for path in ["/a/b", "/a/../%7e//b;c", "/%zz/\0/%5c", "/caf\u{e9} x", "/../..", "*"] {
            let mut in_place = path.to_owned().into_bytes();
            let (_, count) = counted(|| {
                let into = policy.canonicalize_into(path.as_bytes(), &mut buffer).is_ok();
                (into, policy.is_canonical(path.as_bytes()), policy.canonicalize_in_place(&mut in_place).is_ok())
            });
            assert_eq!(count, 0, "{path} by {name}");
        }
    }
}

/// A sink of formatted text that allocates nothing.
struct Length(usize);

impl std::fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// Reading a guard from its text and writing it, deciding, and writing the line of a refusal or of
/// an error.
#[test]
fn guards_do_not_allocate() {
    use std::fmt::Write;

    let mut output = [0; 200];
    for text in ["query=nul path=double strict", "report-only envoy slash=keep decode=%21", "path=default off"] {
        for target in ["/a/b?c", "/a/../%7e//b", "http://h?%00", "/%00?x", "/caf\u{e9}", "/#", "*", ""] {
            let (_, count) = counted(|| {
                let guard: RequestGuard = text.parse().expect("a valid text");
                let verdict = guard.check(RequestMethod::Other, target.as_bytes(), &mut output);
                let line = verdict.refusal.map(|refusal| write!(Length(0), "{}", refusal.line(target.as_bytes())));
                (line, write!(Length(0), "{guard}"))
            });
            assert_eq!(count, 0, "{target} by {text}");
        }
    }
    let (_, count) = counted(|| "strict strict".parse::<PathPolicy>().map_err(|error| write!(Length(0), "{error}")));
    assert_eq!(count, 0);
}

/// Also paths in which the scan finds a `;`, a triplet, or a segment that begins with a dot.
#[test]
fn canonicalizing_allocates_only_if_the_path_changes() {
    for (path, allocates) in
        [("/a/b", false), ("/a;b", false), ("/.well-known/x", false), ("/a%2Fb%20", false), ("/a/./b", true)]
    {
        let (canonical, count) = counted(|| PathPolicy::DEFAULT.canonicalize(path));
        assert_eq!((canonical.is_ok(), count > 0), (true, allocates), "{path}");
    }
}

/// Converting a column allocates a few times, independently of the number of rows and of invalid
/// rows.
#[test]
fn column_allocations_are_independent_of_row_count() {
    let values = b"plain/row/dirty%20row/%zz/%FF/%C3%A9/%4/1%2fa".repeat(2000);
    let offsets: Vec<i32> = (0..=values.len() / 9).map(|row| 9 * row as i32).collect();
    let column = Column::new(&values, &offsets).unwrap();
    for level in common::levels() {
        let (decoder, encoder) = (Decoder::new().level(level), Encoder::URI.level(level));
        let normalizer = Normalizer::new().malformed(Malformed::Escape).level(level);
        let mut output = ColumnBuf::new();
        output.values.reserve(4 * values.len());
        output.offsets.reserve(offsets.len());
        for on_error in [OnError::Null, OnError::Keep] {
            let results = counted(|| {
                output.clear();
                let mut failed = 0;
                let by_bytes = Conversion::decode(&decoder).on_error(on_error);
                failed += by_bytes.append(&column, &mut output).unwrap().invalid;
                output.clear();
                let rows = (0..column.len()).map(|row| column.row(row));
                failed += by_bytes.append_rows(rows, &mut output).unwrap().invalid;
                output.clear();
                let by_text = Conversion::decode_utf8(&decoder).on_error(on_error);
                failed += by_text.append(&column, &mut output).unwrap().invalid;
                output.clear();
                let by_lossy_text = Conversion::decode_utf8_lossy(&decoder).on_error(on_error);
                failed += by_lossy_text.append(&column, &mut output).unwrap().invalid;
                output.clear();
                let normalize = Conversion::normalize(&normalizer).on_error(on_error);
                failed += normalize.append(&column, &mut output).unwrap().invalid;
                output.clear();
                Conversion::encode(&encoder).append(&column, &mut output).unwrap();
                (failed, columns::inspect(&column).rows.len())
            });
            let ((failed, rows), count) = results;
            assert!(failed > 1000 && rows == offsets.len() - 1 && count < 80, "{level}: {failed} of {rows}, {count}");
        }
    }
}

/// A column in which nothing changes is not copied.
#[test]
fn unchanged_column_allocates_nothing() {
    let values = "/plain/row/é".repeat(2000);
    let offsets: Vec<i32> = (0..=2000).map(|row| 13 * row).collect();
    let column = Column::new(values.as_bytes(), &offsets).unwrap();
    for level in Level::available() {
        let (decoder, encoder) = (Decoder::new().level(level), Encoder::URI.keep_non_ascii().level(level));
        let (converted, count) = counted(|| {
            [
                Conversion::decode(&decoder).convert(&column),
                Conversion::decode_utf8(&decoder).convert(&column),
                Conversion::encode(&encoder).convert(&column),
                Conversion::normalize(&Normalizer::new().level(level)).convert(&column),
            ]
        });
        for converted in converted {
            let converted = converted.unwrap();
            assert_eq!((converted.column, converted.summary.rows), (None, 2000));
        }
        assert_eq!(count, 0, "{level}");
    }
}

/// Patterns that produce no output change, the largest output, or the most parts.
const HOSTILE: [&[u8]; 29] = [
    b"z",
    b"%",
    b"%4",
    b"%41",
    b"%ab",
    b"%%%41",
    b"%zz",
    b"%00",
    b"%C3",
    b"%F0%9F%98%80",
    b" ",
    "é".as_bytes(),
    "😀".as_bytes(),
    b"\xFF",
    b"z\xF0\x9F",
    b"%F0\x9F",
    b"&",
    b"a=%41+&",
    b"%u20AC",
    b"%uD83D",
    b"/?#[]@:",
    // Worst cases of single operations: line ends, two-byte pairs, quoted text, characters missing
    // from a charset.
    b"\n",
    b"a&",
    b"%&",
    b"\xFF&",
    b"%41&",
    b"\x01",
    "\u{80}".as_bytes(),
    "\u{FFFD}".as_bytes(),
];

/// An operation: its name, its bound in bytes for an input length, and a run that returns the peak.
type Operation = (&'static str, fn(usize) -> usize, fn(&[u8], Level) -> usize);

/// The bounds of docs/safety.md. If an output grows step by step, both its old and its new memory
/// are counted, which is up to three times its final size.
const OPERATIONS: &[Operation] = &[
    ("decode", |n| n + 16, |input, level| peak(|| LENIENT.level(level).decode(input).map(drop))),
    ("decode_utf8", |n| n + 16, |input, level| peak(|| LENIENT.level(level).decode_utf8(input).map(drop))),
    (
        "decode_utf8_lossy",
        |n| 7 * n + 32,
        |input, level| peak(|| LENIENT.level(level).decode_utf8_lossy(input).map(drop)),
    ),
    (
        "decode_utf8_dropping",
        |n| 2 * n + 32,
        |input, level| peak(|| LENIENT.level(level).decode_utf8_dropping(input).map(drop)),
    ),
    (
        "decode_utf8_dropping, keeping percents",
        |n| 4 * n + 64,
        |input, level| {
            let decoder = LENIENT.keep(ByteSet::new(b"%")).level(level);
            peak(|| decoder.decode_utf8_dropping(input).map(drop))
        },
    ),
    (
        "decode_utf8_to",
        |n| n + 8,
        |input, level| peak(|| LENIENT.level(level).decode_utf8_to(input, &mut String::new())),
    ),
    (
        "decode_utf8_lossy_to",
        |n| 8 * n + 32,
        |input, level| peak(|| LENIENT.level(level).decode_utf8_lossy_to(input, &mut String::new())),
    ),
    ("decode_to", |n| n + 8, |input, level| peak(|| LENIENT.level(level).decode_to(input, &mut Vec::new()))),
    (
        "decode_utf8_accepting",
        |n| n + 16,
        |input, level| peak(|| LENIENT.level(level).decode_utf8_accepting(input, &Ranges::LATIN).map(drop)),
    ),
    ("input_offset", |_| 0, |input, level| peak(|| LENIENT.level(level).input_offset(input, input.len() / 3))),
    ("OffsetMap", |n| n / 32 + 8, |input, level| peak(|| OffsetMap::new(&LENIENT.level(level), input).map(drop))),
    ("encode", |n| 3 * n + 16, |input, level| peak(|| Encoder::COMPONENT.level(level).encode(input).len())),
    (
        "encode, keeping non-ASCII",
        |n| 3 * n + 16,
        |input, level| peak(|| Encoder::URI.keep_non_ascii().level(level).encode(input).len()),
    ),
    (
        "encode_to",
        |n| 3 * n + 8,
        |input, level| peak(|| Encoder::FORM.level(level).encode_to(input, &mut String::new())),
    ),
    (
        "Encoded::to_string",
        |n| 3 * n + 16,
        |input, level| peak(|| Encoder::COMPONENT.level(level).display(input).to_string()),
    ),
    (
        "normalize",
        |n| n + 8,
        |input, level| {
            peak(|| Normalizer::new().malformed(Malformed::Keep).level(level).normalize(text(input)).map(drop))
        },
    ),
    (
        "normalize, escaping",
        |n| 9 * n + 8,
        |input, level| {
            peak(|| Normalizer::new().malformed(Malformed::Escape).level(level).normalize(text(input)).map(drop))
        },
    ),
    (
        "is_normal, equivalent",
        |_| 0,
        |input, level| peak(|| (Normalizer::new().level(level).is_normal(input), equivalent(input, input))),
    ),
    (
        "inspect, inspect_counting",
        |_| 0,
        |input, level| {
            peak(|| {
                let findings = Findings::on(level, input);
                let walked =
                    (findings.first(), findings.first_of(Kinds::NUL), findings.iter_among(Kinds::EVERY).count());
                (walked, inspect(input).first(), Counts::among(Kinds::EVERY, input).kinds())
            })
        },
    ),
    (
        "ByteSet::find, count",
        |_| 0,
        |input, level| peak(|| (ByteSet::NON_ASCII.find_on(level, input), ByteSet::NON_ASCII.count_on(level, input))),
    ),
    ("form::split", |_| 0, |input, level| peak(|| form::split(input).level(level).count())),
    (
        "form::parse, a pair at a time",
        |n| n + 32,
        |input, level| peak(|| form::parse(input).level(level).filter(Result::is_ok).count()),
    ),
    (
        "form::parse_lossy, a pair at a time",
        |n| 7 * n + 64,
        |input, level| {
            peak(|| form::parse_lossy(input).level(level).map(|(name, value)| name.len() + value.len()).sum::<usize>())
        },
    ),
    (
        "form::Serializer",
        |n| 9 * n + 96,
        |input, level| {
            peak(|| {
                let mut serializer = Serializer::new(String::new()).level(level);
                serializer.append_pair("name", input).append_key_only("");
                serializer.finish()
            })
        },
    ),
    (
        "form::Serializer::extend_pairs",
        |n| 9 * n + 1024,
        |input, level| {
            peak(|| {
                let (name, value) = input.split_at(input.len() / 2);
                let mut serializer = Serializer::new(String::new()).level(level);
                serializer.extend_pairs([(name, value), (&[], &[]), (&[], &[])]);
                serializer.finish()
            })
        },
    ),
    (
        "form::Serializer of lines",
        |n| 18 * n + 96,
        |input, level| {
            peak(|| {
                let mut serializer = Serializer::new(Vec::new()).level(level).normalize_newlines();
                serializer.append_pair("name", input).append_key_only("");
                serializer.finish()
            })
        },
    ),
    (
        "form::Serializer::extend_pairs of names of a byte",
        |n| 15 * n + 1024,
        |input, level| {
            peak(|| {
                let mut serializer = Serializer::new(String::new()).level(level);
                serializer.extend_pairs(input.chunks(1).map(|name| (name, "")));
                serializer.finish()
            })
        },
    ),
    (
        "columns::encode of rows of a byte",
        |n| 22 * n + 32768,
        |input, level| {
            let offsets: Vec<i64> = (0..=input.len() as i64).collect();
            peak(|| {
                let column = Column::new(input, &offsets).unwrap();
                columns::encode(&column, &Encoder::COMPONENT.level(level)).unwrap()
            })
        },
    ),
    (
        "columns::decode of rows of a byte",
        |n| 22 * n + 32768,
        |input, level| {
            let offsets: Vec<i64> = (0..=input.len() as i64).collect();
            peak(|| {
                let column = Column::new(input, &offsets).unwrap();
                columns::decode_utf8_lossy(&column, &LENIENT.level(level), OnError::Null).unwrap()
            })
        },
    ),
    (
        "columns::Conversion::encode of an iterator of rows of a byte",
        |n| 22 * n + 131_072,
        |input, level| {
            let encoder = Encoder::COMPONENT.level(level);
            peak(|| {
                let mut output = ColumnBuf::<i64>::new();
                Conversion::encode(&encoder).append_rows(input.chunks(1).map(Some), &mut output).unwrap();
                output
            })
        },
    ),
    (
        "columns::Conversion::decode_utf8_lossy of an iterator of rows of a byte",
        |n| 22 * n + 131_072,
        |input, level| {
            let decoder = LENIENT.level(level);
            peak(|| {
                let mut output = ColumnBuf::<i64>::new();
                Conversion::decode_utf8_lossy(&decoder).append_rows(input.chunks(1).map(Some), &mut output).unwrap();
                output
            })
        },
    ),
    (
        "charset::encode_with_references",
        |n| 24 * n + 16_384,
        |input, _| {
            let encoder = Encoder::new(ByteSet::ALL);
            let peaks =
                CHARSETS.map(|charset| peak(|| charset::encode_with_references(text(input), charset, &encoder).len()));
            peaks.into_iter().max().unwrap()
        },
    ),
    (
        "charset::decode_lossy",
        |n| 9 * n + 64,
        |input, _| {
            let peaks = CHARSETS.map(|charset| peak(|| charset::decode_lossy(input, charset, &LENIENT).map(drop)));
            peaks.into_iter().max().unwrap()
        },
    ),
    (
        "form::from_bytes to a struct",
        |n| 23 * n + 256,
        |input, _| peak(|| form::from_bytes::<Fields>(input).map(drop).map_err(drop)),
    ),
    (
        "form::Deserializer::lossy to a struct",
        |n| 24 * n + 256,
        |input, _| {
            use serde::Deserialize;
            peak(|| Fields::deserialize(form::Deserializer::new(input).lossy()).map(drop).map_err(drop))
        },
    ),
    (
        "the message of form::Error",
        |_| 3072,
        |input, _| {
            // The text is a value, and an unknown key.
            let forms = [[b"number=", input].concat(), [input, b"=1"].concat()];
            let messages = forms.map(|form| {
                let result = form::from_bytes::<Fields>(&form).map(drop);
                peak(|| result.map_err(|error| error.to_string()))
            });
            messages.into_iter().max().unwrap()
        },
    ),
    ("uri::repair", |n| 3 * n, |input, _| peak(|| uri::repair(input).len())),
    ("uri::split", |_| 0, |input, _| peak(|| uri::split(input).path.len())),
    ("uri::query", |n| 9 * n + 64, |input, _| peak(|| uri::query([("name", input)]))),
    (
        "uri::QueryBuilder::sort",
        |n| 48 * n + 256,
        |input, level| {
            peak(|| {
                let mut query = uri::QueryBuilder::with_encoder(Encoder::QUERY.level(level));
                input.split(|&byte| byte == b'%').for_each(|name| _ = query.push(name, name));
                query.sort();
                query
            })
        },
    ),
    ("ext_value::encode", |n| 3 * n + 64, |input, _| peak(|| ext_value::encode(text(input)))),
    (
        "ext_value::decode",
        |n| n + 64,
        |input, level| {
            let values = ["UTF-8''", "ISO-8859-1''"].map(|prefix| [prefix.as_bytes(), input].concat());
            values
                .iter()
                .map(|value| peak(|| ExtValue::parse_on(level, value).map(|value| value.decode())))
                .max()
                .unwrap()
        },
    ),
    ("uri::path", |n| 9 * n + 64, |input, _| peak(|| uri::path(input.split(|&byte| byte == b'/')))),
    ("js::escape", |n| 9 * n + 32, |input, _| peak(|| js::escape(text(input)).len())),
    ("js::unescape_lossy", |n| 3 * n + 32, |input, _| peak(|| js::unescape_lossy(text(input)).len())),
    (
        "latin1::encode",
        |n| 4 * n + 32,
        |input, _| peak(|| latin1::encode_with(text(input), &Encoder::COMPONENT).map(drop)),
    ),
    ("latin1::decode", |n| 4 * n + 32, |input, _| peak(|| latin1::decode_with(text(input), &LENIENT).map(drop))),
    ("rfc1738::encode", |n| 3 * n + 16, |input, _| peak(|| rfc1738::encode(input).len())),
    (
        "UnicodeDecoder",
        |n| 7 * n + 32,
        |input, level| {
            let decoder = UnicodeDecoder::new(LENIENT.level(level)).lone_surrogates(LoneSurrogates::Keep);
            peak(|| decoder.decode_utf8_lossy(input).map(drop))
        },
    ),
];

/// A charset of each kind: single-byte, multi-byte, with states, and with 16-bit units.
const CHARSETS: [&Encoding; 6] = [
    charset::WINDOWS_1252,
    charset::ISO_2022_JP,
    charset::GB18030,
    charset::SHIFT_JIS,
    charset::UTF_16LE,
    charset::X_USER_DEFINED,
];

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(default, rename = "number")]
    _number: u8,
}

/// The input as text, or an empty string if it is not UTF-8.
fn text(input: &[u8]) -> &str {
    str::from_utf8(input).unwrap_or_default()
}

/// Extended values are written with one allocation or none, and parsed with none.
#[test]
fn extended_values_allocate_at_most_once() {
    for text in texts("é / '%'") {
        for level in common::levels() {
            let encoder = ext_value::Encoder::new().language("de").unwrap().level(level);
            let (value, allocations) = counted(|| encoder.encode(&text));
            assert_eq!(allocations, 1, "{text:?}");
            assert!(value.capacity() <= value.len() + 64);
            let mut output = vec![0; value.len()];
            assert_eq!(counted(|| encoder.encode_into(&text, &mut output)), (Ok(value.len()), 0));
            let (parsed, allocations) = counted(|| ExtValue::parse_on(level, &value).unwrap());
            assert_eq!(allocations, 0);
            assert_eq!(counted(|| parsed.decode_into(&mut output)), (Ok(text.len()), 0));
            assert_eq!(counted(|| parsed.decode()), (text.as_str().into(), 1));
        }
    }
    assert_eq!(counted(|| ext_value::decode("UTF-8''plain")), (Ok("plain".into()), 0));
}

#[test]
fn peak_memory_of_hostile_input_is_within_bound() {
    // If an output grows by doubling, the worst lengths are just over a power of two.
    let all = [0, 1, 2, 3, 17, 64, 65, 100, 1000, 22_000, 30_000];
    let lengths = if common::is_quick() { &all[..9] } else { &all[..] };
    let mut excesses = Vec::new();
    for &(name, bound, run) in OPERATIONS {
        for (level, pattern) in common::levels().flat_map(|level| HOSTILE.map(|pattern| (level, pattern))) {
            for &length in lengths {
                // The pattern alone, and after a prefix that needs no change.
                for before in ["", "clean/"] {
                    let input = [before.as_bytes(), &pattern.repeat(length)].concat();
                    let most = run(&input, level);
                    if most > bound(input.len()) {
                        let pattern = pattern.escape_ascii();
                        excesses.push(format!("{name}: {most} for {} of \"{pattern}\" on {level}", input.len()));
                    }
                }
            }
        }
    }
    assert!(excesses.is_empty(), "{}", excesses.join("\n"));
}

/// The pieces of worst cases: ASCII bytes that are special or plain for some operation, bytes that
/// are not text, and characters that some charset lacks.
const PIECES: [&str; 40] = [
    "a",
    "4",
    "%",
    "%4",
    "%41",
    "%25",
    "%C3",
    "%FF",
    "%00",
    "%e9",
    "%u20AC",
    "%uD83D",
    "+",
    " ",
    "&",
    "=",
    "a&",
    "&&",
    ";",
    "/",
    ".",
    ":",
    "\n",
    "\r",
    "\0",
    "\x01",
    "\x0E",
    "\x1B",
    "\x1B(",
    "\\",
    "~",
    "\"",
    "\u{80}",
    "é",
    "¥",
    "あ",
    "€",
    "\u{FFFD}",
    "😀",
    "\u{10FFFD}",
];

/// Like [`PIECES`], for operations that take any bytes.
const BYTES: [&[u8]; 6] = [b"\xFF", b"\x80", b"\xC3", b"\xE2\x82", b"\xF0\x9F", b"\x81"];

/// Searches for the input that needs the most memory, by hill climbing: extends the worst repeated
/// patterns by each piece, at the front and at the end, until none gets worse. Then tries lengths
/// of the worst pattern.
#[test]
fn no_pattern_needs_more_memory_than_the_bound() {
    const LENGTH: usize = 2000;
    const KEPT: usize = 3;
    let level = Level::active();
    let pieces: Vec<&[u8]> = PIECES.iter().map(|piece| piece.as_bytes()).chain(BYTES).collect();
    let mut excesses = Vec::new();
    for &(name, bound, run) in OPERATIONS {
        let share = |pattern: &[u8], length: usize| {
            let input = pattern.repeat(length.div_ceil(pattern.len()));
            // Compares the proportional part, without the constant of the bound.
            let most = run(&input, level);
            let excess = most > bound(input.len());
            (most as f64 / input.len() as f64, excess, input.len(), most)
        };
        let mut best: Vec<(f64, Vec<u8>)> = vec![(0.0, Vec::new())];
        for _ in 0..if common::is_quick() { 1 } else { 3 } {
            let mut tried: Vec<(f64, Vec<u8>)> = best.clone();
            for (_, pattern) in &best {
                for piece in &pieces {
                    for longer in [[pattern, *piece].concat(), [*piece, pattern].concat()] {
                        if tried.iter().all(|(_, known)| *known != longer) {
                            tried.push((share(&longer, LENGTH).0, longer));
                        }
                    }
                }
            }
            tried.sort_by(|a, b| b.0.total_cmp(&a.0));
            tried.truncate(KEPT);
            if tried == best {
                break;
            }
            best = tried;
        }
        let lengths = (0..24).map(|step| (400.0 * 1.14_f64.powi(step)) as usize).chain([20_000, 33_000]);
        let worst = best
            .iter()
            .filter(|(_, pattern)| !pattern.is_empty())
            .flat_map(|(_, pattern)| lengths.clone().map(move |length| (share(pattern, length), pattern)));
        for ((_, excess, length, most), pattern) in worst {
            if excess {
                excesses.push(format!("{name}: {most} for {length} of \"{}\"", pattern.escape_ascii()));
                break;
            }
        }
    }
    assert!(excesses.is_empty(), "{}", excesses.join("\n"));
}

/// A stream's own state is a few bytes, inline.
#[test]
fn streams_allocate_only_their_output() {
    for level in common::levels() {
        for pattern in HOSTILE {
            let input = pattern.repeat(3000);
            let mut output = vec![0; 4096];
            let most = peak(|| {
                let mut decoder = stream::Decoder::new(LENIENT.level(level)).utf8_lossy();
                let mut encoder = stream::Encoder::new(Encoder::URI.keep_non_ascii().level(level));
                for mut rest in input.chunks(1000) {
                    while !rest.is_empty() {
                        let read = decoder.feed(rest, &mut output).map_or(rest.len(), |progress| progress.read);
                        rest = &rest[read..];
                    }
                }
                for mut rest in input.chunks(1000) {
                    while !rest.is_empty() {
                        rest = &rest[encoder.feed(rest, &mut output).read..];
                    }
                }
                (decoder.finish().map(drop), encoder.finish().len())
            });
            assert_eq!(most, 0, "{pattern:?} on {level}");
        }
    }
}

/// An adapter's buffer is 64 KiB, independently of the stream's length.
#[test]
fn adapters_allocate_at_most_one_buffer() {
    use simdpct::stream::{bufread, read, write};
    use std::io::{Read, Write, copy, sink};

    for pattern in HOSTILE {
        let input = pattern.repeat(200_000);
        let source = || &*input;
        let most = [
            peak(|| copy(&mut read::Decoder::new(source(), LENIENT), &mut sink()).ok()),
            peak(|| copy(&mut read::Encoder::new(source(), Encoder::URI), &mut sink()).ok()),
            peak(|| write::Decoder::new(sink(), LENIENT).write_all(source()).ok()),
            peak(|| write::Encoder::new(sink(), Encoder::URI).write_all(source()).ok()),
        ];
        assert!(most.iter().all(|&most| most <= (64 << 10) + 64), "{pattern:?}: {most:?}");
        let mut buffer = [0; 1000];
        let most = peak(|| {
            let mut reader = bufread::Decoder::new(source(), LENIENT);
            while reader.read(&mut buffer).is_ok_and(|length| length > 0) {}
        });
        assert_eq!(most, 0, "{pattern:?}");
    }
}
