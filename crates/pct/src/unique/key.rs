//! The key of a record: a hash of the normal forms of its fields, in order.
//!
//! A format applies the operation to one field after another and knows nothing of keys. So the operation adds to the key of
//! the record that the thread is processing, and the record takes it at its end.
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
}

thread_local! {
    /// The fields of the current record so far; `None` if there is none.
    static FIELDS: Cell<Option<SipHasher13>> = const { Cell::new(None) };
}

/// Adds a field to the current record.
pub(crate) fn add(secret: Secret, normal: &[u8]) {
    let mut hasher = FIELDS.take().unwrap_or_else(|| SipHasher13::new_with_keys(secret.0, secret.1));
    // The length separates the fields.
    hasher.write_u64(normal.len() as u64);
    hasher.write(normal);
    FIELDS.set(Some(hasher));
}

/// The key of the current record, and begins the next one. `None` if the record has no fields.
pub(crate) fn take() -> Option<u128> {
    FIELDS.take().map(|hasher| u128::from(hasher.finish128()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Secret, add, take};

    fn key(secret: Secret, fields: &[&str]) -> Option<u128> {
        fields.iter().for_each(|field| add(secret, field.as_bytes()));
        take()
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
}
