//! The rarest values of each set, in one common order: by class of frequency, then by value. Two
//! sets alike enough share some of them (`overlap`).

use super::buckets::Buckets;
use super::counts::{CLASSES, COMMON, Classes};
use super::home::Home;
use super::texts::{Node, Texts};
use crate::error::KernelError;
use crate::overlap::Resemblance;
use crate::progress::{JUMP, Progress};
use crate::reserve;

/// Rare values are bucketed by as many of their upper bits.
pub(super) const BUCKET_BITS: u32 = 10;

/// The least and the most rare values to a piece; all open pieces take one of this many parts of the
/// memory.
const LEAST_PIECE: usize = 1 << 4;
const MOST_PIECE: usize = 1 << 10;
const SHARES: usize = 16;

/// Bits of the place of a value in a prefix.
pub(super) const PLACE_BITS: u32 = 10;

/// A set that may have a partner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prefixed {
    pub(super) node: Node,
    pub(super) size: u32,
    /// Values of its prefix.
    pub(super) length: u32,
    /// Those of them that come before the common ones.
    pub(super) before: u32,
    /// The end of its common values in the list of all.
    pub(super) end: u64,
}

impl Prefixed {
    /// A place in the prefix, in few bits.
    #[inline]
    fn rounded_place(length: usize, place: usize) -> u64 {
        ((place << PLACE_BITS) / (length + 1)) as u64
    }

    /// The place that was rounded, or one before it.
    #[inline]
    pub(super) fn place(&self, rounded: u64) -> u32 {
        ((rounded * u64::from(self.length + 1)) >> PLACE_BITS) as u32
    }
}

/// The values of all sets that are looked up.
pub(super) struct Prefixes<'h> {
    pub(super) sets: Vec<Prefixed>,
    /// Rare values: the lower bits of each ([`low_bits`]), its set and its place there.
    pub(super) rare: Buckets<'h, u64>,
    /// Common values of all sets, one set after the other.
    pub(super) common: Vec<u32>,
}

impl<'h> Prefixes<'h> {
    /// Selects them, of sets in the order in which their values were counted. Sets with too many
    /// values that no other has are left out.
    ///
    /// # Errors
    /// [`KernelError`].
    pub(super) fn select(
        texts: &Texts,
        rule: Resemblance,
        mut classes: Classes,
        home: &'h Home<'h>,
        most: usize,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let piece = ((most / (8 * SHARES)) >> BUCKET_BITS).clamp(LEAST_PIECE, MOST_PIECE);
        let rare = Buckets::new(home, 1 << BUCKET_BITS, piece)?;
        let mut found = Self { sets: Vec::new(), rare, common: Vec::new() };
        let mut of = Vec::new();
        let mut by_class: [Vec<u32>; CLASSES] = Default::default();
        for node in texts.nodes(rule) {
            let set = texts.set(node);
            progress.at(node as usize, 2 * texts.kinds.len());
            progress.tick(3 * set.len() + JUMP / 8)?;
            classes.of(set, &mut of)?;
            found.add(node, rule, (set, &of), &mut by_class)?;
            let bytes = super::bytes(found.sets.len(), found.common.len());
            if bytes > most {
                // The sets to come take as much each.
                let bytes = bytes as u128 * 2 * texts.kinds.len() as u128 / (u128::from(node) + 1);
                return Err(KernelError::NotEnough { bytes: bytes as usize, most });
            }
        }
        Ok(found)
    }

    /// Adds what is looked up of a set, given with the classes of its values.
    fn add(
        &mut self,
        node: Node,
        rule: Resemblance,
        (set, of): (&[u32], &[u8]),
        by_class: &mut [Vec<u32>; CLASSES],
    ) -> Result<(), KernelError> {
        let counts = tally(of);
        let (size, lone) = (set.len(), counts[0]);
        let length = rule.prefix(size);
        if length < lone + rule.hits(rule.smallest(size) as u32) as usize {
            return Ok(());
        }
        let mut left = length - lone;
        let mut last = 1;
        let mut sum = counts[1];
        while sum < left && last + 1 < CLASSES {
            last += 1;
            sum += counts[last];
        }
        by_class.iter_mut().for_each(Vec::clear);
        for (&value, &class) in set.iter().zip(of) {
            if (1..=last).contains(&(class as usize)) {
                by_class[class as usize].push(value);
            }
        }
        let own = self.sets.len() as u64;
        let mut before = lone;
        for (class, values) in by_class.iter().enumerate().take(last + 1) {
            let values = &values[..values.len().min(left)];
            left -= values.len();
            if class >= COMMON {
                reserve::more(&mut self.common, values.len())?;
                self.common.extend_from_slice(values);
                continue;
            }
            for (place, &value) in values.iter().enumerate() {
                let token = value.wrapping_mul(0x9E37_79B1);
                let place = Prefixed::rounded_place(length, before + place);
                let kept = u64::from(token << BUCKET_BITS) << 32 | own << PLACE_BITS | place;
                self.rare.push((token >> (u32::BITS - BUCKET_BITS)) as usize, kept)?;
            }
            before += values.len();
        }
        let (size, length, before) = (size as u32, length as u32, before as u32);
        let end = self.common.len() as u64;
        reserve::push(&mut self.sets, Prefixed { node, size, length, before, end })
    }

    /// The common values of a set.
    pub(super) fn common(&self, own: usize) -> &[u32] {
        let start = own.checked_sub(1).map_or(0, |before| self.sets[before].end);
        &self.common[start as usize..self.sets[own].end as usize]
    }
}

/// The lower bits of a rare value, which its bucket does not name.
#[inline]
pub(super) fn low_bits(kept: u64) -> u32 {
    (kept >> (32 + PLACE_BITS)) as u32
}

/// Count the values of each class.
fn tally(classes: &[u8]) -> [usize; CLASSES] {
    // Neighbours count apart: else one would wait for the other.
    let mut counts = [[0_u32; CLASSES]; 4];
    let (fours, rest) = classes.as_chunks::<4>();
    for four in fours {
        for (counts, &class) in counts.iter_mut().zip(four) {
            counts[class as usize % CLASSES] += 1;
        }
    }
    for &class in rest {
        counts[0][class as usize % CLASSES] += 1;
    }
    std::array::from_fn(|class| counts.iter().map(|of| of[class] as usize).sum())
}
