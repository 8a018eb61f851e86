//! Lookup tables of compaction and expansion, built at compile time.
#![forbid(unsafe_code)]

/// Shuffle orders of compaction: for each bitmask of eight lanes, the numbers of its set lanes as
/// the bytes of a little-endian word; `COMPACTED[1]` is the same for lanes 8 to 15.
///
/// ```text
/// lane                        0  1  2  3  4  5  6  7
/// block, triplets decoded     A  4  1  b  c  /  2  F      from "%41bc%2F"
/// kept = 0b0011_1001          1  0  0  1  1  1  0  0
/// COMPACTED[0][kept]         [0, 3, 4, 5, 0, 0, 0, 0]
/// COMPACTED[1][kept]         [8, 11, 12, 13, 8, 8, 8, 8]
/// output                      A  b  c  /  A  A  A  A      the next store overwrites the last four
/// ```
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

/// Shuffle orders of expansion: for each bitmask of four lanes, which bytes of the interleaved
/// group to output. A lane outputs `[%, high digit, low digit]` if set, else its byte.
///
/// ```text
///  group               byte   0  1  2  3 | 4  5  6  7 | 8  9 10 11 |12 13 14 15
///                             a  6  1  % | SP 2  0  % | b  6  2  % | /  2  F  %
///  EXPANDED[0b1010]   = [0, 7, 5, 6, 8, 15, 13, 14, 0, ...]
///  output                a  %  2  0  b  %   2   F
/// ```
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
