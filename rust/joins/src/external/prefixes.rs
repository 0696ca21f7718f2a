//! The rarest values of each set, in one common order: by class of frequency, then by value. Two
//! sets alike enough share some of them (`overlap`).

use super::counts::{CLASSES, COMMON, Classes, ValueClasses};
use super::home::{Home, HomeNumber};
use super::sorted::{NumbersByReceiver, Pieces};
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

/// The greatest place in as many bits.
pub(super) const PLACES: u64 = (1 << PLACE_BITS) - 1;

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

/// A rare value of a prefix, as one number: the bits that its bucket does not name, its set, and
/// its rounded place in the prefix.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RareValue(u64);

impl RareValue {
    /// `token`: the spread value.
    fn new(token: u32, set: u64, rounded_place: u64) -> Self {
        // The bits of the bucket are shifted out, since they are known where it is read. What is
        // left has ten bits free for places.
        Self(u64::from(token << BUCKET_BITS) << 32 | set << PLACE_BITS | rounded_place)
    }

    /// The bits of the value that its bucket does not name.
    #[inline]
    pub(super) fn low_bits(self) -> u32 {
        (self.0 >> (32 + PLACE_BITS)) as u32
    }

    /// The place of its set in [`HomePrefixes::sets`].
    #[inline]
    pub(super) fn set(self) -> usize {
        (self.0 >> PLACE_BITS) as u32 as usize
    }

    #[inline]
    pub(super) fn rounded_place(self) -> u64 {
        self.0 & PLACES
    }
}

impl HomeNumber for RareValue {
    const BYTES: usize = u64::BYTES;
    #[inline]
    fn append_bytes(self, to: &mut Vec<u8>) {
        self.0.append_bytes(to);
    }
    #[inline]
    fn from_bytes(bytes: &[u8]) -> Self {
        Self(u64::from_bytes(bytes))
    }
}

/// The values of all sets that are looked up.
pub(super) struct HomePrefixes<'h> {
    pub(super) sets: Vec<Prefixed>,
    /// Rare values by bucket, each with its set as counted within its piece.
    rare: Pieces<'h, RareValue>,
    /// The first set of each piece.
    firsts: Vec<u32>,
    /// Common values of all sets, one set after the other.
    pub(super) common: Vec<u32>,
}

/// The values that are looked up of the sets of a piece.
#[derive(Default)]
struct PiecePrefixes {
    sets: Vec<Prefixed>,
    /// The bucket of each rare value, and what it is kept as.
    rare: Vec<(u16, RareValue)>,
    common: Vec<u32>,
}

/// Lists that a thread fills again and again.
#[derive(Default)]
struct PrefixBuffers {
    classes_of_piece: Classes,
    classes_of_set: Vec<u8>,
    values_by_class: [Vec<u32>; CLASSES],
}

/// Sets whose values were counted, piece by piece.
pub(super) struct CountedSets<'s> {
    pub(super) texts: &'s Texts<'s>,
    pub(super) nodes: &'s [Node],
    /// The places of each piece in `nodes`.
    pub(super) pieces: &'s [Range<usize>],
    pub(super) counts: &'s ValueClasses<'s>,
}

impl<'h> HomePrefixes<'h> {
    /// Selects them by pieces, and leaves out sets that none can resemble: those with too many
    /// values that no other has. `most_bytes`: what may be kept in memory.
    ///
    /// # Errors
    /// [`KernelError::NotEnough`], and those of [`Home`] and of `progress`.
    pub(super) fn select_where_partners_may_exist(
        sets: &CountedSets,
        rule: Resemblance,
        home: &'h Home<'h>,
        most_bytes: usize,
        team: &mut Team<()>,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let CountedSets { texts, nodes, pieces, counts } = sets;
        let mut rare = Pieces::new(home);
        let (lists, bytes) = (&rare.lists, AtomicUsize::new(0));
        let select =
            |(_, buffers): &mut (&mut (), PrefixBuffers), piece: usize, progress: &Progress| {
                progress.note_done(piece, pieces.len());
                let mut selection = PiecePrefixes::default();
                let PrefixBuffers { classes_of_piece, classes_of_set, values_by_class } = buffers;
                counts.read_piece(piece, classes_of_piece)?;
                for &node in &nodes[pieces[piece].clone()] {
                    let set = texts.set(node);
                    progress.spend_values(3 * set.len() + JUMP / 8)?;
                    classes_of_piece.read_next_set(set, classes_of_set);
                    selection.add_prefix_if_partner_may_exist(
                        node,
                        rule,
                        set,
                        classes_of_set,
                        values_by_class,
                    )?;
                }
                let own = super::memory_of_prefixes(selection.sets.len(), selection.common.len());
                if bytes.fetch_add(own, Ordering::Relaxed) + own > most_bytes {
                    // It is too much already: from here on, only count how much it would be.
                    return Ok(None);
                }
                let PiecePrefixes { sets, rare, common } = selection;
                let rare = rare.iter().map(|&(bucket, kept)| (usize::from(bucket), kept));
                let rare = NumbersByReceiver::sort_and_store(lists, 1 << BUCKET_BITS, rare)?;
                Ok(Some((sets, rare, common)))
            };
        let made = team.pair_each_state_with(|| Ok(PrefixBuffers::default()))?.share_out(
            pieces.len(),
            progress,
            select,
        )?;
        let bytes = bytes.into_inner();
        if bytes > most_bytes {
            return Err(KernelError::NotEnough { bytes, most: most_bytes });
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

    /// Puts the rare values of a bucket, in the order of their sets, in the place of those of a
    /// list.
    ///
    /// # Errors
    /// [`KernelError::Storage`] and [`KernelError::NoReserve`].
    pub(super) fn read_rare_values(
        &self,
        bucket: usize,
        to: &mut Vec<RareValue>,
    ) -> Result<(), KernelError> {
        to.clear();
        for (piece, &first) in self.rare.pieces.iter().zip(&self.firsts) {
            let begin = to.len();
            piece.append_numbers_of(&self.rare.lists, bucket, to)?;
            to[begin..].iter_mut().for_each(|kept| kept.0 += u64::from(first) << PLACE_BITS);
        }
        Ok(())
    }

    /// The common values in the prefix of the set at a place.
    pub(super) fn common_values_of(&self, place: usize) -> &[u32] {
        let start = place.checked_sub(1).map_or(0, |before| self.sets[before].common_end);
        &self.common[start as usize..self.sets[place].common_end as usize]
    }
}

impl PiecePrefixes {
    /// Adds the prefix of a set, whose values come with their classes; adds nothing if no other set
    /// can resemble it. `by_class` is scratch.
    fn add_prefix_if_partner_may_exist(
        &mut self,
        node: Node,
        rule: Resemblance,
        set: &[u32],
        classes: &[u8],
        by_class: &mut [Vec<u32>; CLASSES],
    ) -> Result<(), KernelError> {
        let counts = count_classes(classes);
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
        for (&value, &class) in set.iter().zip(classes) {
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
                let bucket = (token >> (u32::BITS - BUCKET_BITS)) as u16;
                reserve::push(&mut self.rare, (bucket, RareValue::new(token, own, place)))?;
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
