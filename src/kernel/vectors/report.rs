//! Recording the classes of whole registers in a [`Report`].
#![forbid(unsafe_code)]

use crate::kernel::inspection::{
    CONTROL, ILLEGAL, NON_ASCII, NUL, PATH_END, PLUS, RAW_ILLEGAL, RAW_PLUS, RAW_SEMICOLON, ROWS_PATH_END, Report,
    SEMICOLON, TRIPLET_DELETE, TRIPLET_SEMICOLON, Tables, UNRESERVED,
};
use crate::kernel::op::{Detail, Presence};

impl Report {
    /// Like [`note`](Self::note), for triplets of a kind whose raw bytes in the same block are
    /// recorded already.
    #[inline(always)]
    pub(super) fn note_also<D: Detail>(&mut self, kind: usize, places: u64, at: usize) {
        self.note::<D>(kind, places, at);
        if D::COUNTS && places != 0 {
            let offset = self.offset(places, at);
            let Some(Tables { first, .. }) = &mut self.tables else { return };
            first[kind] = first[kind].min(offset);
        }
    }

    /// Records the union of the classes of raw bytes, without counts: the bits of
    /// [`RAW`](crate::kernel::inspection::RAW) and whether any byte is non-ASCII.
    #[inline(always)]
    pub(super) fn note_raw(&mut self, raw: u8, is_non_ascii: bool) {
        self.note::<Presence>(PLUS, u64::from(raw & RAW_PLUS), 0);
        self.note::<Presence>(SEMICOLON, u64::from(raw & RAW_SEMICOLON), 0);
        self.note::<Presence>(NON_ASCII, u64::from(is_non_ascii), 0);
        self.note::<Presence>(ILLEGAL, u64::from(is_non_ascii || raw & RAW_ILLEGAL != 0), 0);
    }

    /// Records the union of the categories of triplets, without counts.
    #[inline(always)]
    pub(super) fn note_categories(&mut self, categories: u8) {
        self.found |= u32::from(categories) << NUL;
    }

    /// Records the union of the classes of triplets, without counts: the bits of
    /// [`TRIPLETS`](crate::kernel::inspection::TRIPLETS) and of
    /// [`UNRESERVED_ROWS`](crate::kernel::inspection::UNRESERVED_ROWS).
    pub(super) fn note_triplets(&mut self, triplets: u8, rows: u8) {
        let bit = |is_so: bool, kind: usize| u8::from(is_so) << (kind - NUL);
        self.note_categories(
            triplets & !(TRIPLET_DELETE | TRIPLET_SEMICOLON)
                | bit(triplets & TRIPLET_DELETE != 0, CONTROL)
                | bit(rows & !ROWS_PATH_END != 0, UNRESERVED)
                | bit(rows & ROWS_PATH_END != 0, PATH_END),
        );
        self.note::<Presence>(SEMICOLON, u64::from(triplets & TRIPLET_SEMICOLON), 0);
    }
}
