//! Sets of characters meet where they share two values.
//!
//! Any two texts of a language share single shingles of characters, rare ones too, so that sets that
//! meet by one value cost a time that grows with the square of their number. Two values of one set
//! are far rarer. The rarest n - o + l values of two like sets have l in common, where o is the
//! least that either shares with any (the l-prefix scheme of Wang, Li and Feng 2012, "Can we beat
//! the prefix filtering?"). With l one more than there are ranges of the values, two of these are
//! in one range. So a set sends a range of its values together, in 4 bytes each, and sets meet there
//! by every two values. Where there are more places than ranges, each range is cut: a place looks
//! up the values of its own part, each with all values of the range above it.
//!
//! Very small and very large sets, and those that resemble such ones, meet by one value.

use super::forest::{Arrived, Grown, Met};
use super::records::{Head, Record};
use super::{Class, Demand};
use crate::error::KernelError;
use crate::progress::Progress;

/// Number of ranges of the values.
const RANGES: usize = 8;

/// Sets of as many values are met by one: they have too many twos.
const MOST: usize = 1024;

/// Bytes of a value.
pub(super) const VALUE: usize = 4;

impl Demand {
    /// Return (by one value, by two values): how a set is looked up.
    pub(super) fn ways(self, class: Class, size: usize) -> (bool, bool) {
        let by_twos = |size: usize| size < MOST && self.0.smallest(size) > RANGES;
        if class.is_of_words() || !by_twos(size) {
            return (true, false);
        }
        (!by_twos(self.0.smallest(size)) || !by_twos(self.0.largest(size)), true)
    }

    /// Number of the rarest values of a set of characters to send: any set that resembles it sends
    /// two of one range too.
    pub(super) fn prefix_of_twos(self, size: usize) -> usize {
        (size + RANGES + 1).saturating_sub(self.0.smallest(size)).min(size)
    }
}

/// The number of values that follow a head, and of those of them that are looked up.
pub(super) fn counts(count: u32) -> (usize, usize) {
    ((count & 0xFFFF) as usize, (count >> 16) as usize)
}

/// Appends a set with its values.
pub(super) fn write(head: Head, values: impl Iterator<Item = u32>, to: &mut Vec<u8>) {
    let mut values: Vec<u32> = values.collect();
    values.sort_unstable();
    append(head, &values, values.len(), to);
}

fn append(head: Head, values: &[u32], looked_up: usize, to: &mut Vec<u8>) {
    let count = (looked_up as u32) << 16 | values.len() as u32;
    Head { by_twos: true, count, ..head }.write(to);
    to.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// The values that follow a head, ascending.
pub(super) fn read(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|value| u32::from_le_bytes(*value))
}

/// Shares out a set with its values, as far as there are two to look up.
pub(super) fn share_out(head: Head, bytes: &[u8], shares: &mut [Vec<u8>]) {
    let values: Vec<u32> = read(bytes).collect();
    let parts = shares.len().div_ceil(RANGES).max(1);
    let part = |value: u32| ((u64::from(value) * (parts * RANGES) as u64) >> 32) as usize;
    for range in values.chunk_by(|&a, &b| a >> RANGE_SHIFT == b >> RANGE_SHIFT) {
        let mut left = range;
        while left.len() > 1 {
            let own = part(left[0]);
            let looked_up = left.partition_point(|&value| part(value) == own);
            let place = own * shares.len() / (parts * RANGES);
            if let Some(share) = shares.get_mut(place) {
                append(head, left, looked_up, share);
            }
            left = &left[looked_up..];
        }
    }
}

/// Bits of a value below those that name its range.
const RANGE_SHIFT: u32 = u32::BITS - RANGES.ilog2();

impl Grown {
    /// Connects sets of characters that share two values.
    pub(super) fn twos(&mut self, sent: &Arrived, progress: &Progress) -> Result<(), KernelError> {
        let value = |one: u64| (one >> 32) as u32;
        let (mut met, mut seconds) = (Vec::new(), Vec::new());
        for group in sent.firsts.chunk_by(|&a, &b| value(a) == value(b)) {
            progress.tick(group.len())?;
            met.clear();
            met.extend(group.iter().map(|&one| sent.met(one as u32, Record::default())));
            let mut near: Vec<&Met> = met.iter().collect();
            if self.is_settled(&near) {
                continue;
            }
            seconds.clear();
            for (at, &one) in (0_u64..).zip(group) {
                let after = sent.values(one as u32).skip_while(|&other| other < value(one)).skip(1);
                seconds.extend(after.map(|other| u64::from(other) << 32 | at));
            }
            seconds.sort_unstable();
            for both in seconds.chunk_by(|&a, &b| value(a) == value(b)) {
                near.clear();
                near.extend(both.iter().map(|&one| &met[one as u32 as usize]));
                progress.tick(near.len())?;
                self.characters(&near, progress)?;
            }
        }
        Ok(())
    }
}
