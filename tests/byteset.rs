//! `ByteSet` against a model: every way to build or combine sets gives exactly the expected
//! members.

use std::array::from_fn;
use std::iter::zip;

use simdpct::ByteSet;

/// The model: for each byte, whether it is a member.
type Model = [bool; 256];

fn bytes() -> impl Iterator<Item = u8> {
    0..=0xFF
}

/// The model of a predicate.
fn model(is_member: impl Fn(u8) -> bool) -> Model {
    from_fn(|byte| is_member(byte as u8))
}

#[track_caller]
fn assert_members(set: ByteSet, expected: Model) {
    for (byte, expected) in zip(bytes(), expected) {
        assert_eq!(set.contains(byte), expected, "0x{byte:02X} in {set:?}");
    }
}

/// Sets of every density, built only by `new`, with their models. Some are not products of a set of
/// high and a set of low nibbles, which index the bitmap.
fn samples() -> Vec<(ByteSet, Model)> {
    let predicates: [fn(u8) -> bool; 14] = [
        |_| false,
        |_| true,
        |byte| byte == 0x00,
        |byte| byte == 0x7F,
        |byte| byte == 0x80,
        |byte| byte == 0xFF,
        |byte| byte != 0x25,
        |byte| byte >= 0x80,
        |byte| byte.is_ascii_alphanumeric(),
        |byte| byte & 0x0F == 0x05,
        |byte| byte >> 4 == 0x0A,
        |byte| byte % 3 == 0,
        |byte| byte.count_ones() % 2 == 1,
        |byte| byte & 0x0F > byte >> 4,
    ];
    predicates
        .map(|is_member| {
            let members: Vec<u8> = bytes().filter(|&byte| is_member(byte)).collect();
            (ByteSet::new(&members), model(is_member))
        })
        .into()
}

#[test]
fn constants_have_their_members() {
    assert_members(ByteSet::EMPTY, [false; 256]);
    assert_members(ByteSet::ALL, [true; 256]);
    assert_members(ByteSet::NON_ASCII, model(|byte| byte >= 0x80));
}

#[test]
fn new_contains_exactly_the_given_bytes() {
    assert_members(ByteSet::new(b""), [false; 256]);
    for only in bytes() {
        assert_members(ByteSet::new(&[only]), model(|byte| byte == only));
    }
    for (set, members) in samples() {
        assert_members(set, members);
    }
}

#[test]
fn new_ignores_order_and_duplicates() {
    assert_eq!(ByteSet::new(b"/?#/\xFF\0#"), ByteSet::new(b"\0#/?\xFF"));
}

/// If the second argument is less than the first, the set is empty.
#[test]
fn range_is_inclusive_and_empty_if_reversed() {
    for first in bytes() {
        for last in bytes() {
            assert_members(ByteSet::range(first, last), model(|byte| first <= byte && byte <= last));
        }
    }
}

#[test]
fn with_and_without_change_one_byte() {
    for (set, members) in samples() {
        for changed in bytes() {
            assert_members(set.with(changed), model(|byte| byte == changed || members[usize::from(byte)]));
            assert_members(set.without(changed), model(|byte| byte != changed && members[usize::from(byte)]));
        }
    }
}

#[test]
fn union_intersection_and_complement_match_model() {
    for (a, in_a) in samples() {
        assert_members(a.complement(), in_a.map(|member| !member));
        for (b, in_b) in samples() {
            assert_members(a.union(b), from_fn(|byte| in_a[byte] || in_b[byte]));
            assert_members(a.intersection(b), from_fn(|byte| in_a[byte] && in_b[byte]));
        }
    }
}

#[test]
fn operators_equal_methods() {
    assert_members(ByteSet::default(), [false; 256]);
    for (a, _) in samples() {
        assert_eq!(!a, a.complement());
        for (b, _) in samples() {
            assert_eq!(a | b, a.union(b));
            assert_eq!(a & b, a.intersection(b));
            let (mut either, mut both) = (a, a);
            either |= b;
            both &= b;
            assert_eq!((either, both), (a.union(b), a.intersection(b)));
        }
    }
}

#[test]
fn iterators_yield_members_in_order_from_both_ends() {
    for (set, is_member) in samples() {
        let members: Vec<u8> = bytes().filter(|&byte| is_member[usize::from(byte)]).collect();
        assert_eq!((set.len(), set.is_empty()), (members.len(), members.is_empty()));
        assert_eq!(set.iter().collect::<Vec<_>>(), members);
        assert_eq!(set.into_iter().collect::<Vec<_>>(), members);
        assert_eq!((&set).into_iter().collect::<Vec<_>>(), members);
        assert!(set.iter().rev().eq(members.iter().rev().copied()));
        // From both ends in turns.
        let (mut iterator, mut expected, mut from_back) = (set.iter(), members.iter().copied(), false);
        loop {
            assert_eq!((iterator.len(), iterator.size_hint()), (expected.len(), expected.size_hint()));
            let (found, expected) = if from_back {
                (iterator.next_back(), expected.next_back())
            } else {
                (iterator.next(), expected.next())
            };
            assert_eq!(found, expected, "{set:?}");
            if found.is_none() {
                break;
            }
            from_back = found.is_some_and(|byte| byte % 2 == 0);
        }
        // Fused.
        assert_eq!((iterator.next(), iterator.next_back(), iterator.len()), (None, None, 0));
    }
}

#[test]
fn collecting_and_extending_add_each_byte() {
    for (set, _) in samples() {
        assert_eq!(set.iter().rev().chain(set).collect::<ByteSet>(), set);
        assert_eq!(set.iter().collect::<Vec<u8>>().iter().collect::<ByteSet>(), set);
        for (other, _) in samples() {
            let (mut by_value, mut by_reference) = (set, set);
            by_value.extend(other);
            by_reference.extend(&other.iter().collect::<Vec<u8>>());
            assert_eq!((by_value, by_reference), (set | other, set | other));
        }
    }
}

#[test]
fn bitmaps_have_one_bit_for_each_member() {
    for (set, is_member) in samples() {
        let bitmap = set.to_bitmap();
        for byte in bytes() {
            let bit = bitmap[usize::from(byte) / 8] & 1 << (byte % 8);
            assert_eq!(bit != 0, is_member[usize::from(byte)], "0x{byte:02X} in {set:?}");
        }
        assert_members(ByteSet::from_bitmap(bitmap), is_member);
    }
}

/// Equality does not depend on how the sets were built.
#[test]
fn sets_are_equal_iff_members_are_equal() {
    for (a, in_a) in samples() {
        assert_eq!(a, a.complement().complement());
        for (b, in_b) in samples() {
            assert_eq!(a == b, in_a == in_b, "{a:?} and {b:?}");
        }
        for changed in bytes() {
            assert_eq!(a == a.with(changed), in_a[usize::from(changed)]);
            assert_eq!(a == a.without(changed), !in_a[usize::from(changed)]);
        }
    }
    assert_eq!(ByteSet::range(0x80, 0xFF), ByteSet::NON_ASCII);
    assert_eq!(ByteSet::range(0x00, 0xFF), ByteSet::ALL);
    assert_eq!(ByteSet::range(0x01, 0x00), ByteSet::EMPTY);
}

#[test]
fn every_method_works_in_const() {
    const SET: ByteSet = ByteSet::new(b"abc")
        .with(b'/')
        .without(b'b')
        .union(ByteSet::range(b'0', b'2'))
        .intersection(ByteSet::NON_ASCII.complement());
    const { assert!(SET.contains(b'/') && SET.len() == 6 && !SET.is_empty()) };
    const { assert!(ByteSet::from_bitmap(SET.to_bitmap()).contains(b'2')) };
    const MEMBERS: simdpct::ByteSetIter = SET.iter();
    assert_eq!(MEMBERS.len(), 6);
    assert_eq!(SET, ByteSet::new(b"/012ac"));
}

#[test]
fn debug_lists_the_members() {
    assert_eq!(format!("{:?}", ByteSet::EMPTY), "{}");
    assert_eq!(format!("{:?}", ByteSet::new(b"~a!")), "{'!', 'a', '~'}");
    assert_eq!(format!("{:?}", ByteSet::new(b"\"'\\")), r#"{'"', '\'', '\\'}"#);
    assert_eq!(format!("{:?}", ByteSet::new(b" \0\n\x7F\x80\xFF")), "{0x00, 0x0A, 0x20, 0x7F..=0x80, 0xFF}");
    assert_eq!(format!("{:?}", ByteSet::range(b'0', b'9').with(b'z')), "{'0'..='9', 'z'}");
    assert_eq!(format!("{:?}", ByteSet::ALL), "{0x00..=0xFF}");
}
