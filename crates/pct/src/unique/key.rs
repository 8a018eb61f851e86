//! The key of a record: a hash of the results for its fields, in order, or of its output.
//!
//! A format applies the operation to one field after another and knows nothing of keys. So the
//! operation adds to the key of the record that the thread is processing, and the record takes it
//! at its end.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::hash::{BuildHasher, Hasher, RandomState};

use siphasher::sip128::{Hasher128, SipHasher13};

/// A random key. Without it, collisions of the hash cannot be constructed.
#[derive(Clone, Copy)]
pub(crate) struct Secret(u64, u64);

impl Secret {
    /// Takes the randomness of the standard library's hash tables.
    pub(crate) fn random() -> Self {
        let number = || RandomState::new().build_hasher().finish();
        Self(number(), number())
    }

    fn hasher(self) -> SipHasher13 {
        SipHasher13::new_with_keys(self.0, self.1)
    }
}

thread_local! {
    /// The fields of the current record so far; `None` if there is none.
    static FIELDS: Cell<Option<SipHasher13>> = const { Cell::new(None) };
}

/// Adds the result for a field to the current record.
pub(crate) fn add(secret: Secret, result: &[u8]) {
    let mut hasher = FIELDS.take().unwrap_or_else(|| secret.hasher());
    // The length separates the fields.
    hasher.write_u64(result.len() as u64);
    hasher.write(result);
    FIELDS.set(Some(hasher));
}

/// Adds the number of results that a column of the current record has, unless it has one: NULL has
/// none, and a list may have many.
#[cfg(feature = "columns")]
pub(crate) fn add_number(secret: Secret, number: u64) {
    let mut hasher = FIELDS.take().unwrap_or_else(|| secret.hasher());
    // No result is so long.
    hasher.write_u64(u64::MAX - number);
    FIELDS.set(Some(hasher));
}

/// Notes that the current record has a field, for a key of its output.
pub(crate) fn begin(secret: Secret) {
    let hasher = FIELDS.take().unwrap_or_else(|| secret.hasher());
    FIELDS.set(Some(hasher));
}

/// The key of the current record, and begins the next one. `None` if the record has no fields.
pub(crate) fn take() -> Option<Key> {
    FIELDS.take().map(Key)
}

/// A key to which nothing is added any more, except perhaps the output.
pub(crate) struct Key(SipHasher13);

impl Key {
    pub(crate) fn of_fields(self) -> u128 {
        self.0.finish128().into()
    }

    /// The key of the output, if no field was [added](add).
    pub(crate) fn of_output(mut self, output: &[u8]) -> u128 {
        self.0.write(output);
        self.0.finish128().into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Secret, add, begin, take};

    fn key(secret: Secret, fields: &[&str]) -> Option<u128> {
        fields.iter().for_each(|field| add(secret, field.as_bytes()));
        take().map(super::Key::of_fields)
    }

    #[test]
    fn keys_are_equal_if_and_only_if_the_fields_are() {
        let secret = Secret::random();
        let mut keys = HashMap::new();
        for fields in
            [&["a"][..], &["b"], &[""], &["", ""], &["ab", "c"], &["a", "bc"], &["abc"], &["abc", ""], &["", "abc"]]
        {
            assert_eq!(keys.insert(key(secret, fields).unwrap(), fields), None, "{fields:?}");
            assert_eq!(key(secret, fields), key(secret, fields));
            assert_ne!(key(secret, fields), key(Secret::random(), fields));
        }
        assert_eq!(key(secret, &[]), None);
    }

    #[test]
    fn keys_of_outputs_do_not_depend_on_the_number_of_fields() {
        let secret = Secret::random();
        let key = |fields, output: &[u8]| {
            (0..fields).for_each(|_| begin(secret));
            take().map(|key| key.of_output(output))
        };
        assert_eq!(key(0, b"a"), None);
        assert_eq!(key(1, b"a"), key(3, b"a"));
        assert_ne!(key(1, b"a"), key(1, b"b"));
    }
}
