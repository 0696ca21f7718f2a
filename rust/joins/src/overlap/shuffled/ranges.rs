//! The values that a set of characters sends together: those of a range of them.
//!
//! A set sends a range of its values in 4 bytes each. Where there are more places than ranges, each
//! range is cut: a place looks up the values of its own part, each with all values of the range
//! above it. Very small and very large sets, and those that resemble such ones, send one value at a
//! time.

use super::{Demand, SetKind};

/// Number of ranges of the values: a set sends one value more for each, and its values are as many
/// times fewer to a range.
const RANGES: usize = 8;

/// Sets of as many values are met by one: they have too many twos.
const MOST: usize = 1024;

/// Bytes of a value.
pub(super) const VALUE: usize = 4;

/// The ways in which a set is looked up.
pub(super) struct LookUps {
    pub(super) by_one_value: bool,
    pub(super) by_two_values: bool,
}

impl Demand {
    /// Chooses so that a set meets any that resembles it: by two values, unless it is very small or
    /// very large; by one value, unless no such set resembles it.
    pub(super) fn choose_look_ups(self, kind: SetKind, size: usize) -> LookUps {
        let by_twos = |size: usize| size < MOST && self.0.smallest_partner(size) > RANGES;
        if !kind.is_of_characters || !by_twos(size) {
            return LookUps { by_one_value: true, by_two_values: false };
        }
        let by_one_value =
            !by_twos(self.0.smallest_partner(size)) || !by_twos(self.0.largest_partner(size));
        LookUps { by_one_value, by_two_values: true }
    }

    /// Number of the rarest values of a set of characters to send: any set that resembles it sends
    /// two of one range too.
    pub(super) fn prefix_length_with_two_in_a_range(self, size: usize) -> usize {
        (size + RANGES + 1).saturating_sub(self.0.smallest_partner(size)).min(size)
    }
}

/// Numbers of the values that follow a head.
pub(super) struct ValueCounts {
    pub(super) all: usize,
    /// The first of them, which are looked up.
    pub(super) looked_up: usize,
}

/// Unpacks the numbers that a head has as one ([`pack_counts`]).
pub(super) fn unpack_counts(count: u32) -> ValueCounts {
    ValueCounts { all: (count & 0xFFFF) as usize, looked_up: (count >> 16) as usize }
}

/// Packs two numbers below 2^16 into one.
pub(super) fn pack_counts(counts: ValueCounts) -> u32 {
    (counts.looked_up as u32) << 16 | counts.all as u32
}

/// The values that follow a head, ascending.
pub(super) fn read_values(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|value| u32::from_le_bytes(*value))
}

/// Ascending values that one place needs.
pub(super) struct ValuesToSend<'v> {
    pub(super) place: usize,
    pub(super) values: &'v [u32],
    /// The number of those, from the first one on, that the place looks up.
    pub(super) looked_up: usize,
}

/// Calls `send` for each of `places` places that needs some of the ascending `values`; a place may
/// come for several ranges of them.
pub(super) fn send_values_to_places(
    values: &[u32],
    places: usize,
    mut send: impl FnMut(ValuesToSend),
) {
    let parts = places.div_ceil(RANGES).max(1);
    let part = |value: u32| ((u64::from(value) * (parts * RANGES) as u64) >> 32) as usize;
    for range in values.chunk_by(|&a, &b| a >> RANGE_SHIFT == b >> RANGE_SHIFT) {
        let mut left = range;
        // The greatest value of a range has none above it to make a two with.
        while left.len() > 1 {
            let own = part(left[0]);
            let looked_up = left.partition_point(|&value| part(value) == own);
            let place = own * places / (parts * RANGES);
            send(ValuesToSend { place, values: left, looked_up });
            left = &left[looked_up..];
        }
    }
}

/// Bits of a value below those that name its range.
const RANGE_SHIFT: u32 = u32::BITS - RANGES.ilog2();
