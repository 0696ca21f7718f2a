//! The judgement of pairs that were found: bitmaps and then values decide, each pair once.

use super::{BITMAP_WIDTH, Comparison, Side};
use crate::components::Forest;
use crate::error::KernelError;
use crate::overlap::bitmap::count_differing_bits;
use crate::overlap::catalogue::{Catalogue, Rank};
use crate::overlap::ratio::Resemblance;
use crate::overlap::verifier::Verifier;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use crate::simd::prefetch::prefetch;

/// Distances, in pairs, at which bitmaps and sets of coming pairs are asked for: memory answers in
/// the time of some looks at a bitmap, or of a few intersections, which take longer.
const BITMAPS_AHEAD: usize = 12;
const SETS_AHEAD: usize = 3;

/// Unlike pairs to remember, in addition to one for every second set: the table of them must not
/// grow with the pairs, which may be quadratic.
const UNLIKE_REMEMBERED: usize = 1 << 16;

/// The least table of pairs: smaller ones would only be doubled again.
const LEAST_SLOTS: usize = 1 << 12;

/// The use of the alike pairs that one thread finds. Of pairs that are listed, two threads may find
/// the same.
pub(in crate::overlap) trait Sink: Send {
    /// True if pairs of connected sets need not be found.
    const FAMILIES: bool;

    /// The node of a set that asks: a number that it shares with no other set. It shares it with a
    /// member where both are one set of one catalogue.
    fn node_of_asker(&self, asker: Rank) -> u32;

    /// The node of a member.
    fn node_of_member(&self, member: Rank) -> u32;

    /// The least node of all that are connected with a node by now; itself where families are not
    /// asked for.
    fn root_of_node(&self, node: u32) -> u32;

    /// Takes a pair that is alike, and how many values it shares.
    ///
    /// # Errors
    /// Whatever ends the join.
    fn take_alike(&mut self, pair: AlikePair) -> Result<(), KernelError>;
}

/// Two sets that are alike.
#[derive(Debug, Clone, Copy)]
pub(in crate::overlap) struct AlikePair {
    /// The set that asks.
    pub(in crate::overlap) asker: Rank,
    pub(in crate::overlap) member: Rank,
    /// The number of values that they share.
    pub(in crate::overlap) shared: u32,
}

/// Lists every pair.
pub(in crate::overlap) struct PairSink<'c, 'a> {
    askers: &'c Catalogue<'a>,
    members: &'c Catalogue<'a>,
    alike: Vec<AlikePair>,
    /// The pairs of rows that they make, and that this thread has listed before.
    row_pairs: u64,
    most_row_pairs: u64,
}

impl<'c, 'a> PairSink<'c, 'a> {
    /// Lists pairs that make at most `most_row_pairs` pairs of rows in all, those that were drained
    /// included.
    pub(in crate::overlap) fn new(
        askers: &'c Catalogue<'a>,
        members: &'c Catalogue<'a>,
        most_row_pairs: u64,
    ) -> Self {
        Self { askers, members, alike: Vec::new(), row_pairs: 0, most_row_pairs }
    }

    /// Hands over what is listed.
    pub(in crate::overlap) fn drain(&mut self) -> impl Iterator<Item = AlikePair> {
        self.alike.drain(..)
    }
}

impl Sink for PairSink<'_, '_> {
    const FAMILIES: bool = false;

    fn node_of_asker(&self, asker: Rank) -> u32 {
        asker
    }

    fn node_of_member(&self, member: Rank) -> u32 {
        member
    }

    fn root_of_node(&self, node: u32) -> u32 {
        node
    }

    fn take_alike(&mut self, pair: AlikePair) -> Result<(), KernelError> {
        let [rows, others] = [self.askers.rows(pair.asker), self.members.rows(pair.member)];
        self.row_pairs = self.row_pairs.saturating_add(rows.len() as u64 * others.len() as u64);
        let limit = self.most_row_pairs;
        if self.row_pairs > limit {
            // The least there are, whichever thread found them.
            return Err(KernelError::TooManyPairs { count: limit + 1, limit });
        }
        reserve::push(&mut self.alike, pair)
    }
}

/// Connects the sets of one catalogue, or of two that stand one after the other in a forest, which
/// all threads share: what is connected in the end does not depend on who connects it, and when.
#[derive(Clone, Copy)]
pub(in crate::overlap) struct FamilySink<'f> {
    pub(in crate::overlap) forest: &'f Forest,
    pub(in crate::overlap) first_asker_node: u32,
    pub(in crate::overlap) first_member_node: u32,
}

impl Sink for FamilySink<'_> {
    const FAMILIES: bool = true;

    fn node_of_asker(&self, asker: Rank) -> u32 {
        self.first_asker_node + asker
    }

    fn node_of_member(&self, member: Rank) -> u32 {
        self.first_member_node + member
    }

    fn root_of_node(&self, node: u32) -> u32 {
        self.forest.root_of(node)
    }

    fn take_alike(&mut self, pair: AlikePair) -> Result<(), KernelError> {
        self.forest.unite(self.node_of_asker(pair.asker), self.node_of_member(pair.member));
        Ok(())
    }
}

/// Outcome of a look at a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It is alike, and the sink has it.
    NewlyAlike,
    /// It is not alike, or its answer was known before, whatever that was.
    UnlikeOrKnown,
}

/// Judges the pairs of a set that asks and a member.
pub(super) struct PairJudge<'j, 'c, 'a, S> {
    members: &'j Side<'c, 'a>,
    askers: &'j Side<'c, 'a>,
    rule: Resemblance,
    verifier: Verifier,
    pub(super) sink: S,
    /// Pairs of this class that are not alike, as far as they were not forgotten.
    unlike_pairs: PairTable,
    /// Those that are alike, where each is reported once.
    reported_pairs: PairTable,
}

impl<'j, 'c, 'a, S: Sink> PairJudge<'j, 'c, 'a, S> {
    pub(super) fn new(comparison: Comparison<'j, 'c, 'a>, sink: S) -> Self {
        let Comparison { members, askers, rule, .. } = comparison;
        let verifier = Verifier::new(rule, members.catalogue.exact_threshold());
        let (unlike, reported) = (PairTable::default(), PairTable::default());
        Self {
            members,
            askers,
            rule,
            verifier,
            sink,
            unlike_pairs: unlike,
            reported_pairs: reported,
        }
    }

    /// Forgets all pairs: no other class has one of them.
    pub(super) fn forget_pairs(&mut self) {
        self.unlike_pairs.clear();
        self.reported_pairs.clear();
    }

    /// True if families are asked for, and both sets are in one by now: the pair need not be
    /// judged.
    #[inline]
    pub(super) fn are_in_one_family(&self, asker: Rank, member: Rank) -> bool {
        let root = |node: u32| self.sink.root_of_node(node);
        S::FAMILIES
            && root(self.sink.node_of_asker(asker)) == root(self.sink.node_of_member(member))
    }

    /// True if the sizes and the bitmaps of two sets let them be alike.
    #[inline]
    pub(super) fn may_be_alike(&self, asker: Rank, member: Rank) -> bool {
        let size = self.askers.catalogue.sizes()[asker as usize] as usize;
        let other = self.members.catalogue.sizes()[member as usize] as usize;
        let need = self.rule.values_needed(size + other);
        let own = &self.askers.bitmaps[asker as usize];
        let differing =
            count_differing_bits::<BITMAP_WIDTH>(own, &self.members.bitmaps[member as usize]);
        size.min(other) >= need && differing <= size + other - 2 * need
    }

    /// Asks for the bitmap of a member.
    #[inline]
    pub(super) fn prefetch_bitmap_of_member(&self, member: Rank) {
        prefetch(&self.members.bitmaps[member as usize]);
    }

    /// Judges a pair by its values, unless it was judged before, and tells the sink if it is alike.
    ///
    /// # Errors
    /// Those of the sink, [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn judge_once(
        &mut self,
        asker: Rank,
        member: Rank,
        progress: &Progress,
    ) -> Result<Judgement, KernelError> {
        let key = self.make_pair_key(asker, member);
        if self.unlike_pairs.contains(key) || self.reported_pairs.contains(key) {
            return Ok(Judgement::UnlikeOrKnown);
        }
        let (askers, members) = (self.askers.catalogue, self.members.catalogue);
        let (set, other) = (askers.set(asker), members.set(member));
        progress.spend_values(set.len() + other.len() + JUMP)?;
        let whole_hashes =
            || (askers.whole_hashes_if_large(asker), members.whole_hashes_if_large(member));
        let Some(shared) = self.verifier.count_if_alike(set, other, whole_hashes) else {
            // A forgotten pair is judged again, and unlike again. Reported ones are not forgotten:
            // a second report would count against the limit.
            if self.unlike_pairs.used > UNLIKE_REMEMBERED + askers.len() as usize / 2 {
                self.unlike_pairs.clear();
            }
            self.unlike_pairs.add(key)?;
            return Ok(Judgement::UnlikeOrKnown);
        };
        if !S::FAMILIES {
            self.reported_pairs.add(key)?;
        }
        self.sink.take_alike(AlikePair { asker, member, shared })?;
        Ok(Judgement::NewlyAlike)
    }

    /// Judges pairs of a set that asks and a member, and empties their list. Pairs of one family
    /// and pairs that were judged before are passed over.
    ///
    /// # Errors
    /// As [`Self::judge_once`].
    pub(super) fn judge_and_clear_found(
        &mut self,
        found: &mut Vec<(Rank, Rank)>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        // Twice over the list: bitmaps rule most pairs out, and only then are sets worth asking
        // for.
        let mut kept = 0;
        for at in 0..found.len() {
            let (asker, member) = found[at];
            if let Some(&(_, member)) = found.get(at + BITMAPS_AHEAD) {
                self.prefetch_bitmap_of_member(member);
            }
            if !self.are_in_one_family(asker, member) && self.may_be_alike(asker, member) {
                found[kept] = (asker, member);
                kept += 1;
            }
        }
        found.truncate(kept);
        for at in 0..found.len() {
            let (asker, member) = found[at];
            if let Some(&(asker, member)) = found.get(at + BITMAPS_AHEAD) {
                self.unlike_pairs.prefetch_slot(self.make_pair_key(asker, member));
            }
            if let Some(&(asker, member)) = found.get(at + SETS_AHEAD) {
                self.askers.catalogue.prefetch_set(asker);
                self.members.catalogue.prefetch_set(member);
            }
            // Pairs judged since may have connected these two.
            if !self.are_in_one_family(asker, member) {
                self.judge_once(asker, member, progress)?;
            }
        }
        found.clear();
        Ok(())
    }

    /// One number for a pair, not 0, made of its nodes; where families are asked for, it is the
    /// same whoever asks.
    #[inline]
    fn make_pair_key(&self, asker: Rank, member: Rank) -> u64 {
        let (asker, member) = (self.sink.node_of_asker(asker), self.sink.node_of_member(member));
        let (high, low) =
            if S::FAMILIES && asker < member { (member, asker) } else { (asker, member) };
        (u64::from(high) << 32 | u64::from(low)) + 1
    }
}

/// Pairs by their numbers, in a table that is at most half full.
#[derive(Default)]
struct PairTable {
    /// 0 where none is.
    slots: Vec<u64>,
    used: usize,
}

impl PairTable {
    /// The place at which a number is looked for first.
    #[inline]
    fn first_slot(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - self.slots.len().ilog2())) as usize
    }

    #[inline]
    fn prefetch_slot(&self, key: u64) {
        if self.used > 0 {
            prefetch(&self.slots[self.first_slot(key)..]);
        }
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        if self.used == 0 {
            return false;
        }
        let mut place = self.first_slot(key);
        while self.slots[place] != 0 {
            if self.slots[place] == key {
                return true;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        false
    }

    /// Adds a number that is not there.
    fn add(&mut self, key: u64) -> Result<(), KernelError> {
        if 2 * self.used >= self.slots.len() {
            let more = reserve::repeat_value(0, (2 * self.slots.len()).max(LEAST_SLOTS))?;
            let before = std::mem::replace(&mut self.slots, more);
            before.into_iter().filter(|&key| key != 0).for_each(|key| self.fill_slot(key));
        }
        self.fill_slot(key);
        self.used += 1;
        Ok(())
    }

    fn fill_slot(&mut self, key: u64) {
        let mut place = self.first_slot(key);
        while self.slots[place] != 0 {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = key;
    }

    fn clear(&mut self) {
        if self.used > 0 {
            *self = Self::default();
        }
    }
}
