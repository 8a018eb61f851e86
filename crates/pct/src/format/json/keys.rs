//! Paths of keys in JSON, and the tree of all paths of a command.
#![forbid(unsafe_code)]

use std::fmt;
use std::str::FromStr;

use crate::text::pattern::{Pattern, Token};

/// Path of keys to a string: `req.q`, with `\.` for a dot in a name. A name may have the wildcards `*`
/// and `?`. Arrays on the path are traversed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct KeyPath {
    names: Vec<Name>,
    /// The path as given, for messages.
    text: String,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Name {
    Exact(String),
    Pattern(Pattern),
}

impl Name {
    fn of(tokens: Vec<Token>) -> Self {
        let exact = tokens.iter().filter_map(|token| match token {
            Token::Character(character) => Some(*character),
            _ => None,
        });
        let exact = exact.collect();
        Pattern::from_tokens(tokens).map_or(Self::Exact(exact), Self::Pattern)
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == name,
            Self::Pattern(pattern) => pattern.matches(name),
        }
    }
}

/// Maximum number of names with wildcards in all paths: the tree has a node for each subset.
const MOST_PATTERNS: usize = 8;

impl KeyPath {
    /// Whether it can select several members of an object.
    pub(crate) fn has_pattern(&self) -> bool {
        self.names.iter().any(|name| matches!(name, Name::Pattern(_)))
    }

    /// Checks that the tree of these paths is small.
    pub(crate) fn check(paths: &[Self]) -> Result<(), String> {
        let names = paths.iter().flat_map(|path| &path.names);
        match names.filter(|name| matches!(name, Name::Pattern(_))).count() {
            0..=MOST_PATTERNS => Ok(()),
            _ => Err(format!("invalid --key: expected at most {MOST_PATTERNS} names with '*' or '?'")),
        }
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for KeyPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut names = vec![Vec::new()];
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let token = match character {
                '.' => {
                    names.push(Vec::new());
                    continue;
                }
                '\\' => Token::Character(characters.next().ok_or("expected a character after '\\'")?),
                other => Token::of(other),
            };
            names.last_mut().ok_or("")?.push(token);
        }
        if names.iter().any(Vec::is_empty) {
            return Err("expected names with a '.' between them, none of them empty".into());
        }
        Ok(Self { names: names.into_iter().map(Name::of).collect(), text: text.to_owned() })
    }
}

/// The selected parts of a value: a tree of the paths.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The number of the end, if paths end here. They select the value if it is a string, or its
    /// strings if it is an array.
    pub(super) end: Option<usize>,
    /// The nodes of the members. The first whose name matches has all paths of the member.
    pub(super) members: Vec<(Names, Node)>,
}

/// The names of members with the same paths.
#[derive(Debug)]
pub(super) enum Names {
    Exact(String),
    /// Those that match all of these patterns.
    All(Vec<Pattern>),
}

impl Names {
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == name,
            Self::All(patterns) => patterns.iter().all(|pattern| pattern.matches(name)),
        }
    }
}

impl Node {
    /// The tree of these paths, and for each end the numbers of its paths.
    pub(super) fn of(paths: &[KeyPath]) -> (Self, Vec<Vec<usize>>) {
        let mut ends = Vec::new();
        let all: Vec<_> = paths.iter().enumerate().map(|(number, path)| (number, &path.names[..])).collect();
        (Self::of_rest(&all, &mut ends), ends)
    }

    /// The tree of the rests of paths.
    fn of_rest(paths: &[(usize, &[Name])], ends: &mut Vec<Vec<usize>>) -> Self {
        let here: Vec<_> = paths.iter().filter(|(_, rest)| rest.is_empty()).map(|&(number, _)| number).collect();
        let end = (!here.is_empty()).then(|| {
            ends.push(here);
            ends.len() - 1
        });
        let (mut exact, mut patterns): (Vec<&String>, Vec<&Pattern>) = (Vec::new(), Vec::new());
        for (_, rest) in paths {
            match rest.first() {
                Some(Name::Exact(name)) if !exact.contains(&name) => exact.push(name),
                Some(Name::Pattern(pattern)) if !patterns.contains(&pattern) => patterns.push(pattern),
                _ => {}
            }
        }
        let mut among = |is_meant: &dyn Fn(&Name) -> bool| {
            let rests = paths.iter().filter_map(|&(number, names)| {
                let (first, rest) = names.split_first()?;
                is_meant(first).then_some((number, rest))
            });
            Self::of_rest(&rests.collect::<Vec<_>>(), ends)
        };
        let mut members: Vec<_> = exact
            .into_iter()
            .map(|name| (Names::Exact(name.clone()), among(&|first: &Name| first.matches(name))))
            .collect();
        // Larger sets of patterns first: a member has the paths of all patterns that it matches.
        let mut sets: Vec<_> = (1..1_usize << patterns.len()).collect();
        sets.sort_by_key(|set| std::cmp::Reverse(set.count_ones()));
        for set in sets {
            let chosen = (0..patterns.len()).filter(|at| set >> at & 1 == 1).map(|at| patterns[at].clone());
            let chosen: Vec<_> = chosen.collect();
            let node = among(&|first: &Name| matches!(first, Name::Pattern(pattern) if chosen.contains(pattern)));
            members.push((Names::All(chosen), node));
        }
        Self { end, members }
    }

    /// The node of the member with this name.
    #[inline]
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        self.members.iter().find(|(names, _)| names.matches(name)).map(|(_, node)| node)
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyPath, Node};

    /// For each path of two keys, the paths that select it, found one by one.
    #[test]
    fn keys_have_all_paths_that_match_them() {
        let paths: Vec<KeyPath> =
            ["a", "a*", "*b", "ab.x", "a*.x", "*b.*", "*.?", "b\\*", "ab.x"].map(|path| path.parse().unwrap()).into();
        let (root, ends) = Node::of(&paths);
        let names = ["a", "ab", "b", "abb", "b*", "x", "c"];
        let mut selected = 0;
        for first in names {
            for second in [None].into_iter().chain(names.map(Some)) {
                let keys: Vec<_> = [first].into_iter().chain(second).collect();
                let node = keys.iter().try_fold(&root, |node, name| node.member(name));
                let found: &[usize] = node.and_then(|node| node.end).map_or(&[], |end| &ends[end]);
                let is_selected = |path: &KeyPath| {
                    path.names.len() == keys.len() && path.names.iter().zip(&keys).all(|(name, key)| name.matches(key))
                };
                let expected: Vec<_> = (0..paths.len()).filter(|&number| is_selected(&paths[number])).collect();
                assert_eq!(found, expected, "{keys:?}");
                selected += found.len();
            }
        }
        assert!(selected > 20, "{selected}");
    }

    #[test]
    fn too_many_wildcards_are_refused() {
        let paths = |count: usize| vec!["a*.?".parse().unwrap(); count];
        assert!(KeyPath::check(&paths(4)).is_ok() && KeyPath::check(&paths(5)).is_err());
    }
}
