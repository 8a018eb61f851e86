//! Heap bounds: no byte outside an allocation is accessed, nor any byte after it is freed. Every
//! allocation ends at an inaccessible page, and its own pages become inaccessible when it is freed.
//!
//! This covers the forms that allocate their output, which tests/bounds.rs cannot place next to a
//! guard page. A violation ends the process by a signal; `--test-threads=1` shows in which test.
#![cfg(all(target_os = "linux", not(miri)))]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Debug;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::grid::{few_decoders, few_encoders};
use common::guard::{is_readable, page_size};
use common::{inputs, is_quick};
use simdpct::accept::Ranges;
use simdpct::form::{self, Serializer};
use simdpct::legacy::{LoneSurrogates, UnicodeDecoder, js, latin1, rfc1738};
use simdpct::offset::OffsetMap;
use simdpct::stream::{self, write};
use simdpct::{ByteSet, Counts, Decoder, Encoder, Findings, Kinds, Level, Malformed, Normalizer, equivalent, uri};

struct Guarding;

#[global_allocator]
static ALLOCATOR: Guarding = Guarding;

thread_local! {
    /// Whether this thread's allocations are guarded: tests run in parallel, and the test runner
    /// allocates too.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Address space for all guarded allocations; no address is used twice. Only pages in use take
/// memory.
const RESERVED: usize = 64 << 30;
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Fills the first page up to the start of the allocation.
const CANARY: u8 = 0xC5;

/// The start of the reserved addresses.
fn reserved() -> usize {
    static START: OnceLock<usize> = OnceLock::new();
    *START.get_or_init(|| {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address that the system chooses replaces no other.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), RESERVED, libc::PROT_NONE, flags, -1, 0) };
        if map == libc::MAP_FAILED { 0 } else { map as usize }
    })
}

fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    *PAGE.get_or_init(page_size)
}

/// The size of an allocation's pages, and its start within them.
fn placed(layout: Layout) -> (usize, usize) {
    let room = layout.size().next_multiple_of(page()).max(page());
    (room, (room - layout.size()) & !(layout.align() - 1))
}

/// Aborts: an allocator must not unwind.
fn give_up(why: &str) -> ! {
    IS_GUARDED.set(false);
    // Written directly: the test runner would capture a `print!` and never show it.
    let _ = std::io::stderr().write_all(format!("\nguarded heap: {why}\n").as_bytes());
    std::process::abort()
}

// SAFETY: each guarded allocation has its own pages, readable and writable until it is freed. All
// others are forwarded to the system's allocator; the address tells which is which. The
// thread-local has no destructor and does not allocate.
unsafe impl GlobalAlloc for Guarding {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !IS_GUARDED.get() || layout.size() == 0 {
            // SAFETY: the caller's contract, passed on.
            return unsafe { System.alloc(layout) };
        }
        let (room, start) = placed(layout);
        let at = NEXT.fetch_add(room + page(), Ordering::Relaxed);
        if at + room + page() > RESERVED || reserved() == 0 {
            give_up("out of addresses");
        }
        let pages = (reserved() + at) as *mut u8;
        // SAFETY: `NEXT` hands out these reserved pages once. The page after them stays
        // inaccessible: it is the guard.
        unsafe {
            if libc::mprotect(pages.cast(), room, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                give_up("mprotect failed");
            }
            pages.write_bytes(CANARY, start);
            pages.add(start)
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let is_guarded = (reserved()..reserved() + RESERVED).contains(&(pointer as usize));
        if !is_guarded {
            // SAFETY: the caller's contract; the address is outside the reserved range, so `System`
            // allocated it.
            return unsafe { System.dealloc(pointer, layout) };
        }
        let (room, start) = placed(layout);
        // SAFETY: `alloc` made these pages for the same layout, and the caller no longer uses them.
        unsafe {
            let pages = pointer.sub(start);
            if std::slice::from_raw_parts(pages, start).iter().any(|&byte| byte != CANARY) {
                give_up("something was written in front of an allocation");
            }
            libc::madvise(pages.cast(), room, libc::MADV_DONTNEED);
            if libc::mprotect(pages.cast(), room, libc::PROT_NONE) != 0 {
                give_up("mprotect failed");
            }
        }
    }
}

/// Runs `work` with all its allocations guarded.
fn guarded<T>(work: impl FnOnce() -> T) -> T {
    IS_GUARDED.set(true);
    let result = work();
    IS_GUARDED.set(false);
    result
}

/// Runs `work` on the ordinary heap and on the guarded heap, with the input on the guarded heap
/// too, and compares the results.
#[track_caller]
fn compare<T: Debug + PartialEq>(input: &[u8], work: impl Fn(&[u8]) -> T) {
    let expected = work(input);
    let result = guarded(|| {
        let input: Box<[u8]> = input.into();
        work(&input)
    });
    assert_eq!(result, expected, "of \"{}\"", input.escape_ascii());
}

/// Like [`compare`], if the input is text.
#[track_caller]
fn compare_text<T: Debug + PartialEq>(input: &[u8], work: impl Fn(&str) -> T) {
    if let Ok(text) = std::str::from_utf8(input) {
        compare(text.as_bytes(), |input| work(str::from_utf8(input).unwrap_or_default()));
    }
}

/// Calls `each` with every level and inputs of every length up to several blocks, of each kernel
/// path.
fn for_each_input(mut each: impl FnMut(Level, &[u8])) {
    const OTHERS: [&[u8]; 3] =
        [b"a=b&", b"%u20AC%uD83D", b"http://u@h:1/some clean text, 35 bytes+of it now?a%20b%4=%41&\xE9#%%G1"];
    // All lengths of up to two small blocks, then those at block boundaries.
    let blocks: &[usize] =
        if is_quick() { &[127, 130] } else { &[47, 48, 49, 63, 64, 65, 66, 95, 97, 127, 128, 129, 131, 193, 300] };
    let lengths = (0..36).chain(blocks.iter().copied());
    for length in lengths {
        for pattern in inputs::KERNEL_PATHS.into_iter().chain(OTHERS) {
            let input = inputs::repeated(pattern, length);
            common::levels().for_each(|level| each(level, &input));
        }
    }
}

/// Shows that the tests in this file can fail.
#[test]
fn memory_past_allocation_or_after_free_is_inaccessible() {
    let bytes = guarded(|| Vec::<u8>::with_capacity(100));
    let end = bytes.as_ptr().wrapping_add(bytes.capacity());
    assert!(is_readable(bytes.as_ptr()) && is_readable(end.wrapping_sub(1)) && !is_readable(end));
    let start = bytes.as_ptr();
    drop(bytes);
    assert!(!is_readable(start));
}

#[test]
fn decode_stays_in_allocations() {
    let decoders = few_decoders();
    for_each_input(|level, input| {
        for decoder in decoders.iter().map(|decoder| decoder.level(level)) {
            compare(input, |input| decoder.decode(input).map(|bytes| bytes.into_owned()));
            compare(input, |input| decoder.decode_utf8_lossy(input).map(|text| text.into_owned()));
            compare(input, |input| {
                let mut output = Vec::with_capacity(7);
                output.extend_from_slice(b"before%");
                decoder.decode_to(input, &mut output).map(|()| output)
            });
        }
        let decoder = Decoder::new().lenient().level(level);
        compare(input, |input| decoder.decode_utf8(input).map(|text| text.into_owned()));
        compare(input, |input| decoder.decode_utf8_dropping(input).map(|text| text.into_owned()));
        compare(input, |input| {
            let mut output = String::from("before%");
            decoder.decode_utf8_to(input, &mut output).map(|()| output)
        });
        compare(input, |input| {
            let mut output = String::from("before%");
            decoder.decode_utf8_lossy_to(input, &mut output).map(|()| output)
        });
        compare(input, |input| decoder.decode_utf8_accepting(input, &Ranges::LATIN).map(|text| text.into_owned()));
        compare(input, |input| OffsetMap::new(&decoder, input).map(|map| map.input_offset(input.len() / 3)));
    });
}

#[test]
fn encode_stays_in_allocations() {
    let encoders = few_encoders();
    for_each_input(|level, input| {
        for encoder in encoders.iter().map(|encoder| encoder.level(level)) {
            compare(input, |input| encoder.encode(input).into_owned());
            compare(input, |input| format!("{}", encoder.display(input)));
            compare(input, |input| {
                let mut output = String::with_capacity(7);
                output.push_str("before%");
                encoder.encode_to(input, &mut output);
                output
            });
            compare(input, |input| {
                let mut output = Vec::with_capacity(7);
                output.extend_from_slice(b"before%");
                encoder.encode_to(input, &mut output);
                output
            });
        }
    });
}

/// Forms that only read; the input is on the guarded heap.
#[test]
fn find_count_and_inspect_stay_in_allocations() {
    for_each_input(|level, input| {
        compare(input, |input| {
            let set = ByteSet::new(b"%\0");
            (
                set.find_on(level, input),
                set.count_on(level, input),
                Findings::on(level, input).kinds_among(Kinds::EVERY),
                Findings::on(level, input).iter_among(Kinds::EVERY).collect::<Vec<_>>(),
                Counts::among_on(level, Kinds::EVERY, input),
            )
        });
    });
}

#[test]
fn normalize_stays_in_allocations() {
    for_each_input(|level, input| {
        for policy in [Malformed::Refuse, Malformed::Keep, Malformed::Escape] {
            let normalizer = Normalizer::new().malformed(policy).level(level);
            compare_text(input, |text| normalizer.normalize(text).map(|text| text.into_owned()));
        }
        compare_text(input, |text| equivalent(text, &text.to_ascii_lowercase()));
    });
}

#[test]
fn forms_stay_in_allocations() {
    for_each_input(|level, input| {
        let own = |bytes: std::borrow::Cow<'_, [u8]>| bytes.into_owned();
        compare(input, |input| {
            form::parse_bytes(input).level(level).map(|(name, value)| (own(name), own(value))).collect::<Vec<_>>()
        });
        compare(input, |input| {
            let pairs = form::parse(input).level(level);
            pairs.map(|pair| pair.map(|(name, value)| [name.into_owned(), value.into_owned()])).collect::<Vec<_>>()
        });
        compare(input, |input| {
            let mut serializer = Serializer::new(String::new()).level(level).normalize_newlines();
            serializer.append_pair("name", input).append_key_only(input).append_pair(input, input);
            serializer.finish()
        });
        compare(input, |input| {
            let mut serializer = Serializer::new(Vec::new()).level(level).percent_20();
            serializer.append_pair(input, "").extend_keys_only([input, input]);
            serializer.finish()
        });
        compare(input, |input| {
            let mut serializer = Serializer::new(String::new()).level(level);
            serializer.extend_pairs([(input, input), (&[], input), (input, &[])]).append_pair(input, "b");
            serializer.finish()
        });
    });
}

/// Operations that take no level run on the active one.
#[test]
fn uris_and_legacy_formats_stay_in_allocations() {
    for_each_input(|level, input| {
        compare(input, |input| uri::repair(input).into_owned());
        compare(input, |input| uri::query([(input, input)]));
        compare(input, |input| uri::path(input.split(|&byte| byte == b'/')));
        compare_text(input, |text| uri::split(text).to_string());
        compare_text(input, |text| js::escape(text).into_owned());
        compare_text(input, |text| js::unescape_lossy(text).into_owned());
        compare_text(input, |text| latin1::decode_with(text, &Decoder::new().lenient()).map(|text| text.into_owned()));
        compare_text(input, |text| latin1::encode_with(text, &Encoder::COMPONENT).map(|text| text.into_owned()));
        compare(input, |input| rfc1738::decode(&*rfc1738::encode(input)).map(|text| text.into_owned()));
        let decoder = UnicodeDecoder::new(Decoder::new().lenient().level(level)).lone_surrogates(LoneSurrogates::Keep);
        compare(input, |input| decoder.decode_utf8_lossy(input).map(|text| text.into_owned()));
    });
}

/// Each chunk ends at a guard page.
#[test]
fn streams_stay_in_allocations() {
    let lengths: &[usize] = if is_quick() { &[17] } else { &[7, 64] };
    for_each_input(|level, input| {
        let decoder = Decoder::new().lenient().level(level);
        for &length in lengths {
            compare(input, |input| {
                let (mut stream, mut output) = (stream::Decoder::new(decoder).utf8_lossy(), Vec::new());
                for chunk in input.chunks(length).map(Box::<[u8]>::from) {
                    stream.feed_to(&chunk, &mut output)?;
                }
                output.extend_from_slice(&stream.finish()?);
                Ok::<_, stream::StreamError>(output)
            });
            compare(input, |input| {
                let mut stream = stream::Encoder::new(Encoder::URI.keep_non_ascii().level(level));
                let mut output = Vec::new();
                for chunk in input.chunks(length).map(Box::<[u8]>::from) {
                    stream.feed_to(&chunk, &mut output);
                }
                output.extend_from_slice(&stream.finish());
                output
            });
        }
    });
    let input = "%41 é%zz".repeat(30_000).into_bytes();
    compare(&input, |input| {
        let mut writer = write::Decoder::new(Vec::new(), Decoder::new().lenient());
        writer.write_all(input).and_then(|()| writer.finish()).ok()
    });
}
