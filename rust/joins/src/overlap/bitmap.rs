//! A small bitmap of each set, which rules out most pairs that are too different without reading
//! the sets: the bitmap filter of Sandes, Teodoro and Melo 2020.
//!
//! Every value flips one of the bits, so that two bitmaps differ in no more bits than the sets
//! differ in values.

use super::frequency::spread_bits;
use crate::sets::saturate_to_u32;
use crate::simd::hamming::each_near_place;
use std::ops::Range;

/// The bitmap of one set, of W words: a power of two.
pub(super) type Bitmap<const W: usize = 4> = [u64; W];

/// Bitmaps side by side, to be looked at one after the other: those of sets that were not removed,
/// and a few of others.
#[derive(Default)]
pub(super) struct BitmapTable {
    /// Ascending.
    ranks: Vec<u32>,
    /// The words of each bitmap.
    words: [Vec<u64>; 4],
    /// Its upper half laid on the lower: a bitmap of half as many bits.
    folded: [Vec<u64>; 2],
    /// Number of times that bitmaps of removed sets were met.
    met_removed: usize,
}

/// Bitmaps that are looked at in the time that it takes to read a posting (measured: 0.1 to
/// 0.25 ns and 2 to 3 ns).
pub(super) const POSTING: usize = 12;

/// Each question counts as this many bitmaps of removed sets met, so that sweeps come even where
/// few are met: they add at most eight looks at bitmaps to a question, which looks at many itself.
const ASKED: usize = 8;

/// Folded bitmaps of unrelated sets nearly always differ in more bits than this, where their sets
/// are not too small: in 64 of 128 on average, and in no more than this once in a thousand times.
pub(super) const FOLDED: usize = 46;

impl BitmapTable {
    /// Puts the bitmaps of some sets side by side, given in the order of their ranks.
    pub(super) fn of(bitmaps: impl Iterator<Item = (u32, Bitmap)>) -> Self {
        let mut table = Self::default();
        for (rank, [a, b, c, d]) in bitmaps {
            table.ranks.push(rank);
            table.words.iter_mut().zip([a, b, c, d]).for_each(|(list, word)| list.push(word));
            table.folded.iter_mut().zip([a ^ c, b ^ d]).for_each(|(list, word)| list.push(word));
        }
        table
    }

    /// Number of bitmaps of sets of some ranks.
    pub(super) fn count_bitmaps_of_ranks(&self, ranks: &Range<u32>) -> usize {
        self.places_of(ranks).len()
    }

    /// Calls `hit` with the rank of each set from `ranks` that may differ from another in so few
    /// values as `most_differing`, by a look at every bitmap.
    pub(super) fn each_possibly_near(
        &self,
        bitmap: &Bitmap,
        ranks: &Range<u32>,
        most_differing: usize,
        mut hit: impl FnMut(u32),
    ) {
        let within = self.places_of(ranks);
        let found = &self.ranks[within.clone()];
        let hit = &mut |place: usize| hit(found[place]);
        let [a, b, c, d] = *bitmap;
        if most_differing <= FOLDED {
            let lists = self.folded.each_ref().map(|list| &list[within.clone()]);
            each_near_place([a ^ c, b ^ d], lists, saturate_to_u32(most_differing), hit);
        } else {
            let lists = self.words.each_ref().map(|list| &list[within.clone()]);
            each_near_place([a, b, c, d], lists, saturate_to_u32(most_differing), hit);
        }
    }

    /// Notes that a question met `met` bitmaps of removed sets, and drops all of those from time
    /// to time: a set that has asked is often removed, and would be compared with all others for
    /// good.
    pub(super) fn sweep_if_due(&mut self, met: usize, removed: impl Fn(u32) -> bool) {
        self.met_removed += met + ASKED;
        // A sweep reads each bitmap once, so that it costs no more than what led to it.
        if self.met_removed < self.ranks.len() {
            return;
        }
        self.met_removed = 0;
        let there: Vec<bool> = self.ranks.iter().map(|&rank| !removed(rank)).collect();
        for list in self.words.iter_mut().chain(&mut self.folded) {
            retain_flagged(list, &there);
        }
        retain_flagged(&mut self.ranks, &there);
    }

    fn places_of(&self, ranks: &Range<u32>) -> Range<usize> {
        let below = |end: u32| self.ranks.partition_point(|&rank| rank < end);
        below(ranks.start)..below(ranks.end)
    }
}

/// Drops what is not there.
fn retain_flagged<T>(list: &mut Vec<T>, there: &[bool]) {
    let mut there = there.iter();
    list.retain(|_| there.next() == Some(&true));
}

/// In how many bits two bitmaps differ.
#[inline]
pub(super) fn count_differing_bits<const W: usize>(a: &Bitmap<W>, b: &Bitmap<W>) -> usize {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones() as usize).sum()
}

/// The bitmap of a set.
#[inline]
pub(super) fn make_bitmap<const W: usize>(set: &[u32]) -> Bitmap<W> {
    let mut bits = [0; W];
    for &value in set {
        // The upper bits: the lower bits of a product depend on the lower bits of the value alone.
        let bit = (spread_bits(value) >> (u32::BITS - W.ilog2() - 6)) as usize;
        // Flipped and not set: bits that differ are a lower bound either way, but a large set would
        // set all bits, and then differ from no other large one.
        bits[bit / 64] ^= 1 << (bit % 64);
    }
    bits
}

/// A bitmap of `V` words, each the XOR of those whose places are equal modulo `V`: two of them
/// differ in no more bits than the bitmaps that they are made from.
#[inline]
pub(super) fn xor_fold_bitmap<const W: usize, const V: usize>(bitmap: &Bitmap<W>) -> Bitmap<V> {
    let mut folded = [0; V];
    for (place, word) in bitmap.iter().enumerate() {
        folded[place % V] ^= word;
    }
    folded
}
