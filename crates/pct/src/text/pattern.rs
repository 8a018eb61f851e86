//! Names with wildcards, for columns, keys and pairs of queries: `utm_*`.
#![forbid(unsafe_code)]

use std::str::Chars;

/// A pattern for names: `*` is any text, and `?` is any character.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Pattern(Vec<Token>);

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Token {
    Character(char),
    /// `?`
    One,
    /// `*`
    Any,
}

impl Token {
    /// The meaning of an unescaped character.
    pub(crate) fn of(character: char) -> Self {
        match character {
            '*' => Self::Any,
            '?' => Self::One,
            other => Self::Character(other),
        }
    }
}

impl Pattern {
    /// The pattern, if there is a wildcard in it.
    pub(crate) fn of(text: &str) -> Option<Self> {
        Self::from_tokens(text.chars().map(Token::of).collect())
    }

    pub(crate) fn from_tokens(tokens: Vec<Token>) -> Option<Self> {
        let has_wildcard = tokens.iter().any(|token| !matches!(token, Token::Character(_)));
        has_wildcard.then_some(Self(tokens))
    }

    /// The pattern, which matches one name if there is no wildcard in it.
    pub(crate) fn of_any(text: &str) -> Self {
        Self(text.chars().map(Token::of).collect())
    }

    /// Whether the whole name matches. Takes time proportional to the product of both lengths at
    /// most.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let (mut at, mut rest) = (0, name.chars());
        // After the last `*`: the token that follows, and the text from which it is searched for.
        let mut resume: Option<(usize, Chars<'_>)> = None;
        loop {
            let mut after = rest.clone();
            let is_match = match self.0.get(at) {
                Some(Token::Any) => {
                    resume = Some((at + 1, rest.clone()));
                    after = rest.clone();
                    true
                }
                Some(Token::One) => after.next().is_some(),
                Some(&Token::Character(expected)) => after.next() == Some(expected),
                None if rest.as_str().is_empty() => return true,
                None => false,
            };
            if is_match {
                at += 1;
                rest = after;
                continue;
            }
            let Some((next, from)) = &mut resume else { return false };
            if from.next().is_none() {
                return false;
            }
            at = *next;
            rest = from.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Pattern, Token};

    /// The definition, by recursion.
    fn is_match(tokens: &[Token], name: &[char]) -> bool {
        match (tokens, name) {
            ([], name) => name.is_empty(),
            ([Token::Any, rest @ ..], name) => (0..=name.len()).any(|skipped| is_match(rest, &name[skipped..])),
            ([Token::One, rest @ ..], [_, name @ ..]) => is_match(rest, name),
            ([Token::Character(one), rest @ ..], [first, name @ ..]) => one == first && is_match(rest, name),
            _ => false,
        }
    }

    #[test]
    fn every_short_pattern_matches_by_its_definition() {
        let symbols = ['a', 'é', '*', '?'];
        let texts = |symbols: &'static [char], most: u32| {
            (0..=most).flat_map(move |length| {
                (0..symbols.len().pow(length)).map(move |number| -> String {
                    (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]).collect()
                })
            })
        };
        let mut matches = 0;
        for pattern in texts(Box::leak(Box::new(symbols)), 5) {
            let Some(found) = Pattern::of(&pattern) else {
                assert!(!pattern.contains(['*', '?']), "{pattern}");
                continue;
            };
            let tokens: Vec<_> = pattern.chars().map(Token::of).collect();
            for name in texts(&['a', 'é'], 5) {
                let expected = is_match(&tokens, &name.chars().collect::<Vec<_>>());
                assert_eq!(found.matches(&name), expected, "{pattern} {name}");
                matches += usize::from(expected);
            }
        }
        assert!(matches > 1000, "{matches}");
    }

    #[test]
    fn a_pattern_without_a_wildcard_is_a_name() {
        let pattern = Pattern::of_any("fbclid");
        assert!(pattern.matches("fbclid") && !pattern.matches("fbclid2") && !pattern.matches("xfbclid"));
        assert_eq!(Pattern::of_any("utm_*"), Pattern::of("utm_*").unwrap());
    }

    #[test]
    fn names_with_an_unfavourable_pattern_are_matched_at_once() {
        assert!(!Pattern::of(&["*a".repeat(30), "c".into()].concat()).unwrap().matches(&"a".repeat(2000)));
    }
}
