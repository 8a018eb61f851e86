//! The pairs of a form as a map: each name once, with all its values.
//!
//! A form of up to [`MOST_STREAMED`] pairs is streamed: pairs are passed on as they are found, and
//! only a type that may take several values looks ahead. Comparing each name with all others takes
//! quadratic time, so a longer form is indexed first.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::iter::once;

use ::serde::de::{self, DeserializeSeed, MapAccess, Visitor};

use super::{Error, Options, REPEATED, Scalar, Values, delegate, only};
use crate::driver::form::{PackedPart, Pairs, Part};

/// Maximum number of pairs of a streamed form.
const MOST_STREAMED: usize = 64;

/// The pairs of a form. Filled in place and passed by reference: moving it costs more than to read
/// a short form.
pub(super) struct Map<'de> {
    /// The pairs that a streamed form has not yet yielded. Also converts parts to offsets.
    pairs: Pairs<'de>,
    options: Options,
    names: Names<'de>,
    /// The pair whose name was yielded last.
    pair: Pair<'de>,
}

#[derive(Clone, Copy, Default)]
struct Pair<'de> {
    name: Part<'de>,
    value: Part<'de>,
    /// Index among the pairs of the form.
    index: usize,
}

/// Finds the pairs with the same name.
#[expect(clippy::large_enum_variant, reason = "one per form, on the stack")]
enum Names<'de> {
    Streamed(Streamed),
    Indexed(Index<'de>),
}

impl<'de> Map<'de> {
    /// A streamed form. Unless all pairs have one name, [`index_if_long`](Self::index_if_long) must
    /// be called.
    #[inline]
    pub(super) fn new(pairs: Pairs<'de>, options: Options) -> Self {
        let read = Streamed { hashes: [0; MOST_STREAMED], count: 0, taken: 0 };
        Self { pairs, options, names: Names::Streamed(read), pair: Pair::default() }
    }

    #[inline]
    pub(super) fn index_if_long(&mut self) -> Result<(), Error> {
        // The upper bound, two bytes per pair, avoids counting the pairs of most forms.
        if self.pairs.size_hint().1.is_some_and(|most| most <= MOST_STREAMED) {
            return Ok(());
        }
        self.index_if_many()
    }

    #[inline(never)]
    fn index_if_many(&mut self) -> Result<(), Error> {
        // A copy: `nth` advances.
        let mut ahead = self.pairs;
        if ahead.nth(MOST_STREAMED).is_some() {
            self.names = Names::Indexed(Index::new(&self.pairs, self.options)?);
        }
        Ok(())
    }

    /// For an enum: the name that all pairs must have. `None` if there are no pairs.
    pub(super) fn only_name(&mut self) -> Result<Option<Scalar<'de>>, Error> {
        if !self.advance()? {
            return Ok(None);
        }
        let name = self.scalar(self.pair.name);
        for (other, _) in self.pairs {
            let text = self.scalar(other).text()?;
            if *text != *name.clone().text()? {
                let error = Error::message("pairs of one name are expected, which is that of a variant");
                return Err(error.at(Some(&text), Some(self.pairs.offset(&other))));
            }
        }
        Ok(Some(name))
    }

    /// Advances to the next pair whose name is new. False after the last.
    fn advance(&mut self) -> Result<bool, Error> {
        match &mut self.names {
            Names::Indexed(index) => match index.next() {
                Some(pair) => self.pair = pair,
                None => return Ok(false),
            },
            Names::Streamed(read) => loop {
                let Some((name, value)) = self.pairs.next() else { return Ok(false) };
                let index = read.count;
                let repeats = match name.plain_text() {
                    Some(text) => read.add(text, &self.pairs, self.options),
                    None => read.add(&Scalar::part(name, &self.pairs, self.options).text()?, &self.pairs, self.options),
                };
                self.pair = Pair { name, value, index };
                match repeats {
                    None => break,
                    Some(first) if read.taken >> first & 1 != 0 => {}
                    Some(_) => return Err(self.at_pair(Error::message(REPEATED))),
                }
            },
        }
        Ok(true)
    }

    /// The values of the name that was yielded last.
    pub(super) fn values(&mut self) -> NameValues<'_, 'de> {
        NameValues { map: self }
    }

    /// Adds the key and position of the current pair to an error.
    #[cold]
    pub(super) fn at_pair(&self, error: Error) -> Error {
        let name = self.pair.name;
        error.at(self.scalar(name).text().ok().as_deref(), Some(self.pairs.offset(&name)))
    }

    #[inline]
    fn scalar(&self, part: Part<'de>) -> Scalar<'de> {
        Scalar::part(part, &self.pairs, self.options)
    }
}

impl<'de> MapAccess<'de> for &mut Map<'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        if !self.advance()? {
            return Ok(None);
        }
        match seed.deserialize(self.scalar(self.pair.name)) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(self.at_pair(error)),
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        match seed.deserialize(self.values()) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.at_pair(error)),
        }
    }
}

/// The pairs that were read of a streamed form.
struct Streamed {
    /// A [`hash`] of each name.
    hashes: [u32; MOST_STREAMED],
    count: usize,
    /// A bit for each pair, LSB first: the values of all pairs with its name were taken, so later
    /// ones are skipped.
    taken: u64,
}

impl Streamed {
    /// Adds the decoded name of the next pair. Returns the index of the first pair with the same
    /// name, if there was one.
    #[inline]
    fn add(&mut self, name: &str, pairs: &Pairs<'_>, options: Options) -> Option<usize> {
        let hash = hash(name.as_bytes());
        let read = self.hashes.get(..self.count).unwrap_or(&self.hashes);
        let first = if read.contains(&hash) { self.first(name, pairs, options) } else { None };
        if let Some(place) = self.hashes.get_mut(self.count) {
            *place = hash;
        }
        self.count += 1;
        first
    }

    /// The index of the first pair with this name among the pairs that were read.
    #[cold]
    fn first(&self, name: &str, pairs: &Pairs<'_>, options: Options) -> Option<usize> {
        pairs.restarted().take(self.count).position(|(other, _)| has_name(&other, name, pairs, options))
    }
}

/// Whether this part decodes to `name`. False if it cannot be decoded.
fn has_name<'de>(part: &Part<'de>, name: &str, pairs: &Pairs<'de>, options: Options) -> bool {
    match part.plain_text() {
        Some(text) => text == name,
        None => Scalar::part(*part, pairs, options).text().is_ok_and(|text| text == name),
    }
}

/// A hash of the length and of the first and last eight bytes. Collisions cost time only, and at
/// most [`MOST_STREAMED`] comparisons per pair.
fn hash(name: &[u8]) -> u32 {
    let (first, last) = match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (name.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0),
    };
    let mixed = (first ^ last.rotate_left(32) ^ name.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 32) as u32
}

/// All pairs of a long form, with pairs of the same name linked.
struct Index<'de> {
    entries: Vec<Entry<'de>>,
    /// Index of the next entry to yield.
    at: usize,
}

/// A pair. Kept small, because with two bytes per pair the entries take twenty times the length of
/// the form.
struct Entry<'de> {
    name: PackedPart<'de>,
    value: PackedPart<'de>,
    /// Index of the next entry with this name, or [`LAST`]. Has the bit [`REPEAT`] if an earlier
    /// entry links here.
    next: u32,
    /// Index of the decoded name in [`DecodedNames`], or [`AS_IT_IS`].
    decoded: u32,
}

const REPEAT: u32 = 1 << 31;
/// Greater than every index.
const LAST: u32 = REPEAT - 1;
/// The name decodes to itself.
const AS_IT_IS: u32 = u32::MAX;

/// Maximum number of pairs that entries can link.
const MOST_PAIRS: usize = LAST as usize;

impl Entry<'_> {
    fn next(&self) -> Option<usize> {
        let next = self.next & !REPEAT;
        (next != LAST).then_some(next as usize)
    }

    fn is_repeat(&self) -> bool {
        self.next & REPEAT != 0
    }
}

/// The decoded names that differ from their encoded form, each followed by [`END`](Self::END). The
/// terminator takes one byte per name; slices would take sixteen.
struct DecodedNames(Vec<u8>);

impl DecodedNames {
    /// Never occurs in UTF-8.
    const END: u8 = 0xFF;

    /// Appends a name, and returns its index.
    fn push(&mut self, name: &str) -> Result<u32, Error> {
        let start = u32::try_from(self.0.len()).ok().filter(|&start| start != AS_IT_IS);
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(Self::END);
        start.ok_or_else(|| Error::message("more than 4 GiB of names"))
    }

    fn of<'a>(&'a self, entry: &'a Entry<'_>) -> &'a [u8] {
        if entry.decoded == AS_IT_IS {
            return entry.name.part().bytes();
        }
        let names = &self.0[entry.decoded as usize..];
        &names[..memchr::memchr(Self::END, names).unwrap_or(names.len())]
    }
}

impl<'de> Index<'de> {
    fn new(pairs: &Pairs<'de>, options: Options) -> Result<Self, Error> {
        // Counted in advance, because growing a `Vec` takes up to three times the memory.
        let most = pairs.count();
        if most > MOST_PAIRS {
            return Err(Error::too_many_pairs(MOST_PAIRS));
        }
        let mut entries = Vec::with_capacity(most);
        entries.extend(pairs.map(|(name, value)| Entry {
            name: PackedPart::new(name),
            value: PackedPart::new(value),
            next: LAST,
            decoded: AS_IT_IS,
        }));
        let mut index = Self { entries, at: 0 };
        index.link_repeats(pairs, options)?;
        Ok(index)
    }

    /// Links the entries of each name. Sorts them, so that many repeated names do not take
    /// quadratic time.
    fn link_repeats(&mut self, pairs: &Pairs<'de>, options: Options) -> Result<(), Error> {
        let names = self.decode_names(pairs, options)?;
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        let entries = &mut self.entries;
        order.sort_unstable_by(|&a, &b| {
            names.of(&entries[a as usize]).cmp(names.of(&entries[b as usize])).then(a.cmp(&b))
        });
        for neighbours in order.windows(2) {
            let &[a, b] = neighbours else { continue };
            if names.of(&entries[a as usize]) == names.of(&entries[b as usize]) {
                let first = &mut entries[a as usize];
                first.next = first.next & REPEAT | b;
                entries[b as usize].next |= REPEAT;
            }
        }
        Ok(())
    }

    /// Decodes the names that are not plain. Returns the error of the first name that cannot be
    /// decoded.
    fn decode_names(&mut self, pairs: &Pairs<'de>, options: Options) -> Result<DecodedNames, Error> {
        let coded = self.entries.iter().map(|entry| entry.name.part()).filter(|name| !name.is_plain());
        // Lossy decoding may replace each byte by U+FFFD, which has three bytes.
        let longest = if options.lossy { 3 } else { 1 };
        let mut names = DecodedNames(Vec::with_capacity(coded.map(|name| longest * name.bytes().len() + 1).sum()));
        for index in 0..self.entries.len() {
            let part = self.entries[index].name.part();
            if !part.is_plain()
                && let Cow::Owned(name) = Scalar::part(part, pairs, options).text()?
            {
                self.entries[index].decoded = names.push(&name)?;
            }
        }
        Ok(names)
    }

    /// The next pair whose name is new.
    fn next(&mut self) -> Option<Pair<'de>> {
        while self.entries.get(self.at).is_some_and(Entry::is_repeat) {
            self.at += 1;
        }
        let entry = self.entries.get(self.at)?;
        let pair = Pair { name: entry.name.part(), value: entry.value.part(), index: self.at };
        self.at += 1;
        Some(pair)
    }

    /// The next pair with the name of the entry at `index`.
    fn repeat_of(&self, index: usize) -> Option<Pair<'de>> {
        let index = self.entries.get(index)?.next()?;
        let entry = self.entries.get(index)?;
        Some(Pair { name: entry.name.part(), value: entry.value.part(), index })
    }
}

/// One or several values of a name. Whether there are several is looked up only for types that may
/// take several.
pub(super) struct NameValues<'m, 'de> {
    map: &'m mut Map<'de>,
}

impl<'m, 'de> NameValues<'m, 'de> {
    #[inline]
    fn first(&self) -> Scalar<'de> {
        self.map.scalar(self.map.pair.value)
    }

    /// The value, for a type that takes a single one. In a streamed form, a second one is an error
    /// when it is read.
    #[inline]
    fn only(self) -> Result<Scalar<'de>, Error> {
        match &self.map.names {
            Names::Streamed(_) => Ok(self.first()),
            Names::Indexed(index) => match index.repeat_of(self.map.pair.index) {
                None => Ok(self.first()),
                Some(second) => Err(Error::message(REPEATED).at(None, Some(self.map.pairs.offset(&second.name)))),
            },
        }
    }

    fn are_several(&self) -> bool {
        Repeats::new(self.map).next().is_some()
    }

    /// All values. Those of later pairs are then skipped.
    fn all(mut self) -> Values<'de, impl Iterator<Item = (Scalar<'de>, Option<usize>)> + use<'m, 'de>> {
        self.skip_repeats();
        let map: &'m Map<'de> = self.map;
        let first = (map.scalar(map.pair.value), Some(map.pairs.offset(&map.pair.name)));
        Values::new(once(first).chain(Repeats::new(map)))
    }

    #[inline]
    fn skip_repeats(&mut self) {
        if let Names::Streamed(read) = &mut self.map.names {
            read.taken |= 1 << self.map.pair.index;
        }
    }
}

/// The values of the pairs with the same name, after the first.
struct Repeats<'m, 'de> {
    map: &'m Map<'de>,
    name: Cow<'de, str>,
    later: Later<'de>,
}

enum Later<'de> {
    Streamed(Pairs<'de>),
    /// Index of the last entry.
    Indexed(usize),
}

impl<'m, 'de> Repeats<'m, 'de> {
    fn new(map: &'m Map<'de>) -> Self {
        match &map.names {
            // The name was decoded before, so there is no error.
            Names::Streamed(_) => Self {
                map,
                name: map.scalar(map.pair.name).text().unwrap_or_default(),
                later: Later::Streamed(map.pairs),
            },
            Names::Indexed(_) => Self { map, name: Cow::Borrowed(""), later: Later::Indexed(map.pair.index) },
        }
    }

    fn next_pair(&mut self) -> Option<(Part<'de>, Part<'de>)> {
        match (&mut self.later, &self.map.names) {
            (Later::Streamed(pairs), _) => {
                pairs.find(|(name, _)| has_name(name, &self.name, &self.map.pairs, self.map.options))
            }
            (Later::Indexed(at), Names::Indexed(index)) => {
                let pair = index.repeat_of(*at)?;
                *at = pair.index;
                Some((pair.name, pair.value))
            }
            (Later::Indexed(_), Names::Streamed(_)) => None,
        }
    }
}

impl<'de> Iterator for Repeats<'_, 'de> {
    type Item = (Scalar<'de>, Option<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.next_pair()?;
        Some((self.map.scalar(value), Some(self.map.pairs.offset(&name))))
    }
}

impl<'de> de::Deserializer<'de> for NameValues<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.are_several() { visitor.visit_seq(self.all()) } else { self.first().deserialize_any(visitor) }
    }

    only!();

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.first().is_none() && !self.are_several() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self.all())
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        self.all().deserialize_tuple(length, visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        self.skip_repeats();
        visitor.visit_unit()
    }

    delegate! { newtype_struct tuple_struct }
}
