//! Detects binary files by their first bytes: rewriting them in place as text would destroy them.
#![forbid(unsafe_code)]

use std::io::{self, Cursor, Read};

use memchr::memchr;

use super::Opened;

/// Number of bytes to examine. As in grep, a NUL byte in them marks a binary file.
const START: usize = 64 * 1024;

/// First bytes and names of formats. Text that begins with the same bytes, such as `PAR1`, needs
/// `--binary`.
const FORMATS: [(&[u8], &str); 42] = [
    (b"PAR1", "Apache Parquet"),
    (b"PARE", "encrypted Apache Parquet"),
    (b"Obj\x01", "Apache Avro"),
    (b"ARROW1\0\0", "Apache Arrow IPC"),
    (b"\xFF\xFF\xFF\xFF", "Apache Arrow IPC stream"),
    (b"FEA1", "Feather"),
    (b"SEQ\x06", "Hadoop SequenceFile"),
    (b"\x89HDF\r\n\x1A\n", "HDF5"),
    (b"\x93NUMPY", "NumPy"),
    (b"SQLite format 3\0", "SQLite"),
    (b"\0\x01\0\0Standard ", "Microsoft Access"),
    (b"PK\x03\x04", "ZIP (also XLSX, DOCX, JAR)"),
    (b"PK\x05\x06", "ZIP (also XLSX, DOCX, JAR)"),
    (b"7z\xBC\xAF\x27\x1C", "7-Zip"),
    (b"Rar!\x1A\x07", "RAR"),
    (b"\x1F\x8B", "gzip"),
    (b"\x28\xB5\x2F\xFD", "zstd"),
    (b"\xFD7zXZ\0", "xz"),
    (b"BZh91AY&SY", "bzip2"),
    (b"\x1F\x9D", "compress (.Z)"),
    (b"\x04\x22\x4D\x18", "LZ4"),
    (b"\x02\x21\x4C\x18", "legacy LZ4"),
    (b"LZIP\x01", "lzip"),
    (b"\x89LZO\0\r\n\x1A\n", "lzop"),
    (b"\xFF\x06\0\0sNaPpY", "Snappy"),
    (b"\x7FELF", "ELF"),
    (b"MZ\x90\0", "Windows executable"),
    (b"\xCA\xFE\xBA\xBE", "Java class or Mach-O"),
    (b"\xCF\xFA\xED\xFE", "Mach-O"),
    (b"\xCE\xFA\xED\xFE", "Mach-O"),
    (b"\0asm", "WebAssembly"),
    (b"!<arch>\n", "ar archive"),
    (b"%PDF-", "PDF"),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "Microsoft Office"),
    (b"\x89PNG\r\n\x1A\n", "PNG"),
    (b"\xFF\xD8\xFF", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"\xD4\xC3\xB2\xA1", "packet capture"),
    (b"\x0A\x0D\x0D\x0A", "packet capture"),
];

/// Returns an error for a binary file, and otherwise the input from its first byte. `with_nul`
/// allows NUL bytes in text.
pub(crate) fn refuse(Opened { mut text, compression }: Opened, with_nul: bool) -> io::Result<Opened> {
    let mut start = Vec::new();
    text.by_ref().take(START as u64).read_to_end(&mut start)?;
    match message(&start, with_nul) {
        Some(message) => Err(io::Error::new(io::ErrorKind::InvalidData, message)),
        None => Ok(Opened { text: Box::new(Cursor::new(start).chain(text)), compression }),
    }
}

/// How to process an input that begins so, if it is probably no text. `ending` is the byte that
/// ends its records.
pub(crate) fn hint(start: &[u8], ending: Option<u8>) -> Option<String> {
    let ending = ending?;
    let start = &start[..start.len().min(START)];
    if is_utf16(start, ending) {
        return Some(format!("it looks like UTF-16: {CONVERT}"));
    }
    // Text may begin with the same bytes.
    memchr(0, start)?;
    let (_, name) = FORMATS.iter().find(|(magic, _)| start.starts_with(magic))?;
    let is_columnar = matches!(*name, "Apache Parquet" | "Apache Arrow IPC" | "Apache Arrow IPC stream");
    Some(format!(
        "it looks like {name}{}",
        if is_columnar { ": --columns without --csv selects its columns" } else { ", not text" }
    ))
}

const CONVERT: &str = "convert it first, as with 'iconv -f UTF-16 -t UTF-8'";

/// Whether text begins with the byte order mark of UTF-16, or with ASCII characters in UTF-16.
fn is_utf16(start: &[u8], ending: u8) -> bool {
    // More than a mark: what begins an Arrow stream is none, either.
    const LEAST: usize = 8;
    if start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF") {
        return true;
    }
    let (pairs, _) = start[..start.len().min(64)].as_chunks::<2>();
    let are = |is_ascii: fn(&[u8; 2]) -> bool| pairs.len() >= LEAST / 2 && pairs.iter().all(is_ascii);
    ending != 0 && (are(|pair| pair[0] != 0 && pair[1] == 0) || are(|pair| pair[0] == 0 && pair[1] != 0))
}

fn message(start: &[u8], with_nul: bool) -> Option<String> {
    const INSIST: &str = "to rewrite it nevertheless, add --binary";
    if let Some((_, name)) = FORMATS.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(format!("binary file ({name}) is not rewritten; {INSIST}"));
    }
    if start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF") {
        return Some(format!("UTF-16 file is not rewritten; {CONVERT}; {INSIST}"));
    }
    let position = memchr(0, start).filter(|_| !with_nul)?;
    Some(format!(
        "binary file (NUL at byte {}) is not rewritten; if NUL ends its records, add -0; {INSIST}",
        position + 1
    ))
}

#[cfg(test)]
mod tests {
    use super::{FORMATS, hint, message};

    #[test]
    fn binary_file_is_recognised_by_its_format() {
        for (magic, name) in FORMATS {
            let found = message(&[magic, b" and on"].concat(), true);
            assert!(found.is_some_and(|message| message.contains(name)), "{name}");
        }
        for (start, word) in [(&b"\xFF\xFEa\0"[..], "iconv"), (b"\xFE\xFF\0a", "iconv"), (b"text\n\0", "NUL at byte 6")]
        {
            let found = message(start, false);
            assert!(found.is_some_and(|message| message.contains(word)), "{}", start.escape_ascii());
        }
    }

    #[test]
    fn input_that_is_no_text_has_a_hint() {
        for (start, ending, expected) in [
            (
                &b"PAR1\x15\0 and on"[..],
                Some(b'\n'),
                Some("it looks like Apache Parquet: --columns without --csv selects its columns"),
            ),
            (b"\xFF\xFF\xFF\xFF\x10\0", Some(b'\n'), Some("it looks like Apache Arrow IPC stream: --columns")),
            (b"PK\x03\x04\0", Some(b'\n'), Some("it looks like ZIP (also XLSX, DOCX, JAR), not text")),
            (b"\xFF\xFEa\0", Some(b'\n'), Some("it looks like UTF-16: convert it first")),
            (b"\xFE\xFF\0a", Some(0), Some("it looks like UTF-16")),
            (b"h\0t\0t\0p\0:\0/\0", Some(b'\n'), Some("it looks like UTF-16")),
            (b"\0h\0t\0t\0p\0:\0/", Some(b'\n'), Some("it looks like UTF-16")),
            // Names of one letter that end with NUL.
            (b"a\0b\0c\0d\0e\0", Some(0), None),
            (b"a\0b\0", Some(b'\n'), None),
            (b"a\0\n", Some(b'\n'), None),
            (b"PAR1,url\n%41\n", Some(b'\n'), None),
            (b"", Some(b'\n'), None),
            (b"PAR1\0", None, None),
        ] {
            let found = hint(start, ending);
            let is_expected = match expected {
                Some(expected) => found.as_ref().is_some_and(|found| found.starts_with(expected)),
                None => found.is_none(),
            };
            assert!(is_expected, "{}: {found:?}", start.escape_ascii());
        }
    }

    #[test]
    fn text_is_no_binary_file() {
        let texts: [&[u8]; 9] = [
            b"",
            b"P",
            b"PK",
            b"ORCID,url\n",
            b"\xEF\xBB\xBFtext",
            b"\xFF text",
            b"%50%41",
            b"BZh9 line",
            b"a\x01b\x1B[0m",
        ];
        for text in texts {
            assert_eq!(message(text, false), None, "{}", text.escape_ascii());
        }
        assert_eq!(message(b"a\0b\0", true), None);
    }
}
