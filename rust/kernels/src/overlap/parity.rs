//! A small picture of each set, which rules out most pairs that are too different without reading
//! the sets: the bitmap filter of Sandes, Teodoro and Melo 2020.
//!
//! Every value flips one of [`BITS`] bits, so that two pictures differ in no more bits than the
//! sets differ in values. It decides where values are common, as those of short texts are, and many
//! sets share rare ones by chance.

use super::catalogue::Catalogue;
use super::frequency::spread;
use super::progress::Progress;
use super::ratio::Resemblance;
use crate::error::KernelError;

/// Bits of a picture.
const BITS: usize = 256;

/// The picture of one set.
pub(super) type Parity = [u64; BITS / 64];

/// The pictures of the sets of a catalogue that are small enough to be told apart by them.
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
            progress.tick(set.len())?;
            of.push(parity(set));
        }
        Ok(Self { of })
    }

    /// Whether the set of rank `rank` may differ from another in so few values as `differing`.
    #[inline]
    pub(super) fn may(&self, parity: &Parity, rank: u32, differing: usize) -> bool {
        self.of.get(rank as usize).is_none_or(|other| differ(parity, other) <= differing)
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
