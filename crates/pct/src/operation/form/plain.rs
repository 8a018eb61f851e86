//! Forms in which nothing is encoded, as JSON.
#![forbid(unsafe_code)]

use memchr::{memchr, memchr2};
use simdpct::ByteSet;

use super::MAX_COMPARED_NAMES;

/// Appends the object of a form in which nothing is encoded, nothing must be escaped in JSON, and
/// no name is repeated. False, with nothing done, for other forms, and for forms of many pairs.
///
/// `pct form` of `typical_urls.txt`: 2.0 -> 1.4 s/GB (Zen 5, `crates/pct/bench`).
pub(super) fn write_object(form: &[u8], output: &mut Vec<u8>) -> bool {
    const NOT_PLAIN: ByteSet = ByteSet::range(0, 0x1F).union(ByteSet::new(b"%+\"\\"));
    if NOT_PLAIN.find(form).is_some() {
        return false;
    }
    let before = output.len();
    let (mut names, mut count) = ([&b""[..]; MAX_COMPARED_NAMES], 0);
    output.push(b'{');
    let mut rest = Some(form);
    while let Some(pairs) = rest {
        let name_end = memchr2(b'=', b'&', pairs).unwrap_or(pairs.len());
        let (name, value) = pairs.split_at(name_end);
        let end = if value.starts_with(b"=") { memchr(b'&', value).unwrap_or(value.len()) } else { 0 };
        rest = value.get(end + 1..);
        if name_end + end == 0 {
            // Nothing is between two '&'.
            continue;
        }
        if count == MAX_COMPARED_NAMES || names[..count].contains(&name) {
            output.truncate(before);
            return false;
        }
        names[count] = name;
        count += 1;
        let separator: &[u8] = if count > 1 { b",\"" } else { b"\"" };
        for part in [separator, name, b"\":\"", value[..end].get(1..).unwrap_or_default(), b"\""] {
            output.extend_from_slice(part);
        }
    }
    output.push(b'}');
    true
}

#[cfg(test)]
mod tests {
    use simdpct::form;

    use super::super::json;

    /// All forms of up to 7 bytes that mean something in a form, and long ones.
    #[test]
    fn plain_objects_are_written_as_parsed_ones() {
        let mut plain = 0;
        let mut check = |form: &str| {
            let pairs: Vec<_> = form::parse_lossy(form).collect();
            let (mut expected, mut found) = (Vec::new(), b"before".to_vec());
            json::write_object(&pairs, &mut expected);
            if super::write_object(form.as_bytes(), &mut found) {
                plain += 1;
                assert_eq!(&found[6..], expected, "{form}");
            } else {
                assert_eq!(found, b"before");
            }
        };
        let symbols = *b"ab=&+";
        for length in 0..=7 {
            for number in 0..symbols.len().pow(length) {
                let digits = (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]);
                check(&digits.map(char::from).collect::<String>());
            }
        }
        for form in ["http://h/p?q=1#f", "é=", "a;b", "a=%41", "a=\"", "\\", "\u{1}", "\u{7F}"] {
            check(form);
        }
        for count in 10..20 {
            check(&(0..count).map(|number| format!("&n{number}=v")).collect::<String>());
        }
        assert!(plain > 10_000, "{plain}");
    }
}
