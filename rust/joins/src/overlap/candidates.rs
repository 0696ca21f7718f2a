//! The sets that may resemble a given one: prefix filter with length and positional bounds
//! (Bayardo et al. 2007; Xiao et al. 2008, section 3).

use super::catalogue::Catalogue;
use super::chance::slack;
use super::intersect::{AHEAD, intersect_at_least};
use super::parity::{Crowd, Parities, parity};
use super::postings::Postings;
use super::prefix::{Prefix, Prefixes};
use super::progress::{JUMP, Progress};
use super::ratio::Resemblance;
use crate::error::KernelError;
use crate::sets;
use crate::sets::as_u32;
use crate::simd::intersect::Blocks;
use crate::simd::prefetch::prefetch_set;
use std::ops::{Range, RangeInclusive};

/// As many pictures are looked at in the time that it takes to read a posting (measured: 0.1 to
/// 0.25 ns and 2 to 3 ns).
pub(super) const POSTING: usize = 12;

/// As many postings are read in the time that it takes to begin with either.
const CALL: usize = 64;

/// Questions that are answered from the lists after pictures did not tell.
const BLIND: usize = 256;

/// Finds, among indexed sets, those that resemble a given one.
pub(super) struct Candidates<'c, 'a> {
    rule: Resemblance,
    catalogue: &'c Catalogue<'a>,
    postings: Postings,
    parities: Parities,
    needs: Needs,
    seen: Seen,
    blocks: Blocks,
    /// The pictures side by side, once they are looked at.
    crowd: Option<Crowd>,
    /// Questions for which no look at pictures is worth its time.
    blind: usize,
}

/// A set to ask for.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) set: &'q [u32],
    /// Its whole hashes, where it is large.
    pub(super) whole: &'q [u64],
    pub(super) prefix: Prefix<'q>,
}

impl<'q> Question<'q> {
    /// The question for the like of a set of a catalogue.
    pub(super) fn of(catalogue: &Catalogue<'q>, prefixes: &'q Prefixes, rank: u32) -> Self {
        let (set, prefix) = (catalogue.set(rank), prefixes.get(rank));
        Self { set, prefix, whole: catalogue.whole(rank) }
    }
}

/// What was seen of the indexed sets in answering one question.
pub(crate) struct Seen {
    /// Values each indexed set shares with the set asked for.
    counts: Vec<u32>,
    /// The sets that share any.
    pub(crate) found: Vec<u32>,
}

/// What sets of some sizes must share with a set of one size, computed once for many such sets.
struct Needs {
    size: usize,
    sizes: RangeInclusive<u32>,
    shared: Vec<u32>,
}

impl<'c, 'a> Candidates<'c, 'a> {
    /// Prepares to ask among the sets of `catalogue`, with their `postings` and `parities`.
    pub(super) fn new(
        rule: Resemblance,
        catalogue: &'c Catalogue<'a>,
        postings: Postings,
        parities: Parities,
    ) -> Self {
        Self {
            rule,
            catalogue,
            postings,
            parities,
            needs: Needs::none(),
            seen: Seen::new(catalogue.len() as usize),
            blocks: Blocks::detect(),
            crowd: None,
            blind: 0,
        }
    }

    /// Calls `hit` with the rank of each set from `ranks` that resembles `question`, and with how
    /// many values they share.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`], or what `hit` answers.
    pub(super) fn each_match(
        &mut self,
        question: Question,
        ranks: Range<u32>,
        removed: impl Fn(u32) -> bool,
        progress: &mut Progress,
        mut hit: impl FnMut(u32, u32) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        self.find(question, ranks, removed, progress)?;
        for (place, &rank) in self.found().iter().enumerate() {
            if let Some(&coming) = self.found().get(place + AHEAD) {
                prefetch_set(self.catalogue.set(coming));
            }
            if let Some(shared) = self.verify(question, rank, progress)? {
                hit(rank, shared)?;
            }
        }
        Ok(())
    }

    /// Finds the sets from `ranks` that may resemble `question` ([`Self::found`]). Removed sets are
    /// left out, and in time out of the index.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn find(
        &mut self,
        question: Question,
        ranks: Range<u32>,
        removed: impl Fn(u32) -> bool,
        progress: &mut Progress,
    ) -> Result<(), KernelError> {
        self.seen.found.clear();
        if ranks.is_empty() {
            return Ok(());
        }
        let Question { set, prefix, .. } = question;
        let sizes = self.catalogue.sizes();
        let (smallest, largest) = (sizes[ranks.start as usize], sizes[ranks.end as usize - 1]);
        self.needs.prepare(self.rule, set.len(), smallest..=largest);
        if self.is_crowded(question, &ranks, largest)
            && self.look_through(question, &ranks, largest, &removed, progress)?
        {
            return Ok(());
        }
        let mut high = ranks.end;
        for (place, &token) in prefix.tokens.iter().enumerate() {
            self.postings.fetch_ahead(&prefix.tokens[place..]);
            let left = as_u32(set.len() - prefix.lone - place);
            // What is left cannot bring a set that large to its hits.
            while high > ranks.start && {
                let need = self.needs.of(sizes[high as usize - 1]);
                need >= left + self.rule.hits(need)
            } {
                high = self.catalogue.smaller_than(sizes[high as usize - 1] as usize);
            }
            if high <= ranks.start {
                break;
            }
            let (mut read, mut met) = (0, 0);
            for (rank, position) in self.postings.run(token, ranks.start, high) {
                read += 1;
                if removed(rank) {
                    met += 1;
                    continue;
                }
                let size = sizes[rank as usize];
                let left = left.min(size - position);
                self.seen.note(rank, left, self.needs.of(size));
            }
            progress.tick(read + 8)?;
            self.postings.sweep(token, met, &removed);
        }
        progress.tick(set.len() + JUMP)?;
        let own = parity(set);
        let Self { rule, needs, parities, seen, .. } = self;
        seen.finish(|rank, count| {
            let size = sizes[rank as usize];
            let need = needs.of(size);
            let differing = (set.len() + size as usize).saturating_sub(2 * need as usize);
            count >= rule.hits(need) && parities.may(&own, rank, differing)
        });
        Ok(())
    }

    /// Whether it takes longer to read the lists of the sets that share values with the prefix of
    /// `question` than to look at the pictures of all sets from `ranks`: so it is with the lines
    /// of one template, whose few thousand values are all common.
    fn is_crowded(&mut self, question: Question, ranks: &Range<u32>, largest: u32) -> bool {
        if self.blind > 0 {
            self.blind -= 1;
            return false;
        }
        let tells = Crowd::tells(self.differing(question, largest));
        if !tells || ranks.end as usize > self.parities.len() {
            return false;
        }
        let all = self.crowd.as_ref().map_or(ranks.len(), |crowd| crowd.count(ranks));
        let mut read = 0;
        question.prefix.tokens.iter().any(|&token| {
            read += self.postings.length(token);
            read > all / POSTING + CALL
        })
    }

    /// Finds what [`Self::find`] finds, and a few more, by the pictures of all sets; `false` where
    /// they do not tell them from strangers.
    fn look_through(
        &mut self,
        question: Question,
        ranks: &Range<u32>,
        largest: u32,
        removed: impl Fn(u32) -> bool,
        progress: &mut Progress,
    ) -> Result<bool, KernelError> {
        let (own, size) = (parity(question.set), question.set.len());
        let differing = self.differing(question, largest);
        let sizes = self.catalogue.sizes();
        let Self { needs, parities, seen, crowd, .. } = self;
        let crowd = crowd.get_or_insert_with(|| Crowd::of(parities));
        let found = &mut seen.found;
        let (mut near, mut met) = (0, 0);
        crowd.each_near(&own, ranks, differing, |rank| {
            let other = sizes[rank as usize];
            let differing = (size + other as usize).saturating_sub(2 * needs.of(other) as usize);
            near += 1;
            if removed(rank) {
                met += 1;
            } else if parities.may(&own, rank, differing) {
                found.push(rank);
            }
        });
        let looked = crowd.count(ranks);
        progress.tick(looked / POSTING + near + size + JUMP)?;
        crowd.sweep(parities, met, removed);
        if found.len() > CALL + looked / 4 {
            // Lists may tell more.
            self.blind = BLIND;
            self.seen.found.clear();
            return Ok(false);
        }
        Ok(true)
    }

    /// In how many values a set of at most `largest` values may differ from `question`. What must
    /// be shared is rounded up, so that a smaller set may differ in up to two more than the
    /// largest.
    fn differing(&self, question: Question, largest: u32) -> usize {
        self.rule.differing(question.set.len() + largest as usize) + 2
    }

    /// The answer to the last question: all sets that resemble it, and few others; each once, in a
    /// fixed order.
    pub(super) fn found(&self) -> &[u32] {
        &self.seen.found
    }

    /// How many values `question` shares with the set of rank `rank`, if that is enough.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn verify(
        &self,
        question: Question,
        rank: u32,
        progress: &mut Progress,
    ) -> Result<Option<u32>, KernelError> {
        let (set, other) = (question.set, self.catalogue.set(rank));
        let sizes = set.len() + other.len();
        progress.tick(sizes + JUMP)?;
        let need = self.rule.shared(sizes);
        let shared = intersect_at_least(self.blocks, set, other, need);
        Ok(shared.filter(|&shared| self.is_enough(question, rank, shared)).map(as_u32))
    }

    /// Whether values shared at the threshold of the join are enough at that which counts.
    ///
    /// Nearer to the threshold than ids may meet by chance, the whole hashes decide.
    fn is_enough(&self, question: Question, rank: u32, shared: usize) -> bool {
        let Some(exact) = self.catalogue.exact().map(Resemblance::new) else { return true };
        let (set, other) = (question.set, self.catalogue.set(rank));
        let need = exact.shared(set.len() + other.len());
        let (left, right) = (question.whole, self.catalogue.whole(rank));
        if left.is_empty() || right.is_empty() {
            return shared >= need;
        }
        let slack = slack(set.len(), other.len());
        if shared >= need + slack || shared + slack < need {
            return shared >= need;
        }
        sets::shared(left, right) >= exact.shared(left.len() + right.len())
    }
}

impl Seen {
    /// Starts with nothing seen of any of `sets` sets.
    pub(crate) fn new(sets: usize) -> Self {
        Self { counts: vec![0; sets], found: Vec::new() }
    }

    /// Notes a value shared with the set `rank`, where `left` are left on the shorter side,
    /// itself included, where `need` must be shared in all. Both sets are read in the same order,
    /// so that what was counted before and what is left is all that can be shared. A set that fails
    /// once fails ever after: its count goes back to zero, and less is left each time.
    #[inline]
    pub(crate) fn note(&mut self, rank: u32, left: u32, need: u32) {
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

    /// The sets that did not fail, each once, which are forgotten.
    pub(crate) fn take(&mut self) -> Vec<u32> {
        self.finish(|_, count| count > 0);
        std::mem::take(&mut self.found)
    }

    /// Drops every count, and the sets whose rank and count will not do.
    pub(crate) fn finish(&mut self, will_do: impl Fn(u32, u32) -> bool) {
        let counts = &mut self.counts;
        self.found.retain(|&rank| will_do(rank, std::mem::take(&mut counts[rank as usize])));
    }
}

impl Needs {
    fn none() -> Self {
        Self { size: 0, sizes: 0..=0, shared: Vec::new() }
    }

    /// Computes what a set of `size` values must share with sets of `sizes`.
    fn prepare(&mut self, rule: Resemblance, size: usize, sizes: RangeInclusive<u32>) {
        if self.size == size && self.sizes == sizes {
            return;
        }
        let shared = |other: u32| as_u32(rule.shared(size + other as usize));
        self.shared.clear();
        self.shared.extend(sizes.clone().map(shared));
        (self.size, self.sizes) = (size, sizes);
    }

    #[inline]
    fn of(&self, size: u32) -> u32 {
        self.shared[(size - self.sizes.start()) as usize]
    }
}
