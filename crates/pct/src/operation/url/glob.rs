//! Patterns for names: `*` for any text, `?` for one byte.
#![forbid(unsafe_code)]

use std::str::FromStr;

/// A pattern as in a shell, for a whole name: `*`, `?`, and `\` before a character that is meant literally.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Glob(Vec<Item>);

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Item {
    Byte(u8),
    AnyByte,
    AnyText,
}

impl Glob {
    /// Whether the pattern matches all of the name. Takes at most the product of both lengths, and no memory.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        let items = &self.0[..];
        let (mut item, mut at) = (0, 0);
        // After the last `*`: the next item, and where its match was tried.
        let mut retry = None;
        while at < name.len() {
            match items.get(item) {
                Some(Item::AnyText) => {
                    item += 1;
                    retry = Some((item, at));
                    continue;
                }
                Some(Item::AnyByte) => (item, at) = (item + 1, at + 1),
                Some(&Item::Byte(byte)) if byte == name[at] => (item, at) = (item + 1, at + 1),
                _ => {
                    // The last `*` takes one byte more.
                    let Some((after, tried)) = retry else { return false };
                    (item, at) = (after, tried + 1);
                    retry = Some((after, at));
                }
            }
        }
        items[item..].iter().all(|item| *item == Item::AnyText)
    }
}

impl FromStr for Glob {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut items = Vec::with_capacity(text.len());
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            items.push(match byte {
                b'*' => Item::AnyText,
                b'?' => Item::AnyByte,
                b'\\' => Item::Byte(bytes.next().ok_or("expected a character after '\\'")?),
                _ => Item::Byte(byte),
            });
        }
        Ok(Self(items))
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, names, others) in [
            ("", &[""][..], &["a"][..]),
            ("*", &["", "a", "*"], &[]),
            ("utm_*", &["utm_", "utm_source"], &["utm", "xutm_", "UTM_source"]),
            ("*id", &["id", "fbclid", "idid"], &["ids"]),
            ("a?c", &["abc", "a?c"], &["ac", "abbc"]),
            ("*a*b*", &["ab", "xaybz", "aab"], &["ba", "a"]),
            ("a\\*", &["a*"], &["ab", "a"]),
            ("\\\\", &["\\"], &["\\\\"]),
            ("**", &["", "x"], &[]),
            ("é*", &["é", "éa"], &["e"]),
        ] {
            let glob: Glob = pattern.parse().unwrap();
            for name in names {
                assert!(glob.matches(name.as_bytes()), "{pattern} matches {name}");
            }
            for name in others {
                assert!(!glob.matches(name.as_bytes()), "{pattern} does not match {name}");
            }
        }
        assert!("a\\".parse::<Glob>().is_err());
    }

    /// All patterns and names of up to five symbols, by the definition.
    #[test]
    fn patterns_match_as_defined() {
        fn matches(pattern: &[u8], name: &[u8]) -> bool {
            match pattern.split_first() {
                None => name.is_empty(),
                Some((b'*', rest)) => (0..=name.len()).any(|length| matches(rest, &name[length..])),
                Some((b'?', rest)) => !name.is_empty() && matches(rest, &name[1..]),
                Some((byte, rest)) => name.first() == Some(byte) && matches(rest, &name[1..]),
            }
        }
        let texts = |symbols: &'static [u8]| {
            (0..=5u32).flat_map(move |length| {
                let digit = move |number: usize, at| symbols[number / symbols.len().pow(at) % symbols.len()];
                (0..symbols.len().pow(length))
                    .map(move |number| (0..length).map(|at| digit(number, at)).collect::<Vec<_>>())
            })
        };
        for pattern in texts(b"ab*?") {
            let pattern = String::from_utf8(pattern).unwrap();
            let glob: Glob = pattern.parse().unwrap();
            for name in texts(b"ab") {
                assert_eq!(
                    glob.matches(&name),
                    matches(pattern.as_bytes(), &name),
                    "{pattern}: {}",
                    name.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let glob: Glob = "*a".repeat(50).parse().unwrap();
        assert!(!glob.matches(&[b'a'; 49]));
        assert!(!glob.matches([&[b'a'; 20_000][..], b"b"].concat().as_slice()));
    }
}
