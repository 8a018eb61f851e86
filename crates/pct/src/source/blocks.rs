//! Cuts input of any length into blocks of bounded length, between records.
#![forbid(unsafe_code)]

use std::io::{self, Read};
use std::ops::Deref;

use memchr::{memchr, memrchr};

/// Maximum block length. Input and output together should fit into a core's private cache.
pub(crate) const BLOCK: usize = 256 * 1024;

/// U+FEFF in UTF-8. Windows programs write it at the start of a text; it is part of no record.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Finds the ends of records. Stateful: sees every byte once, in order.
pub(crate) trait Scanner: Send {
    /// The end of the first record in `bytes`, if there is one. Bytes after it are not scanned.
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize>;

    /// The end of the last complete record in `bytes`. All of `bytes` is scanned.
    fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut last = None;
        let mut start = 0;
        while let Some(end) = self.first_end(&bytes[start..]) {
            start += end;
            last = Some(start);
        }
        last
    }

    /// Whether the whole input is one record.
    fn is_whole_input(&self) -> bool {
        false
    }
}

/// Records that end with a byte.
pub(crate) struct Separated(pub(crate) u8);

impl Scanner for Separated {
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        memchr(self.0, bytes).map(|at| at + 1)
    }

    fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        memrchr(self.0, bytes).map(|at| at + 1)
    }
}

/// An input that is one record.
pub(crate) struct WholeInput;

impl Scanner for WholeInput {
    fn first_end(&mut self, _: &[u8]) -> Option<usize> {
        None
    }

    fn is_whole_input(&self) -> bool {
        true
    }
}

/// Buffer for a block.
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    length: usize,
}

impl Buffer {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { bytes: vec![0; capacity], length: 0 }
    }

    fn set(&mut self, bytes: &[u8]) {
        // The carry may come from a longer buffer.
        if self.bytes.len() < bytes.len() {
            self.bytes.resize(bytes.len(), 0);
        }
        self.bytes[..bytes.len()].copy_from_slice(bytes);
        self.length = bytes.len();
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Content of a filled buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Cut {
    /// Whole records; the last of the input may lack its end.
    Records,
    /// The first part of a record.
    Beginning,
    /// Nothing: the input is at its end.
    End,
}

/// The blocks of one input: contiguous and not empty.
///
/// Whole records are returned as soon as they are read, without waiting for more input.
pub(crate) struct Blocks {
    input: Box<dyn Read + Send>,
    scanner: Box<dyn Scanner>,
    /// Bytes read after the last record that was returned.
    carry: Vec<u8>,
    /// Whether the scanner has seen `carry`.
    is_scanned: bool,
    /// Result of reading, once the input has ended.
    end: Option<io::Result<()>>,
}

impl Blocks {
    pub(crate) fn new(input: Box<dyn Read + Send>, scanner: Box<dyn Scanner>) -> Self {
        Self { input, scanner, carry: Vec::new(), is_scanned: true, end: None }
    }

    /// Skips a byte order mark at the start of the input, and returns whether there is one. If the
    /// whole input is one record, there is no mark. Must be called first.
    ///
    /// Read errors are returned by the first block.
    pub(crate) fn skip_mark(&mut self) -> bool {
        if self.scanner.is_whole_input() {
            return false;
        }
        let mut start = Buffer::new(BYTE_ORDER_MARK.len());
        while start.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&start) && self.end.is_none() {
            self.read(&mut start);
        }
        let is_mark = *start == *BYTE_ORDER_MARK;
        if !is_mark {
            self.carry.extend_from_slice(&start);
            self.is_scanned = self.carry.is_empty();
        }
        is_mark
    }

    /// Fills the buffer with the next whole records, or with the first part of a record that is
    /// longer than the buffer.
    ///
    /// An error is returned after all bytes that could be read.
    pub(crate) fn next(&mut self, buffer: &mut Buffer) -> io::Result<Cut> {
        buffer.set(&self.carry);
        self.carry.clear();
        let mut new = if self.is_scanned { buffer.length } else { 0 };
        self.is_scanned = true;
        loop {
            let scanned = new..buffer.length;
            if let Some(end) = self.scanner.last_end(&buffer[scanned.clone()]) {
                self.cut(buffer, scanned.start + end, true);
                return Ok(Cut::Records);
            }
            let is_full = buffer.length == buffer.bytes.len() || self.scanner.is_whole_input();
            match &mut self.end {
                Some(end) if buffer.is_empty() => return std::mem::replace(end, Ok(())).map(|()| Cut::End),
                Some(_) if !self.scanner.is_whole_input() => return Ok(Cut::Records),
                _ if is_full && !buffer.is_empty() => {
                    self.hold_carriage_return(buffer);
                    return Ok(Cut::Beginning);
                }
                _ => new = self.read(buffer),
            }
        }
    }

    /// Fills the buffer with the next part of the record whose beginning was returned last, and
    /// returns whether it is the last part. The part may be empty.
    pub(crate) fn next_part(&mut self, buffer: &mut Buffer) -> io::Result<bool> {
        buffer.set(&self.carry);
        self.carry.clear();
        if self.is_scanned || buffer.is_empty() {
            self.read(buffer);
        }
        self.is_scanned = true;
        if buffer.len() == 1 && buffer.ends_with(b"\r") && self.end.is_none() {
            self.read(buffer);
        }
        if let Some(end) = self.scanner.first_end(buffer) {
            self.cut(buffer, end, false);
            return Ok(true);
        }
        if self.end.is_some() {
            return Ok(true);
        }
        self.hold_carriage_return(buffer);
        Ok(false)
    }

    /// Holds back a final CR, which may be part of the record's end.
    fn hold_carriage_return(&mut self, buffer: &mut Buffer) {
        if buffer.len() > 1 && buffer.ends_with(b"\r") && !self.scanner.is_whole_input() {
            self.cut(buffer, buffer.length - 1, false);
        }
    }

    /// Carries the bytes after `end` over to the next call.
    fn cut(&mut self, buffer: &mut Buffer, end: usize, is_scanned: bool) {
        self.carry.clear();
        self.carry.extend_from_slice(&buffer[end..]);
        self.is_scanned = is_scanned || self.carry.is_empty();
        buffer.length = end;
    }

    /// Reads once into the rest of the buffer. Returns the start of the new bytes.
    fn read(&mut self, buffer: &mut Buffer) -> usize {
        let start = buffer.length;
        let result = loop {
            match self.input.read(&mut buffer.bytes[start..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        match result {
            Ok(0) => self.end = Some(Ok(())),
            Ok(length) => buffer.length += length,
            Err(error) => self.end = Some(Err(error)),
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::{Blocks, Buffer, Cut, Scanner, Separated, WholeInput};

    /// Reads like a pipe that gets `portion` bytes at a time.
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

    /// All blocks as text: whole records end with '|', parts of records are in brackets.
    fn blocks(input: impl Read + Send + 'static, scanner: impl Scanner + 'static, capacity: usize) -> String {
        let mut blocks = Blocks::new(Box::new(input), Box::new(scanner));
        let mut buffer = Buffer::new(capacity);
        let mut all = String::new();
        loop {
            let cut = blocks.next(&mut buffer);
            all.push_str(&buffer.escape_ascii().to_string());
            match cut {
                Ok(Cut::Records) => all.push('|'),
                Ok(Cut::Beginning) => {
                    let mut is_last = false;
                    while !is_last {
                        is_last = blocks.next_part(&mut buffer).unwrap();
                        all.push_str(&format!("[{}]", buffer.escape_ascii()));
                    }
                }
                Ok(Cut::End) => return all,
                Err(error) => return all + &error.to_string(),
            }
        }
    }

    #[test]
    fn records_are_not_cut_unless_they_are_longer_than_the_buffer() {
        let input = b"one\ntwo\n\nthree\nabcdefghijklmnopqrst\nend";
        let found = blocks(&input[..], Separated(b'\n'), 10);
        assert_eq!(found, "one\\ntwo\\n\\n|three\\n|abcdefghij[klmnopqrst][\\n]end|");
    }

    #[test]
    fn records_are_handed_out_as_they_come() {
        let pipe = |portion| Pipe { rest: b"a\nb\nc\nd", portion };
        assert_eq!(blocks(pipe(2), Separated(b'\n'), 100), "a\\n|b\\n|c\\n|d|");
        assert_eq!(blocks(pipe(3), WholeInput, 100), "a\\nb[\\nc\\n][d][]");
        assert_eq!(blocks(pipe(3), Separated(b'\0'), 100), "a\\nb\\nc\\nd|");
    }

    #[test]
    fn byte_order_mark_is_skipped_at_the_start() {
        for (input, rest) in [
            (&b"\xEF\xBB\xBFa\nb"[..], &b"a\nb"[..]),
            (b"\xEF\xBB\xBF", b""),
            (b"\xEF\xBB\xBF\xEF\xBB\xBF\n", b"\xEF\xBB\xBF\n"),
            (b"\xEF\xBB", b"\xEF\xBB"),
            (b"\xEF\xBB\nab\n", b"\xEF\xBB\nab\n"),
            (b"a\n", b"a\n"),
            (b"\n\xEF\xBB\xBF", b"\n\xEF\xBB\xBF"),
            (b"", b""),
        ] {
            for portion in 1..5 {
                let mut blocks = Blocks::new(Box::new(Pipe { rest: input, portion }), Box::new(Separated(b'\n')));
                assert_eq!(blocks.skip_mark(), rest.len() != input.len(), "{}", input.escape_ascii());
                let (mut buffer, mut found) = (Buffer::new(4), Vec::new());
                while blocks.next(&mut buffer).unwrap() != Cut::End {
                    found.extend_from_slice(&buffer);
                }
                assert_eq!(found, rest, "{}", input.escape_ascii());
            }
        }
        let mut blocks = Blocks::new(Box::new(&b"\xEF\xBB\xBF"[..]), Box::new(WholeInput));
        assert!(!blocks.skip_mark(), "of an input that is one record, it is data");
    }

    #[test]
    fn a_line_end_is_not_cut() {
        for portion in 1..9 {
            let found = blocks(Pipe { rest: b"abcd\r\nefgh\rij\r\n\r\n", portion }, Separated(b'\n'), 5);
            assert!(!found.contains("\\r][\\n") && !found.contains("\\r[\\n"), "{portion}: {found}");
            let text = found.replace(['|', '[', ']'], "");
            assert_eq!(text, "abcd\\r\\nefgh\\rij\\r\\n\\r\\n", "{portion}");
        }
    }

    #[test]
    fn bytes_preceding_a_read_error_are_returned() {
        struct Broken(bool);
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                // An interruption is not an error.
                self.0 = !self.0;
                Err(if self.0 { io::ErrorKind::Interrupted.into() } else { io::Error::other("broken") })
            }
        }
        let input = || b"line\nhalf %".chain(Broken(false));
        assert_eq!(blocks(input(), Separated(b'\n'), 100), "line\\n|half %|broken");
        assert_eq!(blocks(input(), Separated(b'\n'), 4), "line[\\n]half[ %][]broken");
        assert_eq!(blocks(input(), WholeInput, 100), "line\\nhalf %[]broken");
    }
}
