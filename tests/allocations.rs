//! How often is memory asked for? Never where the result is borrowed or the caller has the room; else once.
#![cfg(feature = "alloc")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Write;
use std::mem::MaybeUninit;

use simdpct::columns::{self, Column, ColumnBuf, OnError};
use simdpct::{ByteSet, Decoder, Encoder, Level, Malformed, Normalizer};

struct Counting;

thread_local! {
    /// Allocations and reallocations of this thread: the tests run side by side.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does it all; counting touches a thread-local without a destructor, which allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` returns, and how often it asked for memory.
fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    // Reading the environment allocates, once in a process.
    let _ = Level::active();
    let before = ALLOCATIONS.get();
    let result = work();
    (result, ALLOCATIONS.get() - before)
}

/// Texts of many lengths that hold `special` somewhere, or nothing special if it is empty.
fn texts(special: &str) -> Vec<String> {
    let lengths = [0, 1, 7, 15, 16, 31, 33, 64, 100, 1000];
    let places = lengths.iter().flat_map(|&before| lengths.map(|behind| (before, behind)));
    places.map(|(before, behind)| ["z".repeat(before), special.to_owned(), "z".repeat(behind)].concat()).collect()
}

const LENIENT: Decoder = Decoder::new().lenient();

#[test]
fn the_counter_counts() {
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
fn nothing_to_do_allocates_nothing() {
    for level in Level::available() {
        for text in ["", "%", "%zz", "+"].map(texts).concat() {
            // Up to 64 bytes with a '%' are decoded at once, and the result is let go if that changed nothing.
            let most = usize::from(text.len() <= 64 && text.contains('%'));
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
    for level in Level::available() {
        for text in ["%41", "%41%E2%82%AC%zz"].map(texts).concat() {
            let (result, count) = counted(|| LENIENT.level(level).decode(&text));
            // At most the input's length, since decoding never grows, and a register's.
            let fits = matches!(&result, Ok(Cow::Owned(bytes)) if bytes.capacity() <= text.len() + 16);
            assert!(fits && count == 1, "{text} on {level}: {count}");
            let (result, count) = counted(|| LENIENT.level(level).decode_utf8(&text));
            assert!(matches!(result, Ok(Cow::Owned(_))) && count == 1, "{text} on {level}: {count}");
        }
        // A single byte becomes a piece of a constant.
        let (result, count) = counted(|| Encoder::COMPONENT.level(level).encode(" "));
        assert!(matches!(result, Cow::Borrowed("%20")) && count == 0, "{level}: {count}");
        for text in ["  ", "é&é"].map(texts).concat() {
            for encoder in [Encoder::FORM, Encoder::COMPONENT, Encoder::COMPONENT.keep_non_ascii()] {
                let (result, count) = counted(|| encoder.level(level).encode(&text));
                // What it takes, and of short inputs a register's more.
                let fits = matches!(&result, Cow::Owned(text) if text.capacity() <= text.len() + 16);
                assert!(fits && count == 1, "{text} on {level}: {count}");
            }
        }
    }
}

/// Appending grows the caller's buffer at most once, and not at all where there is room for the worst case.
#[test]
fn appending() {
    for level in Level::available() {
        for text in ["", "%41", " é"].map(texts).concat() {
            let (decoder, encoder) = (LENIENT.level(level), Encoder::FORM.level(level));
            let (mut output, mut roomy) = (Vec::new(), Vec::with_capacity(text.len()));
            let (result, count) = counted(|| decoder.decode_to(&text, &mut output));
            assert!(result.is_ok() && count <= 1, "{text} on {level}: {count}");
            let (result, count) = counted(|| decoder.decode_to(&text, &mut roomy));
            assert!(result.is_ok() && count == 0, "{text} on {level}: {count}");

            let (mut output, mut roomy) = (String::new(), String::with_capacity(3 * text.len()));
            let ((), count) = counted(|| encoder.encode_to(&text, &mut output));
            assert!(count <= 1, "{text} on {level}: {count}");
            let ((), count) = counted(|| encoder.encode_to(&text, &mut roomy));
            assert_eq!(count, 0, "{text} on {level}");
        }
    }
}

/// All other forms, and all that fails, never allocate.
#[test]
fn slices_and_failures_allocate_nothing() {
    struct Sink;
    impl Write for Sink {
        fn write_str(&mut self, _: &str) -> std::fmt::Result {
            Ok(())
        }
    }
    let (mut buffer, mut uninit) = ([0; 8000], [MaybeUninit::uninit(); 8000]);
    for level in Level::available() {
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
                let too_small =
                    decoder.decode_into(&text, &mut []).is_err() && encoder.encode_into(&text, &mut []).is_err();
                assert!(too_small || text.is_empty());
                let lengths = (decoder.decoded_len(&text), encoder.encoded_len(&text));
                (lengths, rejecting.check(&text), ByteSet::NON_ASCII.find(text.as_bytes()))
            });
            assert_eq!(count, 0, "{text} on {level}");
        }
    }
}

/// A column asks for memory a few times, however many rows there are and whatever becomes of them.
#[test]
fn columns_of_rows() {
    let values = b"plain/row/dirty%20row/%zz/%FF/%C3%A9/%4/1%2fa".repeat(2000);
    let offsets: Vec<i32> = (0..=values.len() / 9).map(|row| 9 * row as i32).collect();
    let column = Column::new(&values, &offsets).unwrap();
    for level in Level::available() {
        let (decoder, encoder) = (Decoder::new().level(level), Encoder::URI.level(level));
        let normalizer = Normalizer::new().malformed(Malformed::Escape).level(level);
        let mut output = ColumnBuf::new();
        output.values.reserve(4 * values.len());
        output.offsets.reserve(offsets.len());
        for on_error in [OnError::Null, OnError::Keep] {
            let results = counted(|| {
                output.clear();
                let failed = columns::decode_to(&column, &decoder, on_error, &mut output).unwrap();
                output.clear();
                let failed = failed + columns::decode_utf8_to(&column, &decoder, on_error, &mut output).unwrap();
                output.clear();
                let failed = failed + columns::decode_utf8_lossy_to(&column, &decoder, on_error, &mut output).unwrap();
                output.clear();
                let failed = failed + columns::normalize_to(&column, &normalizer, on_error, &mut output).unwrap();
                output.clear();
                columns::encode_to(&column, &encoder, &mut output).unwrap();
                (failed, columns::inspect(&column).rows.len())
            });
            let ((failed, rows), count) = results;
            assert!(failed > 1000 && rows == offsets.len() - 1 && count < 50, "{level}: {failed} of {rows}, {count}");
        }
    }
}
