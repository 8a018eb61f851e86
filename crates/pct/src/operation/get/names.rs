//! `Names`: which names of a query were seen.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::collections::HashSet;

/// Names seen so far.
#[derive(Default)]
pub(super) struct Names<'k> {
    few: Vec<Cow<'k, [u8]>>,
    many: HashSet<Cow<'k, [u8]>>,
}

/// From about this number of names on, hashing them is faster than comparing them.
const HASH_FROM_NAMES: usize = 16;

impl<'k> Names<'k> {
    /// Whether the name is new.
    pub(super) fn insert(&mut self, name: Cow<'k, [u8]>) -> bool {
        if self.few.len() < HASH_FROM_NAMES && self.many.is_empty() {
            let is_new = !self.few.contains(&name);
            if is_new {
                self.few.push(name);
            }
            return is_new;
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(name)
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_new_once() {
        for most in [3, 15, 16, 17, 100_u32] {
            let mut seen = Names::default();
            for number in 0..300 {
                let is_new = seen.insert((number % most).to_string().into_bytes().into());
                assert_eq!(is_new, number < most, "{number} of {most}");
            }
        }
    }
}
