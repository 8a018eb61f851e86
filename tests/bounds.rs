//! Buffer bounds: no byte outside the caller's buffers is read or written. Each buffer ends at an
//! inaccessible page, or starts after one. In WebAssembly it ends where linear memory ends.
//!
//! A violation ends the process by a signal or a trap; `--test-threads=1` shows in which test.

use crate::common::grid::{few_decoders, few_encoders};
use crate::common::guard::{GuardedBuffer, PLACES, Place, is_readable};
use crate::common::legacy::{
    UnicodeCase, compare_escaping, compare_latin1_decoding, compare_unescaping, compare_unicode_decoding,
};
use crate::common::stream::TEXTS;
use crate::common::{Case, Failure, as_uninit, inputs, is_quick};
use simdpct::columns::{self, Column, ColumnBuf, Conversion, Inspection, OnError};
use simdpct::legacy::LoneSurrogates;
use simdpct::path::{PathPolicy, RequestGuard, RequestMethod};
use simdpct::{
    ByteSet, Counts, Decoder, Encoder, Findings, Kinds, Level, Malformed, Normalizer, form, reference, stream,
};

/// Longer than the minimum length of `decode_runs` by more than a block of 32 lanes.
const LONGEST: usize = 548;

/// Lengths up to more than four 64-byte blocks (two in a quick run), then from the minimum length
/// of `decode_runs`.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=if is_quick() { 140 } else { 300 }).chain((512..=LONGEST).step_by(if is_quick() { 9 } else { 1 }))
}

/// Maximum length in tests that run many combinations. In a quick run (emulators, valgrind), inputs
/// have at most two 64-byte blocks.
fn longest_of_many() -> usize {
    if is_quick() { 70 } else { 200 }
}

/// Inputs of `length` bytes, one for each kernel path.
fn contents(length: usize) -> impl Iterator<Item = Vec<u8>> {
    const OTHERS: [&[u8]; 2] = [b"+", b"some clean text, 35 bytes of it now a%20b%4+%41 \xE9%%G1"];
    inputs::KERNEL_PATHS.into_iter().chain(OTHERS).map(move |pattern| inputs::repeated(pattern, length))
}

/// Calls `each` with every level, place and input.
fn for_each_input(mut each: impl FnMut(Level, Place, &[u8])) {
    for length in lengths() {
        for content in contents(length) {
            for place in PLACES {
                crate::common::levels().for_each(|level| each(level, place, &content));
            }
        }
    }
}

/// Otherwise the tests here prove nothing.
#[test]
fn guard_pages_are_inaccessible() {
    let mut buffer = GuardedBuffer::new(LONGEST);
    let memory = buffer.memory().as_ptr_range();
    assert!(is_readable(memory.start) && is_readable(memory.end.wrapping_sub(1)));
    assert!(!is_readable(memory.end));
    assert_eq!(is_readable(memory.start.wrapping_sub(1)), cfg!(target_arch = "wasm32"), "only memory's end is a guard");
}

/// The end of memory also holds after the heap has grown. scripts/check-levels requires that this
/// fails by a trap.
#[cfg(target_arch = "wasm32")]
#[test]
#[ignore = "ends the program"]
fn load_beyond_the_end_of_linear_memory_traps() {
    let mut buffer = GuardedBuffer::new(LONGEST);
    let _heap = std::hint::black_box(vec![1_u8; 64 << 20]);
    let last = buffer.holding(Place::BeforeGuard, &[1]).as_ptr();
    // SAFETY: none. This shows that a load that is one byte too long does not go unnoticed.
    let pair = unsafe { last.cast::<[u8; 2]>().read_volatile() };
    println!("beyond linear memory there is {pair:?}");
}

#[test]
fn find_and_count_stay_in_bounds() {
    let mut source = GuardedBuffer::new(LONGEST);
    let sets = [ByteSet::new(b"%"), ByteSet::new(b"\0+"), ByteSet::NON_ASCII, ByteSet::EMPTY, ByteSet::ALL];
    for_each_input(|level, place, content| {
        let input = source.holding(place, content);
        for set in &sets {
            let case = |form| Case { form, level, codec: set, input };
            assert_eq!(set.find_on(level, input), reference::find(set, content), "{}", case("find"));
            assert_eq!(set.count_on(level, input), reference::count(set, content), "{}", case("count"));
        }
    });
}

/// Writes into buffers of the exact size, and runs every form that only reads.
#[test]
fn decode_stays_in_bounds() {
    let (mut source, mut target) = (GuardedBuffer::new(LONGEST), GuardedBuffer::new(LONGEST));
    for_each_input(|level, place, content| {
        let input = &*source.holding(place, content);
        for decoder in few_decoders().map(|decoder| decoder.level(level)) {
            let case = Case { form: "decode", level, codec: &decoder, input };
            let expected = reference::decode(&decoder, content);
            let length = expected.as_ref().map(Vec::len).map_err(|&error| error);
            // The output preceding an error may be written.
            let room = expected.as_ref().map_or_else(|error| error.position, Vec::len);

            for target_place in PLACES {
                let output = target.at(target_place, room);
                let result = decoder.decode_into(input, output).map_err(Failure::from);
                assert_eq!(result, length.map_err(Failure::Decode), "decode_into, {target_place:?}: {case}");
                assert!(expected.as_ref().is_ok_and(|bytes| bytes == output) || expected.is_err(), "{case}");
                assert!(target.is_intact(target_place, room), "decode_into, {target_place:?}: {case}");

                let text = reference::decode_utf8(&decoder, content);
                let result = decoder.decode_utf8_into(input, target.at(target_place, room)).map_err(Failure::from);
                let expected_text = text.as_deref().map_err(|&error| Failure::Decode(error));
                assert_eq!(result.as_deref(), expected_text.as_deref(), "decode_utf8_into, {target_place:?}: {case}");
                assert!(target.is_intact(target_place, room), "decode_utf8_into, {target_place:?}: {case}");

                let output = as_uninit(target.at(target_place, room));
                let result = decoder.decode_uninit(input, output).map_err(Failure::from);
                let expected = expected.as_deref().map_err(|&error| Failure::Decode(error));
                assert_eq!(result.as_deref(), expected.as_deref(), "decode_uninit, {target_place:?}: {case}");
                assert!(target.is_intact(target_place, room), "decode_uninit, {target_place:?}: {case}");
            }
            assert_eq!(decoder.decoded_len(input), length, "{case}");
            assert_eq!(decoder.check(input), length.map(|_| ()), "{case}");
            assert_eq!(decoder.decode(input).as_deref(), expected.as_deref(), "{case}");
            assert_eq!(
                decoder.decode_utf8(input).as_deref(),
                reference::decode_utf8(&decoder, content).as_deref(),
                "{case}"
            );
        }
    });
}

/// Decoding in place equals decoding to a new buffer, and leaves the adjacent memory unchanged.
#[test]
fn decode_in_place_stays_in_bounds() {
    let mut buffer = GuardedBuffer::new(LONGEST);
    for_each_input(|level, place, content| {
        for decoder in few_decoders().map(|decoder| decoder.level(level)) {
            let case = Case { form: "decode_in_place", level, codec: &decoder, input: content };
            let out_of_place = decoder.decode(content);
            let in_place = decoder.decode_in_place(buffer.holding(place, content));
            assert_eq!(in_place.as_deref(), out_of_place.as_deref(), "{place:?}: {case}");
            assert!(buffer.is_intact(place, content.len()), "{place:?}: {case}");

            let out_of_place = decoder.decode_utf8(content);
            let in_place = decoder.decode_utf8_in_place(buffer.holding(place, content));
            assert_eq!(in_place.as_deref(), out_of_place.as_deref(), "{place:?}: {case}");
            assert!(buffer.is_intact(place, content.len()), "{place:?}: {case}");
        }
    });
}

#[test]
fn inspect_stays_in_bounds() {
    let mut source = GuardedBuffer::new(LONGEST);
    for_each_input(|level, place, input| {
        let inspect = |level, input: &[u8]| {
            let findings = Findings::on(level, input);
            (
                findings.kinds_among(Kinds::EVERY),
                findings.first(),
                findings.iter_among(Kinds::EVERY).collect::<Vec<_>>(),
                Counts::among_on(level, Kinds::EVERY, input),
            )
        };
        let expected = inspect(Level::Scalar, input);
        let found = inspect(level, source.holding(place, input));
        assert_eq!(found, expected, "{level}, {place:?}: {input:?}");
    });
}

/// Columns whose values end at a guard page: bitmaps and batches must not read past them.
#[test]
fn columns_stay_in_bounds() {
    let mut source = GuardedBuffer::new(LONGEST);
    for_each_input(|level, place, input| {
        let length = input.len() as i32;
        let offsets = [0, length / 3, length / 3, length / 2, length - length / 5, length];
        let buffer = &*source.holding(place, input);
        let column = Column::new(buffer, &offsets).unwrap();
        let context = || format!("{level}, {place:?}: {input:?}");
        for decoder in few_decoders().map(|decoder| decoder.level(level)) {
            let expected = columns::decode(&column, &decoder.level(Level::Scalar), OnError::Keep);
            assert_eq!(columns::decode(&column, &decoder, OnError::Keep), expected, "{}", context());
        }
        for encoder in few_encoders().map(|encoder| encoder.level(level)) {
            let expected = columns::encode(&column, &encoder.level(Level::Scalar));
            assert_eq!(columns::encode(&column, &encoder), expected, "{}", context());
        }
        assert_eq!(Inspection::on(level, &column), Inspection::on(Level::Scalar, &column), "{}", context());
        let (rows, set) = (|| (0..column.len()).map(|row| column.row(row)), ByteSet::new(b"%"));
        let expected = column.rows_holding_on(Level::Scalar, &set);
        assert_eq!(column.rows_holding_on(level, &set), expected, "{}", context());
        assert_eq!(columns::rows_holding(rows(), &set), expected, "{}", context());
        // Gathered rows are copied, but not the triggers that `convert` searches for.
        let conversion = Conversion::decode_utf8_lossy(&Decoder::new().level(level)).on_error(OnError::Null);
        let (mut by_rows, mut by_column) = (ColumnBuf::<i32>::new(), ColumnBuf::new());
        let summary = conversion.append(&column, &mut by_column);
        assert_eq!(conversion.append_rows(rows(), &mut by_rows), summary, "{}", context());
        assert_eq!(by_rows, by_column, "{}", context());
        assert_eq!(conversion.convert(&column).map(|converted| converted.summary), summary, "{}", context());
    });
}

#[test]
fn normalize_in_place_stays_in_bounds() {
    let mut source = GuardedBuffer::new(LONGEST);
    let normalizer = Normalizer::new().malformed(Malformed::Keep);
    for_each_input(|level, place, input| {
        let expected = normalizer.level(Level::Scalar).normalize_in_place(&mut input.to_vec()).unwrap().to_vec();
        let buffer = source.holding(place, input);
        assert_eq!(normalizer.level(level).is_normal(buffer), expected == input, "{level}, {place:?}: {input:?}");
        let result = normalizer.level(level).normalize_in_place(buffer).unwrap().to_vec();
        assert_eq!(result, expected, "{level}, {place:?}: {input:?}");
        assert!(source.is_intact(place, input.len()), "{level}, {place:?}: {input:?}");
    });
}

/// Writes into buffers of the exact size and of one byte less, by every policy.
#[test]
fn normalize_into_stays_in_bounds() {
    let (mut source, mut target) = (GuardedBuffer::new(LONGEST), GuardedBuffer::new(3 * LONGEST));
    for_each_input(|level, place, content| {
        let input = &*source.holding(place, content);
        for malformed in [Malformed::Refuse, Malformed::Keep, Malformed::Escape] {
            let normalizer = Normalizer::new().malformed(malformed).level(level);
            let expected = reference::normalize(&normalizer, content);
            let needed = expected.as_ref().map_or_else(|error| error.position, Vec::len);
            for (target_place, room) in
                PLACES.into_iter().flat_map(|place| [(place, needed), (place, needed.max(1) - 1)])
            {
                let case = Case { form: "normalize_into", level, codec: &normalizer, input };
                let expected = match &expected {
                    Err(error) => Err(Failure::Decode(*error)),
                    Ok(normal) if normal.len() > room => Err(Failure::Needs(normal.len())),
                    Ok(normal) => Ok(normal.as_slice()),
                };
                let output = target.at(target_place, room);
                let result = normalizer.normalize_into(input, output).map_err(Failure::from);
                assert_eq!(
                    result.map(|length| &output[..length]),
                    expected,
                    "room for {room}, {target_place:?}: {case}"
                );
                assert!(target.is_intact(target_place, room), "room for {room}, {target_place:?}: {case}");
            }
        }
    });
}

#[test]
fn encode_stays_in_bounds() {
    let (mut source, mut target) = (GuardedBuffer::new(LONGEST), GuardedBuffer::new(3 * LONGEST));
    for_each_input(|level, place, content| {
        let input = &*source.holding(place, content);
        for encoder in few_encoders().map(|encoder| encoder.level(level)) {
            let case = Case { form: "encode", level, codec: &encoder, input };
            let expected = reference::encode(&encoder, content);

            for target_place in PLACES {
                let output = target.at(target_place, expected.len());
                assert_eq!(
                    encoder.encode_into(input, output),
                    Ok(expected.len()),
                    "encode_into, {target_place:?}: {case}"
                );
                assert_eq!(output, expected.as_bytes(), "encode_into, {target_place:?}: {case}");
                assert!(target.is_intact(target_place, expected.len()), "encode_into, {target_place:?}: {case}");

                let output = as_uninit(target.at(target_place, expected.len()));
                let result = encoder.encode_uninit(input, output);
                assert_eq!(result.as_deref(), Ok(expected.as_bytes()), "encode_uninit, {target_place:?}: {case}");
                assert!(target.is_intact(target_place, expected.len()), "encode_uninit, {target_place:?}: {case}");
            }
            assert_eq!(encoder.encoded_len(input), expected.len(), "{case}");
            assert_eq!(encoder.encode(input), expected, "{case}");
            assert_eq!(format!("{}", encoder.display(input)), expected, "{case}");
            assert_eq!(encoder.pieces(input).collect::<String>(), expected, "{case}");
        }
    });
}

/// If the output is too small, by any number of bytes, the error has the needed size and nothing is
/// written outside it.
#[test]
fn output_too_small_reports_needed_size_and_stays_in_bounds() {
    let mut target = GuardedBuffer::new(3 * LONGEST);
    for length in [1, 5, 16, 31, 64, 65, 100, 130, 200] {
        for content in contents(length) {
            for level in crate::common::levels() {
                for decoder in few_decoders().map(|decoder| decoder.level(level)) {
                    let case = Case { form: "decode_into", level, codec: &decoder, input: &content };
                    let expected = reference::decode(&decoder, &content).map(|bytes| bytes.len());
                    for (place, room) in
                        PLACES.into_iter().flat_map(|place| (0..=length).map(move |room| (place, room)))
                    {
                        let expected = match expected {
                            Ok(needed) if needed > room => Err(Failure::Needs(needed)),
                            other => other.map_err(Failure::Decode),
                        };
                        let result = decoder.decode_into(&content, target.at(place, room)).map_err(Failure::from);
                        assert_eq!(result, expected, "room for {room}, {place:?}: {case}");
                        assert!(target.is_intact(place, room), "room for {room}, {place:?}: {case}");
                    }
                }
                for encoder in few_encoders().map(|encoder| encoder.level(level)) {
                    let case = Case { form: "encode_into", level, codec: &encoder, input: &content };
                    let needed = reference::encode(&encoder, &content).len();
                    for (place, room) in PLACES.into_iter().flat_map(|place| (0..needed).map(move |room| (place, room)))
                    {
                        let result = encoder.encode_into(&content, target.at(place, room)).map_err(Failure::from);
                        assert_eq!(result, Err(Failure::Needs(needed)), "room for {room}, {place:?}: {case}");
                        assert!(target.is_intact(place, room), "room for {room}, {place:?}: {case}");
                    }
                }
            }
        }
    }
}

/// Forms of `length` bytes, with pairs that end at every position of a 64-byte window, and with
/// none.
fn forms(length: usize) -> impl Iterator<Item = Vec<u8>> {
    let patterns: [&[u8]; 6] = [b"a=b&", b"&", b"=", b"%41=+&", b"name", b"some_long_name=a%20long+value%&\xE9%%G1=&"];
    patterns.into_iter().map(move |pattern| inputs::repeated(pattern, length))
}

#[test]
fn form_parser_stays_in_bounds() {
    let mut source = GuardedBuffer::new(LONGEST);
    for length in 0..=longest_of_many() {
        for content in forms(length) {
            for place in PLACES {
                crate::common::form::compare_parsing(source.holding(place, &content));
            }
        }
    }
}

/// Names and values are next to a guard page. The serializer's own output is covered by
/// tests/guarded_heap.rs.
#[test]
fn form_serializer_stays_in_bounds() {
    let (mut source, encoder) = (GuardedBuffer::new(LONGEST), Encoder::FORM);
    for_each_input(|level, place, content| {
        let part = &*source.holding(place, content);
        let mut serializer = form::Serializer::new(String::new()).level(level);
        serializer.append_pair(part, part).append_key_only(part);
        serializer.append_pair(part, "").append_pair("", part).append_pair(part, "b").append_pair("a", part);
        let part = reference::encode(&encoder, content);
        let expected = format!("{part}={part}&{part}&{part}=&={part}&{part}=b&a={part}");
        assert_eq!(serializer.finish(), expected, "{level}, {place:?}");
    });
}

/// Each chunk and its output are next to guard pages.
#[test]
fn stream_decoder_stays_in_bounds() {
    let (mut source, mut target) = (GuardedBuffer::new(LONGEST), GuardedBuffer::new(LONGEST));
    for length in 0..=longest_of_many() {
        for content in contents(length) {
            for (decoder, text) in std::iter::zip(few_decoders(), TEXTS.into_iter().cycle()) {
                let expected = crate::common::stream::expected(&decoder, text, &content);
                for level in crate::common::levels() {
                    for (place, room, cut) in [
                        (Place::AfterGuard, 4, 7),
                        (Place::BeforeGuard, 5, 7),
                        (Place::BeforeGuard, 40, 33),
                        (Place::AfterGuard, length.max(4), length),
                        (Place::BeforeGuard, length + 16, length),
                    ] {
                        let mut stream = text.stream(decoder.level(level));
                        let mut output = Vec::new();
                        let mut failure = None;
                        // The last call has no input: it writes pending output.
                        for chunk in content.chunks(cut.max(1)).chain([&[][..]]) {
                            let mut rest = &*source.holding(place, chunk);
                            while failure.is_none() {
                                let progress = stream.feed(rest, target.at(place, room));
                                assert!(target.is_intact(place, room), "{place:?}, room for {room}: {decoder:?}");
                                match progress {
                                    Err(error) => failure = Some((error.kind, error.position)),
                                    Ok(progress) => {
                                        output.extend_from_slice(&target.last(place, room)[..progress.written]);
                                        rest = &rest[progress.read..];
                                        if rest.is_empty() && (!chunk.is_empty() || progress.written == 0) {
                                            break;
                                        }
                                    }
                                }
                            }
                        }
                        if failure.is_none() {
                            match stream.finish() {
                                Ok(tail) => output.extend_from_slice(&tail),
                                Err(error) => failure = Some((error.kind, error.position)),
                            }
                        }
                        let case = || format!("{level}, {place:?}, room for {room}: {content:?} by {decoder:?}");
                        assert_eq!((output, failure), expected, "{}", case());
                    }
                }
            }
        }
    }
}

#[test]
fn stream_encoder_stays_in_bounds() {
    let (mut source, mut target) = (GuardedBuffer::new(LONGEST), GuardedBuffer::new(3 * LONGEST));
    for length in 0..=longest_of_many() {
        for content in contents(length) {
            for encoder in few_encoders() {
                let expected = reference::encode(&encoder, &content);
                for level in crate::common::levels() {
                    for (place, room, cut) in [
                        (Place::AfterGuard, 4, 7),
                        (Place::BeforeGuard, 5, 7),
                        (Place::BeforeGuard, 40, 33),
                        (Place::AfterGuard, 3 * length + 4, length),
                    ] {
                        let mut stream = stream::Encoder::new(encoder.level(level));
                        let mut output = Vec::new();
                        for chunk in content.chunks(cut.max(1)) {
                            let mut rest = &*source.holding(place, chunk);
                            while !rest.is_empty() {
                                let progress = stream.feed(rest, target.at(place, room));
                                assert!(target.is_intact(place, room), "{place:?}, room for {room}: {encoder:?}");
                                output.extend_from_slice(&target.last(place, room)[..progress.written]);
                                rest = &rest[progress.read..];
                            }
                        }
                        output.extend_from_slice(&stream.finish());
                        let case = || format!("{level}, {place:?}, room for {room}: {content:?} by {encoder:?}");
                        assert_eq!(output, expected.as_bytes(), "{}", case());
                    }
                }
            }
        }
    }
}

/// Operations that call other operations: positions, accepted characters, URI repair and legacy
/// formats.
#[test]
fn operations_built_on_kernels_stay_in_bounds() {
    let mut source = GuardedBuffer::new(LONGEST);
    let policies = [LoneSurrogates::Refuse, LoneSurrogates::Replace, LoneSurrogates::Keep];
    for length in 0..=longest_of_many() / 2 {
        let unicode = inputs::repeated(b"%u20AC%uD83D%uDE00%u%uD83D", length);
        let extended = [b"UTF-8''", &*inputs::repeated(b"%C3%A9a%e2%82%acb%", length)].concat();
        for (turn, content) in contents(length).chain([unicode, extended]).enumerate() {
            for place in PLACES {
                let input = &*source.holding(place, &content);
                crate::common::uri::check_repair(input);
                crate::common::ext_value::compare_ext_value(input);
                crate::common::offset::compare_offsets(&Decoder::new().lenient(), input);
                crate::common::accept::compare_accepting(&Decoder::new(), &['\0'..='\u{7FF}'], input);
                if let Ok(text) = str::from_utf8(input) {
                    compare_escaping(text);
                    compare_unescaping(text);
                    compare_latin1_decoding(&Decoder::new().lenient(), text);
                }
                for level in crate::common::levels() {
                    let case = UnicodeCase {
                        lenient: turn % 2 == 0,
                        plus: false,
                        kept: None,
                        rejected: None,
                        alone: false,
                        policy: policies[turn % policies.len()],
                        level,
                    };
                    compare_unicode_decoding(case, input);
                }
            }
        }
    }
}

/// Writes into output of exactly the required size.
#[test]
fn guards_of_targets_stay_in_bounds() {
    let (mut source, mut target) = (GuardedBuffer::new(LONGEST), GuardedBuffer::new(3 * LONGEST));
    let patterns: [&[u8]; 4] = [b"/a%2e%2E//b;c=\xE9d", b"/plain/path", b"/%2f..%3b", b" \"<>"];
    for length in 0..=longest_of_many() {
        for (start, pattern) in ["/", "http://h/"].into_iter().flat_map(|start| patterns.map(|text| (start, text))) {
            let content = [start.as_bytes(), &inputs::repeated(pattern, length), b"?q"].concat();
            for place in PLACES {
                let input = &*source.holding(place, &content);
                for (_, policy) in PathPolicy::PRESETS {
                    let guard = RequestGuard::new().policy(Some(*policy)).refuse_in_query(Kinds::NUL);
                    let mut room = vec![0; RequestGuard::output_len_bound(input.len())];
                    let expected = guard.check(RequestMethod::Other, &content, &mut room);
                    let mut asked = None;
                    let verdict = guard.check_with(RequestMethod::Other, input, |length| {
                        asked = Some(length);
                        Some(target.at(place, length))
                    });
                    assert_eq!(verdict, expected, "{guard}, {place:?}: {}", content.escape_ascii());
                    assert!(
                        asked.is_none_or(|length| target.is_intact(place, length)),
                        "{guard}, {place:?}: {}",
                        content.escape_ascii()
                    );
                }
            }
        }
    }
}
