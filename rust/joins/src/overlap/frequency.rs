//! Frequencies of values, roughly: the order in which the joins look values up.

use std::ops::Deref;

use super::catalogue::{CatalogueTail, Rank};
use crate::error::KernelError;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use crate::simd::prefetch::prefetch;

/// A value, spread evenly over all 32 bits; one to one.
#[inline]
pub(super) fn spread_bits(value: u32) -> u32 {
    value.wrapping_mul(0x9E37_79B1)
}

/// Distance in values at which the cell of a later value is asked for: a cell is far away in a
/// large table, and a value takes a few nanoseconds.
pub(super) const AHEAD: usize = 24;

/// The least and the largest table has two to the power of as many cells: a cell for most values of
/// small data, and 512 MB.
const LEAST_BITS: u32 = 8;
const MOST_BITS: u32 = 28;

/// Counts how many sets have a value, in a table sized to the data. Values that fall into one cell
/// are counted together, and counting ends at 65,535, or 255 on a sample: any order of the values
/// gives the same exact result (Bayardo et al. 2007, section 3), a rough one only a little later.
/// Unless it is on a sample, a count of one is always true: no other set has the value.
#[derive(Debug, Clone, Copy)]
pub struct Frequencies<C = Vec<u16>> {
    counts: C,
    shift: u32,
}

impl<N: Copy, C: Deref<Target = [N]>> Frequencies<C> {
    /// Takes a table of 2^n cells, n from 8 to 32; `None` where it is of another size.
    pub(super) fn from_counts_if_size_fits(counts: C) -> Option<Self> {
        let bits = counts.len().checked_ilog2().filter(|_| counts.len().is_power_of_two())?;
        (LEAST_BITS..=u32::BITS).contains(&bits).then_some(Self { counts, shift: u32::BITS - bits })
    }

    /// Number of sets with the spread value `token`, or more.
    #[inline]
    pub(super) fn sets_with(&self, token: u32) -> N {
        self.counts[(token >> self.shift) as usize]
    }
}

impl<'a> Frequencies<&'a [u8]> {
    /// Frequencies by a table that was counted on a sample; without one of 2^n cells, all values
    /// are equally rare.
    #[must_use]
    pub fn of_sample_or_all_equal(counts: &'a [u8]) -> Self {
        // Two cells, since a table of one would need a shift by all 32 bits, which is not defined.
        const EQUAL: Frequencies<&[u8]> = Frequencies { counts: &[0, 0], shift: u32::BITS - 1 };
        Self::from_counts_if_size_fits(counts).unwrap_or(EQUAL)
    }
}

impl Frequencies {
    /// Counts the values of some sets of some catalogues, of those that are `chosen` by their
    /// ranks.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn count(
        counted: &[CatalogueTail],
        chosen: impl Fn(Rank) -> bool,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let values = |sets: &CatalogueTail| -> u64 {
            let ranks = sets.ranks().filter(|&rank| chosen(rank));
            ranks.map(|rank| u64::from(sets.catalogue.sizes()[rank as usize])).sum()
        };
        let total: u64 = counted.iter().map(values).sum();
        // Between one and two values to a cell if all differ; the largest table takes 512 MB.
        let bits = (total | 1).ilog2().clamp(LEAST_BITS, MOST_BITS);
        let mut counts = reserve::repeat_value(0_u16, 1 << bits)?;
        let shift = 32 - bits;
        for sets in counted {
            let catalogue = sets.catalogue;
            for rank in sets.ranks().filter(|&rank| chosen(rank)) {
                let set = catalogue.set(rank);
                progress.note_done(rank as usize, catalogue.len() as usize);
                progress.spend_values(set.len() + JUMP)?;
                for (&value, next) in set.iter().zip(values_ahead_then_zeros(set)) {
                    prefetch(&counts[(spread_bits(next) >> shift) as usize..]);
                    let count = &mut counts[(spread_bits(value) >> shift) as usize];
                    // A count that wrapped around would make the commonest value a lone one, which
                    // no index has: pairs would be lost.
                    *count = count.saturating_add(1);
                }
            }
        }
        Ok(Self { counts, shift })
    }

    /// The same in a table of at most 2^`bits` cells; neighbours fall together.
    pub(super) fn fold_to(self, bits: u32) -> Self {
        let wide = (u32::BITS - self.shift).saturating_sub(bits);
        if wide == 0 {
            return self;
        }
        let sum = |cells: &[u16]| cells.iter().fold(0_u16, |sum, &count| sum.saturating_add(count));
        Self { counts: self.counts.chunks(1 << wide).map(sum).collect(), shift: self.shift + wide }
    }

    /// Every cell.
    pub(super) fn counts(&self) -> &[u16] {
        &self.counts
    }

    /// The spread values of a set, each with how many sets have it, or more.
    #[inline]
    pub(super) fn tokens_of(&self, set: &[u32]) -> impl Iterator<Item = (u32, u16)> {
        set.iter().zip(values_ahead_then_zeros(set)).map(|(&value, next)| {
            prefetch(&self.counts[(spread_bits(next) >> self.shift) as usize..]);
            let token = spread_bits(value);
            (token, self.sets_with(token))
        })
    }
}

/// For each value of a set the one [`AHEAD`] places later; after the last one zeros, without end.
#[inline]
fn values_ahead_then_zeros(set: &[u32]) -> impl Iterator<Item = u32> {
    // After the last value, the cell of 0 is fetched in vain.
    set.iter().skip(AHEAD).copied().chain(std::iter::repeat(0))
}
