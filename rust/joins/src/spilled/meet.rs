//! Sets that share rare values: every two are listed, by blocks of the later one.

use super::buckets::Buckets;
use super::home::Home;
use super::prefixes::{BUCKET_BITS, PLACE_BITS, Prefixed, Prefixes, low_bits};
use super::texts::Texts;
use crate::error::KernelError;
use crate::overlap::Resemblance;
use crate::progress::Progress;
use crate::reserve;

/// A block has two to the power of as many sets.
const BLOCK_BITS: u32 = 11;

/// Meetings to a piece.
const PIECE: usize = 1 << 7;

/// The least and the most bits of a cell of the table of a bucket, which has one to a value.
const LEAST_CELL_BITS: u32 = 14;
const MOST_CELL_BITS: u32 = u32::BITS - BUCKET_BITS;

/// No value.
const NONE: u32 = u32::MAX;

const PLACES: u64 = (1 << PLACE_BITS) - 1;

/// Two sets that share rare values, the earlier one on the right, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    pub(super) left: usize,
    pub(super) right: usize,
    /// Rare values of their prefixes that they share.
    shared: u32,
    /// The places of the last of them, or places before those.
    places: [u32; 2],
}

/// All meetings at rare values of sets of like size.
pub(super) struct Meetings<'h> {
    /// The left set within its block, the right set, the place in the left prefix and in the right.
    blocks: Buckets<'h, u64>,
}

impl<'h> Meetings<'h> {
    /// Lists them.
    ///
    /// # Errors
    /// [`KernelError`].
    pub(super) fn list(
        texts: &Texts,
        rule: Resemblance,
        prefixes: &mut Prefixes,
        home: &'h Home<'h>,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let Prefixes { sets, rare, .. } = prefixes;
        let mut blocks = Buckets::new(home, (sets.len() >> BLOCK_BITS) + 1, PIECE)?;
        let (mut values, mut before, mut heads) = (Vec::new(), Vec::new(), Vec::new());
        for bucket in 0..1 << BUCKET_BITS {
            rare.take(bucket, &mut values)?;
            progress.at(bucket, 1 << BUCKET_BITS);
            let bits = values.len().max(1).ilog2().clamp(LEAST_CELL_BITS, MOST_CELL_BITS);
            progress.tick((1 << bits) / 8 + 8 * values.len())?;
            heads.clear();
            reserve::more(&mut heads, 1 << bits)?;
            heads.resize(1 << bits, NONE);
            before.clear();
            reserve::more(&mut before, values.len())?;
            for (at, &value) in values.iter().enumerate() {
                let own = set_of(value);
                let (size, low) = (sets[own].size, rule.smallest(sets[own].size as usize));
                let head = &mut heads[(low_bits(value) >> (MOST_CELL_BITS - bits)) as usize];
                let mut earlier = *head;
                before.push(std::mem::replace(head, at as u32));
                while earlier != NONE {
                    let other = values[earlier as usize];
                    let its = &sets[set_of(other)];
                    if low_bits(other) == low_bits(value)
                        && its.size as usize >= low
                        && rule.smallest(its.size as usize) <= size as usize
                        && texts.is_measured_by(sets[own].node, its.node)
                    {
                        blocks.push(own >> BLOCK_BITS, meeting(own, value, other))?;
                    }
                    earlier = before[earlier as usize];
                }
            }
        }
        Ok(Self { blocks })
    }

    /// Calls `met` with every two sets that may be alike by what they share, in the order of the
    /// left ones.
    ///
    /// # Errors
    /// [`KernelError`], or what `met` answers.
    pub(super) fn each(
        mut self,
        prefixes: &Prefixes,
        rule: Resemblance,
        progress: &Progress,
        mut met: impl FnMut(Met, &Progress) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let mut listed = Vec::new();
        let pair_of = |meeting: u64| meeting >> (2 * PLACE_BITS);
        for block in 0..self.blocks.count() {
            self.blocks.take(block, &mut listed)?;
            progress.at(block, self.blocks.count());
            progress.tick(8 * listed.len())?;
            listed.sort_unstable();
            for same in listed.chunk_by(|&a, &b| pair_of(a) == pair_of(b)) {
                let last = same[same.len() - 1];
                let left = block << BLOCK_BITS | (last >> (32 + 2 * PLACE_BITS)) as usize;
                let right = pair_of(last) as u32 as usize;
                let own_place = prefixes.sets[left].place(last >> PLACE_BITS & PLACES);
                let places = [own_place, prefixes.sets[right].place(last & PLACES)];
                let pair = Met { left, right, shared: same.len() as u32, places };
                if pair.may_be_alike(prefixes, rule) {
                    met(pair, progress)?;
                }
            }
        }
        Ok(())
    }
}

impl Met {
    /// Return whether the values after the last shared rare one can bring enough.
    fn may_be_alike(&self, prefixes: &Prefixes, rule: Resemblance) -> bool {
        let (own, its) = (&prefixes.sets[self.left], &prefixes.sets[self.right]);
        let need = rule.values_needed(own.size as usize + its.size as usize) as u32;
        let after = |set: &Prefixed, place: u32| set.size - (place + 1).min(set.size);
        let most = after(own, self.places[0]).min(after(its, self.places[1]));
        let common = |set: usize| prefixes.common(set).len() as u32;
        let hits = self.shared + common(self.left).min(common(self.right));
        self.shared + most >= need && hits >= rule.hits(need)
    }
}

/// The set of a rare value.
#[inline]
fn set_of(kept: u64) -> usize {
    (kept >> PLACE_BITS) as u32 as usize
}

#[inline]
fn meeting(own: usize, value: u64, other: u64) -> u64 {
    let within = own as u64 & ((1 << BLOCK_BITS) - 1);
    let right = set_of(other) as u64;
    ((within << 32 | right) << PLACE_BITS | value & PLACES) << PLACE_BITS | other & PLACES
}
