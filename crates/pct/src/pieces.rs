//! A stream of any length in pieces of bounded length, cut where no command can see the difference.
#![forbid(unsafe_code)]

use std::io::{self, Read};

use memchr::memrchr;

/// The most that is read at once. Input and output together should fit into a core's own cache.
pub(crate) const PIECE: usize = 256 * 1024;

/// What belongs together, and so is not cut unless it is longer than a piece.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Unit {
    /// A line with its end; the last one may lack it. A piece has as many of them as could be read at once.
    Line,
    /// The whole input.
    Text,
}

/// The pieces of one input. They follow each other without a gap; none is empty.
///
/// What can be read is handed out as soon as it is a whole unit, without waiting for more to come.
pub(crate) struct Pieces<'b, R> {
    input: R,
    unit: Unit,
    buffer: &'b mut [u8],
    /// How much of the buffer's start was handed out already.
    taken: usize,
    /// How much of the buffer's start is text. What was not handed out has no line end if lines are the unit.
    filled: usize,
    /// How the input ended, once it has.
    end: Option<io::Result<()>>,
}

impl<'b, R: Read> Pieces<'b, R> {
    /// A `buffer` of at least 4 bytes holds a piece.
    pub(crate) fn new(input: R, unit: Unit, buffer: &'b mut [u8]) -> Self {
        Self { input, unit, buffer, taken: 0, filled: 0, end: None }
    }

    /// The next piece; or how the input ended, after all that could be read of it.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.buffer.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        self.taken = 0;
        while self.taken == 0 {
            if let Some(end) = &mut self.end {
                if self.filled == 0 {
                    return std::mem::replace(end, Ok(())).map(|()| None);
                }
                self.taken = self.filled;
                break;
            }
            // There is room: of a full buffer, something would have been taken.
            match self.input.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.end = Some(Ok(())),
                Ok(length) => self.taken = self.grow(length),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.end = Some(Err(error)),
            }
        }
        Ok(Some(&self.buffer[..self.taken]))
    }

    /// Takes note of `length` new bytes, and says how much can be handed out now.
    fn grow(&mut self, length: usize) -> usize {
        let new = self.filled..self.filled + length;
        self.filled = new.end;
        match self.unit {
            Unit::Line => match memrchr(b'\n', &self.buffer[new.clone()]) {
                Some(line_end) => new.start + line_end + 1,
                None if self.filled < self.buffer.len() => 0,
                None => untorn(self.buffer),
            },
            Unit::Text => untorn(&self.buffer[..self.filled]),
        }
    }
}

/// The length of the longest start of `text` that no triplet, character or CRLF may go on behind; at most 3 bytes less than all.
///
/// Cutting there changes nothing: '%', a lead byte and CR each begin something new, whatever stands before them.
fn untorn(text: &[u8]) -> usize {
    let torn = match text {
        [.., b'%' | b'\r'] => 1,
        [.., b'%', digit] if digit.is_ascii_hexdigit() => 2,
        _ => unfinished_character(text),
    };
    text.len() - torn
}

/// The length of the sequence at the end of `text` that more bytes could make a character of UTF-8.
fn unfinished_character(text: &[u8]) -> usize {
    let end = &text[text.len().saturating_sub(3)..];
    let Some(lead) = end.iter().rposition(|&byte| byte >= 0xC0) else { return 0 };
    let sequence = &end[lead..];
    match str::from_utf8(sequence) {
        Err(error) if error.error_len().is_none() => sequence.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use simdpct::{Decoder, Encoder, reference};

    use super::{Pieces, Unit, untorn};

    /// Reads as a pipe does into which so many bytes at a time are written.
    struct Pipe<'a> {
        rest: &'a [u8],
        portion: usize,
    }

    impl Read for Pipe<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.portion.min(buffer.len());
            self.rest.read(&mut buffer[..length])
        }
    }

    fn pieces(input: impl Read, unit: Unit, capacity: usize) -> (Vec<Vec<u8>>, io::Result<()>) {
        let mut buffer = vec![0; capacity];
        let mut pieces = Pieces::new(input, unit, &mut buffer);
        let mut all = Vec::new();
        loop {
            match pieces.next() {
                Ok(Some(piece)) => all.push(piece.to_vec()),
                end => return (all, end.map(|_| ())),
            }
        }
    }

    fn as_text(pieces: &[Vec<u8>]) -> Vec<&str> {
        pieces.iter().map(|piece| str::from_utf8(piece).unwrap()).collect()
    }

    #[test]
    fn what_may_go_on_is_held_back() {
        let cases: [(&[u8], usize); 22] = [
            (b"", 0),
            (b"a", 1),
            (b"a%", 1),
            (b"%%", 1),
            (b"a%4", 1),
            (b"a%f", 1),
            (b"a%%4", 2),
            (b"a%g", 3),
            (b"a%41", 4),
            (b"a%4%", 3),
            (b"a\r", 1),
            (b"a\r\r", 2),
            (b"a\r\n", 3),
            (b"%\r", 1),
            (b"\xE2\x82\xAC", 3),
            (b"a\xE2\x82", 1),
            (b"a\xF0\x9F\x98", 1),
            (b"\xC3\xC3", 1),
            // Nothing makes a character of these (Unicode 3.9, table 3-7).
            (b"\xED\xA0", 2),
            (b"\xFF", 1),
            (b"\x80\x80\x80", 3),
            (b"\xE2\x82a", 3),
        ];
        for (text, length) in cases {
            assert_eq!(untorn(text), length, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn lines_are_not_cut_unless_they_are_longer_than_the_buffer() {
        let input = b"one\ntwo\n\nthree\nabcdefghijklmnopqrst\nend";
        let (all, end) = pieces(&input[..], Unit::Line, 10);
        assert_eq!(as_text(&all), ["one\ntwo\n\n", "three\n", "abcdefghij", "klmnopqrst", "\n", "end"]);
        end.unwrap();
    }

    #[test]
    fn lines_are_handed_out_as_they_come() {
        let (all, _) = pieces(Pipe { rest: b"a\nb\nc\nd", portion: 2 }, Unit::Line, 100);
        assert_eq!(as_text(&all), ["a\n", "b\n", "c\n", "d"]);
    }

    #[test]
    fn text_is_handed_out_as_it_comes() {
        let (all, _) = pieces(Pipe { rest: b"ab%4", portion: 2 }, Unit::Text, 100);
        assert_eq!(as_text(&all), ["ab", "%4"]);
    }

    #[test]
    fn what_was_read_before_an_error_is_handed_out() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        for unit in [Unit::Line, Unit::Text] {
            let (all, end) = pieces(b"line\nhalf %".chain(Broken), unit, 100);
            assert_eq!(all.concat(), b"line\nhalf %");
            assert_eq!(end.unwrap_err().to_string(), "broken");
        }
    }

    #[test]
    fn an_interrupted_read_is_tried_again() {
        struct Interrupted(bool);
        impl Read for Interrupted {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                self.0 = !self.0;
                if self.0 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(0) }
            }
        }
        let (all, end) = pieces(Interrupted(false).chain(&b"a"[..]), Unit::Line, 100);
        assert_eq!(as_text(&all), ["a"]);
        end.unwrap();
    }

    /// Every text of up to 6 symbols, in buffers of several sizes, read in portions of several sizes: the commands, done piece by
    /// piece, see no difference.
    #[test]
    fn pieces_are_as_good_as_the_whole() {
        let decoder = Decoder::new().lenient();
        let encoder = Encoder::COMPONENT.keep_triplets().keep_non_ascii();
        let decode = |text: &[u8]| reference::decode(&decoder, text).unwrap();
        let encode = |text: &[u8]| reference::encode(&encoder, text);
        let symbols = *b"%4\r\n\xC3\xA9";
        for length in 0..=6 {
            for number in 0..symbols.len().pow(length) {
                let digits = (0..length).map(|at| number / symbols.len().pow(at) % symbols.len());
                let text: Vec<u8> = digits.map(|digit| symbols[digit]).collect();
                for (unit, capacity, portion) in [
                    (Unit::Line, 4, 1),
                    (Unit::Line, 4, 4),
                    (Unit::Line, 5, 2),
                    (Unit::Text, 4, 1),
                    (Unit::Text, 5, 3),
                    (Unit::Text, 100, 2),
                ] {
                    let (all, end) = pieces(Pipe { rest: &text, portion }, unit, capacity);
                    end.unwrap();
                    let context = (text.escape_ascii().to_string(), &all);
                    assert!(all.iter().all(|piece| !piece.is_empty()), "{context:?}");
                    assert_eq!(all.concat(), text);
                    assert_eq!(
                        all.iter().map(|piece| decode(piece)).collect::<Vec<_>>().concat(),
                        decode(&text),
                        "{context:?}"
                    );
                    assert_eq!(all.iter().map(|piece| encode(piece)).collect::<String>(), encode(&text), "{context:?}");
                    let tears_line_end = |pair: &[Vec<u8>]| pair[0].ends_with(b"\r") && pair[1].starts_with(b"\n");
                    assert!(!all.windows(2).any(tears_line_end), "{context:?}");
                }
            }
        }
    }
}
