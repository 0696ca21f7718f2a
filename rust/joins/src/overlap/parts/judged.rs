//! The judgement of pairs that were found: bitmaps and then values decide, each pair once.

use super::{BITMAP_WIDTH, Comparison, Side};
use crate::components::Forest;
use crate::error::KernelError;
use crate::overlap::bitmap::count_differing_bits;
use crate::overlap::catalogue::Catalogue;
use crate::overlap::ratio::Resemblance;
use crate::overlap::verdict::Verdict;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use crate::simd::prefetch::prefetch;

/// Distances, in pairs, at which bitmaps and sets of coming pairs are asked for.
const BITMAPS_AHEAD: usize = 12;
const SETS_AHEAD: usize = 3;

/// Unlike pairs to remember, in addition to one for every second set.
const UNLIKE_REMEMBERED: usize = 1 << 16;

/// The least table of pairs.
const LEAST_SLOTS: usize = 1 << 12;

/// The use of the alike pairs that one thread finds. Of pairs that are listed, two threads may find
/// the same.
pub(in crate::overlap) trait Sink: Send {
    /// True if pairs of connected sets need not be found.
    const FAMILIES: bool;

    /// Names a set that asks and a member; two sets of one name are one set.
    fn names_of_pair(&self, asker: u32, member: u32) -> (u32, u32);

    /// The name of what the set of a name is connected with, where families are asked for.
    fn root_of_name(&mut self, name: u32) -> u32;

    /// Takes a pair that is alike, and how many values it shares.
    ///
    /// # Errors
    /// Whatever ends the join.
    fn take_alike(&mut self, asker: u32, member: u32, shared: u32) -> Result<(), KernelError>;
}

/// Lists every pair.
pub(in crate::overlap) struct Pairs<'c, 'a> {
    askers: &'c Catalogue<'a>,
    members: &'c Catalogue<'a>,
    /// The set that asks, the member, and how many values they share.
    alike: Vec<(u32, u32, u32)>,
    /// The pairs of rows that they make, and that this thread has listed before.
    row_pairs: u64,
    limit: u64,
}

impl<'c, 'a> Pairs<'c, 'a> {
    /// Lists pairs that make at most `limit` pairs of rows.
    pub(in crate::overlap) fn new(
        askers: &'c Catalogue<'a>,
        members: &'c Catalogue<'a>,
        limit: u64,
    ) -> Self {
        Self { askers, members, alike: Vec::new(), row_pairs: 0, limit }
    }

    /// Hands over what is listed.
    pub(in crate::overlap) fn drain(&mut self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.alike.drain(..)
    }
}

impl Sink for Pairs<'_, '_> {
    const FAMILIES: bool = false;

    fn names_of_pair(&self, asker: u32, member: u32) -> (u32, u32) {
        (asker, member)
    }

    fn root_of_name(&mut self, name: u32) -> u32 {
        name
    }

    fn take_alike(&mut self, asker: u32, member: u32, shared: u32) -> Result<(), KernelError> {
        let [rows, others] = [self.askers.rows(asker), self.members.rows(member)];
        self.row_pairs = self.row_pairs.saturating_add(rows.len() as u64 * others.len() as u64);
        if self.row_pairs > self.limit {
            // The least there are, whichever thread found them.
            return Err(KernelError::TooManyPairs { count: self.limit + 1, limit: self.limit });
        }
        reserve::push(&mut self.alike, (asker, member, shared))
    }
}

/// Connects the sets of one catalogue, or of two that stand one after the other in a forest, which
/// all threads share: what is connected in the end does not depend on who connects it, and when.
#[derive(Clone, Copy)]
pub(in crate::overlap) struct Families<'f> {
    pub(in crate::overlap) forest: &'f Forest,
    /// The node of the first set that asks.
    pub(in crate::overlap) askers: u32,
    /// The node of the first member.
    pub(in crate::overlap) members: u32,
}

impl Sink for Families<'_> {
    const FAMILIES: bool = true;

    fn names_of_pair(&self, asker: u32, member: u32) -> (u32, u32) {
        (self.askers + asker, self.members + member)
    }

    fn root_of_name(&mut self, name: u32) -> u32 {
        self.forest.root_of(name)
    }

    fn take_alike(&mut self, asker: u32, member: u32, _: u32) -> Result<(), KernelError> {
        self.forest.unite(self.askers + asker, self.members + member);
        Ok(())
    }
}

/// Judges the pairs of a set that asks and a member.
pub(super) struct PairJudge<'j, 'c, 'a, S> {
    members: &'j Side<'c, 'a>,
    askers: &'j Side<'c, 'a>,
    rule: Resemblance,
    verdict: Verdict,
    pub(super) sink: S,
    /// Pairs of this class that are not alike, as far as they were not forgotten.
    unlike_pairs: PairTable,
    /// Those that are alike, where each is reported once.
    reported_pairs: PairTable,
}

impl<'j, 'c, 'a, S: Sink> PairJudge<'j, 'c, 'a, S> {
    pub(super) fn new(comparison: Comparison<'j, 'c, 'a>, sink: S) -> Self {
        let Comparison { members, askers, rule, .. } = comparison;
        let verdict = Verdict::new(rule, members.catalogue.exact_threshold());
        let (unlike, reported) = (PairTable::default(), PairTable::default());
        Self {
            members,
            askers,
            rule,
            verdict,
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

    /// True if both sets already belong to one family, so that the pair need not be judged.
    #[inline]
    pub(super) fn is_settled(&mut self, asker: u32, member: u32) -> bool {
        let (asker, member) = self.sink.names_of_pair(asker, member);
        S::FAMILIES && self.sink.root_of_name(asker) == self.sink.root_of_name(member)
    }

    /// True if the bitmaps of two sets let them be alike.
    #[inline]
    pub(super) fn may_be_alike(&self, asker: u32, member: u32) -> bool {
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
    pub(super) fn fetch_bitmap(&self, member: u32) {
        prefetch(&self.members.bitmaps[member as usize]);
    }

    /// Judges a pair, unless it was judged before; true if it is alike, and was not reported.
    ///
    /// # Errors
    /// Those of the sink, [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn judge_if_new(
        &mut self,
        asker: u32,
        member: u32,
        progress: &Progress,
    ) -> Result<bool, KernelError> {
        let key = self.pair_key_in_sink(asker, member);
        if self.unlike_pairs.contains(key) || self.reported_pairs.contains(key) {
            return Ok(false);
        }
        let (askers, members) = (self.askers.catalogue, self.members.catalogue);
        let (set, other) = (askers.set(asker), members.set(member));
        progress.spend_values(set.len() + other.len() + JUMP)?;
        let whole_hashes = || (askers.whole_hashes(asker), members.whole_hashes(member));
        let Some(shared) = self.verdict.count_if_alike(set, other, whole_hashes) else {
            // A forgotten pair is judged again, and unlike again. Reported ones are not forgotten:
            // a second report would count against the limit.
            if self.unlike_pairs.used > UNLIKE_REMEMBERED + askers.len() as usize / 2 {
                self.unlike_pairs.clear();
            }
            self.unlike_pairs.add(key)?;
            return Ok(false);
        };
        if !S::FAMILIES {
            self.reported_pairs.add(key)?;
        }
        self.sink.take_alike(asker, member, shared)?;
        Ok(true)
    }

    /// Judges pairs that were found, and empties the list.
    ///
    /// # Errors
    /// As [`Self::judge_if_new`].
    pub(super) fn judge_found(
        &mut self,
        found: &mut Vec<(u32, u32)>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        // Twice over the list: bitmaps rule most pairs out, and only then are sets worth asking
        // for.
        let mut kept = 0;
        for at in 0..found.len() {
            let (asker, member) = found[at];
            if let Some(&(_, member)) = found.get(at + BITMAPS_AHEAD) {
                self.fetch_bitmap(member);
            }
            if !self.is_settled(asker, member) && self.may_be_alike(asker, member) {
                found[kept] = (asker, member);
                kept += 1;
            }
        }
        found.truncate(kept);
        for at in 0..found.len() {
            let (asker, member) = found[at];
            if let Some(&(asker, member)) = found.get(at + BITMAPS_AHEAD) {
                self.unlike_pairs.prefetch_slot(self.pair_key_in_sink(asker, member));
            }
            if let Some(&(asker, member)) = found.get(at + SETS_AHEAD) {
                self.askers.catalogue.prefetch_set(asker);
                self.members.catalogue.prefetch_set(member);
            }
            // Pairs judged since may have connected these two.
            if !self.is_settled(asker, member) {
                self.judge_if_new(asker, member, progress)?;
            }
        }
        found.clear();
        Ok(())
    }

    /// One number for a pair, not 0; where families are asked for, whoever asks.
    #[inline]
    fn pair_key_in_sink(&self, asker: u32, member: u32) -> u64 {
        let (asker, member) = self.sink.names_of_pair(asker, member);
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
