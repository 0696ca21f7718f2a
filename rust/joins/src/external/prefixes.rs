//! The rarest values of each set, in one common order: by class of frequency, then by value. Two
//! sets alike enough share some of them (`overlap`).

use super::counts::{CLASSES, COMMON, Classes, Counts};
use super::home::Home;
use super::sorted::{Pieces, Sorted};
use super::texts::{Node, Texts};
use crate::error::KernelError;
use crate::overlap::Resemblance;
use crate::parallel::Team;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rare values are bucketed by as many of their upper bits.
pub(super) const BUCKET_BITS: u32 = 10;

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
    pub(super) before_common: u32,
    /// The end of its common values in the list of all.
    pub(super) common_end: u64,
}

impl Prefixed {
    /// A place in the prefix, in few bits.
    #[inline]
    fn rounded_place(length: usize, place: usize) -> u64 {
        // Down here and down again when it is read: a place that is too early only lets a pair
        // through to be verified.
        ((place << PLACE_BITS) / (length + 1)) as u64
    }

    /// The place that was rounded, or one before it.
    #[inline]
    pub(super) fn place_at_or_before(&self, rounded_place: u64) -> u32 {
        ((rounded_place * u64::from(self.length + 1)) >> PLACE_BITS) as u32
    }
}

/// The values of all sets that are looked up.
pub(super) struct Prefixes<'h> {
    pub(super) sets: Vec<Prefixed>,
    /// Rare values by bucket: the lower bits of each ([`low_bits`]), its set within its piece, and
    /// its place there.
    rare: Pieces<'h, u64>,
    /// The first set of each piece.
    firsts: Vec<u32>,
    /// Common values of all sets, one set after the other.
    pub(super) common: Vec<u32>,
}

/// The values that are looked up of the sets of a piece.
#[derive(Default)]
struct Selection {
    sets: Vec<Prefixed>,
    /// The bucket and the rest of each rare value.
    rare: Vec<(u16, u64)>,
    common: Vec<u32>,
}

/// Lists that a thread fills again and again: the classes of a piece and those of a set, and the
/// values of a set by class.
type Buffers = (Classes, Vec<u8>, [Vec<u32>; CLASSES]);

impl<'h> Prefixes<'h> {
    /// Selects them, of sets whose values were counted, by pieces. Sets with too many values that
    /// no other has are left out.
    ///
    /// # Errors
    /// [`KernelError`].
    pub(super) fn select(
        (texts, rule): (&Texts, Resemblance),
        (nodes, pieces): (&[Node], &[Range<usize>]),
        counts: &Counts,
        (home, most): (&'h Home<'h>, usize),
        team: &mut Team<()>,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let mut rare = Pieces::new(home);
        let (lists, bytes) = (&rare.lists, AtomicUsize::new(0));
        let select = |(_, buffers): &mut (&mut (), Buffers), piece: usize, progress: &Progress| {
            progress.note_done(piece, pieces.len());
            let mut selection = Selection::default();
            let (classes, of, by_class) = buffers;
            counts.read(piece, classes)?;
            for &node in &nodes[pieces[piece].clone()] {
                let set = texts.set(node);
                progress.spend_values(3 * set.len() + JUMP / 8)?;
                classes.read_next_set(set, of);
                selection.add_prefix_of_set(node, rule, (set, of), by_class)?;
            }
            let own = super::memory_of_prefixes(selection.sets.len(), selection.common.len());
            if bytes.fetch_add(own, Ordering::Relaxed) + own > most {
                // It is too much already: from here on it is only reckoned how much it would be.
                return Ok(None);
            }
            let Selection { sets, rare, common } = selection;
            let rare = rare.iter().map(|&(bucket, kept)| (usize::from(bucket), kept));
            let rare = Sorted::by_receiver(lists, 1 << BUCKET_BITS, rare)?;
            Ok(Some((sets, rare, common)))
        };
        let made = team.pair_each_state_with(|| Ok(Buffers::default()))?.share_out(
            pieces.len(),
            progress,
            select,
        )?;
        let bytes = bytes.into_inner();
        if bytes > most {
            return Err(KernelError::NotEnough { bytes, most });
        }
        let (mut sets, mut common) = (Vec::new(), Vec::new());
        let mut firsts = reserve::new_list(made.len())?;
        for (own, sorted, values) in made.into_iter().flatten() {
            firsts.push(sets.len() as u32);
            let base = common.len() as u64;
            reserve::make_room(&mut sets, own.len())?;
            sets.extend(
                own.into_iter().map(|set| Prefixed { common_end: base + set.common_end, ..set }),
            );
            reserve::make_room(&mut common, values.len())?;
            common.extend_from_slice(&values);
            rare.pieces.push(sorted);
        }
        Ok(Self { sets, rare, firsts, common })
    }

    /// Puts the rare values of a bucket in the place of those of a list: the lower bits of each, its
    /// set, and its place there.
    ///
    /// # Errors
    /// [`KernelError::Storage`] and [`KernelError::NoReserve`].
    pub(super) fn read_rare(&self, bucket: usize, to: &mut Vec<u64>) -> Result<(), KernelError> {
        to.clear();
        for (piece, &first) in self.rare.pieces.iter().zip(&self.firsts) {
            let begin = to.len();
            piece.read(&self.rare.lists, bucket, to)?;
            to[begin..].iter_mut().for_each(|kept| *kept += u64::from(first) << PLACE_BITS);
        }
        Ok(())
    }

    /// The common values of a set.
    pub(super) fn common_values(&self, own: usize) -> &[u32] {
        let start = own.checked_sub(1).map_or(0, |before| self.sets[before].common_end);
        &self.common[start as usize..self.sets[own].common_end as usize]
    }
}

impl Selection {
    /// Adds what is looked up of a set, given with the classes of its values.
    fn add_prefix_of_set(
        &mut self,
        node: Node,
        rule: Resemblance,
        (set, of): (&[u32], &[u8]),
        by_class: &mut [Vec<u32>; CLASSES],
    ) -> Result<(), KernelError> {
        let counts = count_classes(of);
        let (size, lone) = (set.len(), counts[0]);
        let length = rule.prefix_length(size);
        // Any set that resembles it would share a value that no other set has.
        if length < lone + rule.prefix_hits(rule.smallest_partner(size) as u32) as usize {
            return Ok(());
        }
        let mut left = length - lone;
        let mut last = 1;
        let mut sum = counts[1];
        // The class that fills the prefix: rarer ones are in it whole, and of this one the first by
        // value.
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
                reserve::make_room(&mut self.common, values.len())?;
                self.common.extend_from_slice(values);
                continue;
            }
            for (place, &value) in values.iter().enumerate() {
                let token = value.wrapping_mul(0x9E37_79B1);
                let place = Prefixed::rounded_place(length, before + place);
                // The bits of the bucket are shifted out, since they are known where it is read.
                // What is left has ten bits free for places.
                let kept = u64::from(token << BUCKET_BITS) << 32 | own << PLACE_BITS | place;
                let bucket = (token >> (u32::BITS - BUCKET_BITS)) as u16;
                reserve::push(&mut self.rare, (bucket, kept))?;
            }
            before += values.len();
        }
        let (size, length, before) = (size as u32, length as u32, before as u32);
        let end = self.common.len() as u64;
        reserve::push(
            &mut self.sets,
            Prefixed { node, size, length, before_common: before, common_end: end },
        )
    }
}

/// The lower bits of a rare value, which its bucket does not name.
#[inline]
pub(super) fn low_bits(kept: u64) -> u32 {
    (kept >> (32 + PLACE_BITS)) as u32
}

/// Count the values of each class.
fn count_classes(classes: &[u8]) -> [usize; CLASSES] {
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
