//! The values that a set of characters sends together: those of a range of them.
//!
//! A set sends a range of its values in 4 bytes each. Where there are more places than ranges, each
//! range is cut: a place looks up the values of its own part, each with all values of the range
//! above it. Very small and very large sets, and those that resemble such ones, send one value at a
//! time.

use super::{Class, Demand};

/// Number of ranges of the values.
const RANGES: usize = 8;

/// Sets of as many values are met by one: they have too many twos.
const MOST: usize = 1024;

/// Bytes of a value.
pub(super) const VALUE: usize = 4;

impl Demand {
    /// Return (by one value, by two values): how a set is looked up.
    pub(super) fn looked_up_by(self, class: Class, size: usize) -> (bool, bool) {
        let by_twos = |size: usize| size < MOST && self.0.smallest_partner(size) > RANGES;
        if class.is_of_words() || !by_twos(size) {
            return (true, false);
        }
        (!by_twos(self.0.smallest_partner(size)) || !by_twos(self.0.largest_partner(size)), true)
    }

    /// Number of the rarest values of a set of characters to send: any set that resembles it sends
    /// two of one range too.
    pub(super) fn prefix_length_of_twos(self, size: usize) -> usize {
        (size + RANGES + 1).saturating_sub(self.0.smallest_partner(size)).min(size)
    }
}

/// The number of values that follow a head, and of those of them that are looked up.
pub(super) fn unpack_counts(count: u32) -> (usize, usize) {
    ((count & 0xFFFF) as usize, (count >> 16) as usize)
}

/// The values that follow a head, ascending.
pub(super) fn read_values(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|value| u32::from_le_bytes(*value))
}

/// Calls `send` with each of as many places that needs some of the ascending `values`: the place,
/// the values, and how many of them it looks up.
pub(super) fn each_place_of(
    values: &[u32],
    places: usize,
    mut send: impl FnMut(usize, &[u32], usize),
) {
    let parts = places.div_ceil(RANGES).max(1);
    let part = |value: u32| ((u64::from(value) * (parts * RANGES) as u64) >> 32) as usize;
    for range in values.chunk_by(|&a, &b| a >> RANGE_SHIFT == b >> RANGE_SHIFT) {
        let mut left = range;
        // The greatest value of a range has none above it to make a two with.
        while left.len() > 1 {
            let own = part(left[0]);
            let looked_up = left.partition_point(|&value| part(value) == own);
            send(own * places / (parts * RANGES), left, looked_up);
            left = &left[looked_up..];
        }
    }
}

/// Bits of a value below those that name its range.
const RANGE_SHIFT: u32 = u32::BITS - RANGES.ilog2();
