//! A map of random keys, in little memory: sorted arrays with gaps, where each key is near the
//! place that its value says.
//!
//! The lengths of the arrays depend on the number of keys alone, so that the summary does not vary.
//! With values of type `()`, it is a set.
#![forbid(unsafe_code)]

/// From this number of keys on, there are several arrays, by the first bits of the key. One after
/// another grows, so that little is held twice.
const MANY: usize = 1 << 18;
const MANY_BITS: u32 = 6;

/// The places are filled up to this share, and grow by a sixth: 20 to 24 bytes for each of many
/// keys without values.
const FULL: (usize, usize) = (4, 5);

/// Slots after the last place that a value can say. More are added where they do not suffice: of
/// random keys, in one of a million arrays.
const SPARE: usize = 64;

/// A gap. It is no key.
const GAP: u128 = 0;

/// A map of keys that are random numbers.
#[derive(Debug)]
pub(crate) struct Table<V = ()> {
    /// For the values of the first bits.
    parts: Vec<Part<V>>,
    layout: Layout,
    length: usize,
    /// The bytes that the parts take, and the most that they ever took.
    size: usize,
    most: usize,
}

/// The keys that begin with the same bits, in ascending order, with gaps between them, and their
/// values.
#[derive(Clone, Debug, Default)]
struct Part<V> {
    keys: Vec<u128>,
    values: Vec<V>,
}

/// Where keys are.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// The number of first bits that say the part.
    bits: u32,
    /// The number of places in each part that the next bits can say.
    places: usize,
}

impl<V: Copy + Default> Default for Table<V> {
    fn default() -> Self {
        let layout = Layout { bits: 0, places: 0 };
        Self { parts: vec![Part::default()], layout, length: 0, size: 0, most: 0 }
    }
}

impl<V: Copy + Default> Table<V> {
    /// Adds a key. Returns the value of a key that was there, which is kept.
    pub(super) fn insert(&mut self, key: u128, value: V) -> Option<V> {
        // The chance that a key is the gap is that of two equal keys.
        let key = key.max(GAP + 1);
        let (mut number, mut at) = self.find(key);
        if self.parts[number].keys.get(at) == Some(&key) {
            return Some(self.parts[number].values[at]);
        }
        self.length += 1;
        if self.length * FULL.1 > (self.layout.places << self.layout.bits) * FULL.0 {
            self.grow();
            (number, at) = self.find(key);
        }
        self.add(number, at, key, value);
        None
    }

    pub(super) fn contains(&self, key: u128) -> bool {
        let key = key.max(GAP + 1);
        let (number, at) = self.find(key);
        self.parts[number].keys.get(at) == Some(&key)
    }

    /// Number of keys.
    pub(super) fn len(&self) -> u64 {
        self.length as u64
    }

    /// The most bytes that it ever took.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    pub(super) fn clear(&mut self) {
        self.parts.iter_mut().for_each(|part| part.keys.fill(GAP));
        self.length = 0;
    }

    /// The part where a key is, or would be, and its place there.
    fn find(&self, key: u128) -> (usize, usize) {
        let number = self.layout.part(key);
        (number, self.parts[number].find(key, self.layout))
    }

    fn add(&mut self, number: usize, at: usize, key: u128, value: V) {
        let before = self.parts[number].size();
        self.parts[number].add(at, key, value);
        self.size = self.size + self.parts[number].size() - before;
        self.most = self.most.max(self.size);
    }

    /// Gives the keys more places.
    fn grow(&mut self) {
        let old = self.layout;
        let bits = if self.length < MANY { 0 } else { MANY_BITS };
        let places = old.places << old.bits;
        self.layout = Layout { bits, places: (places + (places / 6).max(8)).div_ceil(1 << bits) };
        let mut parts = Vec::with_capacity(1 << bits);
        let mut before = std::mem::take(&mut self.parts);
        for number in 0..1 << bits {
            // An old part is of one new part, or of all.
            let of_all = old.bits != bits;
            let from = &before[if of_all { 0 } else { number }];
            let keys = from.keys.iter().copied().zip(from.values.iter().copied());
            let part = Part::of(keys.filter(|&(key, _)| key != GAP && self.layout.part(key) == number), self.layout);
            self.size += part.size();
            self.most = self.most.max(self.size);
            parts.push(part);
            if !of_all {
                self.size -= std::mem::take(&mut before[number]).size();
            }
        }
        self.size -= before.iter().map(Part::size).sum::<usize>();
        self.parts = parts;
    }
}

impl Layout {
    fn part(self, key: u128) -> usize {
        key.checked_shr(u128::BITS - self.bits).unwrap_or(0) as usize
    }

    /// The place of a key in its part: not less for a greater key.
    fn place(self, key: u128) -> usize {
        let value = (key << self.bits) >> u64::BITS;
        ((value * self.places as u128) >> u64::BITS) as usize
    }
}

impl<V: Copy + Default> Part<V> {
    /// A part with these keys, which ascend.
    fn of(keys: impl Iterator<Item = (u128, V)>, layout: Layout) -> Self {
        let mut part = Self::default();
        part.keys.reserve_exact(layout.places + SPARE);
        part.values.reserve_exact(layout.places + SPARE);
        for (key, value) in keys {
            part.resize(layout.place(key).max(part.keys.len()));
            part.keys.push(key);
            part.values.push(value);
        }
        part.resize((layout.places + SPARE).max(part.keys.len()));
        part
    }

    /// Adds gaps at the end.
    fn resize(&mut self, length: usize) {
        self.keys.resize(length, GAP);
        self.values.resize(length, V::default());
    }

    fn size(&self) -> usize {
        self.keys.capacity() * (size_of::<u128>() + size_of::<V>())
    }

    /// Where a key is, or would be.
    fn find(&self, key: u128, layout: Layout) -> usize {
        let start = layout.place(key).min(self.keys.len());
        let after = self.keys[start..].iter().position(|&slot| slot == GAP || slot >= key);
        after.map_or(self.keys.len(), |after| start + after)
    }

    /// Adds a key where it would be: the greater keys up to the next gap move by one.
    fn add(&mut self, at: usize, key: u128, value: V) {
        let gap = self.keys[at..].iter().position(|&slot| slot == GAP).unwrap_or_else(|| {
            let end = self.keys.len();
            self.keys.reserve_exact(SPARE);
            self.values.reserve_exact(SPARE);
            self.resize(end + SPARE);
            end - at
        });
        self.keys.copy_within(at..at + gap, at + 1);
        self.values.copy_within(at..at + gap, at + 1);
        self.keys[at] = key;
        self.values[at] = value;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::hash::{BuildHasher, RandomState};

    use super::Table;

    /// As a map of the standard library, for random keys, equal ones, and keys of few values.
    #[test]
    fn keys_are_new_once() {
        let random = RandomState::new();
        let number = |of: u64| u128::from(random.hash_one((of, 1))) << 64 | u128::from(random.hash_one((of, 2)));
        for keys in [
            (0..200_000).map(|at| number(at % 70_000)).collect::<Vec<_>>(),
            (0..3000_u32).map(u128::from).collect(),
            (0..3000_u32).map(|at| u128::MAX - u128::from(at % 1000)).collect(),
            (0..3000_u32).map(|at| u128::from(at % 100) << 122 | u128::from(at)).collect(),
            (0..1000_u32).map(|at| 1_u128 << (at % 128)).collect(),
        ] {
            let (mut table, mut expected) = (Table::default(), HashMap::new());
            for _ in 0..2 {
                for (value, &key) in keys.iter().enumerate() {
                    assert_eq!(table.contains(key), expected.contains_key(&key.max(1)), "{key:x}");
                    let old = expected.get(&key.max(1)).copied();
                    assert_eq!(table.insert(key, value), old, "{key:x}");
                    expected.entry(key.max(1)).or_insert(value);
                }
                assert_eq!(table.len(), expected.len() as u64);
                table.clear();
                expected.clear();
            }
        }
    }

    /// Its size depends on the number of keys alone.
    #[test]
    fn a_key_takes_at_most_24_bytes() {
        let mut sizes = None;
        for _ in 0..2 {
            let random = RandomState::new();
            let mut table = Table::default();
            let mut most = Vec::new();
            for at in 1..=1_200_000u64 {
                let key = u128::from(random.hash_one((at, 1))) << 64 | u128::from(random.hash_one((at, 2)));
                assert_eq!(table.insert(key, ()), None);
                if at % 1000 == 0 {
                    most.push(table.most());
                }
                if at > 700_000 {
                    let each = table.most() as f64 / at as f64;
                    assert!((18.0..24.0).contains(&each), "{each} for each of {at}");
                }
            }
            assert_eq!(*sizes.get_or_insert_with(|| most.clone()), most);
        }
    }
}
