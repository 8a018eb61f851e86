//! Paths of keys in JSON, and the tree of all paths of a command.
#![forbid(unsafe_code)]

use std::fmt;
use std::str::FromStr;

use crate::text::pattern::{Pattern, Token};

/// Path of keys to a string: `req.q`, with `\.` for a dot in a name. A name may have the wildcards
/// `*` and `?`; the name `**` is any number of keys. Arrays on the path are traversed.
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
    /// `**`
    Any,
}

impl Name {
    fn of(tokens: Vec<Token>) -> Self {
        if tokens == [Token::Any, Token::Any] {
            return Self::Any;
        }
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
            Self::Any => true,
        }
    }

    fn has_wildcard(&self) -> bool {
        !matches!(self, Self::Exact(_))
    }
}

/// Maximum number of names with wildcards in all paths: the tree can have a node for each subset.
const MOST_PATTERNS: usize = 8;

impl KeyPath {
    /// Whether it can select several members of an object.
    pub(crate) fn has_pattern(&self) -> bool {
        self.names.iter().any(Name::has_wildcard)
    }

    /// Checks that the tree of these paths is small.
    pub(crate) fn check(paths: &[Self]) -> Result<(), String> {
        let names = paths.iter().flat_map(|path| &path.names);
        match names.filter(|name| name.has_wildcard()).count() {
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

/// The selected parts of values: from each node, the nodes of members. Without `**`, a tree of the
/// paths.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The first is the root.
    nodes: Vec<Node>,
}

/// The selected parts of a value.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The number of the end, if paths end here. They select the value if it is a string, or its
    /// strings if it is an array.
    pub(super) end: Option<usize>,
    /// The numbers of the nodes of the members. The first whose name matches has all paths of the
    /// member.
    members: Vec<(Names, usize)>,
}

impl Node {
    /// Whether paths lead on to members.
    pub(super) fn has_members(&self) -> bool {
        !self.members.is_empty()
    }
}

/// The names of members with the same paths.
#[derive(Debug)]
enum Names {
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

/// The rests of paths that lead on from a node: the number of each path, and of its next name.
type Rests = Vec<(usize, usize)>;

impl Tree {
    /// The tree of these paths, and for each end the numbers of its paths.
    pub(super) fn of(paths: &[KeyPath]) -> (Self, Vec<Vec<usize>>) {
        let mut building = Building { paths, rests: Vec::new(), nodes: Vec::new(), ends: Vec::new() };
        let _ = building.node((0..paths.len()).map(|number| (number, 0)).collect());
        // Each node can add further ones.
        let mut at = 0;
        while at < building.nodes.len() {
            building.fill(at);
            at += 1;
        }
        (Self { nodes: building.nodes }, building.ends)
    }

    /// The node of the value itself.
    pub(super) fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// The node of the member with this name.
    #[inline]
    pub(super) fn member(&self, node: &Node, name: &str) -> Option<&Node> {
        node.members.iter().find(|(names, _)| names.matches(name)).map(|&(_, number)| &self.nodes[number])
    }
}

/// A tree without the members of its last nodes.
struct Building<'p> {
    paths: &'p [KeyPath],
    /// The rests of each node.
    rests: Vec<Rests>,
    nodes: Vec<Node>,
    ends: Vec<Vec<usize>>,
}

impl Building<'_> {
    fn name(&self, (path, at): (usize, usize)) -> Option<&Name> {
        self.paths[path].names.get(at)
    }

    /// The number of the node with these rests, and those after each `**`, which is also no key at
    /// all.
    fn node(&mut self, mut rests: Rests) -> usize {
        let mut at = 0;
        while at < rests.len() {
            let (path, name) = rests[at];
            if matches!(self.name(rests[at]), Some(Name::Any)) {
                rests.push((path, name + 1));
            }
            at += 1;
        }
        rests.sort_unstable();
        rests.dedup();
        if let Some(number) = self.rests.iter().position(|known| *known == rests) {
            return number;
        }
        self.rests.push(rests);
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    /// Finds the end and the members of a node.
    fn fill(&mut self, number: usize) {
        let rests = self.rests[number].clone();
        let here: Vec<_> = rests.iter().filter(|rest| self.name(**rest).is_none()).map(|&(path, _)| path).collect();
        if !here.is_empty() {
            self.nodes[number].end = Some(self.ends.len());
            self.ends.push(here);
        }
        let (mut exact, mut patterns): (Vec<String>, Vec<Pattern>) = (Vec::new(), Vec::new());
        let mut is_any = false;
        for rest in &rests {
            match self.name(*rest) {
                Some(Name::Exact(name)) if !exact.contains(name) => exact.push(name.clone()),
                Some(Name::Pattern(pattern)) if !patterns.contains(pattern) => patterns.push(pattern.clone()),
                Some(Name::Any) => is_any = true,
                _ => {}
            }
        }
        for name in exact {
            let member = self.member(&rests, &|first| first.matches(&name));
            self.nodes[number].members.push((Names::Exact(name), member));
        }
        // Larger sets of patterns first: a member has the paths of all patterns that it matches.
        // The empty set is for names that match none.
        let mut sets: Vec<_> = (usize::from(!is_any)..1_usize << patterns.len()).collect();
        sets.sort_by_key(|set| std::cmp::Reverse(set.count_ones()));
        for set in sets {
            let chosen = (0..patterns.len()).filter(|at| set >> at & 1 == 1).map(|at| patterns[at].clone());
            let chosen: Vec<_> = chosen.collect();
            let member = self.member(&rests, &|first| match first {
                Name::Pattern(pattern) => chosen.contains(pattern),
                Name::Any => true,
                Name::Exact(_) => false,
            });
            self.nodes[number].members.push((Names::All(chosen), member));
        }
    }

    /// The number of the node of the members that the rests lead to whose first name is meant.
    fn member(&mut self, rests: &Rests, is_meant: &dyn Fn(&Name) -> bool) -> usize {
        let rests = rests.iter().filter_map(|&(path, at)| {
            let first = self.name((path, at)).filter(|first| is_meant(first))?;
            // Further keys can follow a `**`.
            Some((path, at + usize::from(*first != Name::Any)))
        });
        let rests = rests.collect();
        self.node(rests)
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyPath, Name, Tree};

    /// For each path of two keys, the paths that select it, found one by one.
    #[test]
    fn keys_have_all_paths_that_match_them() {
        let paths: Vec<KeyPath> =
            ["a", "a*", "*b", "ab.x", "a*.x", "*b.*", "*.?", "b\\*", "ab.x"].map(|path| path.parse().unwrap()).into();
        assert!(selected_by(&paths, &["a", "ab", "b", "abb", "b*", "x", "c"], 2) > 20);
    }

    /// The same with `**`, alone and with wildcards.
    #[test]
    fn any_number_of_keys_is_none_or_more() {
        let parse = |paths: &[&str]| paths.iter().map(|path| path.parse().unwrap()).collect::<Vec<KeyPath>>();
        for paths in [
            &["**.a"][..],
            &["**"],
            &["a.**"],
            &["**.a.b", "b.**.a"],
            &["**.a", "a", "a.b", "*.**.b*", "?.c"],
            &["**.a.*.b", "**.**.c", "a.**.a.**.c"],
            &["\\*\\*.a", "b**.*"],
        ] {
            let paths = parse(paths);
            assert!(selected_by(&paths, &["a", "b", "bb", "c", "**"], 4) > 0, "{paths:?}");
        }
    }

    /// Compares the tree with a plain search for all sequences of up to `length` of these keys.
    /// Returns how often a path selects one.
    fn selected_by(paths: &[KeyPath], names: &[&str], length: u32) -> usize {
        let (tree, ends) = Tree::of(paths);
        let mut selected = 0;
        for length in 0..=length {
            for number in 0..names.len().pow(length) {
                let keys: Vec<_> = (0..length).map(|at| names[number / names.len().pow(at) % names.len()]).collect();
                let node = keys.iter().try_fold(tree.root(), |node, name| tree.member(node, name));
                let found: &[usize] = node.and_then(|node| node.end).map_or(&[], |end| &ends[end]);
                let is_selected = |number: &usize| selects(&paths[*number].names, &keys);
                let expected: Vec<_> = (0..paths.len()).filter(is_selected).collect();
                assert_eq!(found, expected, "{paths:?} {keys:?}");
                selected += found.len();
            }
        }
        selected
    }

    fn selects(names: &[Name], keys: &[&str]) -> bool {
        match (names, keys) {
            ([], []) => true,
            ([Name::Any, rest @ ..], _) if selects(rest, keys) => true,
            ([Name::Any, ..], [_, others @ ..]) => selects(names, others),
            ([first, rest @ ..], [key, others @ ..]) => first.matches(key) && selects(rest, others),
            _ => false,
        }
    }

    #[test]
    fn too_many_wildcards_are_refused() {
        let paths = |path: &str, count: usize| vec![path.parse().unwrap(); count];
        for path in ["a*.?", "**.*.a"] {
            assert!(KeyPath::check(&paths(path, 4)).is_ok() && KeyPath::check(&paths(path, 5)).is_err());
        }
    }
}
