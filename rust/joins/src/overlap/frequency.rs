//! How rare a value is, roughly: the order in which the joins look values up.

use super::catalogue::Catalogue;
use super::progress::{JUMP, Progress};
use crate::error::KernelError;
use crate::room;
use crate::simd::prefetch::prefetch;

/// A value, spread evenly over all 32 bits; one to one.
#[inline]
pub(super) fn spread(value: u32) -> u32 {
    value.wrapping_mul(0x9E37_79B1)
}

/// How many values ahead of the one that is looked up the cell of another is asked for.
pub(super) const AHEAD: usize = 24;

/// The least and the largest table has two to the power of as many cells.
const LEAST_BITS: u32 = 8;
const MOST_BITS: u32 = 28;

/// Counts how many sets have a value, in a table sized to the data. Values that fall into one cell
/// are counted together, and counting ends at 65,535: any order of the values gives the same exact
/// result (Bayardo et al. 2007, section 3), a rough one only a little later. A count of one is
/// always true: no other set has the value.
#[derive(Debug)]
pub(super) struct Frequencies {
    counts: Vec<u16>,
    shift: u32,
}

impl Frequencies {
    /// Counts the values of the sets of some catalogues, of each from a rank on.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn count(
        catalogues: &[(&Catalogue, u32)],
        progress: &mut Progress,
    ) -> Result<Self, KernelError> {
        let values = |&(catalogue, first): &(&Catalogue, u32)| -> u64 {
            catalogue.sizes()[first as usize..].iter().map(|&size| u64::from(size)).sum()
        };
        let total: u64 = catalogues.iter().map(values).sum();
        let bits = (total | 1).ilog2().clamp(LEAST_BITS, MOST_BITS);
        let mut counts = room::filled(0_u16, 1 << bits)?;
        let shift = 32 - bits;
        for &(catalogue, first) in catalogues {
            for rank in first..catalogue.len() {
                let set = catalogue.set(rank);
                progress.at(rank as usize, catalogue.len() as usize);
                progress.tick(set.len() + JUMP)?;
                for (&value, next) in set.iter().zip(ahead(set)) {
                    prefetch(&counts[(spread(next) >> shift) as usize..]);
                    let count = &mut counts[(spread(value) >> shift) as usize];
                    *count = count.saturating_add(1);
                }
            }
        }
        Ok(Self { counts, shift })
    }

    /// The table that [`Self::counts`] gave; `None` where it is of another size than these are.
    pub(super) fn of_counts(counts: Vec<u16>) -> Option<Self> {
        let bits = counts.len().checked_ilog2().filter(|_| counts.len().is_power_of_two())?;
        let shift = (LEAST_BITS..=MOST_BITS).contains(&bits).then_some(u32::BITS - bits)?;
        Some(Self { counts, shift })
    }

    /// Every cell.
    pub(super) fn counts(&self) -> &[u16] {
        &self.counts
    }

    /// Bytes of memory taken.
    pub(super) fn bytes(&self) -> usize {
        self.counts.capacity() * size_of::<u16>()
    }

    /// The spread values of a set, each with how many sets have it, or more.
    #[inline]
    pub(super) fn of_set(&self, set: &[u32]) -> impl Iterator<Item = (u32, u16)> {
        set.iter().zip(ahead(set)).map(|(&value, next)| {
            prefetch(&self.counts[(spread(next) >> self.shift) as usize..]);
            let token = spread(value);
            (token, self.of(token))
        })
    }

    /// How many sets have the spread value `token`, or more.
    #[inline]
    pub(super) fn of(&self, token: u32) -> u16 {
        self.counts[(token >> self.shift) as usize]
    }
}

/// Of each value of a set one that comes some time after it.
#[inline]
fn ahead(set: &[u32]) -> impl Iterator<Item = u32> {
    set.iter().skip(AHEAD).copied().chain(std::iter::repeat(0))
}
