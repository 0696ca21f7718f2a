//! A small picture of each set, which rules out most pairs that are too different without reading
//! the sets: the bitmap filter of Sandes, Teodoro and Melo 2020.
//!
//! Every value flips one of [`BITS`] bits, so that two pictures differ in no more bits than the
//! sets differ in values. It decides where values are common, as those of short texts are, and many
//! sets share rare ones by chance.

use super::catalogue::Catalogue;
use super::frequency::spread;
use super::progress::{JUMP, Progress};
use super::ratio::Resemblance;
use crate::error::KernelError;
use crate::sets::as_u32;
use crate::simd::hamming::places;
use std::ops::Range;

/// Bits of a picture.
const BITS: usize = 256;

/// The picture of one set.
pub(super) type Parity = [u64; BITS / 64];

/// The pictures of the sets of a catalogue that are small enough to be told apart by them.
#[derive(Clone)]
pub(super) struct Parities {
    of: Vec<Parity>,
}

impl Parities {
    /// Reads the sets.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn of(
        catalogue: &Catalogue,
        rule: Resemblance,
        progress: &mut Progress,
    ) -> Result<Self, KernelError> {
        // The pictures of strangers differ in half of the bits, or fewer where sets are smaller.
        let small = catalogue.count_while(|size| rule.differing(2 * size) < BITS / 2);
        let mut of = Vec::with_capacity(small as usize);
        for rank in 0..small {
            let set = catalogue.set(rank);
            progress.tick(set.len() + JUMP)?;
            of.push(parity(set));
        }
        Ok(Self { of })
    }

    /// Those of sets by rank.
    pub(super) fn given(of: Vec<Parity>) -> Self {
        Self { of }
    }

    /// The picture of the set of rank `rank`, which has one.
    pub(super) fn get(&self, rank: usize) -> &Parity {
        &self.of[rank]
    }

    /// Whether the set of rank `rank` may differ from another in so few values as `differing`.
    #[inline]
    pub(super) fn may(&self, parity: &Parity, rank: u32, differing: usize) -> bool {
        self.of.get(rank as usize).is_none_or(|other| differ(parity, other) <= differing)
    }

    /// How many sets have pictures: those of the smallest ranks.
    pub(super) fn len(&self) -> usize {
        self.of.len()
    }
}

/// Pictures side by side, to be looked at one after the other: those of sets that were not removed,
/// and a few of others.
#[derive(Default)]
pub(super) struct Crowd {
    /// Ascending.
    ranks: Vec<u32>,
    /// The words of each picture.
    words: [Vec<u64>; BITS / 64],
    /// Its upper half laid on the lower: a picture of half as many bits.
    folded: [Vec<u64>; BITS / 128],
    /// How often pictures of removed sets were met.
    met: usize,
}

/// A question counts as this many removed sets: one look at all pictures pays for eight more.
const ASKED: usize = 8;

/// Pictures of strangers nearly always differ in more bits than this, folded ones and whole ones,
/// where their sets are not too small.
const FOLDED: usize = 46;
const WHOLE: usize = 100;

impl Crowd {
    /// Whether pictures tell sets that may differ in `differing` values from strangers.
    pub(super) fn tells(differing: usize) -> bool {
        differing <= WHOLE
    }

    /// Puts all pictures side by side.
    pub(super) fn of(parities: &Parities) -> Self {
        let mut crowd = Self::default();
        crowd.put(parities, 0..as_u32(parities.len()));
        crowd
    }

    /// How many pictures there are of sets of some ranks.
    pub(super) fn count(&self, ranks: &Range<u32>) -> usize {
        self.places(ranks).len()
    }

    /// Calls `hit` with the rank of each set from `ranks` that may differ from another in so few
    /// values as `differing`, by a look at every picture.
    pub(super) fn each_near(
        &self,
        parity: &Parity,
        ranks: &Range<u32>,
        differing: usize,
        mut hit: impl FnMut(u32),
    ) {
        let within = self.places(ranks);
        let found = &self.ranks[within.clone()];
        let hit = &mut |place: usize| hit(found[place]);
        let [a, b, c, d] = *parity;
        if differing <= FOLDED {
            let lists = self.folded.each_ref().map(|list| &list[within.clone()]);
            places([a ^ c, b ^ d], lists, as_u32(differing), hit);
        } else {
            let lists = self.words.each_ref().map(|list| &list[within.clone()]);
            places([a, b, c, d], lists, as_u32(differing), hit);
        }
    }

    /// Notes that a question met `met` pictures of removed sets, and drops all of those from time
    /// to time: a set that has asked is often removed, and strangers would be compared with it for good.
    pub(super) fn sweep(&mut self, parities: &Parities, met: usize, removed: impl Fn(u32) -> bool) {
        self.met += met + ASKED;
        if self.met >= self.ranks.len() && !self.ranks.is_empty() {
            let ranks = std::mem::take(self).ranks;
            self.put(parities, ranks.into_iter().filter(|&rank| !removed(rank)));
        }
    }

    fn put(&mut self, parities: &Parities, ranks: impl Iterator<Item = u32>) {
        for rank in ranks {
            let [a, b, c, d] = parities.of[rank as usize];
            self.ranks.push(rank);
            self.words.iter_mut().zip([a, b, c, d]).for_each(|(list, word)| list.push(word));
            self.folded.iter_mut().zip([a ^ c, b ^ d]).for_each(|(list, word)| list.push(word));
        }
    }

    fn places(&self, ranks: &Range<u32>) -> Range<usize> {
        let below = |end: u32| self.ranks.partition_point(|&rank| rank < end);
        below(ranks.start)..below(ranks.end)
    }
}

/// In how many bits two pictures differ.
#[inline]
pub(super) fn differ(a: &Parity, b: &Parity) -> usize {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones() as usize).sum()
}

/// The picture of a set.
pub(super) fn parity(set: &[u32]) -> Parity {
    let mut bits = [0; BITS / 64];
    for &value in set {
        let bit = (spread(value) >> (u32::BITS - BITS.ilog2())) as usize;
        bits[bit / 64] ^= 1 << (bit % 64);
    }
    bits
}
