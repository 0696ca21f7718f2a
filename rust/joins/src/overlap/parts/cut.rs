//! Sets cut into parts: what a set has in a part is known by the sum of the hashes of its values
//! there. Equal parts have equal sums; a sum that two parts have by chance only nominates a pair
//! more.

use super::classes::Class;
use crate::error::KernelError;
use crate::overlap::catalogue::Catalogue;
use crate::parallel::{Team, lock};
use crate::progress::{JUMP, Progress};
use crate::reserve;
use std::ops::Range;
use std::sync::Mutex;

/// Sets whose sums are written together: a line of the cache for each part.
const BLOCK: usize = 16;

/// Distance, in sets, at which a coming set is asked for: memory takes longer to answer than a
/// small set takes to cut.
const AHEAD: u32 = 6;

/// Sets of one catalogue, part by part.
pub(super) struct CutSets {
    /// The rank of the first set.
    pub(super) first: u32,
    /// The number of sets.
    pub(super) count: usize,
    sums: Vec<u32>,
    hashes: Option<Hashes>,
}

/// The hashes of the values, part by part and set by set.
struct Hashes {
    values: Vec<u32>,
    /// The beginnings of all parts, and the end of the last.
    starts: Vec<usize>,
    /// The number of values of each set in each part.
    lengths: Vec<u16>,
}

/// The part of a value, and its hash in it.
#[inline(always)]
pub(in crate::overlap) fn part_and_hash(value: u32, parts: usize) -> (usize, u32) {
    let wide = (u64::from(value) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // Values of one part have the upper bits of `wide` in common, so that the hash is made of all
    // bits anew: sums of parts would be alike otherwise.
    let hash = ((wide ^ (wide >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32;
    // The number of parts is no power of two: a multiplication shares 32 bits out evenly.
    ((((wide >> 32) * parts as u64) >> 32) as usize, hash)
}

impl CutSets {
    /// Cuts the sets of some ranks; `scratch` is a list that is no longer needed. Each thread
    /// writes the sums of sets of its own; the hashes for low thresholds are listed by one.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn of<T: Send>(
        team: &mut Team<T>,
        catalogue: &Catalogue,
        ranks: Range<u32>,
        class: &Class,
        scratch: Vec<u32>,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let (parts, count) = (class.parts, ranks.len());
        let mut sums = reserve::resize_or_replace(scratch, parts * count)?;
        let size = super::piece_size(count);
        let mut columns: Vec<Vec<&mut [u32]>> = Vec::new();
        columns.resize_with(count.div_ceil(size), || Vec::with_capacity(parts));
        for sums in sums.chunks_mut(count.max(1)) {
            for (columns, some) in columns.iter_mut().zip(sums.chunks_mut(size)) {
                columns.push(some);
            }
        }
        let columns: Vec<_> = columns.into_iter().map(Mutex::new).collect();
        team.share_out(columns.len(), progress, |_, piece, progress| {
            let first = ranks.start + (piece * size) as u32;
            sum_hashes_by_part(catalogue, first, &mut lock(&columns[piece]), progress)
        })?;
        drop(columns);
        let hashes = match class.but_one {
            true => Some(Hashes::of(catalogue, ranks.clone(), parts, progress)?),
            false => None,
        };
        Ok(Self { first: ranks.start, count, sums, hashes })
    }

    /// The list that it was made of, and that is no longer needed.
    pub(super) fn into_scratch(self) -> Vec<u32> {
        self.sums
    }

    /// The sum of each set in a part.
    pub(super) fn sums(&self, part: usize) -> &[u32] {
        &self.sums[part * self.count..(part + 1) * self.count]
    }

    /// The hashes of each set in a part, where they are kept.
    pub(super) fn hashes(&self, part: usize) -> impl Iterator<Item = &[u32]> {
        let of = self.hashes.as_ref();
        let lengths =
            of.map_or(&[][..], |of| &of.lengths[part * self.count..(part + 1) * self.count]);
        let mut rest = of.map_or(&[][..], |of| &of.values[of.starts[part]..of.starts[part + 1]]);
        lengths.iter().map(move |&length| {
            let own;
            (own, rest) = rest.split_at(length.into());
            own
        })
    }
}

/// Sums the sets from the rank `first` on, as many as there are columns, each part into its own.
fn sum_hashes_by_part(
    catalogue: &Catalogue,
    first: u32,
    sums: &mut [&mut [u32]],
    progress: &Progress,
) -> Result<(), KernelError> {
    let (parts, count) = (sums.len(), sums.first().map_or(0, |sums| sums.len()));
    // Sets are read one after the other, sums are kept part by part: written at once, each sum
    // would be a line of the cache.
    let mut block = vec![[0_u32; BLOCK]; parts];
    for start in (0..count).step_by(BLOCK) {
        let some = BLOCK.min(count - start);
        block.fill([0; BLOCK]);
        let first = first + start as u32;
        for (column, rank) in (first..first + some as u32).enumerate() {
            catalogue.prefetch_set(rank + AHEAD);
            let set = catalogue.set(rank);
            progress.spend_values(2 * set.len() + JUMP)?;
            for &value in set {
                let (part, hash) = part_and_hash(value, parts);
                let sum = &mut block[part][column];
                *sum = sum.wrapping_add(hash);
            }
        }
        for (sums, block) in sums.iter_mut().zip(&block) {
            sums[start..start + some].copy_from_slice(&block[..some]);
        }
    }
    Ok(())
}

impl Hashes {
    fn of(
        catalogue: &Catalogue,
        ranks: Range<u32>,
        parts: usize,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let count = ranks.len();
        // Sets that are cut have at most 4,096 values (`classes::MOST_VALUES`).
        let mut lengths = reserve::repeat_value(0_u16, parts * count)?;
        let mut starts = vec![0; parts + 1];
        for (column, rank) in ranks.clone().enumerate() {
            catalogue.prefetch_set(rank + AHEAD);
            let set = catalogue.set(rank);
            progress.spend_values(set.len() + JUMP)?;
            for &value in set {
                let (part, _) = part_and_hash(value, parts);
                lengths[part * count + column] += 1;
                starts[part + 1] += 1;
            }
        }
        for part in 0..parts {
            starts[part + 1] += starts[part];
        }
        let mut values = reserve::repeat_value(0_u32, starts[parts])?;
        let mut ends = starts.clone();
        for rank in ranks {
            catalogue.prefetch_set(rank + AHEAD);
            let set = catalogue.set(rank);
            progress.spend_values(set.len() + JUMP)?;
            for &value in set {
                let (part, hash) = part_and_hash(value, parts);
                values[ends[part]] = hash;
                ends[part] += 1;
            }
        }
        Ok(Self { values, starts, lengths })
    }
}
