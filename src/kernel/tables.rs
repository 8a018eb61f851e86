//! The tables that compaction and expansion look bytes up in, built at compile time.
#![forbid(unsafe_code)]

/// For each mask of eight lanes the numbers of those set, as the bytes of a little-endian word; and the same of lanes 8 to 15.
pub(crate) static COMPACTED: [[u64; 256]; 2] = {
    let mut tables = [[0; 256]; 2];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 != 0 {
                tables[0][mask] |= lane << (8 * at);
                at += 1;
            }
            lane += 1;
        }
        tables[1][mask] = tables[0][mask] | 0x0808_0808_0808_0808;
        mask += 1;
    }
    tables
};

/// For each mask of four lanes, laid out as `[byte, high digit, low digit, %]` each, which bytes count: the last three of a lane
/// that is set, the first of another.
pub(crate) static EXPANDED: [[u8; 16]; 16] = {
    let mut table = [[0; 16]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut lane, mut at) = (0, 0);
        while lane < 4 {
            if mask >> lane & 1 != 0 {
                table[mask][at] = 4 * lane + 3;
                table[mask][at + 1] = 4 * lane + 1;
                table[mask][at + 2] = 4 * lane + 2;
                at += 3;
            } else {
                table[mask][at] = 4 * lane;
                at += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};
