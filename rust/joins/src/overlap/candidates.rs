//! The sets that may resemble a given one: prefix filter with length and positional bounds
//! (Bayardo et al. 2007; Xiao et al. 2008, section 3).

use super::catalogue::{Catalogue, CatalogueTail, Rank};
use super::intersect::AHEAD;
use super::postings::Postings;
use super::prefix::{Prefix, Prefixes};
use super::ratio::Resemblance;
use super::verifier::Verifier;
use crate::error::KernelError;
use crate::progress::{JUMP, Progress};
use crate::sets::saturate_to_u32;
use std::ops::{Range, RangeInclusive};

/// Finds, among indexed sets, those that resemble a given one.
pub(super) struct Candidates<'c, 'a> {
    rule: Resemblance,
    sets: CatalogueTail<'c, 'a>,
    postings: Postings,
    needs: Needs,
    /// Sets of the index seen so far, from the first one on.
    seen: SharedCounts,
    verifier: Verifier,
}

/// A set to ask for.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) set: &'q [u32],
    /// Its whole hashes, where it is large.
    pub(super) whole: Option<&'q [u64]>,
    pub(super) prefix: Prefix<'q>,
}

impl<'q> Question<'q> {
    /// The question for the neighbours of a set of a catalogue.
    pub(super) fn of(catalogue: &Catalogue<'q>, prefixes: &'q Prefixes, rank: Rank) -> Self {
        let (set, prefix) = (catalogue.set(rank), prefixes.get(rank));
        Self { set, prefix, whole: catalogue.whole_hashes_if_large(rank) }
    }
}

/// Lookup of the values of a prefix among indexed sets.
pub(crate) struct PrefixScan<'s> {
    pub(crate) rule: Resemblance,
    /// The sizes of all sets by rank, ascending.
    pub(crate) sizes: &'s [u32],
    /// The rank of the first set that [`SharedCounts`] counts.
    pub(crate) first: Rank,
    /// The ranks that may answer.
    pub(crate) ranks: Range<Rank>,
    /// The size of the set that asks.
    pub(crate) asking_size: usize,
    pub(crate) asking_prefix: Prefix<'s>,
}

impl PrefixScan<'_> {
    /// Counts, for each set of these ranks, the values that it shares with the prefix of the set
    /// that asks, as long as what is left on both sides lets them share enough (the positional
    /// filter of Xiao et al. 2008, section 3). Removed sets are left out, and in time out of the
    /// postings.
    ///
    /// `need`: how many values a set of some size must share with the one that asks.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(crate) fn count_shared(
        self,
        postings: &mut Postings,
        seen: &mut SharedCounts,
        need: impl Fn(u32) -> u32,
        removed: impl Fn(u32) -> bool,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let Self { rule, sizes, first, ranks, asking_size, asking_prefix: prefix } = self;
        let mut high = ranks.end;
        for (place, &token) in prefix.tokens.iter().enumerate() {
            postings.prefetch_ahead(&prefix.tokens[place..]);
            // No indexed set has a lone value, so that those are not left to be shared.
            let left = saturate_to_u32(asking_size - prefix.lone - place);
            // The largest sets demand most: once what is left cannot bring one of them to its
            // hits, no later value can either, and it is not looked at again.
            // Sets that have their hits by now are found already. Another one has a hit too few at
            // the most, so that with all that is left it comes to `left + hits - 1` values.
            while high > ranks.start && {
                let need = need(sizes[high as usize - 1]);
                need >= left + rule.prefix_hits(need)
            } {
                let largest = sizes[high as usize - 1];
                high =
                    saturate_to_u32(sizes[..high as usize].partition_point(|&size| size < largest));
            }
            if high <= ranks.start {
                break;
            }
            let (mut read, mut met) = (0, 0);
            for posting in postings.entries_descending(token, ranks.start..high) {
                read += 1;
                if removed(posting.rank) {
                    met += 1;
                    continue;
                }
                let its_size = sizes[posting.rank as usize];
                let its_left = its_size - posting.least_position;
                seen.count_one_or_reset(posting.rank - first, left.min(its_left), need(its_size));
            }
            // A value without postings still costs a look into its bucket: a line of eight.
            progress.spend_values(read + 8)?;
            postings.sweep_if_due(token, met, &removed);
        }
        Ok(())
    }
}

/// Indexed sets that were seen in answering one question.
pub(crate) struct SharedCounts {
    /// Values each indexed set shares with the set asked for.
    counts: Vec<u32>,
    /// The sets that share any.
    pub(crate) found: Vec<u32>,
}

/// Values that sets of some sizes must share with a set of one size, computed once for many sets.
struct Needs {
    size: usize,
    sizes: RangeInclusive<u32>,
    shared: Vec<u32>,
}

impl<'c, 'a> Candidates<'c, 'a> {
    /// Prepares to ask among some sets, with their `postings`.
    pub(super) fn new(rule: Resemblance, sets: CatalogueTail<'c, 'a>, postings: Postings) -> Self {
        let seen = SharedCounts::new(sets.len());
        let verifier = Verifier::new(rule, sets.catalogue.exact_threshold());
        let needs = Needs { size: 0, sizes: 0..=0, shared: Vec::new() };
        Self { rule, sets, postings, needs, seen, verifier }
    }

    /// Calls `hit` with the rank of each set from `ranks` that resembles `question`, and with how
    /// many values they share.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`], or what `hit` answers.
    pub(super) fn each_match(
        &mut self,
        question: Question,
        ranks: Range<Rank>,
        removed: impl Fn(u32) -> bool,
        progress: &Progress,
        mut hit: impl FnMut(Rank, u32) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        self.find_candidates(question, ranks, removed, progress)?;
        for place in 0..self.seen.found.len() {
            let rank = self.seen.found[place];
            if let Some(&coming) = self.seen.found.get(place + AHEAD) {
                self.sets.catalogue.prefetch_set(coming);
            }
            if let Some(shared) = self.count_shared_if_alike(question, rank, progress)? {
                hit(rank, shared)?;
            }
        }
        Ok(())
    }

    /// Finds the sets from `ranks` that may resemble `question` ([`Self::ranks_found`]). Removed
    /// sets are left out, and in time out of the index.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn find_candidates(
        &mut self,
        question: Question,
        ranks: Range<Rank>,
        removed: impl Fn(u32) -> bool,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        self.seen.found.clear();
        if ranks.is_empty() {
            return Ok(());
        }
        let Question { set, prefix, .. } = question;
        let sizes = self.sets.catalogue.sizes();
        let (smallest, largest) = (sizes[ranks.start as usize], sizes[ranks.end as usize - 1]);
        self.needs.prepare(self.rule, set.len(), smallest..=largest);
        let scan = PrefixScan {
            rule: self.rule,
            sizes,
            first: self.sets.first,
            ranks,
            asking_size: set.len(),
            asking_prefix: prefix,
        };
        let needs = &self.needs;
        scan.count_shared(
            &mut self.postings,
            &mut self.seen,
            |size| needs.of(size),
            removed,
            progress,
        )?;
        progress.spend_values(set.len() + JUMP)?;
        let Self { rule, needs, seen, sets: CatalogueTail { first, .. }, .. } = self;
        seen.keep_enough(|seen, count| {
            count >= rule.prefix_hits(needs.of(sizes[(*first + seen) as usize]))
        });
        seen.found.iter_mut().for_each(|seen| *seen += *first);
        Ok(())
    }

    /// The answer to the last question: all sets that resemble it, and few others; each once, in a
    /// fixed order.
    pub(super) fn ranks_found(&self) -> &[Rank] {
        &self.seen.found
    }

    /// Counts the values that `question` shares with the set of rank `rank`, if that is enough.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn count_shared_if_alike(
        &self,
        question: Question,
        rank: Rank,
        progress: &Progress,
    ) -> Result<Option<u32>, KernelError> {
        let (set, other) = (question.set, self.sets.catalogue.set(rank));
        progress.spend_values(set.len() + other.len() + JUMP)?;
        let whole = || (question.whole, self.sets.catalogue.whole_hashes_if_large(rank));
        Ok(self.verifier.count_if_alike(set, other, whole))
    }
}

impl SharedCounts {
    /// Starts with nothing seen of any of `sets` sets.
    pub(crate) fn new(sets: usize) -> Self {
        Self { counts: vec![0; sets], found: Vec::new() }
    }

    /// Notes a value shared with the set `rank`, where `left` are left on the shorter side,
    /// itself included, where `need` must be shared in all. Both sets are read in the same order,
    /// so that what was counted before and what is left is all that can be shared. A set that
    /// fails once fails from then on: its count goes back to zero, and less is left each time.
    #[inline]
    pub(crate) fn count_one_or_reset(&mut self, rank: u32, left: u32, need: u32) {
        let count = &mut self.counts[rank as usize];
        if *count + left >= need {
            if *count == 0 {
                self.found.push(rank);
            }
            *count += 1;
        } else {
            *count = 0;
        }
    }

    /// Drops every count, and the sets whose rank and count will not do.
    pub(crate) fn keep_enough(&mut self, will_do: impl Fn(u32, u32) -> bool) {
        let counts = &mut self.counts;
        self.found.retain(|&rank| will_do(rank, std::mem::take(&mut counts[rank as usize])));
    }
}

impl Needs {
    /// Computes what a set of `size` values must share with sets of `sizes`.
    fn prepare(&mut self, rule: Resemblance, size: usize, sizes: RangeInclusive<u32>) {
        if self.size == size && self.sizes == sizes {
            return;
        }
        let shared = |other: u32| saturate_to_u32(rule.values_needed(size + other as usize));
        self.shared.clear();
        self.shared.extend(sizes.clone().map(shared));
        (self.size, self.sizes) = (size, sizes);
    }

    #[inline]
    fn of(&self, size: u32) -> u32 {
        self.shared[(size - self.sizes.start()) as usize]
    }
}
