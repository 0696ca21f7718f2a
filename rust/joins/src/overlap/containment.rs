//! Containment join: the prefixes of the contained side are indexed, and every set
//! is streamed past them in full.

use std::cell::Cell;

use super::catalogue::{Catalogue, CatalogueTail, Rank};
use super::frequency::{Frequencies, spread_bits};
use super::intersect::{AHEAD, count_shared_if_enough};
use super::pairs::{FoundPairs, Overlaps};
use super::postings::{ASKING_BYTES, Postings};
use super::prefix::Prefixes;
use super::ratio::{Containment, Ratio};
use super::sets::Sets;
use crate::error::{KernelError, Watch};
use crate::filter::Filter;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use crate::sets::saturate_to_u32;
use crate::simd::intersect::SetIntersector;
use crate::simd::prefetch::prefetch_set;

/// All ordered pairs of different rows with |A n B| / |A| of at least `threshold`, where A is the
/// set of the left row: left is contained in right.
///
/// # Errors
/// [`KernelError::TooManyPairs`] above `max_pairs`, with the pairs known by then (there may be
/// more: the join stops there); [`KernelError::Interrupted`].
pub fn containment_self_join(
    sets: Sets,
    threshold: Ratio,
    max_pairs: u64,
    watch: Watch,
) -> Result<Overlaps, KernelError> {
    let catalogue = list_if_threshold(sets, threshold, watch)?;
    let mut found = FoundPairs::new(max_pairs);
    found.push_pairs_of_equal_sets_both_ways(&catalogue)?;
    Contained::index(&catalogue, &[&catalogue], threshold, watch)?.each_contained(
        &catalogue,
        0..catalogue.len(),
        Contained::count_fitting,
        |_| false,
        watch,
        |ContainedPair { outer, inner, shared }| {
            if inner == outer {
                return Ok(());
            }
            found.push_product(catalogue.rows(inner), catalogue.rows(outer), shared)
        },
    )?;
    found.sort_and_deduplicate(sets.len())
}

/// All pairs of a row of `left` and one of `right` with |A n B| / |A| of at least `threshold`,
/// where A is the set of the left row: left is contained in right. Rows of equal sets are a pair.
///
/// # Errors
/// As [`containment_self_join`].
pub fn containment_join(
    left: Sets,
    right: Sets,
    threshold: Ratio,
    max_pairs: u64,
    watch: Watch,
) -> Result<Overlaps, KernelError> {
    let inner = list_if_threshold(left, threshold, watch)?;
    let outer = list_if_threshold(right, threshold, watch)?;
    let mut found = FoundPairs::new(max_pairs);
    Contained::index(&inner, &[&inner, &outer], threshold, watch)?.each_contained(
        &outer,
        0..outer.len(),
        Contained::count_fitting,
        |_| false,
        watch,
        |pair| found.push_product(inner.rows(pair.inner), outer.rows(pair.outer), pair.shared),
    )?;
    found.sort_and_deduplicate(left.len())
}

/// For each row one larger row that contains it at `threshold` (|A n B| / |A|), if there is one:
/// larger means a greater (size, row), so that no two rows contain each other, and of all that
/// contain a row the largest is given.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub fn find_last_containers_by_size_and_row(
    sets: Sets,
    threshold: Ratio,
    watch: Watch,
) -> Result<Vec<Option<u32>>, KernelError> {
    let catalogue = list_if_threshold(sets, threshold, watch)?;
    let contained = Contained::index(&catalogue, &[&catalogue], threshold, watch)?;
    let containers = contained.find_containers_of_highest_rank(watch)?;
    Ok(last_rows_of_containers_or_own_sets(&catalogue, &containers, sets.len()))
}

/// For each row the greatest row of the container of its set; a set without one is contained in
/// itself, which answers all its rows but the greatest.
fn last_rows_of_containers_or_own_sets(
    catalogue: &Catalogue,
    containers: &[Option<Rank>],
    rows: usize,
) -> Vec<Option<u32>> {
    let mut answers = vec![None; rows];
    for rank in 0..catalogue.len() {
        let larger = containers[rank as usize].unwrap_or(rank);
        // Ranks ascend by the greatest row, so that this row is above all of the sets of lower
        // ranks.
        let last = catalogue.rows(larger).last().copied();
        for &row in catalogue.rows(rank) {
            answers[row as usize] = last.filter(|&last| last != row);
        }
    }
    answers
}

/// Bits of the filter to a posting, at least: one in eight other tokens passes at the most.
const FILTER_BITS: usize = 8;

/// A token as the filter takes it, which reads upper bits.
#[inline]
fn token_in_upper_half(token: u32) -> u64 {
    u64::from(token) << u32::BITS
}

/// Share of the work that is done when the prefixes are indexed, as the watch sees it: no answer
/// depends on it.
const INDEXED: f64 = 0.5;

/// The catalogue of a column, which is the first part of the work; it is empty at what is not a
/// threshold, since nothing is contained then.
fn list_if_threshold<'a>(
    sets: Sets<'a>,
    threshold: Ratio,
    watch: Watch,
) -> Result<Catalogue<'a>, KernelError> {
    let progress = Progress::stage(watch, 0.0, 0.05);
    Catalogue::of_fitting_sizes(sets, |_| threshold.is_threshold(), 1, &progress)
}

/// A set that contains an indexed one.
struct ContainedPair {
    /// The set that contains the other, by its rank in its own catalogue.
    outer: Rank,
    /// The indexed set.
    inner: Rank,
    /// The number of values that they share.
    shared: u32,
}

/// The index of all sets as contained ones.
struct Contained<'c, 'a> {
    catalogue: &'c Catalogue<'a>,
    rule: Containment,
    postings: Postings,
    /// Tokens of the postings.
    filter: Filter,
    /// Values of each set's prefix that were met; and those that its containers have.
    met_values: Vec<u8>,
    demanded_values: Vec<u8>,
    met_sets: Vec<Rank>,
    candidates: Vec<Rank>,
}

impl<'c, 'a> Contained<'c, 'a> {
    /// Indexes the sets of `catalogue`; `counted` are all sets that take part in the join.
    fn index(
        catalogue: &'c Catalogue<'a>,
        counted: &[&Catalogue],
        threshold: Ratio,
        watch: Watch,
    ) -> Result<Self, KernelError> {
        let rule = Containment::new(threshold);
        reserve::check_room(ASKING_BYTES * catalogue.len() as usize)?;
        let progress = Progress::stage(watch, 0.05, 0.2);
        let all_of = |&catalogue: &_| CatalogueTail { catalogue, first: 0 };
        let counted: Vec<_> = counted.iter().map(all_of).collect();
        let frequencies = Frequencies::count(&counted, |_| true, &progress)?;
        let progress = Progress::stage(watch, 0.2, INDEXED);
        let length = |size| rule.prefix_length(size);
        let all = CatalogueTail { catalogue, first: 0 };
        let prefixes = Prefixes::select(all, &frequencies, |_| true, length, &progress)?;
        drop(frequencies);
        // A byte holds it: no set is asked for more than five.
        let demanded = |&size: &u32| rule.prefix_hits(size as usize) as u8;
        let demanded: Vec<u8> = catalogue.sizes().iter().map(demanded).collect();
        // A set with too few values that others have is contained in none.
        let position_limit = |rank: Rank| {
            let enough = prefixes.get(rank).tokens.len() >= demanded[rank as usize].into();
            if enough { usize::MAX } else { 0 }
        };
        let postings = Postings::index(&prefixes, position_limit, &progress)?;
        Ok(Self {
            catalogue,
            rule,
            filter: Filter::new(
                Filter::choose_filter_exponent(postings.len(), FILTER_BITS),
                postings.tokens().map(token_in_upper_half),
            ),
            postings,
            met_values: vec![0; demanded.len()],
            demanded_values: demanded,
            met_sets: Vec::new(),
            candidates: Vec::new(),
        })
    }

    /// Number of indexed sets, from the smallest on, that a set of `outer` may contain by its size.
    fn count_fitting(&self, outer: &Catalogue, rank: Rank) -> Rank {
        let size = outer.set(rank).len();
        self.catalogue.count_sizes_while(|small| self.rule.values_needed(small) <= size)
    }

    /// The containers of the indexed sets in their own catalogue: for each the one of the highest
    /// rank, if one is of a higher rank than the set.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    fn find_containers_of_highest_rank(
        mut self,
        watch: Watch,
    ) -> Result<Vec<Option<Rank>>, KernelError> {
        let catalogue = self.catalogue;
        let containers = vec![Cell::new(None); catalogue.len() as usize];
        let container_of = |inner: Rank| &containers[inner as usize];
        self.each_contained(
            catalogue,
            // The highest first: a set takes the first container that comes and leaves the index.
            (0..catalogue.len()).rev(),
            |_, _, rank| rank,
            |inner| container_of(inner).get().is_some(),
            watch,
            |pair| {
                container_of(pair.inner).set(Some(pair.outer));
                Ok(())
            },
        )?;
        Ok(containers.into_iter().map(Cell::into_inner).collect())
    }

    /// Asks for the sets of `outer`, all `ranks` of them in turn: calls `hit` with each indexed set
    /// that such a set contains and that is of a rank below `below(self, outer, rank)`. Removed
    /// sets are left out, and in time out of the index.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`], or what `hit` answers.
    fn each_contained(
        &mut self,
        outer: &Catalogue,
        ranks: impl Iterator<Item = Rank>,
        below: impl Fn(&Self, &Catalogue, Rank) -> Rank,
        removed: impl Fn(Rank) -> bool,
        watch: Watch,
        mut hit: impl FnMut(ContainedPair) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let progress = Progress::stage(watch, INDEXED, 1.0);
        let intersector = SetIntersector::detect();
        for (done, rank) in ranks.enumerate() {
            progress.note_done(done, outer.len() as usize);
            let set = outer.set(rank);
            // Sets of higher ranks are too large, or must not count; postings are by rank, so that
            // they are not read.
            let below = below(self, outer, rank);
            self.find_candidates(set, below, &removed, &progress)?;
            for (place, &other) in self.candidates.iter().enumerate() {
                if let Some(&coming) = self.candidates.get(place + AHEAD) {
                    prefetch_set(self.catalogue.set(coming));
                }
                let inner = self.catalogue.set(other);
                progress.spend_values(inner.len() + JUMP)?;
                let need = self.rule.values_needed(inner.len());
                if let Some(shared) = count_shared_if_enough(intersector, inner, set, need) {
                    hit(ContainedPair {
                        outer: rank,
                        inner: other,
                        shared: saturate_to_u32(shared),
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Finds the sets of ranks below `below` of whose prefix `set` has as many values as demanded.
    fn find_candidates(
        &mut self,
        set: &[u32],
        below: Rank,
        removed: impl Fn(Rank) -> bool,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        self.candidates.clear();
        progress.spend_values(set.len() + JUMP)?;
        for &value in set {
            let token = spread_bits(value);
            // The whole set is looked up, since a container may be of any size and the value that
            // both share may be a common one there. Most values are in no prefix, and one look
            // tells.
            if !self.filter.may_hold(token_in_upper_half(token)) {
                continue;
            }
            let (mut read, mut gone) = (0, 0);
            for posting in self.postings.entries_descending(token, 0..below) {
                let other = posting.rank;
                read += 1;
                if removed(other) {
                    gone += 1;
                    continue;
                }
                let met = &mut self.met_values[other as usize];
                if *met == 0 {
                    self.met_sets.push(other);
                }
                // If it wrapped around, a set would be a candidate again at 256 more values.
                *met = met.saturating_add(1);
                if *met == self.demanded_values[other as usize] {
                    self.candidates.push(other);
                }
            }
            progress.spend_values(read + 8)?;
            self.postings.sweep_if_due(token, gone, &removed);
        }
        for other in self.met_sets.drain(..) {
            self.met_values[other as usize] = 0;
        }
        Ok(())
    }
}
